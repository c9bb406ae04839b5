//! Texts for the properties: valid, nearly valid, and made to be hard.
//!
//! Each strategy leans towards what a scanner keeps state about: brackets, escapes and surrogates,
//! numbers near the largest double, the white space that trimming takes, fences, a string that
//! holds the object, and texts that end in the middle of any of these.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

/// JSON's white space, and the white space that only trimming knows.
const WHITE: [&str; 12] = [
    "", "", "", " ", "\n", "\t", "\r\n", "\u{b}", "\u{a0}", "\u{85}", "\u{2028}", "\u{3000}",
];

/// What strings are made of; all are whole pieces of a valid string.
const STRING_PIECES: [&str; 25] = [
    "a",
    "plain text ",
    "0123456789abcdef",
    "é",
    "日本",
    "😀",
    "\u{2028}",
    "\u{7f}",
    "\u{a0}",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "```",
    "\\n",
    "\\\"",
    "\\\\",
    "\\/",
    "\\u0041",
    "\\u00E9",
    "\\u0000",
    "\\ud83d\\ude00",
    "\\uFFFF",
];

/// What texts are made of that nobody meant to be JSON.
const TOKENS: [&str; 72] = [
    "{",
    "}",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\"",
    "\\",
    "\\\"",
    ":",
    ",",
    "{\"a\":",
    "\"a\"",
    "{}",
    "{\"a\":1}",
    "\"{",
    "}\"",
    "\\u",
    "\\u00",
    "\\u007b",
    "\\u007D",
    "\\u0022",
    "\\u005c",
    "\\ud83d",
    "\\ude00",
    "\\uD800",
    "\\udbff",
    "\\udc00",
    "d83d",
    "\\\\ud83d",
    "\\\\ude00",
    "true",
    "false",
    "null",
    "tru",
    "nul",
    "0",
    "1",
    "-",
    "+",
    ".",
    "e",
    "E",
    "1e",
    "e309",
    "e308",
    "1e-",
    "00",
    "2147483648",
    "```",
    "```json",
    "json",
    "`",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\u{b}",
    "\u{c}",
    "\u{a0}",
    "\u{85}",
    "\u{1680}",
    "\u{2003}",
    "\u{2028}",
    "\u{3000}",
    "\u{feff}",
    "é",
    "日",
    "😀",
    "\u{0}",
    "\u{1f}",
];

/// Any text.
pub fn text() -> BoxedStrategy<String> {
    let base = prop_oneof![3 => object(), 1 => value(), 3 => soup(), 1 => number(40)].boxed();
    let wrapped = prop_oneof![
        2 => base.clone(),
        1 => fenced(base.clone()),
        1 => prose(base.clone()),
        2 => double_encoded(base),
    ]
    .boxed();
    prop_oneof![
        3 => wrapped.clone(),
        3 => mutated(wrapped.clone()),
        2 => truncated(wrapped.clone()),
        1 => double_encoded(mutated(wrapped.clone())),
        1 => (wrapped.clone(), wrapped).prop_map(|(first, second)| first + &second),
    ]
    .boxed()
}

/// An object in one of the wrappings; most of these are accepted.
pub fn wrapped_object() -> BoxedStrategy<String> {
    let encoded = double_encoded(object());
    prop_oneof![object(), fenced(object()), prose(object()), encoded].boxed()
}

/// The text of one object that is valid JSON, up to a few hundred bytes.
pub fn object() -> BoxedStrategy<String> {
    vec((string(), white(), white(), value(), white()), 0..4)
        .prop_map(|members| {
            let member =
                |(key, before, after, value, end)| format!("{key}{before}:{after}{value}{end}");
            let members: Vec<String> = members.into_iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        })
        .boxed()
}

