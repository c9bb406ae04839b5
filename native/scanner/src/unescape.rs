//! Takes the escapes out of a JSON string's content: [`Unescape`] as it streams, [`unescape`] where
//! all of it is there.
//!
//! INVARIANT: what comes out has the form of what goes in, in whole characters, whatever the cutting.
//! Half a surrogate pair waits for its other half, which may come in a later chunk or content.
//!
//! Validity is not checked here: `grammar` has read the same bytes, and what comes after its first
//! error means nothing. An escape that is not one gives U+FFFD.

use alloc::string::String;
use alloc::vec::Vec;

use crate::form::{Form, pack_unit, packed};

/// The decoder's state between chunks. All zero bits is the state before the first byte; every
/// bit pattern is a valid value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Unescape {
    /// The code unit whose digits are being read.
    unit: u16,
    /// The first half of a pair, or 0.
    high: u16,
    /// 0 plain, 1 behind a backslash, 2 and on inside `\u` with that many digits and 2.
    at: u8,
}

const PLAIN: u8 = 0;
const ESCAPE: u8 = 1;
const HEX: u8 = 2;

/// Bytes that are decoded before the sink sees them.
const BUFFERED: usize = 512;

/// Collects decoded bytes and hands them on in whole characters.
struct Buffer<'a> {
    form: Form,
    bytes: [u8; BUFFERED],
    length: usize,
    sink: &'a mut dyn FnMut(&[u8]),
}

impl Buffer<'_> {
    fn push(&mut self, byte: u8) {
        // A character's first byte finds room for all of it, so that none is torn apart.
        if BUFFERED < self.length + 4 && !self.form.continues(byte) {
            self.flush();
        }
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte;
            self.length += 1;
        }
    }

    fn push_character(&mut self, character: char) {
        match self.form {
            Form::Utf8 => {
                for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
                    self.push(byte);
                }
            }
            Form::Packed => {
                if let [unit] = character.encode_utf16(&mut [0; 2]) {
                    self.push(pack_unit(*unit));
                } else {
                    self.push(packed::FIRST_HALF);
                    self.push(packed::SECOND_HALF);
                }
            }
        }
    }

    fn flush(&mut self) {
        if self.length != 0 {
            (self.sink)(&self.bytes[..self.length]);
            self.length = 0;
        }
    }
}

impl Unescape {
    pub const NEW: Self = Self {
        unit: 0,
        high: 0,
        at: PLAIN,
    };

    /// Whether the next character lies beyond U+FFFF, if it comes at all: its first half was read.
    pub fn awaits_second_half(self) -> bool {
        self.high != 0
    }

    /// Decodes the next bytes of the content into `sink`, which is called with whole characters.
    pub fn feed(&mut self, form: Form, content: &[u8], sink: &mut dyn FnMut(&[u8])) {
        let mut buffer = Buffer {
            form,
            bytes: [0; BUFFERED],
            length: 0,
            sink,
        };
        for &byte in content {
            match self.at {
                PLAIN if byte == b'\\' => self.at = ESCAPE,
                PLAIN => {
                    self.abandon_high(&mut buffer);
                    buffer.push(byte);
                }
                ESCAPE if byte == b'u' => {
                    self.unit = 0;
                    self.at = HEX;
                }
                ESCAPE => {
                    self.at = PLAIN;
                    self.abandon_high(&mut buffer);
                    buffer.push(simple_escape(byte));
                }
                _ => self.digit(byte, &mut buffer),
            }
        }
        buffer.flush();
    }

