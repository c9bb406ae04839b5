//! Bytes are strict UTF-8: every sequence of two bytes, and of three where it can matter.
//!
//! The standard library says what is valid and where the first flaw begins.

use crate::drive::{UNLIMITED, check_prefixes, check_two_way_splits};
use argspan_scanner::{ErrorCode, Kind, Scanner, Stop, Verdict, check};

const HEAD: &[u8] = b"{\"a\":\"";
const TAIL: &[u8] = b"\"}";

/// The text with the sequence in a string, and the offset of the first flaw, if there is one.
fn around(sequence: &[u8]) -> (Vec<u8>, Option<u64>) {
    let text = [HEAD, sequence, TAIL].concat();
    let flaw = std::str::from_utf8(&text)
        .err()
        .map(|err| err.valid_up_to() as u64);
    (text, flaw)
}

fn check_sequence(sequence: &[u8]) {
    // A control character, quote or backslash is the grammar's business, not the encoding's.
    let (text, flaw) = around(sequence);
    let decision = check(&text);
    let mut single = Scanner::new(UNLIMITED);
    for byte in &text {
        single.feed(&[*byte]);
    }
    assert_eq!(
        single.decide(Stop::Finished),
        decision,
        "{text:x?} byte by byte"
    );
    assert_eq!(
        decision.kind == Some(Kind::InvalidUtf8),
        flaw.is_some(),
        "{text:x?}"
    );
    if let Some(offset) = flaw {
        let error = decision.error.expect("reported");
        assert_eq!(
            (error.code, error.offset),
            (ErrorCode::InvalidUtf8, offset),
            "{text:x?}"
        );
        assert_eq!(decision.verdict, Verdict::Malformed, "{text:x?}");
        assert_eq!(single.verdict(), Verdict::Malformed, "{text:x?}");
        assert_eq!(single.error(), Some(error), "{text:x?}");
        for cut in HEAD.len()..=text.len() {
            let mut pieces = Scanner::new(UNLIMITED);
            pieces.feed(&text[..cut]);
            pieces.feed(&text[cut..]);
            assert_eq!(
                pieces.decide(Stop::Finished),
                decision,
                "{text:x?} cut at {cut}"
            );
        }
    }
}

#[test]
fn guarantee_1_every_sequence_of_two_bytes() {
    for first in 0..=0xff {
        for second in 0..=0xff {
            check_sequence(&[first, second]);
        }
    }
}

/// One byte of each class that the table of well-formed sequences distinguishes.
const CLASSES: [u8; 22] = [
    b'a', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
    0xee, 0xef, 0xf0, 0xf4, 0xf5, 0xff,
];

#[test]
fn guarantee_1_sequences_of_three_and_four_bytes() {
    for first in 0xc0..=0xff {
        for second in CLASSES {
            for third in CLASSES {
                check_sequence(&[first, second, third]);
                for fourth in [b'a', 0x7f, 0x80, 0xbf, 0xc0, 0xff] {
                    check_sequence(&[first, second, third, fourth]);
                }
            }
        }
    }
}

#[test]
fn guarantee_1_flaws_wherever_a_block_may_end() {
    let sequences: [&[u8]; 12] = [
        b"\xff",
        b"\x80",
        b"\xc0\xaf",
        b"\xc3(",
        b"\xe0\x9f\xbf",
        b"\xe2\x82",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf0\x9f\x98",
        b"\xf5\x80\x80\x80",
        b"\xe2\x28\xa1",
    ];
    for padding in 0..=130 {
        for sequence in sequences {
            for tail in [
                &b""[..],
                b"\"}",
                b" plain text that goes on for a whole block, and a half",
            ] {
                let text = [HEAD, &vec![b'x'; padding], sequence, tail].concat();
                let mut single = Scanner::new(UNLIMITED);
                for byte in &text {
                    single.feed(&[*byte]);
                }
                let decision = check(&text);
                assert_eq!(single.decide(Stop::Finished), decision, "{text:x?}");
                let (kind, offset) = match std::str::from_utf8(&text) {
                    Ok(_) => panic!("a flaw in each"),
                    Err(err) if err.error_len().is_none() => (Kind::Truncated, err.valid_up_to()),
                    Err(err) => (Kind::InvalidUtf8, err.valid_up_to()),
                };
                assert_eq!(decision.kind, Some(kind), "{text:x?}");
                if kind == Kind::InvalidUtf8 {
                    assert_eq!(
                        decision.error.map(|error| error.offset),
                        Some(offset as u64)
                    );
                }
            }
        }
    }
}

#[test]
fn guarantee_1_flaws_outside_of_strings() {
    let texts: [&[u8]; 14] = [
        b"\xff",
        b"{\xff}",
        b"{\"a\":1}\xff",
        b"\xc3",
        b"{\"a\":1}\xc3",
        b"{\"a\":1}\xc3\xa9",
        b"{\"a\":1\xc3",
        b"{\"a\":1\xc3\xa9}",
        b"\"\\u00\xc3\xa9\"",
        b"\"\\\xf0\x9f\x98\x80",
        b"\xc2\x85{}\xe2\x80\xa8",
        b"\xef\xbb\xbf{\"a\":1}",
        b"[{\"a\":1},{\"b\":2}]\xc3",
        b"\"{\\\"a\\\":1}\" \xc3",
    ];
    for text in texts {
        let expected = check_prefixes(text, UNLIMITED);
        check_two_way_splits(text, &expected, UNLIMITED);
    }
}

#[test]
fn guarantee_1_an_invalid_sequence_wins_over_every_other_report() {
    let texts: [(&[u8], u64); 6] = [
        (b"\xff", 0),
        (b"not json \xff", 9),
        (b"{\"a\":tru} \xc0\x80", 10),
        (b"[1] \xed\xa0\x80", 4),
        (b"{\"a\":1} \xf8", 8),
        (b"  \xc3\xc3\xa9", 2),
    ];
    for (text, offset) in texts {
        for stop in crate::reference::STOPS {
            let mut scanner = Scanner::new(UNLIMITED);
            scanner.feed(text);
            let decision = scanner.decide(stop);
            assert_eq!(decision.kind, Some(Kind::InvalidUtf8), "{text:x?}");
            assert_eq!(
                decision.error.map(|error| error.offset),
                Some(offset),
                "{text:x?}"
            );
            assert_eq!(scanner.verdict(), Verdict::Malformed, "{text:x?}");
        }
    }
}