/// The text of one value that is valid JSON.
pub fn value() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        4 => string(),
        3 => valid_number(),
        2 => select(vec!["true", "false", "null", "{}", "[]"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        let item = (white(), inner.clone(), white());
        let member = (white(), string(), white(), inner, white());
        prop_oneof![
            vec(item, 0..4).prop_map(|items| {
                let items: Vec<String> = items
                    .into_iter()
                    .map(|(a, value, b)| format!("{a}{value}{b}"))
                    .collect();
                format!("[{}]", items.join(","))
            }),
            vec(member, 0..4).prop_map(|members| {
                let members: Vec<String> = members
                    .into_iter()
                    .map(|(a, key, b, value, c)| format!("{a}{key}{b}:{value}{c}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
    .boxed()
}

/// White space that may stand between tokens.
fn white() -> impl Strategy<Value = &'static str> + Clone {
    select(vec!["", "", "", "", " ", "\n", "\t", "\r\n", "  \n\t"])
}

fn string() -> impl Strategy<Value = String> + Clone {
    vec(select(STRING_PIECES.to_vec()), 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn valid_number() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        (-1000..1000_i32).prop_map(|number| number.to_string()),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|n| format!("{n:e}")),
        select(vec![
            "0",
            "-0",
            "1.0",
            "1e5",
            "1E+5",
            "1e-400",
            "0e999999",
            "1.7976931348623158e308"
        ])
        .prop_map(str::to_owned),
    ]
}

/// A number near the largest double: up to so many of its digits, a few of them changed, with the
/// point anywhere and an exponent that brings the value back to about where it was.
pub fn number(digits_max: usize) -> BoxedStrategy<String> {
    let limit = limit_digits();
    let width = limit.len();
    let digits = (
        1..=digits_max.min(width),
        vec((any::<Index>(), b'0'..=b'9'), 0..2),
        vec(b'0'..=b'9', 0..8),
    )
        .prop_map(move |(kept, changes, more)| {
            let mut digits = limit.as_bytes()[..kept].to_vec();
            for (at, digit) in changes {
                let at = at.index(digits.len());
                digits[at] = digit;
            }
            digits.extend(more);
            digits
        });
    (
        digits,
        any::<Index>(),
        0..40_usize,
        -2..=2_i64,
        any::<bool>(),
        select(vec!["e", "E", "e+"]),
    )
        .prop_map(move |(digits, point, zeros, off, minus, letter)| {
            let sign = if minus { "-" } else { "" };
            let digits = String::from_utf8(digits).expect("digits");
            let digits = digits.trim_start_matches('0');
            let digits = if digits.is_empty() { "0" } else { digits };
            let point = point.index(digits.len() + 1);
            let (mantissa, whole) = if point == 0 {
                (format!("0.{}{digits}", "0".repeat(zeros)), -signed(zeros))
            } else if point == digits.len() {
                (
                    format!("{digits}{}", "0".repeat(zeros)),
                    signed(digits.len() + zeros),
                )
            } else {
                (
                    format!("{}.{}", &digits[..point], &digits[point..]),
                    signed(point),
                )
            };
            let exponent = signed(width) - whole + off;
            let letter = if exponent < 0 { &letter[..1] } else { letter };
            format!("{sign}{mantissa}{letter}{exponent}")
        })
        .boxed()
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).expect("a short text")
}

/// The digits of 2^1024 - 2^970: the smallest integer that no finite double stands for.
pub fn limit_digits() -> String {
    let mut digits: Vec<u8> = ((1_u64 << 54) - 1)
        .to_string()
        .bytes()
        .rev()
        .map(|digit| digit - b'0')
        .collect();
    for _ in 0..970 {
        let mut carry = 0;
        for digit in &mut digits {
            let doubled = *digit * 2 + carry;
            *digit = doubled % 10;
            carry = doubled / 10;
        }
        if carry != 0 {
            digits.push(carry);
        }
    }
    digits
        .iter()
        .rev()
        .map(|digit| char::from(b'0' + digit))
        .collect()
}

/// Tokens in no order.
pub fn soup() -> BoxedStrategy<String> {
    vec(select(TOKENS.to_vec()), 0..14)
        .prop_map(|tokens| tokens.concat())
        .boxed()
}

/// Tokens in no order, inside an object, so that they are not dead from the start.
pub fn soup_inside() -> BoxedStrategy<String> {
    let starts = vec![
        "{\"a\":",
        "{\"a\":\"",
        "{\"",
        "{\"a\":[",
        "\"{\\\"a\\\":",
        "\"{\\\"a\\\":\\\"",
        "\"\\u007b",
        "\"",
        " \"\\n",
        "[{\"a\":1},",
        "```json\n{",
        "{\"a\":1}",
        "{\"a\":1.",
        "{\"a\":\"\\ud83d",
        "\"{\\\"a\\\":\\\"\\\\ud83d",
    ];
    (select(starts), vec(select(TOKENS.to_vec()), 0..8))
        .prop_map(|(start, tokens)| start.to_owned() + &tokens.concat())
        .boxed()
}

fn around() -> impl Strategy<Value = &'static str> + Clone {
    select(WHITE.to_vec())
}

fn fenced(text: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let open = select(vec![
        "```",
        "```json",
        "``` json5",
        "```json\u{a0}",
        "````",
        "``",
        "```a`b",
    ]);
    let close = select(vec![
        "```", "\n```", "\n```\n", "", "``", "````", "``` x", "\r\n```",
    ]);
    (around(), open, around(), text, around(), close, around())
        .prop_map(|(a, open, b, text, c, close, d)| format!("{a}{open}{b}\n{text}{c}{close}{d}"))
        .boxed()
}

fn prose(text: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let before = select(vec![
        "", "Call: ", "[", "(", "}", "\"", "日本 ", "x\n\n", "{\"", "\\",
    ]);
    let after = select(vec![
        "", " done", "]", ")", "}", "\"", " 日本", "\n\nx", "{", "} {", "\\",
    ]);
    (around(), before, text, after, around())
        .prop_map(|(a, before, text, after, b)| format!("{a}{before}{text}{after}{b}"))
        .boxed()
}

/// The text as a JSON string, with some of its characters written as `\u` escapes.
fn double_encoded(text: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let escaped = select(vec![
        "", "", "{", "{}", "\"", "\\\\", "{\"", " \n", "a1", "é日",
    ]);
    (around(), around(), text, escaped, around(), around())
        .prop_map(|(a, b, text, escaped, c, d)| {
            let literal = Value::String(format!("{b}{text}{c}")).to_string();
            // A quote or backslash in the literal is syntax already; the rest may be escaped.
            let escape = |char: char| {
                if escaped.contains(char) && char != '"' && char != '\\' {
                    format!("\\u{:04x}", u32::from(char))
                } else {
                    char.to_string()
                }
            };
            let mut literal: String = literal.chars().map(escape).collect();
            if escaped.contains('"') {
                literal = literal.replace("\\\"", "\\u0022");
            }
            format!("{a}{literal}{d}")
        })
        .boxed()
}

/// A few edits at random places.
pub fn mutated(text: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let edit = (
        any::<Index>(),
        any::<Index>(),
        0..4_u8,
        select(TOKENS.to_vec()),
    );
    (text, vec(edit, 1..4))
        .prop_map(|(text, edits)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (at, until, what, token) in edits {
                let at = at.index(chars.len() + 1);
                let until = (at + until.index(6)).min(chars.len());
                let replacement: Vec<char> = match what {
                    0 => token.chars().collect(),
                    1 => Vec::new(),
                    2 => token.chars().take(1).collect(),
                    // The same once more.
                    _ => [&chars[at..until], &chars[at..until]].concat(),
                };
                let until = if what == 0 { at } else { until };
                chars.splice(at..until, replacement);
            }
            chars.into_iter().collect()
        })
        .boxed()
}

/// Ends anywhere.
fn truncated(text: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (text, any::<Index>())
        .prop_map(|(text, at)| {
            let keep = at.index(text.chars().count() + 1);
            text.chars().take(keep).collect()
        })
        .boxed()
}

/// Bytes that are nearly UTF-8: a text with a few bytes put in or taken out.
pub fn bytes() -> BoxedStrategy<Vec<u8>> {
    let byte = prop_oneof![
        1 => any::<u8>(),
        3 => select(vec![
            0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff,
            0x9f, 0xa0, 0x85, 0x8f, 0x90,
        ]),
    ];
    (text(), vec((any::<Index>(), 0..3_u8, byte), 0..4))
        .prop_map(|(text, edits)| {
            let mut bytes = text.into_bytes();
            for (at, what, byte) in edits {
                let at = at.index(bytes.len() + 1);
                match what {
                    0 => bytes.insert(at, byte),
                    1 if at < bytes.len() => drop(bytes.remove(at)),
                    _ => bytes.truncate(at),
                }
            }
            bytes
        })
        .boxed()
}

/// UTF-16 with halves of pairs in it.
pub fn units() -> BoxedStrategy<Vec<u16>> {
    let unit = select(vec![
        0xd800, 0xd83d, 0xdbff, 0xdc00, 0xde00, 0xdfff, 0x22, 0x5c, 0x7d,
    ]);
    (text(), vec((any::<Index>(), unit), 0..4))
        .prop_map(|(text, edits)| {
            let mut units: Vec<u16> = text.encode_utf16().collect();
            for (at, unit) in edits {
                let at = at.index(units.len() + 1);
                units.insert(at, unit);
            }
            units
        })
        .boxed()
}

/// A text whose characters are all below U+0100.
pub fn latin1() -> BoxedStrategy<String> {
    let narrow = |char: char| match u8::try_from(char) {
        Ok(byte) => char::from(byte),
        Err(_) => 'é',
    };
    let text = prop_oneof![text(), soup_inside()];
    text.prop_map(move |text| text.chars().map(narrow).collect())
        .boxed()
}

/// A fragment in one of the three forms.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Bytes.
    Bytes(Vec<u8>),
    /// UTF-16.
    Units(Vec<u16>),
    /// UTF-16 whose units are all below 0x100, a byte each.
    Latin1(Vec<u8>),
}

