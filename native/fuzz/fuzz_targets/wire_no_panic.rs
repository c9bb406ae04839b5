//! Arbitrary bytes as a response, in every format and under small limits: nothing panics, and what
//! is said of a call comes in its order.
#![no_main]

use argspan_fuzz::wire::{read, told};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&shape, bytes)) = data.split_first() else {
        return;
    };
    told(&read(bytes, shape, usize::MAX));
});
