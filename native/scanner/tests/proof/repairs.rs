//! Opt-in repairs: what they must never do to any text, and what they make of a known object.

use crate::fixtures::{field_reports, fixture, text, texts};
use crate::generate;
use crate::repairs_reference::check_repairs;
use argspan_scanner::{Kind, check, repair, repairs};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A string's pieces, each as JSON writes it and as a model might write it.
type Pieces = Vec<(String, String)>;

fn piece() -> impl Strategy<Value = (String, String)> {
    let plain = select(vec!["a", "é ", "🚀", "{", "}", "[", "`", ":"]);
    let escape = select(vec!["\\n", "\\\"", "\\\\", "\\u00e9", "\\/"]);
    prop_oneof![
        4 => plain.prop_map(|same| (same.to_owned(), same.to_owned())),
        2 => escape.prop_map(|same| (same.to_owned(), same.to_owned())),
        2 => (0..0x20_u8).prop_map(|byte| (format!("\\u{byte:04x}"), char::from(byte).to_string())),
    ]
}

/// The same with backslashes that escape nothing, and no others.
fn literal_piece() -> impl Strategy<Value = (String, String)> {
    let literal = select(vec!["\\d", "\\U", "\\.", "\\ ", "\\users", "\\é", "\\0"]);
    let plain = select(vec!["a", "é ", "{", "}"]);
    prop_oneof![
        1 => plain.prop_map(|same| (same.to_owned(), same.to_owned())),
        1 => literal.prop_map(|raw| (format!("\\{raw}"), raw.to_owned())),
    ]
}

/// An object as JSON writes it, and as a model might.
fn object(strings: impl Strategy<Value = Pieces>) -> impl Strategy<Value = (String, String)> {
    btree_map("[a-z]{1,4}", strings, 1..4).prop_map(|members: BTreeMap<String, Pieces>| {
        let (mut json, mut raw) = (String::from("{"), String::from("{"));
        for (index, (key, pieces)) in members.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let (good, bad): (Vec<_>, Vec<_>) = pieces.iter().cloned().unzip();
            let _ = write!(json, "{comma}\"{key}\": \"{}\"", good.concat());
            let _ = write!(raw, "{comma}\n\"{key}\": \"{}\"", bad.concat());
        }
        (json + "}", raw + "}")
    })
}

/// Other text, with or without braces.
fn other() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "Here: ",
        "```json\n",
        "see {4.1} ",
        "{to, cc}",
        "{'a': 'b'} ",
        "é\u{2028}",
    ])
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn guarantee_6_more_repairs_never_change_what_fewer_gave(text in generate::text()) {
        check_repairs(text.as_bytes());
    }

    #[test]
    fn guarantee_6_nor_in_tokens_in_no_order(text in prop_oneof![generate::soup(), generate::soup_inside()]) {
        check_repairs(text.as_bytes());
    }

    #[test]
    fn guarantee_5_nor_in_bytes(bytes in generate::bytes()) {
        check_repairs(&bytes);
    }

    #[test]
    fn guarantee_7_no_prefix_of_a_damaged_text_is_closed(
        (_, raw) in object(vec(piece(), 0..4)),
        place in any::<proptest::sample::Index>(),
    ) {
        let end = place.index(raw.len());
        prop_assert_eq!(repair(&raw.as_bytes()[..end], repairs::ALL), None);
    }

    #[test]
    fn guarantee_6_a_known_object_is_found_again(
        (json, raw) in prop_oneof![object(vec(piece(), 0..4)), object(vec(literal_piece(), 0..4))],
        before in other(),
        behind in other(),
        between in select(vec!["", "\n", " and "]),
        copies in 1..4_usize,
        closers in select(vec!["", "}", " }]\n}"]),
    ) {
        let body = vec![raw.as_str(); copies].join(between);
        let text = format!("{before}{body}{closers} {behind}");
        let Some(repaired) = check_repairs(text.as_bytes()) else {
            // Only what the rule accepts needs nothing.
            prop_assert_eq!(check(text.as_bytes()).kind, None);
            return Ok(());
        };
        let found: Value = serde_json::from_slice(&repaired.text).expect("JSON");
        let expected: Value = serde_json::from_str(&json).expect("JSON");
        prop_assert_eq!(found, expected);
        let needs = |bit: u32| repaired.needed & bit != 0;
        prop_assert_eq!(needs(repairs::REPEATED_COPIES), 1 < copies);
        prop_assert_eq!(needs(repairs::EXTRA_CLOSERS), !closers.is_empty());
        let braces = before.contains('{') || behind.contains('{');
        let around = !before.trim().is_empty() || !behind.trim().is_empty()
            || 1 < copies && !between.trim().is_empty();
        let rule = copies == 1 && closers.is_empty() && !braces;
        prop_assert_eq!(needs(repairs::UNIQUE_OBJECT), around && !rule);
    }
}

#[test]
fn guarantee_6_cases_that_are_accepted_are_not_touched() {
    let (mut accepted, mut truncated) = (0, 0);
    for row in fixture("cases/decisions.jsonl") {
        let raw = text(&row, "raw").as_bytes();
        let repaired = check_repairs(raw);
        match check(raw).kind {
            None => accepted += 1,
            Some(Kind::Truncated) => truncated += 1,
            Some(_) => continue,
        }
        assert_eq!(repaired, None, "{row}");
    }
    assert!(100 < accepted && 100 < truncated, "{accepted} {truncated}");
}

#[test]
fn recordings_and_reports_from_the_field() {
    for row in fixture("recordings/recordings.jsonl") {
        check_repairs(texts(&row, "fragments").concat().as_bytes());
    }
    for (_, pieces) in field_reports() {
        check_repairs(pieces.concat().as_bytes());
    }
}

#[test]
fn guarantee_4_hostile_texts_take_linear_time() {
    const SIZE: usize = 1 << 20;
    let starts = ["", "{x} ", "{\"a\":\"", "{\"a\":1}", "{\"a\":1}}"];
    let units = [
        "{",
        "}",
        "\\",
        "\"",
        "\n",
        "{}",
        "{x}",
        "{\"a\":",
        "{ ",
        "[",
        "]",
        "{\"a\":1}",
        "\\d",
        "\u{1}x",
        "\\d\n",
        "{}]",
        "} ",
        "x",
    ];
    let ends = ["", "\"}", "\"}}", "{}"];
    let start_of_all = Instant::now();
    let mut repaired = 0;
    for start in starts {
        for unit in units {
            for end in ends {
                let text = format!("{start}{}{end}", unit.repeat(SIZE / unit.len()));
                repaired += usize::from(repair(text.as_bytes(), repairs::ALL).is_some());
            }
        }
    }
    // Some milliseconds each; what is quadratic in a megabyte takes minutes.
    let taken = start_of_all.elapsed();
    assert!(taken < Duration::from_secs(120), "{taken:?}");
    assert!(10 < repaired, "{repaired} of them can be repaired");
}