impl Piece {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(bytes) | Self::Latin1(bytes) => bytes.is_empty(),
            Self::Units(units) => units.is_empty(),
        }
    }
}

/// A text in pieces of all forms. Bytes may end inside a character; whole characters may come as
/// units; here and there a half of a pair stands between.
pub fn mixed_pieces() -> BoxedStrategy<Vec<Piece>> {
    let half = select(vec![0xd83d, 0xde00]);
    let piece = (1..12_usize, 0..3_u8, proptest::option::weighted(0.1, half));
    (text(), vec(piece, 1..12))
        .prop_map(|(text, pieces)| {
            let mut rest = text.as_bytes();
            let mut all = Vec::new();
            for (length, form, half) in pieces.into_iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at(length.min(rest.len()));
                rest = after;
                all.push(match std::str::from_utf8(piece) {
                    Ok(text) if form == 1 => Piece::Units(text.encode_utf16().collect()),
                    Ok(text) if form == 2 && text.is_ascii() => Piece::Latin1(piece.to_vec()),
                    // The accented letters among the pieces, as one character.
                    Ok("é") if form == 2 => Piece::Latin1(vec![0xe9]),
                    _ => Piece::Bytes(piece.to_vec()),
                });
                all.extend(half.map(|half| Piece::Units(vec![half])));
            }
            all
        })
        .boxed()
}
