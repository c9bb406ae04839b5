//! Guarantee 3: `malformed` is exact in both directions.
//!
//! Where the scanner sees hope, a continuation is built and the oracle accepts the whole; where it
//! sees none, many continuations are tried and the oracle accepts none of them. The reference
//! does not judge here: it only builds.

use crate::drive::{Random, UNLIMITED};
use crate::fixtures::{field_reports, fixture, text};
use crate::{generate, reference};
use argspan_oracle::{Judgement, judge};
use argspan_scanner::{Scanner, Verdict};
use proptest::prelude::*;

fn accepted(text: &str) -> bool {
    matches!(judge("tool", text), Judgement::Accepted { .. })
}

/// Ends that have saved texts before: closers of every reading.
const CLOSERS: [&str; 26] = [
    "",
    "}",
    "]}",
    "\"}",
    "\"]}",
    "\":0}",
    "0}",
    ":0}",
    "e-999999999}",
    "\\\"}\"",
    "}\"",
    "]}\"",
    "\"",
    "\\\"\"",
    "0}\"",
    "e-999999999}\"",
    "\\\":0}\"",
    "n\"}",
    "00\"}",
    "0041\"}",
    "\\udc00\"}",
    "dc00\"}",
    "{}",
    "{}\"",
    "\n```",
    "}\n```",
];

/// Pieces from which longer continuations are put together at random.
const PIECES: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    "\\\"",
    ":",
    ",",
    "0",
    "1",
    "e",
    "-",
    ".",
    "u",
    "d",
    "c",
    "true",
    "null",
    "rue",
    "ull",
    "{}",
    " ",
    "\n",
    "\u{a0}",
    "\"a\":",
    "\\\"a\\\":",
    "00",
    "dc00",
    "\\udc00",
];

/// Holds the scanner's verdict on the text against the oracle.
fn check_exactness(text: &str, scanner: &Scanner, seed: u64) {
    match scanner.verdict() {
        Verdict::Empty => assert_eq!(text.trim(), ""),
        Verdict::Complete => assert!(accepted(text), "complete: {text:?}"),
        Verdict::Incomplete => {
            assert!(!accepted(text), "acceptable as it stands: {text:?}");
            let more = reference::continuation(text);
            let more = more.unwrap_or_else(|| panic!("no continuation is known for {text:?}"));
            assert!(
                accepted(&format!("{text}{more}")),
                "{text:?} goes on with {more:?}"
            );
        }
        Verdict::Malformed => {
            let mut random = Random(seed);
            for more in CLOSERS {
                assert!(
                    !accepted(&format!("{text}{more}")),
                    "{text:?} goes on with {more:?}"
                );
            }
            for _ in 0..30 {
                let mut longer = text.to_owned();
                for _ in 0..=random.below(6) {
                    longer.push_str(random.pick(&PIECES));
                }
                longer.push_str(random.pick(&CLOSERS));
                assert!(!accepted(&longer), "{text:?} goes on in {longer:?}");
            }
        }
    }
}

/// Every prefix, up to where the text has been hopeless for a while.
fn check_every_prefix(text: &str, seed: u64) {
    let mut scanner = Scanner::new(UNLIMITED);
    let mut hopeless = 0;
    let mut at = 0;
    check_exactness("", &scanner, seed);
    for char in text.chars() {
        scanner.feed(char.encode_utf8(&mut [0; 4]).as_bytes());
        at += char.len_utf8();
        // What lies beyond is an extension of a text that was tried already.
        if scanner.verdict() == Verdict::Malformed {
            hopeless += 1;
        } else {
            assert_eq!(hopeless, 0, "hopeless once, hopeless for ever: {text:?}");
        }
        if hopeless <= 3 {
            // Inside an escape of the outer string the verdict may wait until the escape is whole.
            if scanner.verdict() == Verdict::Incomplete && reference::may_lag(&text[..at]) {
                continue;
            }
            check_exactness(&text[..at], &scanner, seed ^ at as u64);
        }
    }
}

#[test]
fn guarantee_3_cases_have_hope_exactly_where_some_continuation_is_accepted() {
    for file in ["cases/decisions.jsonl", "cases/verdicts.jsonl"] {
        for (seed, row) in fixture(file).iter().enumerate() {
            check_every_prefix(text(row, "raw"), seed as u64);
        }
    }
    for (_, pieces) in field_reports() {
        check_every_prefix(&pieces.concat(), 1);
    }
}

#[test]
fn guarantee_3_the_longest_numbers_and_escapes() {
    let zeros = "0".repeat(320);
    for head in ["{\"a\":", "\"{\\\"a\\\":"] {
        for tail in ["e", "e+1", "e-1", ".5e-400", "e-400}", "e99"] {
            check_every_prefix(&format!("{head}1{zeros}{tail}"), 3);
        }
        for number in [
            "1e2147483648",
            "0e2147483648}",
            "1e-2147483648}",
            "-0.0e+99999999999}",
        ] {
            check_every_prefix(&format!("{head}{number}"), 4);
        }
    }
    // Every beginning of an escape, in each kind of string.
    for head in [
        "{\"a\":\"",
        "{\"",
        "\"{\\\"a\\\":\\\"\\",
        "\"{\\\"\\",
        "\"",
        "\"{\\\"a\\\":\\\"",
    ] {
        for first in ["0", "d", "D7", "D8", "db", "dC", "DF", "e0", "g"] {
            for rest in [
                "", "00", "00\\", "00\\u", "00\\ud", "00\\uD", "00\\udc", "00\\udb", "00\\n",
            ] {
                check_every_prefix(&format!("{head}\\u{first}{rest}"), 5);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn guarantee_3_generated_texts_have_hope_exactly_where_some_continuation_is_accepted(
        text in prop_oneof![generate::text(), generate::soup_inside()],
        seed in any::<u64>(),
    ) {
        check_every_prefix(&text, seed);
    }
}
