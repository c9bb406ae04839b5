//! Reads past JSON values, without building anything.
//!
//! "JSON" means here what `JSON.parse` takes, also half surrogate pairs, huge numbers and any
//! depth: an event has to be readable, only the arguments in it are judged (by `scanner`).
//!
//! INVARIANT: every method moves forward, and never past the text.
//!
//! Not checked here: UTF-8.
#![allow(
    clippy::inline_always,
    reason = "what runs inside a vector backend has to be inlined into it"
)]
#![allow(
    clippy::cast_possible_truncation,
    reason = "who reads refuses texts of more than 4 GiB"
)]

use alloc::vec::Vec;

use crate::fields::{Type, Value};
use crate::skip::{BLOCK, Backend, Block, Kernel, Lane, mask};

/// Looks for whatever a run of plain string bytes stops at: quotes, backslashes, control bytes.
#[derive(Clone, Copy)]
struct Stops;

impl Kernel for Stops {
    #[inline(always)]
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64 {
        backend.string_stops(block) | backend.equal(block, b'\\')
    }

    #[inline(always)]
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16 {
        backend.string_stops_in_lane(lane) | backend.equal_in_lane(lane, b'\\')
    }
}

/// So many words are looked at one by one before it pays to look at a block.
const SHORT_WORDS: usize = 2;

/// The high bits of a word's bytes that a string stops at. Behind the first, others may be set too.
#[inline(always)]
fn stops_in_word(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES * 0x80;
    // A byte that is below `least` is told by the bit that is borrowed for it.
    let below = |word: u64, least: u64| word.wrapping_sub(ONES * least) & !word & HIGH;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | equal(b'"') | equal(b'\\')
}

/// Reads values; every method answers `None` where the text is not JSON.
pub struct Reader<'a, B> {
    backend: B,
    pub bytes: &'a [u8],
    /// How far it has read.
    pub at: usize,
    /// The block whose mask is known, and the mask.
    block: usize,
    stops: u64,
}

impl<'a, B: Backend> Reader<'a, B> {
    #[inline(always)]
    pub fn new(backend: B, bytes: &'a [u8]) -> Self {
        Self {
            backend,
            bytes,
            at: 0,
            block: usize::MAX,
            stops: 0,
        }
    }

