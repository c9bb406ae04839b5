//! Any cutting of the same bytes gives the same answers at the same byte, with a limit and without.
#![no_main]

use argspan_fuzz::{ask, lengths_and_text, pieces};
use argspan_scanner::Scanner;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((lengths, text)) = lengths_and_text(data) else {
        return;
    };
    for limit in [u64::MAX, u64::from(lengths[0])] {
        let mut pieced = Scanner::new(limit);
        let mut single = Scanner::new(limit);
        for piece in pieces(text, lengths) {
            pieced.feed(piece);
            for byte in piece {
                single.feed(std::slice::from_ref(byte));
            }
            assert_eq!(ask(&pieced), ask(&single));
        }
        let mut whole = Scanner::new(limit);
        whole.feed(text);
        assert_eq!(ask(&pieced), ask(&whole));
    }
});
