//! UTF-16 with pairs cut in two and halves without a partner.
//!
//! An unpaired half counts as U+FFFD; a first half at the end waits for what follows, and counts
//! as U+FFFD for whoever asks before that.

use crate::drive::{UNLIMITED, check_prefixes, check_two_way_splits};
use argspan_scanner::{Scanner, Span, Stop, Verdict};

const HIGH: u16 = 0xd83d;
const LOW: u16 = 0xde00;

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

#[test]
fn guarantee_1_halves_of_pairs_at_every_prefix_and_split() {
    let around = [
        ("{\"a\":\"", "\"}"),
        ("", "{\"a\":1}"),
        ("{\"a\":1}", ""),
        ("{\"a\":1", "}"),
        ("\"", "{}\""),
        ("\"{\\\"a\\\":\\\"", "\\\"}\""),
        ("\"{}", "\""),
        ("\"\\u1", "\""),
        ("{\"a\":\"\\u12", "\"}"),
        ("{\"a\":\"\\", "\"}"),
        ("  ", "  "),
        ("```", "\n{}\n```"),
    ];
    let middles: [&[u16]; 9] = [
        &[HIGH, LOW],
        &[HIGH],
        &[LOW],
        &[HIGH, HIGH],
        &[HIGH, HIGH, LOW],
        &[LOW, HIGH],
        &[HIGH, LOW, LOW],
        &[0xd800, 0xdbff, 0xdfff, 0xdc00],
        &[HIGH, 0x20, LOW],
    ];
    for (before, after) in around {
        for middle in middles {
            let text = [units(before), middle.to_vec(), units(after)].concat();
            let expected = check_prefixes(&text[..], UNLIMITED);
            check_two_way_splits(&text[..], &expected, UNLIMITED);
        }
    }
}

#[test]
fn guarantee_1_fragments_that_share_a_pair_join() {
    // A report from the field: the halves of an emoji arrive in different fragments.
    let whole = units("{\"mood\": \"ok 🚀!\"}");
    let cut = whole
        .iter()
        .position(|unit| (0xd800..0xdc00).contains(unit))
        .expect("a pair")
        + 1;
    let mut scanner = Scanner::new(UNLIMITED);
    scanner.feed_utf16(&whole[..cut]);
    assert_eq!(scanner.bytes(), 13, "the pending half is not counted");
    assert_eq!(scanner.verdict(), Verdict::Incomplete);
    scanner.feed_utf16(&whole[cut..]);
    assert_eq!(scanner.bytes(), 20);
    assert_eq!(scanner.verdict(), Verdict::Complete);
    let span = Span {
        start: 0,
        end: whole.len() as u64,
    };
    assert_eq!(scanner.span(), Some(span));
    assert_eq!(scanner.decide(Stop::Finished).span, Some(span));
}

#[test]
fn guarantee_1_a_pending_half_counts_once_it_stays_alone() {
    let text = [units("{\"a\":\"x\"} "), vec![HIGH]].concat();
    let mut scanner = Scanner::new(UNLIMITED);
    scanner.feed_utf16(&text);
    let before = scanner.decide(Stop::Finished);
    assert_eq!(before.span, Some(Span { start: 0, end: 9 }));
    assert_eq!(
        before.text,
        Span { start: 0, end: 11 },
        "the half is part of the text"
    );
    assert_eq!(
        scanner.decide(Stop::Finished),
        before,
        "asking twice changes nothing"
    );
    assert_eq!(scanner.bytes(), 10);
    scanner.feed_utf16(&[]);
    assert_eq!(
        scanner.bytes(),
        10,
        "an empty fragment does not end the wait"
    );
    scanner.feed_utf16(&units("x"));
    assert_eq!(scanner.bytes(), 14, "U+FFFD and x");
    let mut narrow = Scanner::new(UNLIMITED);
    narrow.feed_utf16(&text);
    narrow.feed_latin1(&mut [0xe9]);
    assert_eq!(narrow.bytes(), 15, "U+FFFD and a letter of two bytes");
    let mut other = Scanner::new(UNLIMITED);
    other.feed_utf16(&text);
    other.feed_utf16(&[LOW]);
    assert_eq!(other.bytes(), 14, "one character of four bytes");
}

#[test]
fn guarantee_1_a_pending_half_before_bytes_stays_alone() {
    let mut scanner = Scanner::new(UNLIMITED);
    scanner.feed_utf16(&[0x22, HIGH]);
    scanner.feed(b"\xf0\x9f\x98\x80\" {}");
    assert_eq!(scanner.bytes(), 1 + 3 + 4 + 4);
    let decision = scanner.decide(Stop::Finished);
    // Positions count units, as the first fragment did: quote, U+FFFD, a pair, quote, space.
    assert_eq!(decision.span, Some(Span { start: 6, end: 8 }));
    assert_eq!(decision.text, Span { start: 0, end: 8 });
}