    #[inline(always)]
    pub fn first(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline(always)]
    pub fn take(&mut self, byte: u8) -> Option<()> {
        if self.first()? != byte {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// The next byte that is not white space.
    #[inline(always)]
    pub fn peek(&mut self) -> Option<u8> {
        self.white();
        self.first()
    }

    #[inline(always)]
    pub fn white(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.first() {
            self.at += 1;
        }
    }

    /// The next quote, backslash or control byte at or behind the place, or the end.
    #[inline(always)]
    fn string_stop(&mut self) -> usize {
        let mut at = self.at;
        loop {
            let block = at / BLOCK;
            if block != self.block {
                let Some(rest) = self.bytes.get(block * BLOCK..) else {
                    return self.bytes.len();
                };
                self.block = block;
                self.stops = mask(self.backend, rest, Stops);
            }
            let ahead = self.stops >> (at % BLOCK);
            if ahead != 0 {
                return (at + ahead.trailing_zeros() as usize).min(self.bytes.len());
            }
            at = (block + 1) * BLOCK;
            if self.bytes.len() <= at {
                return self.bytes.len();
            }
        }
    }

    /// Reads on behind an opening quote, past the closing one.
    #[inline(always)]
    pub fn string_content(&mut self) -> Option<Value> {
        let start = self.at;
        let mut kind = Type::Text;
        loop {
            let stop = self.string_stop();
            match self.bytes.get(stop)? {
                b'"' => {
                    self.at = stop + 1;
                    return Some(Value {
                        kind,
                        start: start as u32,
                        end: stop as u32,
                    });
                }
                b'\\' => {
                    kind = Type::Escaped;
                    match self.bytes.get(stop + 1)? {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                            self.at = stop + 2;
                        }
                        b'u' => {
                            let digits = self.bytes.get(stop + 2..stop + 6)?;
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                return None;
                            }
                            self.at = stop + 6;
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
    }

    /// The same where the content is likely to be a few characters and no more.
    #[inline(always)]
    pub fn short_content(&mut self) -> Option<Value> {
        let start = self.at;
        for word in 0..SHORT_WORDS {
            let at = start + word * size_of::<u64>();
            let Some(bytes) = self.bytes.get(at..).and_then(<[u8]>::first_chunk) else {
                break;
            };
            let stops = stops_in_word(u64::from_le_bytes(*bytes));
            if stops != 0 {
                let stop = at + stops.trailing_zeros() as usize / 8;
                if self.bytes.get(stop) != Some(&b'"') {
                    break;
                }
                self.at = stop + 1;
                return Some(Value {
                    kind: Type::Text,
                    start: start as u32,
                    end: stop as u32,
                });
            }
        }
        self.string_content()
    }

    /// Reads a value and says where it stands.
    #[inline(always)]
    pub fn value(&mut self, stack: &mut Vec<u64>) -> Option<Value> {
        let start = self.at as u32;
        let kind = match self.first()? {
            b'"' => {
                self.at += 1;
                return self.string_content();
            }
            b'{' => Type::Object,
            b'[' => Type::Array,
            b't' => Type::True,
            b'f' => Type::False,
            b'n' => Type::Null,
            _ => Type::Number,
        };
        self.skip(stack)?;
        Some(Value {
            kind,
            start,
            end: self.at as u32,
        })
    }

    /// Reads past a value.
    #[inline(always)]
    pub fn skip(&mut self, stack: &mut Vec<u64>) -> Option<()> {
        match self.first()? {
            b'"' => {
                self.at += 1;
                self.string_content().map(|_| ())
            }
            b'{' | b'[' => self.container(stack),
            _ => self.scalar(),
        }
    }

    #[inline(always)]
    pub fn scalar(&mut self) -> Option<()> {
        let word: &[u8] = match self.first()? {
            b't' => b"true",
            b'f' => b"false",
            b'n' => b"null",
            _ => return self.number(),
        };
        if !self.bytes[self.at..].starts_with(word) {
            return None;
        }
        self.at += word.len();
        Some(())
    }

    #[inline(always)]
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.first().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (start < self.at).then_some(())
    }

    #[inline(always)]
    fn number(&mut self) -> Option<()> {
        if self.first()? == b'-' {
            self.at += 1;
        }
        if self.first()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.first() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.first() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.first() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Reads past an array or object of any depth.
    #[inline(never)]
    fn container(&mut self, stack: &mut Vec<u64>) -> Option<()> {
        stack.clear();
        let mut depth = 0_usize;
        // The innermost 64 levels; those around them are in `stack`.
        let mut bits = 0_u64;
        loop {
            // A value is due.
            match self.peek()? {
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    if depth != 0 && depth.is_multiple_of(64) {
                        stack.push(bits);
                    }
                    depth += 1;
                    bits = bits << 1 | u64::from(open == b'{');
                    let close = if open == b'{' { b'}' } else { b']' };
                    if self.peek()? != close {
                        if open == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'"' => {
                    self.at += 1;
                    self.string_content()?;
                }
                _ => self.scalar()?,
            }
            // A value has ended.
            loop {
                let in_object = bits & 1 == 1;
                match (self.peek()?, in_object) {
                    (b',', _) => {
                        self.at += 1;
                        if in_object {
                            self.white();
                            self.key()?;
                        }
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.at += 1;
                        depth -= 1;
                        if depth == 0 {
                            return Some(());
                        }
                        bits >>= 1;
                        if depth.is_multiple_of(64) {
                            bits = stack.pop()?;
                        }
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Reads past a key and its colon.
    #[inline(always)]
    fn key(&mut self) -> Option<()> {
        self.take(b'"')?;
        self.string_content()?;
        self.white();
        self.take(b':')
    }
}

#[cfg(test)]
mod tests {
    use super::Reader;
    use crate::fields::{Type, Value};
    use crate::skip::{Backend, Scan, with_backend};
    use std::prelude::v1::*;

    /// Reads one value by itself.
    fn value(bytes: &[u8]) -> Option<Value> {
        struct One<'a>(&'a [u8]);
        impl Scan for One<'_> {
            type Output = Option<Value>;
            #[inline(always)]
            fn run<B: Backend>(self, backend: B) -> Option<Value> {
                let mut reader = Reader::new(backend, self.0);
                reader.white();
                reader.value(&mut Vec::new())
            }
        }
        with_backend(One(bytes))
    }

    #[test]
    fn a_short_string_ends_where_any_string_does() {
        struct Both<'a>(&'a [u8]);
        impl Scan for Both<'_> {
            type Output = ();
            #[inline(always)]
            fn run<B: Backend>(self, backend: B) {
                let mut short = Reader::new(backend, self.0);
                let mut any = Reader::new(backend, self.0);
                assert_eq!(short.short_content(), any.string_content(), "{:?}", self.0);
                assert_eq!(short.at, any.at);
            }
        }
        for length in 0..40 {
            for byte in 0..=u8::MAX {
                for at in 0..=length {
                    let mut text = vec![b'x'; length];
                    text.push(b'"');
                    text.insert(at, byte);
                    text.extend_from_slice(&[0x80, 0xFF, 0x7F, b'"', b' '][..length % 6]);
                    with_backend(Both(&text));
                }
            }
        }
    }

    #[test]
    fn reads_what_json_parse_reads() {
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        let mixed = "{\"a\":[".repeat(100) + "1" + &"]}".repeat(100);
        let good = [
            "{}",
            "[]",
            "[1,-0,0.5,1e999,12E-3]",
            "\"\\ud800\"",
            "[true,false,null]",
            "{\"a\":{\"b\":[{}]}}",
            "[ 1 , 2 ]",
            "{ \"a\" : 1 , \"b\" : [ ] }",
            &deep,
            &mixed,
        ];
        let bad = [
            "",
            "{",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{1:2}",
            "[}",
            "{]",
            "01",
            "1.",
            "-",
            "1e",
            "tru",
            "\"\\x\"",
            "\"\\u12\"",
            "\"a\nb\"",
            "{\"a\":[}]",
            &deep[..1999],
            &mixed[..700],
        ];
        let read = |text: &str| {
            value(text.as_bytes()).is_some_and(|value| {
                value.end as usize
                    + usize::from(value.kind == Type::Text || value.kind == Type::Escaped)
                    == text.len()
            })
        };
        for text in good {
            assert!(read(text), "{text}");
        }
        for text in bad {
            assert!(!read(text), "{text}");
        }
    }
}
