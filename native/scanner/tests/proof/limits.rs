//! Limits hold at any cutting: depth, size, and the numbers that a state has to carry.

use crate::drive::{
    Latin1, UNLIMITED, check_prefixes, check_two_way_splits, decide_cut, decisions, random_cuts,
};
use crate::reference::{self, Fed, STOPS};
use argspan_scanner::{Decision, ErrorCode, Kind, Repair, Scanner, Stop, Verdict, check};

fn decide_in_pieces(text: &[u8], size: usize, max_bytes: u64) -> (Verdict, Decision) {
    let mut scanner = Scanner::new(max_bytes);
    for piece in text.chunks(size) {
        scanner.feed(piece);
    }
    (scanner.verdict(), scanner.decide(Stop::Finished))
}

/// An object of so many levels, every second one an array.
fn nested(levels: usize) -> String {
    let mut text = String::new();
    let mut closing = Vec::new();
    for level in 0..levels {
        if level % 2 == 0 {
            text.push_str("{\"a\":");
            closing.push('}');
        } else {
            text.push('[');
            closing.push(']');
        }
    }
    text.push('0');
    text.extend(closing.iter().rev());
    text
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[test]
fn levels_127_pass_and_128_do_not_in_every_reading() {
    for (levels, fits) in [
        (126, true),
        (127, true),
        (128, false),
        (129, false),
        (300, false),
    ] {
        let object = nested(levels);
        let readings = [
            (object.clone(), Repair::None),
            (format!("Call: {object}."), Repair::Prose),
            (format!("```json\n{object}\n```"), Repair::Fence),
            (quoted(&object), Repair::DoubleEncoding),
            (format!("[[[{object}]]]"), Repair::Prose),
        ];
        for (text, repair) in readings {
            let expected = Fed::bytes(text.as_bytes()).expect(UNLIMITED);
            let found = expected.decisions[0].repair;
            assert_eq!(
                found,
                fits.then_some(repair),
                "the reference: {levels} levels"
            );
            assert_eq!(check(text.as_bytes()), expected.decisions[0], "{text}");
            for size in [1, 2, 63, 64, 65] {
                let (verdict, decision) = decide_in_pieces(text.as_bytes(), size, UNLIMITED);
                assert_eq!(verdict, expected.verdict, "{text} in pieces of {size}");
                assert_eq!(
                    decision, expected.decisions[0],
                    "{text} in pieces of {size}"
                );
            }
        }
    }
}

#[test]
fn guarantee_3_the_bracket_that_is_too_deep_is_hopeless_at_once() {
    for (unit, closing) in [("[", "]"), ("{\"a\":", "}")] {
        let fits = format!("{{\"a\":{}", unit.repeat(126));
        let mut scanner = Scanner::new(UNLIMITED);
        scanner.feed(fits.as_bytes());
        assert_eq!(
            (scanner.verdict(), scanner.depth()),
            (Verdict::Incomplete, 127)
        );
        scanner.feed(&unit.as_bytes()[..1]);
        assert_eq!(scanner.verdict(), Verdict::Malformed);
        let error = scanner.error().expect("final at once");
        assert_eq!(error.code, ErrorCode::RecursionLimit);
        assert_eq!(error.offset, fits.len() as u64);
        assert_eq!(error.column, fits.len() as u64 + 1);
        let whole = format!("{fits}0{}", closing.repeat(126) + "}");
        assert_eq!(check(whole.as_bytes()).kind, None, "{whole}");
    }
}

/// The same many times: brackets that no stack may be grown for.
#[test]
fn guarantee_5_a_million_levels() {
    const LEVELS: usize = 1_000_000;
    for unit in ["[", "{\"a\":", "[{\"a\":", "{", "\"", "\\\"", "[\""] {
        for head in ["", "{\"a\":", "x ", "\"", "\"{\\\"a\\\":"] {
            // Whether there is hope is settled within the first levels; even numbers of quotes
            // leave the text where it was.
            let verdict = reference::verdict(&format!("{head}{}", unit.repeat(2000)));
            let text = format!("{head}{}", unit.repeat(LEVELS));
            let expected = Fed::bytes(text.as_bytes()).decisions(verdict)[0];
            assert_eq!(check(text.as_bytes()), expected, "{unit} behind {head}");
            for size in [1, 1000] {
                let (found, decision) = decide_in_pieces(text.as_bytes(), size, UNLIMITED);
                assert_eq!(
                    (found, decision),
                    (verdict, expected),
                    "{unit} behind {head}"
                );
            }
        }
    }
    let closings = format!("{{\"a\":{}{}}}", "[".repeat(LEVELS), "]".repeat(LEVELS));
    assert_eq!(
        check(closings.as_bytes()).error.map(|e| e.code),
        Some(ErrorCode::RecursionLimit)
    );
}

/// What may be long: each is one token or one run that a state has to carry.
fn long_runs() -> Vec<(&'static str, &'static str)> {
    vec![
        ("{\"a\":", "1"),
        ("{\"a\":0.", "0"),
        ("{\"a\":1e-", "9"),
        ("{\"a\":1e", "0"),
        ("{\"a\":\"", "x"),
        ("{\"a\":\"", "é"),
        ("{\"a\":\"", "\\n"),
        ("{\"a\":1", " "),
        ("", " "),
        ("", "x"),
        ("{}", " x"),
        ("\"{\\\"a\\\":", "1"),
        ("\"{\\\"a\\\":\\\"", "\\\\n"),
        ("\"", "\\u0020"),
        ("{\"a\":[0", ",0"),
    ]
}

#[test]
fn guarantee_4_sixteen_mebibytes_byte_by_byte() {
    const BYTES: usize = 16 << 20;
    for (head, unit) in [
        ("{\"a\":", "1"),
        ("{\"a\":0.", "0"),
        ("{\"a\":\"", "x"),
        ("\"{\\\"a\\\":", "1"),
    ] {
        let text = format!("{head}{}", unit.repeat(BYTES / unit.len()));
        let mut single = Scanner::new(UNLIMITED);
        for byte in text.as_bytes() {
            single.feed(std::slice::from_ref(byte));
        }
        let mut whole = Scanner::new(UNLIMITED);
        whole.feed(text.as_bytes());
        assert_eq!(single.verdict(), Verdict::Incomplete, "{head}");
        assert_eq!(whole.verdict(), Verdict::Incomplete, "{head}");
        assert_eq!(decisions(&single), decisions(&whole), "{head}");
        let decision = whole.decide(Stop::Finished);
        assert_eq!(decision.kind, Some(Kind::Truncated), "{head}");
        assert_eq!(decision.text.end, text.len() as u64, "{head}");
        let (code, offset) = match (head, unit) {
            // So many digits are out of range until an exponent comes; the last digit is said.
            ("{\"a\":", "1") => (ErrorCode::NumberOutOfRange, text.len() - 1),
            ("{\"a\":0.", "0") => (ErrorCode::EofObject, text.len()),
            _ => (ErrorCode::EofString, text.len()),
        };
        let error = decision.error.expect("reported");
        assert_eq!((error.code, error.offset), (code, offset as u64), "{head}");
    }
}

#[test]
fn guarantee_4_sixteen_mebibytes_of_digits_can_still_be_saved() {
    const BYTES: usize = 16 << 20;
    let digits = "1".repeat(BYTES);
    for (tail, accepted) in [("e-16777216}", true), ("e-1}", false), ("}", false)] {
        let text = format!("{{\"a\":{digits}{tail}");
        assert_eq!(check(text.as_bytes()).repair.is_some(), accepted, "{tail}");
    }
    let text = format!("{{\"a\":0.{}1e{}}}", "0".repeat(BYTES), BYTES + 300);
    assert_eq!(check(text.as_bytes()).repair, Some(Repair::None));
    let text = format!("{{\"a\":0.{}1e{}}}", "0".repeat(BYTES), BYTES + 400);
    assert_eq!(
        check(text.as_bytes()).error.map(|e| e.code),
        Some(ErrorCode::NumberOutOfRange)
    );
}

#[test]
fn guarantee_1_long_runs_in_random_pieces() {
    for (head, unit) in long_runs() {
        for tail in ["", "}", "\"}", "\\\"}\"", "e", "x"] {
            let text = format!("{head}{}{tail}", unit.repeat(20_000 / unit.len()));
            let expected = Fed::bytes(text.as_bytes()).expect(UNLIMITED);
            for seed in 1..=3 {
                let cuts = random_cuts(text.len(), seed);
                let found = decide_cut(text.as_bytes(), &cuts, UNLIMITED);
                assert_eq!(found, expected.decisions, "{head} {unit} {tail}");
            }
            let (verdict, decision) = decide_in_pieces(text.as_bytes(), 1, UNLIMITED);
            assert_eq!(verdict, expected.verdict, "{head} {unit} {tail}");
            assert_eq!(decision, expected.decisions[0], "{head} {unit} {tail}");
        }
    }
}

#[test]
fn guarantee_1_a_size_limit_at_every_prefix_and_split() {
    let texts = [
        "",
        " ",
        "{}",
        "{\"a\":1}",
        "{\"é\":\"日本😀\"}",
        "{\"a\":tru}",
        "\"{\\\"a\\\":1}\"",
        "not json",
        "{\"a\":1} x",
        "\u{a0}{\"é\":\"þ\"}",
    ];
    for text in texts {
        let units: Vec<u16> = text.encode_utf16().collect();
        for limit in 0..=text.len() as u64 + 1 {
            let expected = check_prefixes(text.as_bytes(), limit);
            check_two_way_splits(text.as_bytes(), &expected, limit);
            let fits = text.len() as u64 <= limit;
            let kind = expected.last().expect("the whole text").decisions[0].kind;
            assert_eq!(
                kind == Some(Kind::TooLarge),
                !fits,
                "{text:?} under {limit}"
            );
            let expected = check_prefixes(&units[..], limit);
            check_two_way_splits(&units[..], &expected, limit);
            if let Some(latin1) = Latin1::from_text(text) {
                let expected = check_prefixes(&latin1, limit);
                check_two_way_splits(&latin1, &expected, limit);
            }
        }
    }
}

#[test]
fn too_large_wins_over_every_other_report_whatever_the_stop_signal() {
    for text in ["{\"a\":1}", "[1, 2, 3]", "not json", "{\"a\":", "       "] {
        let mut scanner = Scanner::new(3);
        scanner.feed(text.as_bytes());
        assert_eq!(scanner.verdict(), Verdict::Malformed, "{text:?}");
        for stop in STOPS {
            let decision = scanner.decide(stop);
            assert_eq!(decision.kind, Some(Kind::TooLarge), "{text:?}");
            assert_eq!(
                decision.error.map(|error| error.code),
                Some(ErrorCode::TooLarge)
            );
            assert!(!decision.cut, "{text:?}");
        }
    }
}