    fn digit(&mut self, byte: u8, buffer: &mut Buffer<'_>) {
        let digit = char::from(byte).to_digit(16).unwrap_or(0);
        #[allow(clippy::cast_possible_truncation, reason = "a digit is below 16")]
        {
            self.unit = self.unit << 4 | digit as u16;
        }
        self.at = self.at.saturating_add(1);
        if self.at < HEX + 4 {
            return;
        }
        self.at = PLAIN;
        if (0xDC00..=0xDFFF).contains(&self.unit) && self.high != 0 {
            let pair = [core::mem::take(&mut self.high), self.unit];
            for character in char::decode_utf16(pair) {
                buffer.push_character(character.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            return;
        }
        self.abandon_high(buffer);
        if (0xD800..=0xDBFF).contains(&self.unit) {
            self.high = self.unit;
        } else {
            let character = char::from_u32(u32::from(self.unit));
            buffer.push_character(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    /// A first half that no second half followed.
    fn abandon_high(&mut self, buffer: &mut Buffer<'_>) {
        if core::mem::take(&mut self.high) != 0 {
            buffer.push_character(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Appends what the content of a JSON string says. `high` is half a surrogate pair that waits for
/// its other half, from one content to the next; one that belongs to no pair becomes U+FFFD.
pub fn unescape(content: &[u8], high: &mut u16, out: &mut Vec<u8>) {
    let mut rest = content;
    while !rest.is_empty() {
        let plain = rest
            .iter()
            .position(|&byte| byte == b'\\')
            .unwrap_or(rest.len());
        if plain != 0 {
            abandon(high, out);
            out.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
        }
        match rest {
            [b'\\', b'u', digits @ ..] => {
                let unit = digits.iter().take(4).fold(0_u16, |unit, &digit| {
                    let digit = char::from(digit).to_digit(16).unwrap_or(0);
                    unit << 4 | u16::try_from(digit).unwrap_or(0)
                });
                push_unit(unit, high, out);
                rest = digits.get(4..).unwrap_or_default();
            }
            [b'\\', escaped, behind @ ..] => {
                abandon(high, out);
                out.push(simple_escape(*escaped));
                rest = behind;
            }
            _ => return,
        }
    }
}

/// Appends UTF-16 as UTF-8; `high` is as for [`unescape`].
pub fn encode(units: &[u16], high: &mut u16, out: &mut Vec<u8>) {
    if *high == 0 && units.iter().all(|&unit| unit < 0x80) {
        out.extend(units.iter().map(|&unit| unit.to_le_bytes()[0]));
        return;
    }
    for &unit in units {
        push_unit(unit, high, out);
    }
}

fn push_unit(unit: u16, high: &mut u16, out: &mut Vec<u8>) {
    let mut push = |character: char| {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    };
    if *high != 0 && (0xDC00..=0xDFFF).contains(&unit) {
        for character in char::decode_utf16([*high, unit]) {
            push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        *high = 0;
        return;
    }
    if core::mem::take(high) != 0 {
        push(char::REPLACEMENT_CHARACTER);
    }
    if (0xD800..=0xDBFF).contains(&unit) {
        *high = unit;
    } else {
        push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
}

fn abandon(high: &mut u16, out: &mut Vec<u8>) {
    if core::mem::take(high) != 0 {
        out.extend_from_slice("\u{FFFD}".as_bytes());
    }
}

/// What a string's whole content says.
pub fn unescaped(content: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    unescape(content, &mut 0, &mut decoded);
    decoded
}

/// The same for content in UTF-16, in UTF-8. Half a pair becomes U+FFFD.
pub fn utf8_of(content: &[u16]) -> Vec<u8> {
    unescaped(String::from_utf16_lossy(content).as_bytes())
}

/// The same for content in UTF-16, which stays as it is where nothing is escaped.
pub fn utf16_of(content: &[u16]) -> Vec<u16> {
    if !content.contains(&u16::from(b'\\')) {
        return content.to_vec();
    }
    let decoded = utf8_of(content);
    String::from_utf8_lossy(&decoded).encode_utf16().collect()
}

fn simple_escape(byte: u8) -> u8 {
    match byte {
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Unescape, encode, unescape};
    use crate::form::Form;
    use std::prelude::v1::*;

    fn decode(pieces: &[&[u8]]) -> String {
        let mut unescape = Unescape::NEW;
        let mut decoded = Vec::new();
        for piece in pieces {
            unescape.feed(Form::Utf8, piece, &mut |bytes| {
                assert!(
                    core::str::from_utf8(bytes).is_ok(),
                    "a character was torn apart"
                );
                decoded.extend_from_slice(bytes);
            });
        }
        String::from_utf8(decoded).unwrap()
    }

    #[test]
    fn every_escape_decodes_at_every_cut() {
        let content = br#"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80\u2028z"#;
        let expected = "a\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1f680}\u{2028}z";
        for first in 0..=content.len() {
            for second in first..=content.len() {
                let pieces = [
                    &content[..first],
                    &content[first..second],
                    &content[second..],
                ];
                assert_eq!(decode(&pieces), expected, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn characters_stay_whole_across_the_buffer() {
        let text = "x".to_owned() + &"\u{1f680}".repeat(1000);
        assert_eq!(decode(&[text.as_bytes()]), text);
    }

    #[test]
    fn every_escape_says_what_it_means() {
        let mut out = Vec::new();
        unescape(br#"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00z"#, &mut 0, &mut out);
        let expected = "a\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1f600}z";
        assert_eq!(out, expected.as_bytes());
    }

    #[test]
    fn utf16_becomes_utf8_at_every_cut() {
        let text = "a\u{e9}\u{20ac}\u{1f600}z";
        let units: Vec<u16> = text.encode_utf16().collect();
        for cut in 0..=units.len() {
            let (mut high, mut out) = (0, Vec::new());
            encode(&units[..cut], &mut high, &mut out);
            encode(&units[cut..], &mut high, &mut out);
            assert_eq!(out, text.as_bytes(), "cut at {cut}");
        }
    }
}
