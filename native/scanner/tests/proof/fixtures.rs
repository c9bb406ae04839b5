//! The files of cases and recordings that ship with the project.

use argspan_scanner::{Decision, Kind, Repair};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of a file of JSON lines in `fixtures`.
pub fn fixture(name: &str) -> Vec<Value> {
    rows(&root().join("fixtures").join(name))
}

/// The reports from the field that are texts, with the pieces in which each arrived.
///
/// One row is not JSON to serde_json, since it holds the halves of a surrogate pair apart; its
/// text is written out in `surrogates`.
pub fn field_reports() -> Vec<(Value, Vec<String>)> {
    let path = root().join("fixtures/cases/reports.jsonl");
    let file = fs::read_to_string(path).expect("the reports");
    let (read, unread): (Vec<_>, Vec<_>) = file
        .lines()
        .map(serde_json::from_str::<Value>)
        .partition(Result::is_ok);
    assert_eq!(unread.len(), 1, "only the split pair cannot be read");
    let with_pieces = |row: Value| match text(&row, "input_form") {
        "string" => Some((row.clone(), vec![text(&row, "input").to_owned()])),
        "fragments" => {
            let pieces = texts(&row, "input")
                .into_iter()
                .map(str::to_owned)
                .collect();
            Some((row, pieces))
        }
        // Whole streams, and what is not text, concern other layers.
        _ => None,
    };
    let reports: Vec<_> = read.into_iter().flatten().filter_map(with_pieces).collect();
    assert!(40 <= reports.len(), "{} reports are texts", reports.len());
    reports
}

/// The rows of a file of JSON lines.
pub fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
    let rows: Vec<Value> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(row)
        .collect();
    assert!(!rows.is_empty(), "{} holds rows", path.display());
    rows
}

/// One row, whatever its depth: some hold a value of 127 levels.
fn row(line: &str) -> Value {
    let mut reader = serde_json::Deserializer::from_str(line);
    reader.disable_recursion_limit();
    reader
        .into_iter()
        .next()
        .expect("a JSON line")
        .expect("JSON")
}

/// A field that has to be a string.
pub fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is a string in {row}"))
}

/// A field that has to be an array of strings.
pub fn texts<'a>(row: &'a Value, field: &str) -> Vec<&'a str> {
    let items = row[field]
        .as_array()
        .unwrap_or_else(|| panic!("{field} is an array in {row}"));
    items
        .iter()
        .map(|item| item.as_str().expect("a string"))
        .collect()
}

/// The name that the files give a repair.
pub fn repair_name(repair: Repair) -> &'static str {
    match repair {
        Repair::None => "none",
        Repair::Empty => "empty",
        Repair::Fence => "fence",
        Repair::Prose => "prose",
        Repair::DoubleEncoding => "double-encoding",
    }
}

/// The name that the files give a kind of report.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Truncated => "truncated",
        Kind::NotObject => "not-object",
        Kind::Malformed => "malformed",
        Kind::InvalidUtf8 => "invalid-utf8",
        Kind::TooLarge => "too-large",
    }
}

/// The value that a decision on bytes hands out: what its span holds, read by serde_json.
pub fn value(raw: &str, decision: &Decision) -> Value {
    let span = decision.span.expect("an accepted text has a span");
    let slice = &raw[usize::try_from(span.start).unwrap()..usize::try_from(span.end).unwrap()];
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("the span is whole");
    match decision.repair.expect("an accepted text has a repair") {
        Repair::Empty => {
            assert_eq!(slice, "");
            Value::Object(serde_json::Map::new())
        }
        Repair::None | Repair::Fence | Repair::Prose => parse(slice),
        Repair::DoubleEncoding => match parse(slice) {
            Value::String(content) => parse(content.trim()),
            other => panic!("the span is a string literal, not {other}"),
        },
    }
}
