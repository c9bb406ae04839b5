//! Calls in text: every form and near miss by hand, and generated texts against the reference.

use crate::drive::random_cuts;
use crate::find_reference::{Expected, allows, find, said};
use argspan_scanner::{Ambiguity, Finder, Flaw, Found, Status};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const NAMES: [&str; 2] = ["now", "read"];
const LENGTH_MAX: usize = 1 << 24;

fn finder(length_max: usize) -> Finder {
    let mut finder = Finder::new(length_max);
    for name in NAMES {
        finder.add_name(&name.encode_utf16().collect::<Vec<_>>());
    }
    finder
}

fn found(text: &str) -> Expected {
    let mut finder = finder(LENGTH_MAX);
    finder.feed(&text.encode_utf16().collect::<Vec<_>>());
    said(&finder)
}

/// Feeds unit by unit, and holds what is said of each prefix against what it comes to.
fn check_statuses(units: &[u16], length_max: usize) {
    let mut one_by_one = finder(length_max);
    let mut statuses = vec![one_by_one.status()];
    for unit in units {
        statuses.push(one_by_one.feed(std::slice::from_ref(unit)));
        let says_nothing = matches!(
            one_by_one.finish(),
            Found::Nothing(_) | Found::Reasoning | Found::Reasoned
        );
        match one_by_one.status() {
            Status::Text => assert!(says_nothing, "text that was more"),
            Status::Call => assert!(!says_nothing, "a call that became nothing"),
            Status::Maybe => {}
        }
    }
    let whole = said(&one_by_one);
    for (prefix, &status) in statuses.iter().enumerate() {
        assert!(
            allows(status, prefix, &whole),
            "text that was a call's: {prefix}"
        );
    }
    for cut in 0..=units.len().min(80) {
        let mut in_two = finder(length_max);
        assert_eq!(in_two.feed(&units[..cut]), statuses[cut]);
        assert_eq!(in_two.feed(&units[cut..]), statuses[units.len()]);
        assert_eq!(said(&in_two), whole, "cut at {cut}");
    }
    for seed in 0..4 {
        let mut in_pieces = finder(length_max);
        let mut from = 0;
        for to in random_cuts(units.len(), seed)
            .into_iter()
            .chain([units.len()])
        {
            assert_eq!(in_pieces.feed(&units[from..to]), statuses[to], "up to {to}");
            from = to;
        }
        assert_eq!(said(&in_pieces), whole);
    }
}

/// Holds a text against the reference, whole and at every cutting.
fn check(text: &str, length_max: usize) -> Expected {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut whole = finder(length_max);
    whole.feed(&units);
    let expected = find(text, &NAMES, length_max);
    assert_eq!(said(&whole), expected, "{text:?}");
    check_statuses(&units, length_max);
    expected
}

