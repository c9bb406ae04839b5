//! Any cutting of a response gives the same notes and the same calls.
#![no_main]

use argspan_fuzz::wire::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [shape, size, bytes @ ..] = data else {
        return;
    };
    let whole = read(bytes, *shape, usize::MAX);
    assert_eq!(read(bytes, *shape, 1), whole, "byte by byte");
    let size = usize::from(*size).max(1);
    assert_eq!(read(bytes, *shape, size), whole, "in chunks of {size}");
});
