//! What a text that is accepted holds, and deserves a look: keys that would reach a prototype, keys
//! that stand twice in an object, integers that a double cannot hold, reasoning inside a value.
//!
//! The grammar reads, and tells the [`Inspector`] of each key, string, number and container as it
//! passes; so an inspection is a scan that is watched, and braces are matched in one place only.
//!
//! Memory is bounded: [`FOUND_MAX`] findings are kept, [`PATH_MAX`] bytes of a path, and the keys of
//! open objects up to [`KEYS_MAX`], beyond which duplicates are not looked for.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::form::Form;
use crate::grammar::{Grammar, Halt, Observer};
use crate::leak;
use crate::skip::Backend;
use crate::unescape::unescaped;
use crate::utf16::{self, Halves};

/// What to look for: bits of a set.
pub mod wanted {
    /// An integer beyond what a double holds exactly.
    pub const UNSAFE_INTEGER: u32 = 1;
    /// A key that stands twice in one object.
    pub const DUPLICATE_KEY: u32 = 1 << 1;
    /// `__proto__`, or `constructor` that holds `prototype`.
    pub const FORBIDDEN_KEY: u32 = 1 << 2;
    /// Reasoning inside a value.
    pub const THINKING_LEAK: u32 = 1 << 3;
}

const UNSAFE_INTEGER: &str = "unsafe-integer";
const DUPLICATE_KEY: &str = "duplicate-key";
const FORBIDDEN_KEY: &str = "forbidden-key";
const THINKING_LEAK: &str = "thinking-leak";

/// Findings that are kept; the first forbidden key always is.
pub const FOUND_MAX: usize = 32;

/// Bytes of a path that are kept.
pub const PATH_MAX: usize = 1024;

/// Keys of open objects that are remembered.
pub const KEYS_MAX: usize = 1 << 16;

/// Keys of one object that are compared one by one; beyond them they are looked up.
const FEW: usize = 16;

/// Bytes of a value in which escaped marks are looked for.
const DECODED_MAX: usize = 1 << 16;

/// The greatest integer from which on neighbours become one.
const SAFE_MAX: &[u8] = b"9007199254740991";

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    code: &'static str,
    path: String,
    /// The digits, the key or the mark.
    detail: String,
}

/// Where a key stands in the text.
#[derive(Clone, Copy, Debug)]
struct Key {
    start: usize,
    end: usize,
    hash: u64,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
struct Frame {
    object: bool,
    /// The number of the current item, in an array.
    item: u64,
    /// The current key, in an object.
    key: Key,
    /// Whether the current key is `constructor`.
    constructor: bool,
    /// How many keys were remembered when it opened, and its number among all objects.
    keys: usize,
    serial: u32,
}

const NO_KEY: Key = Key {
    start: 0,
    end: 0,
    hash: 0,
};

/// What is kept between inspections so that none has to allocate, and what the last one found.
#[derive(Debug, Default)]
pub struct Inspector {
    found: Vec<Finding>,
    /// Findings beyond [`FOUND_MAX`].
    more: u64,
    frames: Vec<Frame>,
    keys: Vec<Key>,
    /// Of objects with more than [`FEW`] keys: the keys by object and hash.
    index: BTreeMap<(u32, u64), Key>,
    packed: Vec<u8>,
    serial: u32,
}

impl Inspector {
    /// Inspects a text in UTF-8. False where it is not one object and nothing else.
    pub fn inspect(&mut self, bytes: &[u8], wanted: u32) -> bool {
        let plain = bytes.first() == Some(&b'{');
        if !plain || core::str::from_utf8(bytes).is_err() {
            self.clear();
            return false;
        }
        self.run(Form::Utf8, bytes, &[], wanted)
    }