#[test]
fn the_one_call_of_each_form() {
    let object = r#"{"x": [1, "}"]}"#;
    for (text, arguments) in [
        (format!(r#"{{"tool": "a", "arguments": {object}}}"#), object),
        (format!(r#"{{"name":"a","parameters":{object}}}"#), object),
        (format!(r#"{{"arguments" : {object} , "tool_name" : "a"}}"#), object),
        (format!(r#"{{"type":"function","function":"a","parameters":{object}}}"#), object),
        (format!(r#"{{"n\u0061me":"\u0061","argument\u0073":{object}}}"#), object),
        (format!(r#"{{"thought":"{{","tool":"a","arguments":{object},"id":1}}"#), object),
        (r#"{"tool":"a","arguments":"{\"x\":1}"}"#.into(), r#"{"x":1}"#),
        (r#"{"tool":"a","arguments":""}"#.into(), ""),
        (r#"{"tool":"a","arguments":null}"#.into(), ""),
        (r#"{"tool":"a","arguments": -1.5e3 }"#.into(), "-1.5e3"),
        (r#"{"tool":"a","arguments":[{"tool":"b","arguments":{}}]}"#.into(), r#"[{"tool":"b","arguments":{}}]"#),
        (r#"[{"name":"a","arguments":{}}]"#.into(), "{}"),
        (r#"{"tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}]}"#.into(), "{}"),
        (r#"{"tool_call":{"name":"a","arguments":{}}}"#.into(), "{}"),
        (r#"<tool_call>{"name":"a"}</tool_call>"#.into(), ""),
    ] {
        let length = text.len();
        let expected = Expected::Call("a".into(), arguments.into(), 0, length);
        assert_eq!(check(&text, LENGTH_MAX), expected, "{text}");
        let fenced = format!("Let me look:\n\n```json\n{text}\n```\nDone.");
        let expected = Expected::Call("a".into(), arguments.into(), 14, 14 + length + 12);
        assert_eq!(check(&fenced, LENGTH_MAX), expected, "{fenced}");
    }
}

#[test]
fn what_stands_around_a_call_and_belongs_to_it() {
    let call = r#"{"name":"a","arguments":{}}"#;
    for (before, open, close, behind) in [
        ("", "<tool_call>\n", "\n</tool_call>", "\n"),
        ("so ", "<TOOLCALL>[", "]</TOOLCALL>", "<|im_end|>"),
        ("", "<|tool_call|>[", "]<|/tool_call|>", ""),
        ("", "<|python_tag|>", "", "<|eom_id|>"),
        ("", "[TOOL_CALLS] [", "]", "</s>"),
        ("", "<|START_ACTION|>\n", "\n<|END_ACTION|>", " x"),
        (
            "",
            "<tool_calls> <tool_call> ```\n",
            " ```</tool_call>\u{3000}</tool_calls>",
            "",
        ),
        ("\u{1f680} ", "````js x=[1]\n \u{a0}", "\n`````", "`"),
        ("`", "```", "```", " ```"),
        ("a < b [1](x) {y} ``z ", "", "", " ``` </tool_call>"),
        ("{", "", "", "}"),
        (
            "<think>{\"name\":\"b\",\"arguments\":{}}</think>",
            "",
            "",
            "",
        ),
        ("{\"name\":\"b\",\"arguments\":{}}</thinking>", "", "", ""),
        ("[THINK]<tool_call>{[/THINK]", "", "", ""),
        ("</think>", "", "", "<think>"),
        ("", "", "", call),
        (
            "",
            "",
            "",
            " and again: ```\n{\"name\" : \"a\", \"arguments\":\"{}\"}",
        ),
    ] {
        let text = format!("{before}{open}{call}{close}{behind}");
        // A run of backticks is one fence.
        let before = if before == "`" { "" } else { before };
        let start = before.encode_utf16().count();
        let inside = text.encode_utf16().count() - behind.encode_utf16().count();
        let end = inside + usize::from(behind == "`");
        assert_eq!(
            check(&text, LENGTH_MAX),
            Expected::Call("a".into(), "{}".into(), start, end),
            "{text:?}"
        );
    }
}

#[test]
fn near_misses_are_no_calls() {
    for text in [
        "",
        "I would call read with a.txt.",
        r#"{"name":"Alice","age":3}"#,
        r#"{"name":1,"arguments":{}}"#,
        r#"{"name":["a"],"arguments":{}}"#,
        r#"{"Name":"a","Arguments":{}}"#,
        r#"{"arguments":{}}"#,
        r#"{"tool":"a"}"#,
        r#"{"name":"now","city":"x"}"#,
        r#"{"example":{"name":"a","arguments":{}}}"#,
        r#"{"arguments":{"name":"a","arguments":{}}}"#,
        r#""{\"name\":\"a\",\"arguments\":{}}""#,
        r#"{"text":"{\"name\":\"a\",\"arguments\":{}}"}"#,
        r#"[[[[[[[[{"name":"a","arguments":{}}]]]]]]]]"#,
        "<tool_call",
        "wrap it in `<tool_call>` tags",
        "<tool_call> is a tag",
        "[TOOL_CALL] [",
        "{",
        r#"{"a": "#,
        r#"{ "name: "x" }"#,
    ] {
        assert_eq!(check(text, LENGTH_MAX), Expected::Nothing(None), "{text}");
    }
    for (text, code) in [
        ("{'name': 'a', 'arguments': {}}", "key must be a string"),
        (r#"{"name": 'a', "arguments": {}}"#, "expected value"),
        (r#"{name: "a"} {"tool": a} "#, "expected value"),
    ] {
        assert_eq!(
            check(text, LENGTH_MAX),
            Expected::Nothing(Some(code.into())),
            "{text}"
        );
    }
    for text in [
        r#"{"name":"a","arguments":{}}</think>"#,
        r#"<tool_call>x{"name":"a","arguments":{x}}</think> So {"a":1}."#,
    ] {
        assert_eq!(check(text, LENGTH_MAX), Expected::Reasoned, "{text}");
    }
    for text in [
        "<think>",
        r#"a <Reasoning> {"name":"a","arguments":{}} </think>"#,
    ] {
        assert_eq!(check(text, LENGTH_MAX), Expected::Reasoning, "{text}");
    }
}

/// An exponent that no integer holds is too large before the number ends, any other where it does.
#[test]
fn a_number_too_large_ends_the_value_where_serde_json_says_so() {
    for number in [
        "1e400",
        "-1e999",
        "119.7e308134862354",
        "1e2147483648",
        "1e99999999999",
        "1E+400",
        "0e99999999999",
    ] {
        for behind in [
            "'",
            "-'",
            "9'",
            ".5'",
            "e1'",
            " '",
            "",
            "]",
            ", 'a'",
            "'40\u{0}03158{",
        ] {
            for before in [
                "[",
                "{\"name\":\"a\",\"arguments\":[",
                "{\"arguments\":",
                "x [?[",
            ] {
                check(&format!("{before}{number}{behind}"), LENGTH_MAX);
            }
        }
    }
}

#[test]
fn a_tool_known_by_name_needs_no_arguments() {
    for text in [
        r#"{"name":"now"}"#,
        r#"{"type":"function","tool":"now","id":"1"}"#,
        r#"{"function":"now"}"#,
        r#"{"function":{"name":"now"},"type":"function"}"#,
    ] {
        let expected = Expected::Call("now".into(), String::new(), 0, text.len());
        assert_eq!(check(text, LENGTH_MAX), expected, "{text}");
    }
}

#[test]
fn more_than_one_reading_is_none() {
    let call = r#"{"name":"a","arguments":{}}"#;
    for (text, ambiguity) in [
        (
            format!(r#"{call}{{"name":"b","arguments":{{}}}}"#),
            Ambiguity::Calls,
        ),
        (
            format!(r#"{call} or {{"name":"a","arguments":{{ }}}}"#),
            Ambiguity::Calls,
        ),
        (
            format!(r#"[{call},{{"tool":"a","arguments":{{"x":1}}}}]"#),
            Ambiguity::Calls,
        ),
        (
            r#"{"tool":"a","name":"b","arguments":{}}"#.into(),
            Ambiguity::Names,
        ),
        (
            r#"{"tool":"a","arguments":{},"parameters":{}}"#.into(),
            Ambiguity::Arguments,
        ),
        (
            r#"{"arguments":{},"arguments":{},"tool":"a"}"#.into(),
            Ambiguity::Arguments,
        ),
        (
            r#"{"name":"a","parameters":{"type":"object","properties":{"x":{}}}}"#.into(),
            Ambiguity::Definition,
        ),
        (
            r#"{"function":{"parameters":{"properties":{},"type":"object"},"name":"a"}}"#.into(),
            Ambiguity::Definition,
        ),
        (
            format!(r#"{{"name":"a","arguments":{{}},"function":{call},"tool":"b"}}"#),
            Ambiguity::Names,
        ),
        (
            format!(r#"{{"name":"a","arguments":{{}},"function":{call}}}"#),
            Ambiguity::Members,
        ),
        (
            r#"{"name":"write","arguments":{"path":"a"},"content":"x"}"#.into(),
            Ambiguity::Members,
        ),
        (
            r#"{"name":"now","description":"Tells the time","parameters":{}}"#.into(),
            Ambiguity::Members,
        ),
    ] {
        assert_eq!(
            check(&text, LENGTH_MAX),
            Expected::Ambiguous(ambiguity),
            "{text}"
        );
    }
    for text in [
        r#"{"tool":"a","name":"a","arguments":{}}"#,
        r#"{"name":"a","arguments":{"type":"object","properties":{}}}"#,
        r#"{"name":"a","parameters":{"type":"object","properties":[]}}"#,
        r#"{"name":"a","parameters":{"type":"string","properties":{}}}"#,
        r#"{"name":"a","parameters":{"a":{"type":"object","properties":{}}}}"#,
    ] {
        assert!(
            matches!(check(text, LENGTH_MAX), Expected::Call(..)),
            "{text}"
        );
    }
}

#[test]
fn what_is_cut_off_is_never_made_whole() {
    let call = r#"{"tool": "a", "arguments": {"x": {"y": "\ud83d\ude80"}}, "more": 1}"#;
    for end in 8..call.len() {
        let found = check(&call[..end], LENGTH_MAX);
        assert!(
            matches!(found, Expected::Truncated(_)),
            "{} {found:?}",
            &call[..end]
        );
    }
    for (text, words) in [
        ("<tool_call>", "EOF while parsing a value"),
        ("<tool_call> \n", "EOF while parsing a value"),
        ("<tool_call><thi", "EOF while parsing a value"),
        ("[TOOL_CALLS]</tool", "EOF while parsing a value"),
        (
            "[TOOL_CALLS] \u{b}\u{c}\u{85}\u{2028}",
            "EOF while parsing a value",
        ),
        ("[TOOL_CALLS] [", "EOF while parsing a value"),
        ("<tool_call>```json\n{", "EOF while parsing an object"),
        (
            r#"[{"name":"a","arguments":{}}"#,
            "EOF while parsing a list",
        ),
        (
            r#"[{"name":"a","arguments":{}},"#,
            "EOF while parsing a value",
        ),
        (
            r#"{"name":"a","arguments":{}} {"name":"a","arguments":{}"#,
            "EOF while parsing an object",
        ),
        (
            r#"{"tool":"a","arguments":"{\"x\":1}"#,
            "EOF while parsing a string",
        ),
    ] {
        assert_eq!(
            check(text, LENGTH_MAX),
            Expected::Truncated(words.into()),
            "{text}"
        );
    }
}

#[test]
fn a_call_that_breaks_is_none() {
    for (text, words) in [
        (r#"{"tool":"a","arguments":{x:1}}"#, "key must be a string"),
        (r#"{"tool":"a","arguments":{"x":1,}}"#, "trailing comma"),
        (
            r#"{"tool":"a","arguments":{"x":1e999}}"#,
            "number out of range",
        ),
        (
            r#"{"tool":"a","arguments":{"x":"\ud800"}}"#,
            "unexpected end of hex escape",
        ),
        (r#"[{"tool":"a","arguments":{}} and"#, "expected `,` or `]`"),
        (
            r#"<tool_call>{name:"a"}</tool_call>"#,
            "key must be a string",
        ),
        (r#"[TOOL_CALLS][read(path="a")]"#, "expected value"),
        (
            r#"{"tool":"a","arguments":{}} {"tool":"a","arguments":{]"#,
            "key must be a string",
        ),
    ] {
        let found = check(text, LENGTH_MAX);
        assert_eq!(found, Expected::Malformed(words.into()), "{text}");
    }
    for text in [
        "<tool_call>\n<function=read>\n<parameter=path>",
        "<tool_call></tool_call>",
        r#"<tool_call>{"city":"Boston"}</tool_call>"#,
        "<tool_calls>[]</tool_calls>",
    ] {
        assert_eq!(
            check(text, LENGTH_MAX),
            Expected::Flawed(Flaw::NotACall),
            "{text}"
        );
    }
}

#[test]
fn a_call_beyond_the_limit_is_none() {
    let text = r#"{"tool":"abc","arguments":"0123456789"}"#;
    for length in [0, 2, 3, 12, 13, 14] {
        let mut finder = finder(length);
        let units: Vec<u16> = text.encode_utf16().collect();
        finder.feed(&units);
        // The colon and the quotes count.
        let expected = if length < 13 {
            Expected::Flawed(Flaw::TooLarge)
        } else {
            Expected::Call("abc".into(), "0123456789".into(), 0, text.len())
        };
        assert_eq!(said(&finder), expected, "{length}");
        check_statuses(&units, length);
    }
}

#[test]
fn halves_of_pairs_join_and_lone_ones_stay() {
    let text = "\u{1f680} {\"tool\":\"\u{1f680}\",\"arguments\":{\"x\":\"\u{1f680}\"}}";
    check(text, LENGTH_MAX);
    let mut units: Vec<u16> = text.encode_utf16().collect();
    units.retain(|&unit| unit != 0xDE80);
    check_statuses(&units, LENGTH_MAX);
    let mut finder = finder(LENGTH_MAX);
    finder.feed(&units);
    let Found::Call(call) = finder.finish() else {
        panic!("a call");
    };
    assert_eq!((&call.name[..], call.arguments[6]), (&[0xD83D][..], 0xD83D));
}

#[test]
fn memory_does_not_grow_with_text_that_is_no_call() {
    for text in [
        "x",
        "{",
        "[",
        "{\"a\":",
        "<",
        "`",
        "{\"name\":\"",
        "<think>",
        "{\"x\":\"y\"}",
    ] {
        let units: Vec<u16> = text.repeat((1 << 20) / text.len()).encode_utf16().collect();
        let mut finder = finder(1 << 12);
        finder.feed(&units);
        assert!(finder.memory() < 1 << 17, "{text} {}", finder.memory());
    }
    let call = r#"{"name":"a","arguments":{}}"#;
    let mut finder = finder(1 << 12);
    finder.feed(&call.repeat(50_000).encode_utf16().collect::<Vec<_>>());
    assert!(finder.memory() < 1 << 17, "copies: {}", finder.memory());
}

const PIECES: [&str; 76] = [
    "{\"name\":\"a\",\"arguments\":{}}",
    "{\"tool\":\"b\",\"arguments\":{\"x\":1}}",
    "{\"name\":\"a\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}",
    "{\"function\":{\"name\":\"a\",\"arguments\":\"{}\"}}",
    "{\"name\":\"now\"}",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "{\"",
    "\":",
    "{}",
    "[]",
    "\"name\"",
    "\"tool\"",
    "\"tool_name\"",
    "\"function\"",
    "\"arguments\"",
    "\"parameters\"",
    "\"tool_calls\"",
    "\"tool_call\"",
    "\"id\"",
    "\"type\"",
    "\"properties\"",
    "\"object\"",
    "\"n\\u0061me\"",
    "\"a\"",
    "\"now\"",
    "\"{}\"",
    "\"{\\\"x\\\":1}\"",
    "1",
    "null",
    "true",
    "1e999",
    "12",
    "-",
    "\\ud83d",
    "\\ude80",
    "\\u00",
    "<tool_call>",
    "</tool_call>",
    "<TOOL_CALL>",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<tool_",
    "call>",
    "<tool_calls>",
    "</tool_calls>",
    "<",
    "<|",
    "/",
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "[THINK]",
    "[/THINK]",
    "<th",
    "```",
    "```json\n",
    "\n```",
    "`",
    "````",
    " ",
    "\n",
    "\t",
    "\u{3000}",
    "é",
    "🚀",
    "text",
    "T",
];

fn soup() -> impl Strategy<Value = String> {
    vec(select(&PIECES[..]), 0..14).prop_map(|pieces| pieces.concat())
}

/// A call, nearly or wholly, in a form.
fn call() -> impl Strategy<Value = String> {
    let name = select(&["a", "now", "b", "\\u0061", "é", ""][..]);
    let name_key = select(
        &[
            "name",
            "tool",
            "tool_name",
            "function",
            "n\\u0061me",
            "title",
        ][..],
    );
    let text_key = select(&["arguments", "parameters", "argument\\u0073", "input"][..]);
    let text = select(
        &[
            "{}",
            "{\"x\":1}",
            "\"{\\\"x\\\":1}\"",
            "\"\"",
            "null",
            "[1]",
            " 1 ",
            "{\"x\":{\"name\":\"a\"}}",
            "{\"type\":\"object\",\"properties\":{}}",
            "{\"x\":\"🚀\"}",
            "{x}",
            "\"{",
        ][..],
    );
    let more = select(
        &[
            "",
            ",\"id\":\"1\"",
            ",\"type\":\"function\"",
            ",\"why\":[1,{}]",
        ][..],
    );
    let white = select(&["", " ", "\n"][..]);
    (name_key, name, text_key, text, more, white, any::<bool>()).prop_map(
        |(name_key, name, text_key, text, more, white, swapped)| {
            let named = format!("\"{name_key}\"{white}:\"{name}\"");
            let given = format!("\"{text_key}\":{white}{text}");
            if swapped {
                format!("{{{given},{white}{named}{more}}}")
            } else {
                format!("{{{white}{named},{given}{more}}}")
            }
        },
    )
}

/// Texts of a model that calls, more or less.
fn answer() -> impl Strategy<Value = String> {
    let around = select(
        &[
            ("", ""),
            ("```json\n", "\n```"),
            ("<tool_call>", "</tool_call>"),
            ("[TOOL_CALLS] [", "]"),
            ("[", "]"),
            ("{\"tool_calls\":[", "]}"),
            ("<think>", "</think>"),
            ("", "</think>"),
            ("<tool_call>\n```\n", "\n```\n</tool_call>"),
            ("{\"function\":", "}"),
            ("{\"x\":", "}"),
        ][..],
    );
    let part =
        (around, call(), soup(), any::<bool>()).prop_map(|((open, close), call, soup, plain)| {
            let soup = if plain { " so: " } else { &soup };
            format!("{soup}{open}{call}{close}")
        });
    (
        vec(part, 1..4),
        soup(),
        any::<proptest::sample::Index>(),
        any::<bool>(),
    )
        .prop_map(|(parts, soup, end, cut)| {
            let text = parts.concat() + &soup;
            let chars: Vec<char> = text.chars().collect();
            let end = if cut {
                end.index(chars.len() + 1)
            } else {
                chars.len()
            };
            chars[..end].iter().collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn guarantee_1_pieces_in_no_order(text in soup()) {
        check(&text, LENGTH_MAX);
    }

    #[test]
    fn guarantee_1_answers_of_models(text in answer()) {
        check(&text, LENGTH_MAX);
    }

    #[test]
    fn guarantee_1_any_units_at_any_cutting(
        units in vec(prop_oneof![any::<u16>(), select(&[0x7B_u16, 0x22, 0x3C, 0x60, 0x5B, 0xD83D, 0xDE80][..])], 0..60),
        length in 0..20_usize,
    ) {
        check_statuses(&units, length);
    }

    #[test]
    fn a_call_found_in_a_prefix_of_a_text_is_whole_there(text in answer()) {
        // Truncated arguments are never made whole: what is found is JSON that stands in the text.
        if let Expected::Call(_, arguments, start, end) = found(&text) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let span = String::from_utf16(&units[start..end]).expect("whole characters");
            let escaped = serde_json::to_string(&arguments).expect("a string");
            let inner = escaped.trim_matches('"');
            prop_assert!(arguments.is_empty() || span.contains(&arguments) || span.contains(inner));
        }
    }
}
