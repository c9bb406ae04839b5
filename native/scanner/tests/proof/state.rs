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
