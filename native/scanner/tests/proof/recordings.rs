//! Tool calls of small models, fed fragment by fragment as they were streamed.

use crate::cases::compare_with_row;
use crate::drive::{UNLIMITED, check_cuts, check_prefixes};
use crate::fixtures::{fixture, text, texts};
use argspan_scanner::{Kind, Scanner, Stop, Verdict, check};

#[test]
fn guarantee_2_recordings_are_decided_as_recorded() {
    for row in fixture("recordings/recordings.jsonl") {
        let raw = texts(&row, "fragments").concat();
        compare_with_row(&raw, &check(raw.as_bytes()), &row);
        let mut bytes = Scanner::new(UNLIMITED);
        let mut units = Scanner::new(UNLIMITED);
        for fragment in texts(&row, "fragments") {
            bytes.feed(fragment.as_bytes());
            units.feed_utf16(&fragment.encode_utf16().collect::<Vec<_>>());
            assert_eq!(units.verdict(), bytes.verdict(), "{raw:?}");
        }
        assert_eq!(
            bytes.decide(Stop::Finished),
            check(raw.as_bytes()),
            "{raw:?}"
        );
        compare_with_row(&raw, &bytes.decide(Stop::Finished), &row);
    }
}

#[test]
fn guarantee_7_recordings_cut_by_the_token_limit_never_run() {
    let mut cut = 0;
    for row in fixture("recordings/recordings.jsonl") {
        if text(&row, "stop") != "length" {
            continue;
        }
        let mut scanner = Scanner::new(UNLIMITED);
        for fragment in texts(&row, "fragments") {
            scanner.feed(fragment.as_bytes());
        }
        let decision = scanner.decide(Stop::Length);
        let expected = match scanner.decide(Stop::Finished) {
            whole if whole.kind == Some(Kind::Malformed) && whole.verdict == Verdict::Malformed => {
                Kind::Malformed
            }
            _ => Kind::Truncated,
        };
        assert_eq!(decision.kind, Some(expected), "{row}");
        cut += 1;
    }
    assert!(100 < cut, "{cut} recordings were cut");
}

#[test]
fn guarantee_1_recordings_after_every_fragment() {
    for row in fixture("recordings/recordings.jsonl") {
        let fragments = texts(&row, "fragments");
        let raw = fragments.concat();
        let expected = check_prefixes(raw.as_bytes(), UNLIMITED);
        let cuts: Vec<usize> = fragments
            .iter()
            .scan(0, |at, fragment| {
                *at += fragment.len();
                Some(*at)
            })
            .collect();
        check_cuts(raw.as_bytes(), &expected, &cuts, UNLIMITED);
    }
}
