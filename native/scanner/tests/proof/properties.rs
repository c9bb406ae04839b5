//! Generated texts: every answer agrees with the reference at every prefix and every cutting.
//!
//! `PROPTEST_CASES` sets how many texts each property tries.

use crate::drive::{
    Latin1, Text, UNLIMITED, check_cuts, check_prefixes, check_two_way_splits, decide_cut,
    decisions, random_cuts,
};
use crate::generate::{self, Piece};
use crate::reference::{self, Fed, without_offsets};
use argspan_oracle::{Judgement, judge};
use argspan_scanner::{Scanner, check, decode};
use proptest::prelude::*;

/// Failing texts are put into `regressions` by hand, so none is kept in files.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Above this many units a text is cut at random only.
const SHORT: usize = 64;

/// Every prefix, then every two-way split of a short text and a few random cuttings of any.
fn check_all_cuts<T: Text + ?Sized>(text: &T, seed: u64) {
    let expected = check_prefixes(text, UNLIMITED);
    if text.units() <= SHORT {
        check_two_way_splits(text, &expected, UNLIMITED);
    }
    for more in 0..4 {
        check_cuts(
            text,
            &expected,
            &random_cuts(text.units(), seed ^ more),
            UNLIMITED,
        );
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn guarantee_1_any_text_at_every_prefix_and_any_cutting(
        text in generate::text(),
        seed in any::<u64>(),
    ) {
        check_all_cuts(text.as_bytes(), seed);
        let units: Vec<u16> = text.encode_utf16().collect();
        check_all_cuts(&units[..], seed);
    }

    #[test]
    fn guarantee_1_tokens_in_no_order_at_every_prefix_and_any_cutting(
        text in prop_oneof![generate::soup(), generate::soup_inside()],
        seed in any::<u64>(),
    ) {
        check_all_cuts(text.as_bytes(), seed);
    }

    #[test]
    fn guarantee_1_one_byte_a_unit_at_every_prefix_and_any_cutting(
        text in generate::latin1(),
        seed in any::<u64>(),
    ) {
        let latin1 = Latin1::from_text(&text).expect("generated so");
        check_all_cuts(&latin1, seed);
    }

    #[test]
    fn guarantee_1_bytes_that_are_nearly_text(
        bytes in generate::bytes(),
        seed in any::<u64>(),
    ) {
        check_all_cuts(&bytes[..], seed);
    }

    #[test]
    fn guarantee_1_units_with_halves_of_pairs(
        units in generate::units(),
        seed in any::<u64>(),
    ) {
        check_all_cuts(&units[..], seed);
    }

    #[test]
    fn guarantee_1_a_limit_at_any_cutting(
        bytes in generate::bytes(),
        limit in 0..200_u64,
        seed in any::<u64>(),
    ) {
        let expected = check_prefixes(&bytes[..], limit);
        check_cuts(&bytes[..], &expected, &random_cuts(bytes.len(), seed), limit);
    }

    #[test]
    fn guarantee_2_the_oracle_decides_alike(text in generate::text()) {
        let decision = check(text.as_bytes());
        match judge("tool", &text) {
            Judgement::Accepted { repair, .. } => {
                prop_assert_eq!(decision.kind, None);
                let found = decision.repair.map(crate::fixtures::repair_name);
                prop_assert_eq!(found, Some(repair.label()));
            }
            Judgement::Reported { first_err, .. } => {
                prop_assert_eq!(decision.error.map(|error| error.to_string()), Some(first_err));
            }
        }
    }

    #[test]
    fn guarantee_2_the_reference_decides_as_the_oracle(text in generate::text()) {
        let decision = Fed::bytes(text.as_bytes()).expect(UNLIMITED).decisions[0];
        let (repair, reason) = match judge("tool", &text) {
            Judgement::Accepted { repair, .. } => (Some(repair.label()), None),
            Judgement::Reported { first_err, .. } => (None, Some(first_err)),
        };
        prop_assert_eq!(decision.repair.map(crate::fixtures::repair_name), repair);
        prop_assert_eq!(decision.error.map(|error| error.to_string()), reason);
    }

    #[test]
    fn guarantee_6_valid_objects_are_accepted_as_they_are(text in generate::object()) {
        let decision = check(text.as_bytes());
        prop_assert_eq!(decision.repair.map(crate::fixtures::repair_name), Some("none"));
        let span = decision.span.expect("accepted");
        prop_assert_eq!((span.start, span.end), (0, text.len() as u64));
        // The cheap question knows them too, in every form.
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut scanners = [Scanner::new(UNLIMITED); 3];
        scanners[0].feed(text.as_bytes());
        scanners[1].feed_utf16(&units);
        prop_assert!(scanners[0].is_plain());
        prop_assert!(scanners[1].is_plain());
        if let Some(latin1) = Latin1::from_text(&text) {
            latin1.feed(&mut scanners[2], 0, units.len());
            prop_assert!(scanners[2].is_plain());
        }
    }

    #[test]
    fn guarantee_6_units_made_of_bytes_are_the_text_s(bytes in generate::bytes()) {
        let mut units = vec![0x7b];
        let valid = decode(&bytes, &mut units);
        let text = std::str::from_utf8(&bytes);
        prop_assert_eq!(valid, text.is_ok());
        if let Ok(text) = text {
            let expected: Vec<u16> = format!("{{{text}").encode_utf16().collect();
            prop_assert_eq!(units, expected, "behind what was there");
        }
    }

    #[test]
    fn guarantee_6_a_continuation_spoils_a_value_but_never_changes_it(
        text in generate::wrapped_object(),
        more in generate::soup(),
    ) {
        prop_assume!(!text.trim().is_empty() && reference::accepts(&text));
        // One text becomes complete before its first brace: see the test below.
        prop_assume!(text.contains('{'));
        let object = crate::fixtures::value(&text, &check(text.as_bytes()));
        let longer = text + &more;
        let decision = check(longer.as_bytes());
        if decision.repair.is_some() {
            prop_assert_eq!(crate::fixtures::value(&longer, &decision), object);
        }
    }

    #[test]
    fn guarantee_1_bytes_and_units_decide_alike(text in generate::text(), seed in any::<u64>()) {
        let in_bytes = decide_cut(text.as_bytes(), &random_cuts(text.len(), seed), UNLIMITED);
        let units: Vec<u16> = text.encode_utf16().collect();
        let in_units = decide_cut(&units[..], &random_cuts(units.len(), seed), UNLIMITED);
        for (bytes, units) in in_bytes.iter().zip(&in_units) {
            prop_assert_eq!(without_offsets(bytes), without_offsets(units));
        }
    }

    #[test]
    fn guarantee_1_pieces_of_all_forms_mix(pieces in generate::mixed_pieces()) {
        let mut scanner = Scanner::new(UNLIMITED);
        let mut bytes = Vec::new();
        // Units join across pieces until bytes come between.
        let mut units = Vec::new();
        for piece in &pieces {
            match piece {
                Piece::Bytes(piece) => {
                    scanner.feed(piece);
                    if !piece.is_empty() {
                        bytes.extend(String::from_utf16_lossy(&units).bytes());
                        units.clear();
                        bytes.extend(piece);
                    }
                }
                Piece::Units(piece) => {
                    scanner.feed_utf16(piece);
                    units.extend(piece);
                }
                Piece::Latin1(piece) => {
                    scanner.feed_latin1(&mut piece.clone());
                    units.extend(piece.iter().map(|&byte| u16::from(byte)));
                }
            }
        }
        bytes.extend(String::from_utf16_lossy(&units).bytes());
        let expected = Fed::bytes(&bytes).expect(UNLIMITED);
        let first = pieces.iter().find(|piece| !piece.is_empty());
        if let Some(Piece::Bytes(_)) = first {
            prop_assert_eq!(decisions(&scanner), expected.decisions, "{:?}", pieces);
        }
        for (found, expected) in decisions(&scanner).iter().zip(&expected.decisions) {
            prop_assert_eq!(without_offsets(found), without_offsets(expected), "{:?}", pieces);
        }
    }
}

#[test]
fn guarantee_6_a_value_changes_only_where_its_first_brace_was_an_escape() {
    // The whole text is a string with an object in it; then it is other text before an object.
    let encoded = "\"\\u007b}\"";
    let longer = format!("{encoded}{{\"a\":1}}");
    let decision = check(encoded.as_bytes());
    assert_eq!(
        crate::fixtures::value(encoded, &decision),
        serde_json::json!({})
    );
    let decision = check(longer.as_bytes());
    assert_eq!(
        crate::fixtures::value(&longer, &decision),
        serde_json::json!({"a": 1})
    );
    // With the brace itself in the text, the span reading has begun and cannot begin again.
    let decision = check(b"\"{}\"{\"a\":1}");
    assert_eq!(decision.repair, None);
}
