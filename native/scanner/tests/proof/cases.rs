//! Over a thousand texts with their decisions, and hundreds with the verdict after each character.

use crate::drive::{UNLIMITED, check_cuts, check_prefixes, check_thoroughly, random_cuts};
use crate::fixtures::{field_reports, fixture, kind_name, repair_name, text, value};
use argspan_oracle::{Judgement, judge};
use argspan_scanner::{Decision, Kind, Scanner, Stop, Verdict, check};
use serde_json::Value;

/// Up to here every two-way split is tried; longer texts are cut at random.
const SHORT: usize = 160;

#[test]
fn guarantee_2_cases_are_decided_as_recorded() {
    for row in fixture("cases/decisions.jsonl") {
        let raw = text(&row, "raw");
        let decision = check(raw.as_bytes());
        compare_with_row(raw, &decision, &row);
        let units: Vec<u16> = raw.encode_utf16().collect();
        let mut scanner = Scanner::new(UNLIMITED);
        scanner.feed_utf16(&units);
        let as_units = scanner.decide(Stop::Finished);
        assert_eq!(as_units.repair, decision.repair, "{raw:?}");
        assert_eq!(as_units.kind, decision.kind, "{raw:?}");
        let reason = |decision: &Decision| decision.error.map(|error| error.to_string());
        assert_eq!(reason(&as_units), reason(&decision), "{raw:?}");
    }
}

/// Compares with a row of `decisions.jsonl`, and with the oracle, which knows fences too.
pub fn compare_with_row(raw: &str, decision: &Decision, row: &Value) {
    let judgement = judge("tool", raw);
    match &judgement {
        Judgement::Accepted {
            value: expected,
            repair,
            ..
        } => {
            assert_eq!(decision.kind, None, "{raw:?}");
            let name = repair_name(decision.repair.expect("accepted"));
            assert_eq!(name, repair.label(), "{raw:?}");
            // The file has one word for both wrappings, and none for a blank text.
            let recorded = match name {
                "fence" | "prose" => "span",
                "empty" => "none",
                other => other,
            };
            assert_eq!(row["repair"], recorded, "{raw:?}");
            let value = value(raw, decision);
            assert_eq!(value, row["value"], "{raw:?}");
            assert_eq!(value.as_object(), Some(expected), "{raw:?}");
        }
        Judgement::Reported { first_err, .. } => {
            assert_eq!(row.get("value"), None, "{raw:?}");
            assert_eq!(decision.repair, None, "{raw:?}");
            let error = decision.error.expect("reported").to_string();
            assert_eq!(&error, first_err, "{raw:?}");
            assert_eq!(row["first_err"], error.as_str(), "{raw:?}");
        }
    }
}

#[test]
fn guarantee_1_cases_at_every_prefix_and_every_split() {
    for row in fixture("cases/decisions.jsonl") {
        let raw = text(&row, "raw");
        if raw.len() <= SHORT {
            check_thoroughly(raw);
            continue;
        }
        let units: Vec<u16> = raw.encode_utf16().collect();
        let in_bytes = check_prefixes(raw.as_bytes(), UNLIMITED);
        let in_units = check_prefixes(&units[..], UNLIMITED);
        for seed in 1..=20 {
            let cuts = random_cuts(raw.len(), seed);
            check_cuts(raw.as_bytes(), &in_bytes, &cuts, UNLIMITED);
            let cuts = random_cuts(units.len(), seed);
            check_cuts(&units[..], &in_units, &cuts, UNLIMITED);
        }
    }
}

#[test]
fn guarantee_3_verdicts_after_every_character_are_as_recorded() {
    for row in fixture("cases/verdicts.jsonl") {
        let raw = text(&row, "raw");
        let states = text(&row, "states");
        let mut bytes = Scanner::new(UNLIMITED);
        let mut units = Scanner::new(UNLIMITED);
        let mut shown = String::from(letter(bytes.verdict()));
        for char in raw.chars() {
            bytes.feed(char.encode_utf8(&mut [0; 4]).as_bytes());
            units.feed_utf16(char.encode_utf16(&mut [0; 2]));
            shown.push(letter(bytes.verdict()));
            assert_eq!(units.verdict(), bytes.verdict(), "{raw:?}");
        }
        assert_eq!(shown, states, "{raw:?}");
    }
}

/// The letter that `verdicts.jsonl` has for a verdict.
fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Empty | Verdict::Complete => 'c',
        Verdict::Incomplete => 'o',
        Verdict::Malformed => 'd',
    }
}

#[test]
fn guarantee_2_reports_from_the_field_are_decided_as_designed() {
    for (row, pieces) in field_reports() {
        let raw = pieces.concat();
        let mut scanner = Scanner::new(UNLIMITED);
        for piece in &pieces {
            scanner.feed(piece.as_bytes());
        }
        let decision = scanner.decide(Stop::Finished);
        assert_eq!(decision, check(raw.as_bytes()), "{row}");
        let default = &row["default"];
        match text(default, "status") {
            "accepted" => {
                let repair = decision.repair.unwrap_or_else(|| panic!("accepted: {row}"));
                assert_eq!(repair_name(repair), text(default, "repair"), "{row}");
                let value = value(&raw, &decision);
                if let Some(number) = default["value"]["order_id"].as_f64() {
                    // Beyond 2^53 a value is what JSON.parse makes of the digits, a double.
                    assert_eq!(value["order_id"].as_f64(), Some(number), "{row}");
                } else {
                    assert_eq!(value, default["value"], "{row}");
                }
            }
            "reported" => {
                let kind = decision.kind.unwrap_or_else(|| panic!("reported: {row}"));
                assert_eq!(kind_name(kind), text(default, "kind"), "{row}");
            }
            other => panic!("status {other}"),
        }
    }
}

#[test]
fn guarantee_1_reports_from_the_field_at_every_prefix_and_every_split() {
    for (_, pieces) in field_reports() {
        check_thoroughly(&pieces.concat());
    }
}

#[test]
fn a_decision_says_either_what_to_run_or_why_not() {
    for row in fixture("cases/decisions.jsonl") {
        let raw = text(&row, "raw");
        for stop in [Stop::Finished, Stop::Length, Stop::Interrupted] {
            let mut scanner = Scanner::new(UNLIMITED);
            scanner.feed(raw.as_bytes());
            let decision = scanner.decide(stop);
            let runs = decision.kind.is_none();
            assert!(!runs || decision.repair.is_some(), "{raw:?}");
            assert!(runs || decision.cut || decision.repair.is_none(), "{raw:?}");
            assert_eq!(
                decision.repair.is_some(),
                decision.span.is_some(),
                "{raw:?}"
            );
            assert_eq!(
                decision.error.is_some(),
                decision.kind.is_some() && !decision.cut
            );
            if stop != Stop::Finished {
                let kind = decision.kind.expect("nothing that was cut may run");
                let hopeless = decision.verdict == Verdict::Malformed;
                assert!(kind == Kind::Truncated || (kind == Kind::Malformed && hopeless));
            }
        }
    }
}
