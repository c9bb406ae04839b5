use super::repairs::{
    ALL, CONTROL_CHARACTERS, EXTRA_CLOSERS, LITERAL_BACKSLASHES, REPEATED_COPIES, UNIQUE_OBJECT,
};
use super::{Repaired, repair};
use crate::readings::Repair;
use std::format;
use std::prelude::v1::*;

/// What a text needs and gives.
fn mended(text: &str) -> Option<(u32, String)> {
    let Repaired {
        needed,
        text: object,
        span,
        span_utf16,
        ..
    } = repair(text.as_bytes(), ALL)?;
    let at = |end: u64| usize::try_from(end).unwrap();
    let units = |end: u64| text[..at(end)].encode_utf16().count() as u64;
    assert_eq!(span_utf16.start, units(span.start));
    assert_eq!(span_utf16.end, units(span.end));
    // It takes exactly what it says that it takes.
    for allowed in 0..=ALL {
        let enough = needed & !allowed == 0;
        assert_eq!(repair(text.as_bytes(), allowed).is_some(), enough);
    }
    Some((needed, String::from_utf8(object.into_owned()).unwrap()))
}

#[track_caller]
fn accepts(text: &str, needed: u32, object: &str) {
    assert_eq!(mended(text), Some((needed, object.to_owned())), "{text:?}");
}

#[track_caller]
fn refuses(text: &str) {
    assert_eq!(mended(text), None, "{text:?}");
}

#[test]
fn unique_object() {
    let freq = r#"{"freq": 50}"#;
    for (before, behind) in [
        ("As [RFC] says {see 4.1}, I call it now: ", ""),
        (
            "First run:\n```bash\nls {a,b}\n```\nthen:\n```json\n",
            "\n```\n",
        ),
        ("<think>{to, cc}</think>\n", "\n"),
        ("", " and {so on}."),
        ("{'python': 1} ", " {x}"),
        ("{a \"quoted\" word} ", ""),
        ("\u{1f680} {é} ", " \u{1f680}"),
    ] {
        accepts(&format!("{before}{freq}{behind}"), UNIQUE_OBJECT, freq);
    }
    for text in [
        // Two objects, be one of them empty, in a string of other text, or broken.
        r#"{"a":1} {"b":2}"#,
        r#"{}{"file": "roof.dwg"}"#,
        r#"<think>{"city": "Rome"}? no.</think> {"city": "Turin"}"#,
        r#"{"a": oops} {"b": 2}"#,
        r#"{"b": 2} {x} {"a": 1,}"#,
        // Inside of something that is open, or that is no JSON.
        r#"{see {"a":1}"#,
        r#"{see {"a":1}}"#,
        r#"{{"a":1}}"#,
        r#"{"a": {"b": 1} oops"#,
        r#"{"a": {"b": 1} oops}"#,
        // Something is open behind it, or closes what nobody opened.
        r#"{x} {"a":1} {"b":"#,
        r#"{x} {"a":1} {and"#,
        r#"{"a":1}, "b": 2}"#,
        r#"} {"a":1}"#,
        r#"{"a":1} {x {y}}"#,
    ] {
        refuses(text);
    }
}

