//! What stands in an object's strings: raw control characters, and backslashes that escape nothing.
//!
//! The grammar stops at each such byte with its string still open, and is sent on behind it, so
//! that the byte counts as a plain one.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::ErrorCode;
use crate::form::Form;
use crate::grammar::{Grammar, Halt};

/// What an object's strings hold that JSON does not allow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inside {
    pub control: bool,
    pub backslash: bool,
}

/// Whether a text has backslashes and none of them begins an escape: one of JSON's, a part of one, or
/// one of those that other languages have and JSON has not (`\'`, `\x41`), which have two readings.
pub fn all_literal(text: &[u8]) -> bool {
    let mut any = false;
    for (at, _) in text.iter().enumerate().filter(|&(_, &byte)| byte == b'\\') {
        any = true;
        let digits = |count: usize| {
            let digits = text.get(at + 2..at + 2 + count);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        let escape = match text.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'\'') | None => true,
            Some(b'u') => digits(1),
            Some(b'x') => digits(2),
            Some(_) => false,
        };
        if escape {
            return false;
        }
    }
    any
}

/// Reads objects of a text, from its start to its end.
pub struct Reader<'a> {
    text: &'a [u8],
    /// Whether backslashes are plain bytes.
    literal: bool,
    /// Where the next of these stands, as far as it is known: it is looked for once.
    wall: usize,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a [u8], literal: bool) -> Self {
        let wall = if literal { 0 } else { text.len() };
        Self {
            text,
            literal,
            wall,
        }
    }

    /// The first byte from here on that the grammar must not see.
    fn wall_from(&mut self, from: usize) -> usize {
        if self.literal && self.wall <= from {
            let ahead = self.text[from..].iter().position(|&byte| byte == b'\\');
            self.wall = ahead.map_or(self.text.len(), |ahead| from + ahead);
        }
        self.wall
    }

    /// Reads the object that begins at `start`; `None` where it does not close, or breaks otherwise.
    /// `raw` is told where each byte stands that is to be escaped.
    pub fn read(
        &mut self,
        start: usize,
        raw: &mut impl FnMut(usize),
    ) -> Option<(Range<usize>, Inside)> {
        let text = self.text;
        let mut inside = Inside::default();
        let mut grammar = Grammar::NEW;
        let mut at = start;
        loop {
            let wall = self.wall_from(at);
            match grammar.run(Form::Utf8, &text[..wall], at) {
                Halt::Closed(end) => return Some((start..end, inside)),
                Halt::Failed(failed) if failed.code == ErrorCode::ControlCharacter => {
                    inside.control = true;
                    at = failed.index;
                    while at < wall && text[at] < b' ' {
                        raw(at);
                        at += 1;
                    }
                }
                Halt::End if wall < text.len() && grammar.in_string() => {
                    inside.backslash = true;
                    raw(wall);
                    at = wall + 1;
                }
                Halt::End | Halt::Failed(_) => return None,
            }
        }
    }
}

/// The object with every byte escaped that has to be.
pub fn escaped(text: &[u8], object: Range<usize>, literal: bool) -> Vec<u8> {
    let mut json = Vec::with_capacity(object.len() + object.len() / 8);
    let mut kept = object.start;
    let read = Reader::new(text, literal).read(object.start, &mut |at| {
        json.extend_from_slice(&text[kept..at]);
        escape(text[at], &mut json);
        kept = at + 1;
    });
    debug_assert!(
        read.is_some_and(|(range, _)| range == object),
        "it was read before"
    );
    json.extend_from_slice(&text[kept..object.end]);
    json
}

/// Writes the escape of a control character or backslash.
fn escape(byte: u8, json: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        0x08 => b'b',
        0x0C => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        b'\\' => b'\\',
        _ => {
            json.extend_from_slice(b"\\u00");
            json.extend([byte >> 4, byte & 15].map(|half| DIGITS[usize::from(half)]));
            return;
        }
    };
    json.extend_from_slice(&[b'\\', short]);
}
