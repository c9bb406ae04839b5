//! A scanner may be asked at any time, copied, and fed on.

use crate::drive::{UNLIMITED, decisions, random_cuts};
use crate::fixtures::{fixture, text};
use argspan_scanner::{Scanner, Stop, Verdict, check};

#[test]
fn guarantee_1_asking_changes_nothing() {
    for (seed, row) in fixture("cases/decisions.jsonl").iter().enumerate() {
        let raw = text(row, "raw").as_bytes();
        let mut asked = Scanner::new(UNLIMITED);
        let mut left_alone = Scanner::new(UNLIMITED);
        let mut from = 0;
        for to in random_cuts(raw.len(), seed as u64)
            .into_iter()
            .chain([raw.len()])
        {
            asked.feed(&raw[from..to]);
            left_alone.feed(&raw[from..to]);
            from = to;
            let first = (
                asked.verdict(),
                asked.span(),
                asked.error(),
                decisions(&asked),
            );
            let again = (
                asked.verdict(),
                asked.span(),
                asked.error(),
                decisions(&asked),
            );
            assert_eq!(first, again, "{row}");
        }
        assert_eq!(decisions(&asked), decisions(&left_alone), "{row}");
        assert_eq!(asked.verdict(), left_alone.verdict(), "{row}");
    }
}

#[test]
fn guarantee_1_empty_fragments_change_nothing() {
    for row in fixture("cases/decisions.jsonl") {
        let raw = text(&row, "raw").as_bytes();
        let mut scanner = Scanner::new(UNLIMITED);
        for byte in raw {
            scanner.feed(&[*byte]);
            scanner.feed(&[]);
        }
        scanner.feed(&[]);
        assert_eq!(scanner.decide(Stop::Finished), check(raw), "{row}");
    }
}

#[test]
fn a_copy_goes_its_own_way() {
    let mut scanner = Scanner::new(UNLIMITED);
    scanner.feed(b"{\"a\":\"x");
    let mut copy = scanner;
    copy.feed(b"\"}");
    assert_eq!(copy.verdict(), Verdict::Complete);
    assert_eq!(scanner.verdict(), Verdict::Incomplete);
    scanner.feed(b"\n");
    assert_eq!(scanner.verdict(), Verdict::Malformed);
    assert_eq!(copy.verdict(), Verdict::Complete);
}

#[test]
fn a_new_scanner_is_an_empty_text() {
    let scanner = Scanner::new(0);
    assert_eq!(scanner.verdict(), Verdict::Empty);
    assert_eq!(scanner.decide(Stop::Finished), check(b""));
    assert_eq!(
        (scanner.depth(), scanner.in_string(), scanner.bytes()),
        (0, false, 0)
    );
    assert_eq!((scanner.object_start(), scanner.error()), (None, None));
}

#[test]
fn guarantee_3_malformed_is_for_ever() {
    for row in fixture("cases/verdicts.jsonl") {
        let raw = text(&row, "raw");
        let mut scanner = Scanner::new(UNLIMITED);
        scanner.feed(raw.as_bytes());
        if scanner.verdict() != Verdict::Malformed {
            continue;
        }
        for more in [
            "}", "\"}", "]}", "{}", "0", "\\\"}\"", " ", "\n```", "e-9}", "dc00\"}",
        ] {
            let mut longer = scanner;
            longer.feed(more.as_bytes());
            assert_eq!(longer.verdict(), Verdict::Malformed, "{raw:?} and {more:?}");
        }
    }
}

#[test]
fn a_restarted_scanner_is_a_new_one() {
    let mut used = Scanner::new(3);
    for row in fixture("cases/decisions.jsonl") {
        let raw = text(&row, "raw");
        used.restart(UNLIMITED);
        used.feed(raw.as_bytes());
        assert_eq!(used.decide(Stop::Finished), check(raw.as_bytes()), "{row}");
        // Whatever state this leaves behind: half a pair, half a character, a flaw, a limit.
        used.restart(5);
        used.feed_utf16(&[0x7b, 0x22, 0xd83d]);
        used.restart(5);
        used.feed(b"{\"\xf0\x9f");
        used.restart(u64::MAX);
        used.feed(b"\xff");
    }
    used.restart(2);
    assert_eq!(used.verdict(), Verdict::Empty);
    used.feed_utf16(&[0xe9, 0x7b]);
    assert!(
        used.is_over_limit(),
        "three bytes, and the new limit is two"
    );
}

#[test]
fn guarantee_4_a_plain_string_is_calm() {
    // What is promised about a calm scanner is checked with every text; here, that it is calm
    // where batching text relies on it.
    for (before, calm) in [
        ("{\"a\":\"", true),
        ("{\"a\":\"plain é", true),
        ("Call: {\"a\":\"plain", true),
        ("{\"ke", true),
        ("{\"a\":\"\\", false),
        ("{\"a\":\"\\u00", false),
        ("{\"a\":\"\\ud83d", false),
        ("{\"a\":", false),
        ("{\"a\":\"x\"", false),
        ("{\"a\":\"\n", false),
        ("", false),
    ] {
        let mut scanner = Scanner::new(before.len() as u64 + 10);
        scanner.feed(before.as_bytes());
        assert_eq!(scanner.is_calm(10), calm, "{before:?}");
        assert!(!scanner.is_calm(11), "{before:?}: eleven more are too many");
    }
}