#[test]
fn repeated_copies() {
    let one = r#"{"gain": 4, "tone": 9}"#;
    accepts(&one.repeat(2), REPEATED_COPIES, one);
    accepts(
        &format!(" {one}\n{one}\u{a0}\t{one} "),
        REPEATED_COPIES,
        one,
    );
    accepts("{}{}", REPEATED_COPIES, "{}");
    accepts(
        &format!("{one} and {one}"),
        REPEATED_COPIES | UNIQUE_OBJECT,
        one,
    );
    accepts(
        &format!("{one},{one}"),
        REPEATED_COPIES | UNIQUE_OBJECT,
        one,
    );
    refuses(r#"{"a":1}{"a": 1}"#);
    refuses(r#"{"a":9007199254740992}{"a":9007199254740993}"#);
    refuses(&format!("{one}{one}{{\"gain\": 4"));
}

#[test]
fn control_characters() {
    for (raw, escape) in [
        ("\n", r"\n"),
        ("\t", r"\t"),
        ("\r\n", r"\r\n"),
        ("\u{8}\u{c}", r"\b\f"),
        ("\0\u{1f}", r"\u0000\u001f"),
    ] {
        let text = format!("{{\n \"a{raw}\": \"é{raw}\\n\"\n}}");
        let object = format!("{{\n \"a{escape}\": \"é{escape}\\n\"\n}}");
        accepts(&text, CONTROL_CHARACTERS, &object);
    }
    // What is around the object is the rule's matter.
    for (before, behind, found) in [
        ("", "", Repair::None),
        ("```json\n", "\n```", Repair::Fence),
        ("Here: ", " [done]", Repair::Prose),
    ] {
        let text = format!("{before}{{\"a\":\"x\ny\"}}{behind}");
        let repaired = repair(text.as_bytes(), CONTROL_CHARACTERS).expect("one object");
        assert_eq!(repaired.found, found);
    }
    refuses("{\"a\":\"x\ny\"");
    refuses("{\"a\":\"x\ny");
    refuses("{\"a\":\"x\n\"b\":1}");
    refuses("{\"a\":\u{1}1}");
    // A missing quote does not swallow what follows.
    refuses("{\"a\":\"x,\n\"b\":\"y\"}");
}

#[test]
fn literal_backslashes() {
    accepts(
        r#"{"path": "C:\Users\ana", "regex": "\d+\.\w"}"#,
        LITERAL_BACKSLASHES,
        r#"{"path": "C:\\Users\\ana", "regex": "\\d+\\.\\w"}"#,
    );
    accepts(
        r#"{"a\d": "\users\xyz\u"}"#,
        LITERAL_BACKSLASHES,
        r#"{"a\\d": "\\users\\xyz\\u"}"#,
    );
    // One legal escape, and nobody knows which of the others are.
    for text in [
        r#"{"path": "C:\Users\new"}"#,
        r#"{"path": "C:\dir\"}"#,
        r#"{"a": "\d \\"}"#,
        r#"{"a": "\d é"}"#,
        r#"{"a": "\d", "b": "\u0041"}"#,
        r#"{"note": "nine o\'clock"}"#,
        r#"{"a": "\u12"}"#,
        r#"{"a": "\x1b[0m"}"#,
        r#"{"a": \d}"#,
        r#"\n {"a": "\d"}"#,
    ] {
        let text = text.replace("\\d é", r"\d \u00e9");
        refuses(&text);
    }
    // Backslashes beside the object need no repair.
    accepts(r#"\d{2} {"a":1}"#, UNIQUE_OBJECT, r#"{"a":1}"#);
    accepts(
        r#"{"a":"\d"}{"a":"\d"}"#,
        LITERAL_BACKSLASHES | REPEATED_COPIES,
        r#"{"a":"\\d"}"#,
    );
}

#[test]
fn extra_closers() {
    let one = r#"{"pin": {"x": 1}}"#;
    for closers in ["}", "}}}", " ]}", "}\n]", "\u{a0}}"] {
        accepts(&format!("{one}{closers}"), EXTRA_CLOSERS, one);
        let around = UNIQUE_OBJECT | EXTRA_CLOSERS;
        accepts(&format!("{one}{closers} ok"), around, one);
        accepts(&format!("```\n{one}{closers}\n```"), around, one);
    }
    refuses(&format!("{one}, }}"));
    refuses(&format!("}}{one}"));
}

#[test]
fn several_at_once() {
    accepts(
        "{see} {\"a\": \"x\n\\d\"}} {\"a\": \"x\n\\d\"}",
        ALL,
        r#"{"a": "x\n\\d"}"#,
    );
    accepts(
        "{\"a\": \"curl \\\n  -x\"}",
        CONTROL_CHARACTERS | LITERAL_BACKSLASHES,
        r#"{"a": "curl \\\n  -x"}"#,
    );
}

#[test]
fn only_what_the_rule_calls_malformed() {
    for text in [
        "",
        "{}",
        r#"{"a":1} {"b":"#,
        r#"{"a":1"#,
        r#"[{"a":1},{"a":1}]"#,
        r#""{\"a\":1}{\"a\":1}""#,
        "plain words",
        "null",
    ] {
        refuses(text);
    }
    // A text that ends inside a character was cut, whoever made whole characters of it.
    refuses("{\"a\":1}{\"a\":1}\u{fffd}");
    assert_eq!(repair(b"{\"a\":1}{\"a\":1}\xe2\x82", ALL), None);
    assert_eq!(repair(b"{\"a\":1}\xff{\"a\":1}", ALL), None);
}

#[test]
fn what_an_object_must_not_hold_is_still_refused() {
    let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    let most = deep(126);
    accepts(&most.repeat(2), REPEATED_COPIES, &most);
    refuses(&deep(127).repeat(2));
    refuses(r#"{"a":1e999}}"#);
    refuses(r#"{"a":"\ud800"}}"#);
}
