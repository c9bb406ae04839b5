//! The oracle against decisions that were written down.

use argspan_oracle::{Judgement, Repair, judge};
use serde_json::Value;
use std::path::Path;

/// The file knows one word for an object that stands in other text.
fn word(repair: Repair) -> &'static str {
    match repair {
        Repair::None | Repair::Empty => "none",
        Repair::Fence | Repair::Prose => "span",
        Repair::DoubleEncoding => "double-encoding",
    }
}

/// Takes the value out of a line. It may be as deep as a text of its own can be, and inside the
/// case it would be one level deeper. In a text before it, its key's quotes would be escaped.
fn split(line: &str) -> (Value, Value) {
    let parsed = |text: &str| serde_json::from_str(text).expect("a case is JSON");
    let Some((before, rest)) = line.split_once(r#", "value": "#) else {
        return (parsed(line), Value::Null);
    };
    let (value, after) = rest
        .rsplit_once(r#", "first_err": "#)
        .expect("an error follows a value");
    let case = format!(r#"{before}, "first_err": {after}"#);
    (parsed(&case), parsed(value))
}

#[test]
fn every_written_decision_is_the_oracle_s_own() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cases/decisions.jsonl");
    let cases = std::fs::read_to_string(path).expect("the cases are part of the project");
    let mut count = 0;
    for line in cases.lines() {
        let (case, expected) = split(line);
        let text = |key: &str| case[key].as_str();
        let raw = text("raw").expect("a case has a text");
        match judge(text("name").expect("a case has a name"), raw) {
            Judgement::Accepted {
                value,
                repair,
                first_err,
            } => {
                assert_eq!(Some(&value), expected.as_object(), "{raw:?}");
                assert_eq!(Some(word(repair)), text("repair"), "{raw:?}");
                assert_eq!(first_err.as_deref(), text("first_err"), "{raw:?}");
            }
            Judgement::Reported { message, first_err } => {
                assert_eq!(Some(message.as_str()), text("message"), "{raw:?}");
                assert_eq!(Some(first_err.as_str()), text("first_err"), "{raw:?}");
            }
        }
        count += 1;
    }
    assert!(count > 500, "{count} cases");
}
