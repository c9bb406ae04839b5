//! Calls in any order, on any input, under any limit: none panics, and asking changes nothing.
#![no_main]

use arbitrary::Arbitrary;
use argspan_fuzz::ask;
use argspan_scanner::{Scanner, check, decode};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Call<'a> {
    Feed(&'a [u8]),
    FeedText(&'a str),
    FeedUtf16(Vec<u16>),
    FeedTextAsUtf16(&'a str),
    FeedLatin1(Vec<u8>),
    Ask,
    Copy,
    Check(&'a [u8]),
    Restart(u64),
    RestartSmall(u8),
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
            Call::FeedLatin1(mut units) => scanner.feed_latin1(&mut units),
            Call::Ask => assert_eq!(ask(&scanner), ask(&scanner)),
            Call::Copy => {
                let copy = scanner;
                assert_eq!(ask(&copy), ask(&scanner));
            }
            Call::Check(bytes) => {
                let _ = check(bytes);
                let mut units = Vec::new();
                assert_eq!(
                    decode(bytes, &mut units),
                    std::str::from_utf8(bytes).is_ok()
                );
            }
            Call::Restart(limit) => scanner.restart(limit),
            Call::RestartSmall(limit) => scanner.restart(u64::from(limit)),
        }
    }
    let _ = ask(&scanner);
});
