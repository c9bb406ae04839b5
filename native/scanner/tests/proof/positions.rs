//! Special bytes at every distance from a start: where blocks of a vector's width begin and end.
//!
//! Each text is some padding of a length from 0 to 130, a byte that ends the run, and a tail; the
//! whole text, byte by byte, and cut beside the special byte have to decide as the reference does.

use crate::drive::{Latin1, UNLIMITED, decide_cut, decisions};
use crate::reference::Fed;
use argspan_scanner::Scanner;

/// Beyond two blocks of 64 nothing new can happen.
const LONGEST: usize = 130;

fn check_text(text: &str) {
    let bytes = text.as_bytes();
    let units: Vec<u16> = text.encode_utf16().collect();
    let expected = Fed::bytes(bytes).expect(UNLIMITED);
    let mut whole = Scanner::new(UNLIMITED);
    whole.feed(bytes);
    assert_eq!(decisions(&whole), expected.decisions, "{text:?}");
    assert_eq!(whole.verdict(), expected.verdict, "{text:?}");
    let mut single = Scanner::new(UNLIMITED);
    for byte in bytes {
        single.feed(&[*byte]);
    }
    assert_eq!(
        decisions(&single),
        expected.decisions,
        "{text:?} byte by byte"
    );
    let expected = Fed::utf16(&units).expect(UNLIMITED);
    let mut whole = Scanner::new(UNLIMITED);
    whole.feed_utf16(&units);
    assert_eq!(decisions(&whole), expected.decisions, "{text:?} in units");
    if let Some(latin1) = Latin1::from_text(text) {
        for cuts in [vec![], vec![units.len() / 2]] {
            let found = decide_cut(&latin1, &cuts, UNLIMITED);
            assert_eq!(found, expected.decisions, "{text:?} in Latin-1");
        }
    }
    for cut in [1, 15, 16, 17, 31, 32, 33, 63, 64, 65] {
        let mut pieces = Scanner::new(UNLIMITED);
        for piece in bytes.chunks(cut) {
            pieces.feed(piece);
        }
        assert_eq!(
            pieces.verdict(),
            whole.verdict(),
            "{text:?} in pieces of {cut}"
        );
        assert_eq!(
            decisions(&pieces),
            decisions(&single),
            "{text:?} in pieces of {cut}"
        );
        let mut pieces = Scanner::new(UNLIMITED);
        for piece in units.chunks(cut) {
            pieces.feed_utf16(piece);
        }
        assert_eq!(
            decisions(&pieces),
            expected.decisions,
            "{text:?} in pieces of {cut} units"
        );
    }
}

/// Every length of padding between a head and each of the tails.
fn check_paddings(head: &str, padding: &str, tails: &[&str]) {
    for length in 0..=LONGEST {
        let padding: String = padding.chars().cycle().take(length).collect();
        for tail in tails {
            check_text(&format!("{head}{padding}{tail}"));
        }
    }
}

#[test]
fn guarantee_1_strings_of_every_length() {
    check_paddings(
        "{\"a\":\"",
        "x",
        &[
            "",
            "\"}",
            "\"",
            "\\",
            "\\n\"}",
            "\\\"\"}",
            "\\\\\"}",
            "\\u00e9\"}",
            "\\ud83d\\ude00\"}",
            "\\ud83d\"}",
            "\\q",
            "\\uZZZZ",
            "\u{1f}\"}",
            "\n\"}",
            "\u{0}",
            "é\"}",
            "\u{7f}\"}",
            "日\"}",
            "😀\"}",
            "\"}}",
            "\"} {",
            "\"x}",
        ],
    );
}

#[test]
fn guarantee_1_keys_of_every_length() {
    check_paddings(
        "{\"",
        "k",
        &[
            "",
            "\":1}",
            "\"}",
            "\\t\":1}",
            "\t\":1}",
            "é\":1}",
            "\",\"b\":1}",
        ],
    );
}

#[test]
fn guarantee_1_white_space_of_every_length() {
    for white in [" ", "\n", "\t ", "\r\n"] {
        check_paddings("", white, &["", "{}", "x", "\u{a0}{}", "\"{}\""]);
        check_paddings("{", white, &["", "\"a\":1}", "}", "x", "\u{b}}"]);
        check_paddings("{\"a\":", white, &["", "1}", "x", ",}"]);
        check_paddings("{}", white, &["", "x", "}", "\u{2028}"]);
    }
    check_paddings("\u{a0}", "\u{3000}", &["", "{}", "x"]);
}

#[test]
fn guarantee_1_prose_of_every_length() {
    check_paddings("", "prose ", &["", "{\"a\":1}", "{", "}", "{x"]);
    check_paddings("é", "日", &["", "{\"a\":1}", "{\"a\":x}"]);
    check_paddings("{\"a\":1}", " more", &["", "}", "{", "{}", "é", "é}"]);
    check_paddings(
        "```json\n{\"a\":1}\n",
        " ",
        &["", "```", "```\n", "`", "```x", "``` }"],
    );
    check_paddings("```", "i", &["\n{}\n```", "{}```", "`{}```", "\n{}"]);
}

#[test]
fn guarantee_1_encoded_objects_with_strings_of_every_length() {
    check_paddings(
        "\"{\\\"a\\\":\\\"",
        "x",
        &[
            "",
            "\\\"}\"",
            "\\\"}",
            "\"",
            "\\\\n\\\"}\"",
            "\\u005cn\\\"}\"",
            "\\\\",
            "\\n",
            "é\\\"}\"",
        ],
    );
    check_paddings(
        "\"",
        " ",
        &[
            "",
            "{}\"",
            "x",
            "\\n{}\"",
            "\\u00a0{}\"",
            "{}\\u2028\"",
            "\"{}",
        ],
    );
    check_paddings("\"{}", " ", &["", "\"", "x\"", "\\u3000\"", "\" x"]);
}

#[test]
fn guarantee_1_numbers_and_brackets_of_every_length() {
    check_paddings("{\"a\":", "1", &["", "}", ".5}", "e-5}", "x", "e5}"]);
    check_paddings("{\"a\":0.", "0", &["", "1}", "}", "e"]);
    check_paddings("{\"a\":1e-", "9", &["", "}", "x"]);
    check_paddings("{\"a\":[", "[", &["", "1", "]"]);
    check_paddings("{\"a\":[0", ",1", &["", "]}", ",]", "}"]);
}
