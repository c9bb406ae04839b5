//! The two forms in which text is read.
//!
//! Bytes are UTF-8. A JavaScript string is UTF-16, and turning it into UTF-8 first would cost more
//! than all that follows: so it is packed into one byte a unit instead. ASCII is itself; of every
//! other unit the byte says only what the rule asks about it, how long it is in UTF-8 and whether
//! it is white space. JSON has no use for such characters but inside strings, where any will do.
//!
//! INVARIANT: a text has the same bytes below 0x80, in the same order, in both forms.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// UTF-8, in whole characters.
    Utf8,
    /// One byte for each unit of UTF-16, in whole characters.
    Packed,
}

/// What the bytes from 0x80 up stand for in a packed text.
pub mod packed {
    /// A character of two bytes.
    pub const TWO: u8 = 0x80;
    /// A character of three bytes.
    pub const THREE: u8 = 0x81;
    /// The first half of a pair, for two of four bytes.
    pub const FIRST_HALF: u8 = 0x82;
    /// The second half of a pair, for the other two.
    pub const SECOND_HALF: u8 = 0x83;
    /// White space of two bytes.
    pub const WHITE_TWO: u8 = 0x84;
    /// White space of three bytes.
    pub const WHITE_THREE: u8 = 0x85;
}

/// The length of a text in both encodings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Bytes of UTF-8.
    pub utf8: u64,
    /// Units of UTF-16.
    pub utf16: u64,
}

impl Form {
    /// The first character and its length in this form. A packed text gives one that is white
    /// space where its own is, and not ASCII where its own is not.
    pub fn first(self, bytes: &[u8]) -> Option<(char, usize)> {
        let &lead = bytes.first()?;
        if lead < 0x80 {
            return Some((char::from(lead), 1));
        }
        match self {
            Self::Utf8 => {
                let sequence = bytes.get(..sequence_length(lead))?;
                let character = core::str::from_utf8(sequence).ok()?.chars().next()?;
                Some((character, sequence.len()))
            }
            Self::Packed => match lead {
                packed::WHITE_TWO => Some(('\u{A0}', 1)),
                packed::WHITE_THREE => Some(('\u{3000}', 1)),
                packed::FIRST_HALF => Some((char::REPLACEMENT_CHARACTER, 2)),
                _ => Some((char::REPLACEMENT_CHARACTER, 1)),
            },
        }
    }

    /// The last character and its length, like [`Form::first`].
    pub fn last(self, bytes: &[u8]) -> Option<(char, usize)> {
        let start = bytes.iter().rposition(|&byte| !self.continues(byte))?;
        self.first(bytes.get(start..)?)
    }

    /// Whether a byte is part of a character that began before it.
    pub fn continues(self, byte: u8) -> bool {
        match self {
            Self::Utf8 => byte & 0xC0 == 0x80,
            Self::Packed => byte == packed::SECOND_HALF,
        }
    }

    /// How many bytes of UTF-8 a byte stands for.
    #[inline(always)]
    pub fn width(self, byte: u8) -> u8 {
        match self {
            Self::Utf8 => 1,
            Self::Packed => {
                let three = byte == packed::THREE || byte == packed::WHITE_THREE;
                1 + u8::from(0x80 <= byte) + u8::from(three)
            }
        }
    }

    /// The length of a text in both encodings.
    pub fn lengths(self, bytes: &[u8]) -> Lengths {
        let own = bytes.len() as u64;
        match self {
            Self::Utf8 => {
                let starts = |byte| u8::from(byte & 0xC0 != 0x80) + u8::from(0xF0 <= byte);
                Lengths {
                    utf8: own,
                    utf16: sum(bytes, starts),
                }
            }
            Self::Packed => Lengths {
                utf8: sum(bytes, |byte| self.width(byte)),
                utf16: own,
            },
        }
    }
}

/// The sum of something of each byte that is at most three. Summed in single bytes for as long as
/// they can hold it, which a vector unit does many times faster.
#[inline(always)]
fn sum(bytes: &[u8], of: impl Fn(u8) -> u8) -> u64 {
    let mut total = 0;
    for block in bytes.chunks(64) {
        let mut count = 0_u8;
        for &byte in block {
            count += of(byte);
        }
        total += u64::from(count);
    }
    total
}

/// The length of the UTF-8 sequence that a lead byte announces.
pub fn sequence_length(lead: u8) -> usize {
    match lead {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// The packed byte of a character of one unit.
pub fn pack_unit(unit: u16) -> u8 {
    if unit < 0x80 {
        return unit.to_le_bytes()[0];
    }
    let white = char::from_u32(u32::from(unit)).is_some_and(char::is_whitespace);
    match (unit < 0x800, white) {
        (true, false) => packed::TWO,
        (true, true) => packed::WHITE_TWO,
        (false, false) => packed::THREE,
        (false, true) => packed::WHITE_THREE,
    }
}
