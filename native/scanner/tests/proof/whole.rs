//! Whole texts against the scanner: the short way must say the same, or nothing.

use argspan_scanner::{Scanner, Stop, check, is_object, is_short_object_utf16};
use proptest::prelude::*;

use crate::generate::{bytes, mutated, object, text, units, wrapped_object};

fn fed(bytes: &[u8]) -> Scanner {
    let mut scanner = Scanner::new(u64::MAX);
    scanner.feed(bytes);
    scanner
}

fn compare(bytes: &[u8]) {
    let scanner = fed(bytes);
    assert_eq!(check(bytes), scanner.decide(Stop::Finished), "{bytes:x?}");
    let plain = scanner.is_plain();
    assert_eq!(is_object(bytes), plain, "{bytes:x?}");
}

fn compare_utf16(units: &[u16]) {
    let mut scanner = Scanner::new(u64::MAX);
    scanner.feed_utf16(units);
    let plain = scanner.is_plain();
    let short = is_short_object_utf16(units);
    assert!(plain || !short, "{units:x?}");
    assert!(!plain || units.len() > 512 || short, "{units:x?}");
}

proptest! {
    #[test]
    fn guarantee_2_a_whole_text_is_decided_as_its_fragments_are(
        text in prop_oneof![text(), object(), wrapped_object(), mutated(object())],
    ) {
        compare(text.as_bytes());
        compare_utf16(&text.encode_utf16().collect::<Vec<_>>());
    }

    #[test]
    fn guarantee_2_whatever_the_bytes_are(bytes in bytes(), units in units()) {
        compare(&bytes);
        compare_utf16(&units);
        // The same inside of an object's string.
        compare(&[b"{\"a\":\"", &bytes[..], b"\"}"].concat());
        let quoted: Vec<u16> = "{\"a\":\"".encode_utf16().chain(units).chain("\"}".encode_utf16()).collect();
        compare_utf16(&quoted);
    }
}

#[test]
fn guarantee_2_at_every_length_around_the_longest_short_one() {
    for length in 480..560 {
        let text = format!("{{\"a\":\"{}\"}}", "\u{e9}".repeat(length / 2));
        compare(text.as_bytes());
        compare(&text.as_bytes()[..text.len() - 1]);
        let units: Vec<u16> = text.encode_utf16().chain("      ".encode_utf16()).collect();
        compare_utf16(&units);
        compare_utf16(&units[..units.len() - 6]);
        let plain = format!("{{\"a\":\"{}\"}}", "x".repeat(length));
        compare(plain.as_bytes());
        compare_utf16(&plain.encode_utf16().collect::<Vec<_>>());
    }
}