    /// Inspects a text in UTF-16. False where it is not one object and nothing else.
    pub fn inspect_utf16(&mut self, units: &[u16], wanted: u32) -> bool {
        self.clear();
        if units.first() != Some(&u16::from(b'{')) {
            return false;
        }
        let mut packed = core::mem::take(&mut self.packed);
        packed.clear();
        let mut halves = Halves::NEW;
        utf16::pack(units, &mut halves, &mut |bytes, _| {
            packed.extend_from_slice(bytes);
        });
        let whole = !halves.waiting() && !halves.lone();
        let plain = whole && self.run(Form::Packed, &packed, units, wanted);
        self.packed = packed;
        plain
    }

    fn clear(&mut self) {
        self.found.clear();
        self.more = 0;
        self.frames.clear();
        self.keys.clear();
        self.index.clear();
        self.serial = 0;
    }

    fn run(&mut self, form: Form, bytes: &[u8], units: &[u16], wanted: u32) -> bool {
        self.clear();
        let mut watch = Watch {
            inspector: self,
            text: Text { form, bytes, units },
            wanted,
            start: 0,
            escaped: false,
        };
        let mut grammar = Grammar::NEW;
        grammar.observe(form, bytes, 0, &mut watch) == Halt::Closed(bytes.len())
    }

    /// How many findings there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.found.len() + usize::from(self.more != 0)
    }

    /// The findings as JSON in ASCII: `[[code, path, detail], …]`.
    #[must_use]
    pub fn json(&self) -> String {
        let mut json = String::from("[");
        for (index, Finding { code, path, detail }) in self.found.iter().enumerate() {
            json.push_str(if index == 0 { "[\"" } else { ",[\"" });
            json.push_str(code);
            json.push_str("\",\"");
            escape(path, &mut json);
            json.push_str("\",\"");
            escape(detail, &mut json);
            json.push_str("\"]");
        }
        if self.more != 0 {
            json.push_str(if self.found.is_empty() { "" } else { "," });
            let _ = write!(json, "[\"more\",\"\",\"{}\"]", self.more);
        }
        json.push(']');
        json
    }
}

/// Writes a string's content as JSON in ASCII.
fn escape(text: &str, json: &mut String) {
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                json.push('\\');
                json.push(character);
            }
            ' '..='~' => json.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
}

/// The text, in the form that is read and, where that leaves characters out, in units.
#[derive(Clone, Copy)]
struct Text<'a> {
    form: Form,
    bytes: &'a [u8],
    units: &'a [u16],
}

impl<'a> Text<'a> {
    /// What a string's content says, in UTF-8.
    fn decoded(&self, start: usize, end: usize) -> Cow<'a, [u8]> {
        let raw = &self.bytes[start..end];
        let escapes = raw.contains(&b'\\');
        if self.form == Form::Utf8 || raw.is_ascii() {
            return if escapes {
                Cow::Owned(unescaped(raw))
            } else {
                Cow::Borrowed(raw)
            };
        }
        let units = self.units.get(start..end).unwrap_or_default();
        let text = String::from_utf16_lossy(units);
        Cow::Owned(if escapes {
            unescaped(text.as_bytes())
        } else {
            text.into_bytes()
        })
    }
}

/// One inspection.
struct Watch<'a> {
    inspector: &'a mut Inspector,
    text: Text<'a>,
    wanted: u32,
    /// Where the open string begins, and whether it has a `\u` in it.
    start: usize,
    escaped: bool,
}

impl Observer for Watch<'_> {
    #[inline(always)]
    fn string_begins(&mut self, start: usize) {
        self.start = start;
        self.escaped = false;
    }

    #[inline(always)]
    fn unicode_escape(&mut self) {
        self.escaped = true;
    }

    #[inline(always)]
    fn string_ends<B: Backend>(&mut self, backend: B, bytes: &[u8], end: usize, key: bool) {
        if key {
            self.key(end);
        } else if self.wanted & wanted::THINKING_LEAK != 0 {
            self.value(backend, bytes, end);
        }
    }

    #[inline(always)]
    fn number(&mut self, bytes: &[u8], start: usize, end: usize) {
        if SAFE_MAX.len() <= end - start {
            self.long_number(&bytes[start..end]);
        }
    }

    #[inline(always)]
    fn opens(&mut self, object: bool) {
        let inspector = &mut *self.inspector;
        inspector.serial = inspector.serial.wrapping_add(1);
        inspector.frames.push(Frame {
            object,
            item: 0,
            key: NO_KEY,
            constructor: false,
            keys: inspector.keys.len(),
            serial: inspector.serial,
        });
    }

    #[inline(always)]
    fn closes(&mut self, _end: usize) {
        let inspector = &mut *self.inspector;
        if let Some(frame) = inspector.frames.pop() {
            if FEW < inspector.keys.len() - frame.keys {
                for key in &inspector.keys[frame.keys..] {
                    inspector.index.remove(&(frame.serial, key.hash));
                }
            }
            inspector.keys.truncate(frame.keys);
        }
    }

    #[inline(always)]
    fn next_item(&mut self) {
        if let Some(frame) = self.inspector.frames.last_mut() {
            frame.item += 1;
        }
    }
}

