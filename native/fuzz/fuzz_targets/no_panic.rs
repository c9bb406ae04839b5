//! Calls in any order, on any input, under any limit: none panics, and asking changes nothing.
#![no_main]

use arbitrary::Arbitrary;
use argspan_fuzz::ask;
use argspan_scanner::{Scanner, check};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Call<'a> {
    Feed(&'a [u8]),
    FeedText(&'a str),
    FeedUtf16(Vec<u16>),
    FeedTextAsUtf16(&'a str),
    Ask,
    Copy,
    Check(&'a [u8]),
    Reset(u64),
    ResetSmall(u8),
}

fuzz_target!(|calls: Vec<Call>| {
    let mut scanner = Scanner::new(u64::MAX);
    for call in calls {
        match call {
            Call::Feed(bytes) => scanner.feed(bytes),
            Call::FeedText(text) => scanner.feed(text.as_bytes()),
            Call::FeedUtf16(units) => scanner.feed_utf16(&units),
            Call::FeedTextAsUtf16(text) => {
                scanner.feed_utf16(&text.encode_utf16().collect::<Vec<_>>());
            }
            Call::Ask => {
                assert_eq!(ask(&scanner), ask(&scanner));
                let _ = scanner.span();
            }
            Call::Copy => {
                let copy = scanner;
                assert_eq!(ask(&copy), ask(&scanner));
            }
            Call::Check(bytes) => {
                let _ = check(bytes);
            }
            Call::Reset(limit) => scanner = Scanner::new(limit),
            Call::ResetSmall(limit) => scanner = Scanner::new(u64::from(limit)),
        }
    }
    let _ = ask(&scanner);
});
