//! Reasoning that has leaked into a value: the marks that models put around it, and the phrases that
//! it begins with.
//!
//! Phrases are plain English and give false positives, so they count at a value's start only.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use alloc::string::String;

use crate::skip::{BLOCK, Backend, Equal, mask};

/// Marks between which models put their reasoning, behind the `<` or `[`, in lower case.
const ANGLE_MARKS: [&[u8]; 12] = [
    b"think>",
    b"/think>",
    b"thinking>",
    b"/thinking>",
    b"thought>",
    b"/thought>",
    b"reasoning>",
    b"/reasoning>",
    b"reflection>",
    b"scratchpad>",
    b"|channel|>",
    b"|begin_of_thought|>",
];
const SQUARE_MARKS: [&[u8]; 2] = [b"think]", b"/think]"];

/// What a value begins with that is the model talking to itself, in lower case.
const PHRASES: [&[u8]; 15] = [
    b"let me think",
    b"let me reason",
    b"let me consider",
    b"let's think",
    b"i need to think",
    b"thinking about this",
    b"thinking step by step",
    b"okay, let me",
    b"ok, let me",
    b"hmm, ",
    b"first, let me",
    b"first, i need to",
    b"the user wants",
    b"the user is asking",
    b"the user asked",
];

/// Characters of the shortest mark or phrase.
pub const SHORTEST: usize = 5;

/// White space in a string that is not escaped by number, as far as ASCII has any.
const WHITE_ESCAPES: [&[u8]; 4] = [b"\\n", b"\\t", b"\\r", b"\\f"];

/// The mark or phrase in a string's content, which has no escapes by number.
#[inline(always)]
pub fn in_content<B: Backend>(backend: B, content: &[u8]) -> Option<String> {
    // Each phrase begins with one of these.
    let first = content.first()?.to_ascii_lowercase();
    if matches!(
        first,
        b'l' | b'i' | b't' | b'o' | b'h' | b'f' | b' ' | b'\\'
    ) && let Some(phrase) = phrase_of(content)
    {
        return Some(phrase);
    }
    // A loop that the compiler turns into vectors; a mask costs more where there is no whole block.
    let mark = |found: u8, &byte: &u8| found | u8::from(byte == b'<') | u8::from(byte == b'[');
    if content.len() < BLOCK && content.iter().fold(0, mark) == 0 {
        return None;
    }
    let mut from = 0;
    while let Some(rest) = content.get(from..).filter(|rest| !rest.is_empty()) {
        let mut marks = mask(backend, rest, Equal(b'<')) | mask(backend, rest, Equal(b'['));
        while marks != 0 {
            let at = from + marks.trailing_zeros() as usize;
            if let Some(mark) = mark_at(content, at) {
                return Some(mark);
            }
            marks &= marks - 1;
        }
        from += BLOCK;
    }
    None
}

/// The mark or phrase in what a string says.
pub fn in_decoded(decoded: &[u8]) -> Option<String> {
    phrase_of(decoded).or_else(|| {
        let mut marks = decoded.iter().enumerate();
        marks.find_map(|(at, &byte)| {
            matches!(byte, b'<' | b'[')
                .then(|| mark_at(decoded, at))
                .flatten()
        })
    })
}

/// The phrase that a value begins with.
#[inline(never)]
fn phrase_of(content: &[u8]) -> Option<String> {
    let mut content = content.trim_ascii_start();
    while let Some(escape) = WHITE_ESCAPES
        .iter()
        .find(|escape| content.starts_with(escape))
    {
        content = content[escape.len()..].trim_ascii_start();
    }
    shown(&PHRASES, content, "")
}

/// The mark that stands at a `<` or `[`.
#[inline(never)]
fn mark_at(content: &[u8], at: usize) -> Option<String> {
    let mut behind = content.get(at + 1..)?;
    if behind.starts_with(b"\\/") {
        behind = &behind[1..];
    }
    match content.get(at)? {
        b'<' => shown(&ANGLE_MARKS, behind, "<"),
        b'[' => shown(&SQUARE_MARKS, behind, "["),
        _ => None,
    }
}

/// The one of some marks or phrases that content begins with, as a finding shows it.
fn shown(marks: &[&[u8]], content: &[u8], before: &str) -> Option<String> {
    let mark = marks.iter().find(|mark| {
        content
            .get(..mark.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(mark))
    })?;
    Some(alloc::format!(
        "{before}{}",
        String::from_utf8_lossy(mark).trim_end()
    ))
}