impl Watch<'_> {
    fn key(&mut self, end: usize) {
        let start = self.start;
        let raw = &self.text.bytes[start..end];
        let (mut hash, plain) = hash_of(raw);
        let mut constructor = false;
        let mut forbidden = false;
        if !plain || matches!(raw.len(), 9 | 11) {
            let decoded = self.text.decoded(start, end);
            hash = hash_of(&decoded).0;
            constructor = *decoded == *b"constructor";
            forbidden =
                *decoded == *b"__proto__" || *decoded == *b"prototype" && self.in_constructor();
        }
        let key = Key { start, end, hash };
        let duplicate = self.wanted & wanted::DUPLICATE_KEY != 0 && self.remember(key);
        if let Some(frame) = self.inspector.frames.last_mut() {
            frame.key = key;
            frame.constructor = constructor;
        }
        if forbidden && self.wanted & wanted::FORBIDDEN_KEY != 0 {
            self.report_forbidden();
        }
        if duplicate {
            let detail = self.content(start, end);
            self.report(DUPLICATE_KEY, detail);
        }
    }

    /// Whether the innermost object is the value of a key `constructor`.
    fn in_constructor(&self) -> bool {
        let frames = &self.inspector.frames;
        let outer = frames.len().checked_sub(2).and_then(|at| frames.get(at));
        outer.is_some_and(|frame| frame.object && frame.constructor)
    }

    /// Notes a key of the innermost object; whether it had it already.
    fn remember(&mut self, key: Key) -> bool {
        let inspector = &mut *self.inspector;
        let Some(&frame) = inspector.frames.last() else {
            return false;
        };
        let own = &inspector.keys[frame.keys..];
        let earlier = if own.len() <= FEW {
            own.iter().find(|own| own.hash == key.hash).copied()
        } else {
            inspector.index.get(&(frame.serial, key.hash)).copied()
        };
        if let Some(earlier) = earlier {
            return self.text.decoded(earlier.start, earlier.end)
                == self.text.decoded(key.start, key.end);
        }
        if KEYS_MAX <= inspector.keys.len() {
            return false;
        }
        inspector.keys.push(key);
        let own = &inspector.keys[frame.keys..];
        if own.len() == FEW + 1 {
            for key in own {
                inspector.index.insert((frame.serial, key.hash), *key);
            }
        } else if FEW < own.len() {
            inspector.index.insert((frame.serial, key.hash), key);
        }
        false
    }

    #[inline(never)]
    fn long_number(&mut self, number: &[u8]) {
        let digits = number.strip_prefix(b"-").unwrap_or(number);
        let beyond = digits.len() > SAFE_MAX.len() || SAFE_MAX < digits;
        let whole = digits.iter().all(u8::is_ascii_digit);
        if self.wanted & wanted::UNSAFE_INTEGER != 0
            && whole
            && SAFE_MAX.len() <= digits.len()
            && beyond
        {
            let mut detail = String::from_utf8_lossy(number).into_owned();
            cap(&mut detail, PATH_MAX);
            self.report(UNSAFE_INTEGER, detail);
        }
    }

    #[inline(always)]
    fn value<B: Backend>(&mut self, backend: B, bytes: &[u8], end: usize) {
        let content = &bytes[self.start..end];
        if content.len() < leak::SHORTEST {
            return;
        }
        let mark = if self.escaped {
            self.escaped_leak(end)
        } else {
            leak::in_content(backend, content)
        };
        if let Some(mark) = mark {
            self.report(THINKING_LEAK, mark);
        }
    }

    /// A value that has `\u` in it, decoded as far as there is room.
    #[inline(never)]
    fn escaped_leak(&self, end: usize) -> Option<String> {
        let end = end.min(self.start + DECODED_MAX);
        leak::in_decoded(&self.text.decoded(self.start, end))
    }

    /// A string's content as far as a finding shows it.
    fn content(&self, start: usize, end: usize) -> String {
        let decoded = self.text.decoded(start, end);
        let mut content = String::from_utf8_lossy(&decoded).into_owned();
        cap(&mut content, PATH_MAX);
        content
    }

    fn report(&mut self, code: &'static str, detail: String) {
        if FOUND_MAX <= self.inspector.found.len() {
            self.inspector.more += 1;
            return;
        }
        let path = self.path(self.inspector.frames.len());
        self.inspector.found.push(Finding { code, path, detail });
    }

    /// The key is `__proto__`, or `prototype` in `constructor`, of which the outer is named.
    #[inline(never)]
    fn report_forbidden(&mut self) {
        let depth = self.inspector.frames.len();
        let inner = self.inspector.frames.last().is_some_and(|frame| {
            self.text.decoded(frame.key.start, frame.key.end)[..] == b"__proto__"[..]
        });
        let (depth, key) = if inner {
            (depth, "__proto__")
        } else {
            (depth - 1, "constructor")
        };
        let path = self.path(depth);
        let found = &mut self.inspector.found;
        if found.len() < FOUND_MAX {
            found.push(Finding {
                code: FORBIDDEN_KEY,
                path,
                detail: key.into(),
            });
        } else if found.iter().all(|found| found.code != FORBIDDEN_KEY) {
            // Whatever else there is to say, this is said.
            self.inspector.more += 1;
            found[FOUND_MAX - 1] = Finding {
                code: FORBIDDEN_KEY,
                path,
                detail: key.into(),
            };
        } else {
            self.inspector.more += 1;
        }
    }

    /// The path to the current place, through so many containers, as RFC 6901 writes it.
    fn path(&self, depth: usize) -> String {
        let mut path = String::new();
        for frame in self.inspector.frames.iter().take(depth) {
            path.push('/');
            if frame.object {
                let key = self.content(frame.key.start, frame.key.end);
                path.push_str(&key.replace('~', "~0").replace('/', "~1"));
            } else {
                let _ = write!(path, "{}", frame.item);
            }
            if PATH_MAX < path.len() {
                cap(&mut path, PATH_MAX);
                break;
            }
        }
        path
    }
}

