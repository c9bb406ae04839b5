//! What an inspection finds is what the slow one finds, in bytes and in units.

use crate::findings_reference;
use crate::generate;
use argspan_scanner::Inspector;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Failing texts are put into tests by hand, so none is kept in files.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

const KEYS: [&str; 12] = [
    "a",
    "b",
    "é",
    "日",
    "a/b~c",
    "proto",
    "__proto__",
    "__proto__",
    "constructor",
    "constructor",
    "prototype",
    "prototype",
];

const VALUES: [&str; 20] = [
    "9007199254740991",
    "9007199254740992",
    "-9007199254740993",
    "12345678901234567890",
    "9007199254740993.0",
    "9007199254740993e1",
    "-0",
    "true",
    "\"Let me think\"",
    "\" \\n\\tLET ME THINK\"",
    "\"\\u006cet me think\"",
    "\"I said: let me think\"",
    "\"Hmm, \"",
    "\"<think>\"",
    "\"é <\\/Think>\"",
    "\"日 \\u003cthink>\"",
    "\"[/THINK] <think>\"",
    "\"\\\\nlet me think\"",
    "\"<thinking\"",
    "[]",
];

/// A key in some escaping.
fn key() -> impl Strategy<Value = String> + Clone {
    (select(&KEYS[..]), any::<u16>()).prop_map(|(key, escaped)| {
        let units = key.encode_utf16().enumerate();
        let written = units.map(|(at, unit)| {
            let plain = char::from_u32(u32::from(unit)).filter(|_| escaped >> (at % 16) & 1 == 0);
            plain.map_or_else(|| format!("\\u{unit:04X}"), String::from)
        });
        format!("\"{}\"", written.collect::<String>())
    })
}

/// An object of what deserves a look.
fn object() -> BoxedStrategy<String> {
    let value = prop_oneof![
        select(&VALUES[..]).prop_map(String::from),
        generate::value(),
    ];
    let object = |value: BoxedStrategy<String>, size: usize| {
        let members = vec((key(), value), 0..size);
        members.prop_map(|members| {
            let members = members.iter().map(|(key, value)| format!("{key}: {value}"));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        })
    };
    let nested = value.boxed().prop_recursive(5, 60, 6, move |inner| {
        let array = vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", ")));
        prop_oneof![object(inner, 5), array].boxed()
    });
    prop_oneof![
        4 => object(nested.boxed(), 6),
        1 => object(select(&VALUES[..]).prop_map(String::from).boxed(), 60),
    ]
    .boxed()
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let mut inspector = Inspector::default();
    let expected = findings_reference::findings(text);
    let units: Vec<u16> = text.encode_utf16().collect();
    let wanted = u32::MAX;
    for in_units in [false, true] {
        let plain = if in_units {
            inspector.inspect_utf16(&units, wanted)
        } else {
            inspector.inspect(text.as_bytes(), wanted)
        };
        prop_assert_eq!(plain, expected.is_some());
        if let Some(expected) = &expected {
            let found: Vec<findings_reference::Finding> =
                serde_json::from_str(&inspector.json()).expect("it is JSON");
            prop_assert_eq!(&found, expected);
            prop_assert_eq!(inspector.count(), expected.len());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_deserves_a_look_is_found(text in object()) {
        prop_assert!(findings_reference::findings(&text).is_some());
        check(&text)?;
    }

    #[test]
    fn any_object_is_inspected(text in generate::object()) {
        check(&text)?;
    }

    #[test]
    fn any_text_is_refused_or_inspected(text in generate::text()) {
        check(&text)?;
    }
}

#[test]
fn long_paths_and_details_are_cut_between_characters() {
    let long = "é/".repeat(700);
    let digits = "9".repeat(2000);
    for text in [
        format!("{{\"{long}\":{{\"{long}\":9007199254740993}}}}"),
        format!("{{\"{long}\":1,\"{long}\":2}}"),
        // A number of so many digits is none.
        format!("{{\"a\":-{digits}}}"),
        format!("{{\"a\":{}}}", &digits[..300]),
        format!("{{{}}}", vec!["\"a\":9007199254740993"; 50].join(",")),
        format!(
            "{{{},\"__proto__\":1,\"__proto__\":2}}",
            vec!["\"a\":1"; 50].join(",")
        ),
    ] {
        check(&text).unwrap();
    }
}
