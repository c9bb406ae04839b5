//! The range of numbers: refused exactly where the nearest double is infinite.
//!
//! serde_json is one witness; Rust's own parser of decimals is another.

use crate::drive::{UNLIMITED, check_cuts, check_prefixes, random_cuts};
use crate::generate::{self, limit_digits};
use crate::reference::Fed;
use argspan_scanner::{ErrorCode, Scanner, Stop, Verdict, check};
use proptest::prelude::*;

fn refused(number: &str) -> bool {
    let text = format!("{{\"a\":{number}}}");
    let error = check(text.as_bytes()).error;
    if let Some(error) = error {
        assert_eq!(error.code, ErrorCode::NumberOutOfRange, "{number}");
    }
    error.is_some()
}

#[test]
fn the_limit_is_where_doubles_end() {
    let limit = limit_digits();
    assert_eq!(limit.len(), 309);
    assert_eq!(limit.parse::<f64>(), Ok(f64::INFINITY));
    assert_eq!(below_limit(&limit).parse::<f64>(), Ok(f64::MAX));
}

/// The integer before the limit.
fn below_limit(limit: &str) -> String {
    let (head, last) = limit.split_at(limit.len() - 1);
    let last: u8 = last.parse().expect("a digit");
    format!(
        "{head}{}",
        last.checked_sub(1).expect("the last digit is 2")
    )
}

#[test]
fn numbers_beside_the_limit() {
    let limit = limit_digits();
    let (head, tail) = limit.split_at(1);
    let below = below_limit(&limit);
    let long = "9".repeat(3000);
    let zeros = "0".repeat(400);
    let rows = [
        (limit.clone(), true),
        (format!("-{limit}"), true),
        (below.clone(), false),
        (format!("{below}.{long}"), false),
        (format!("{limit}.0"), true),
        (format!("{limit}.{zeros}"), true),
        (format!("{limit}{zeros}e-400"), true),
        (format!("{below}{zeros}e-400"), false),
        (format!("{below}{long}e-3000"), false),
        (format!("{limit}e-1"), false),
        (format!("{head}.{tail}e308"), true),
        (format!("{head}.{tail}e307"), false),
        (format!("0.{limit}e309"), true),
        (format!("0.{zeros}{limit}e709"), true),
        (format!("0.{zeros}{limit}e708"), false),
        (format!("{}e{}", &limit[..306], 3), false),
        ("1.7976931348623157e308".to_owned(), false),
        ("1.7976931348623158e308".to_owned(), false),
        ("1.7976931348623159e308".to_owned(), true),
        ("2e308".to_owned(), true),
        ("1e308".to_owned(), false),
        ("1e309".to_owned(), true),
        ("1e2147483647".to_owned(), true),
        ("1e2147483648".to_owned(), true),
        ("1e-2147483648".to_owned(), false),
        ("1e-99999999999999999999".to_owned(), false),
        ("0e2147483648".to_owned(), false),
        ("0e99999999999999999999".to_owned(), false),
        ("0.000e99999999999999999999".to_owned(), false),
        ("-0.0e+99999999999999999999".to_owned(), false),
        (format!("{zeros}1").replacen('0', "0.", 1) + "e400", false),
        (format!("{zeros}1").replacen('0', "0.", 1) + "e708", false),
        (format!("{zeros}1").replacen('0', "0.", 1) + "e709", true),
        (format!("1{zeros}e-92"), false),
        (format!("1{zeros}e-91"), true),
        (format!("1{zeros}"), true),
        (format!("1e000000000000000000000000{}", 308), false),
        (format!("1e000000000000000000000000{}", 309), true),
        (format!("1e+{zeros}308"), false),
    ];
    for (number, out_of_range) in rows {
        assert_eq!(refused(&number), out_of_range, "{number}");
        assert_eq!(
            number.parse::<f64>().expect("a number").is_infinite(),
            out_of_range
        );
        check_around(&number, 1);
    }
}

/// The number in each reading, at every prefix and at random cuts.
fn check_around(number: &str, seed: u64) {
    for (before, after) in [
        ("{\"a\":", "}"),
        ("{\"a\":", "x"),
        ("\"{\\\"a\\\":", "}\""),
        ("[", "]"),
    ] {
        let text = format!("{before}{number}{after}");
        if text.len() <= 500 {
            let expected = check_prefixes(text.as_bytes(), UNLIMITED);
            check_cuts(
                text.as_bytes(),
                &expected,
                &random_cuts(text.len(), seed),
                UNLIMITED,
            );
        } else {
            let mut scanner = Scanner::new(UNLIMITED);
            for byte in text.as_bytes() {
                scanner.feed(&[*byte]);
            }
            let expected = Fed::bytes(text.as_bytes()).expect(UNLIMITED).decisions[0];
            assert_eq!(scanner.decide(Stop::Finished), expected, "{text}");
            assert_eq!(check(text.as_bytes()), expected, "{text}");
        }
    }
}

#[test]
fn guarantee_3_a_large_number_is_hopeless_once_no_exponent_can_save_it() {
    let zeros = "0".repeat(400);
    let rows = [
        (format!("{{\"a\":1{zeros}"), Verdict::Incomplete),
        (format!("{{\"a\":1{zeros}e"), Verdict::Incomplete),
        (format!("{{\"a\":1{zeros}e-"), Verdict::Incomplete),
        (format!("{{\"a\":1{zeros}e-1"), Verdict::Incomplete),
        (format!("{{\"a\":1{zeros}e+"), Verdict::Malformed),
        (format!("{{\"a\":1{zeros}e0"), Verdict::Malformed),
        (format!("{{\"a\":1{zeros}.5"), Verdict::Incomplete),
        (format!("{{\"a\":1{zeros}}}"), Verdict::Malformed),
        (format!("{{\"a\":1{zeros},"), Verdict::Malformed),
        ("{\"a\":1e308".to_owned(), Verdict::Incomplete),
        ("{\"a\":1e309".to_owned(), Verdict::Malformed),
        ("{\"a\":0e309".to_owned(), Verdict::Incomplete),
        ("{\"a\":0.1e309".to_owned(), Verdict::Incomplete),
        ("{\"a\":1e2147483648".to_owned(), Verdict::Malformed),
        ("{\"a\":0e2147483648".to_owned(), Verdict::Incomplete),
    ];
    for (text, verdict) in rows {
        let mut scanner = Scanner::new(UNLIMITED);
        for byte in text.as_bytes() {
            scanner.feed(&[*byte]);
        }
        assert_eq!(scanner.verdict(), verdict, "{text}");
        assert_eq!(
            crate::reference::verdict(&text),
            verdict,
            "the reference: {text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_near_the_largest_double(number in generate::number(400), seed in any::<u64>()) {
        let infinite = number.parse::<f64>().expect("a number").is_infinite();
        prop_assert_eq!(refused(&number), infinite, "{}", number);
        let text = format!("{{\"a\":{number}}}");
        let expected = Fed::bytes(text.as_bytes()).expect(UNLIMITED).decisions[0];
        let mut scanner = Scanner::new(UNLIMITED);
        let mut from = 0;
        for to in random_cuts(text.len(), seed) {
            scanner.feed(&text.as_bytes()[from..to]);
            from = to;
        }
        scanner.feed(&text.as_bytes()[from..]);
        prop_assert_eq!(scanner.decide(Stop::Finished), expected);
    }

    #[test]
    fn numbers_near_the_largest_double_at_every_prefix(number in generate::number(30)) {
        check_around(&number, 1);
    }
}