/// Cuts a text that is too long, between characters.
fn cap(text: &mut String, bytes: usize) {
    if text.len() <= bytes {
        return;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push('…');
}

/// A number for a key, and whether the bytes are what it says: ASCII without escapes. Keys that only
/// seem alike are compared, so it need not be a good one.
#[inline(always)]
fn hash_of(bytes: &[u8]) -> (u64, bool) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut hash = bytes.len() as u64;
    let mut foreign = 0;
    let mut take = |word: [u8; 8]| {
        let word = u64::from_le_bytes(word);
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
        // A byte of this is zero where one is a backslash.
        let backslash = word ^ (EACH * 0x5C);
        foreign |= (word | backslash.wrapping_sub(EACH) & !backslash) & EACH << 7;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for &word in words {
        take(word);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    take(last);
    (hash, foreign == 0)
}

#[cfg(test)]
mod tests {
    use super::{FOUND_MAX, Inspector};
    use std::prelude::v1::*;

    fn findings(text: &str) -> String {
        let mut inspector = Inspector::default();
        assert!(inspector.inspect(text.as_bytes(), u32::MAX), "{text}");
        let found = inspector.json();
        let units: Vec<u16> = text.encode_utf16().collect();
        assert!(inspector.inspect_utf16(&units, u32::MAX), "{text}");
        assert_eq!(inspector.json(), found, "{text}");
        found
    }

    #[test]
    fn finds_what_deserves_a_look_and_where() {
        for (text, expected) in [
            (r"{}", "[]"),
            (
                r#"{"a":9007199254740991,"b":-9007199254740991,"c":9007199254740993.5}"#,
                "[]",
            ),
            (
                r#"{"a":[1,9007199254740992]}"#,
                r#"[["unsafe-integer","/a/1","9007199254740992"]]"#,
            ),
            (
                r#"{"a":-12345678901234567890}"#,
                r#"[["unsafe-integer","/a","-12345678901234567890"]]"#,
            ),
            (r#"{"a":1,"\u0061":2}"#, r#"[["duplicate-key","/a","a"]]"#),
            (r#"{"a":{"a":1},"b":{"a":1}}"#, "[]"),
            (
                r#"{"é":1,"è":2,"\u00e9":3}"#,
                r#"[["duplicate-key","/\u00e9","\u00e9"]]"#,
            ),
            (
                r#"{"a/b~":{"__proto__":1}}"#,
                r#"[["forbidden-key","/a~1b~0/__proto__","__proto__"]]"#,
            ),
            (
                r#"{"\u005f_proto__":1}"#,
                r#"[["forbidden-key","/__proto__","__proto__"]]"#,
            ),
            (
                r#"{"x":[{"constructor":{"prototype":{}}}]}"#,
                r#"[["forbidden-key","/x/0/constructor","constructor"]]"#,
            ),
            (r#"{"constructor":"x","prototype":{}}"#, "[]"),
            (r#"{"constructor":[{"prototype":{}}]}"#, "[]"),
            (
                r#"{"a":"x <think>y"}"#,
                r#"[["thinking-leak","/a","<think>"]]"#,
            ),
            (
                r#"{"a":"x \u003cThink\u003ey"}"#,
                r#"[["thinking-leak","/a","<think>"]]"#,
            ),
            (
                r#"{"a":"Let me think about this... Boston"}"#,
                r#"[["thinking-leak","/a","let me think"]]"#,
            ),
            (
                r#"{"a":" \n\tLet me think","b":"x <\/think>"}"#,
                r#"[["thinking-leak","/a","let me think"],["thinking-leak","/b","</think>"]]"#,
            ),
            (r#"{"a":"Hmm, "}"#, r#"[["thinking-leak","/a","hmm,"]]"#),
            (r#"{"a":"a < b","b":"[1]","c":"<thin"}"#, "[]"),
        ] {
            assert_eq!(findings(text), expected, "{text}");
        }
    }

    #[test]
    fn many_keys_are_looked_up() {
        let members: Vec<String> = (0..100)
            .map(|key| format!("\"k{key}\":{{\"k1\":1}}"))
            .collect();
        let text = format!("{{{},\"k7\":1,\"k99\":2}}", members.join(","));
        let expected = r#"[["duplicate-key","/k7","k7"],["duplicate-key","/k99","k99"]]"#;
        assert_eq!(findings(&text), expected);
    }

    #[test]
    fn a_forbidden_key_is_said_behind_any_number_of_others() {
        let numbers = vec!["9007199254740993"; 100].join(",");
        let found = findings(&format!("{{\"a\":[{numbers}],\"__proto__\":1}}"));
        assert_eq!(found.matches("unsafe-integer").count(), FOUND_MAX - 1);
        assert!(
            found.contains("forbidden-key") && found.contains(r#"["more","","69"]"#),
            "{found}"
        );
    }

    #[test]
    fn what_is_not_one_object_is_not_inspected() {
        for text in ["", "[]", "{", "{} ", " {}", "{}{}", "{\"a\":01}"] {
            assert!(
                !Inspector::default().inspect(text.as_bytes(), u32::MAX),
                "{text}"
            );
        }
        assert!(!Inspector::default().inspect_utf16(&[0x7B, 0x22, 0xD800, 0x22], 0));
    }
}
