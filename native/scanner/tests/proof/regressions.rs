//! Texts that were decided wrongly once, or nearly: each is checked at every prefix and split.
//!
//! A row is never removed. New ones come from the properties and the fuzz targets.

use crate::drive::{UNLIMITED, check_prefixes, check_thoroughly, check_two_way_splits};

/// Texts.
const TEXTS: [&str; 9] = [
    // A fence's info string may not hold a backtick.
    "```a`b\n{}\n```",
    // A line feed among the four bytes behind `\u` begins a line.
    "{\"a\":\"\\u00\n0\"}",
    "{\"\\u\n0041\":1}",
    "\"\\u\n\nx",
    // The first half of a pair in the outer string is some character beyond U+FFFF, which the
    // inner reading takes inside a string only.
    "\"{\\\"a\\\":\\ud83d",
    "\"{\\\"a\\\":1e\\uD800",
    "\"{\\\"a\\\":\\\"\\\\ud83d\\ud83d",
    "\"{\\\"a\\\":\\\"\\ud83d\\ude00\\\"}\"",
    // Complete as a string, then prose around another object.
    "\"\\u007b}\"{\"a\":1}",
];

/// Bytes that are not UTF-8.
const BYTES: [&[u8]; 1] = [
    // A character cut at the end of an acceptable text.
    b"{\"a\":1}\xe2\x80",
];

#[test]
fn guarantee_1_texts_once_decided_wrongly() {
    for text in TEXTS {
        check_thoroughly(text);
    }
    for bytes in BYTES {
        let expected = check_prefixes(bytes, UNLIMITED);
        check_two_way_splits(bytes, &expected, UNLIMITED);
    }
}
