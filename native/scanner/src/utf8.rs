//! Splits bytes into UTF-8 and what is not: strict, so overlong forms, surrogates and what lies
//! beyond U+10FFFF are invalid.
//!
//! Most arguments are ASCII, and runs of ASCII are passed over a block at a time; everything else
//! is the standard library's to judge, in pieces.

use crate::grammar::padded;
use crate::skip::{BLOCK, Backend, Scan, with_backend};

/// What stands behind the valid part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing.
    End,
    /// The beginning of a character whose rest may follow.
    Cut,
    /// This many bytes that no continuation makes a character.
    Invalid(usize),
}

/// The length of the valid part at the start, and what stands behind it.
pub fn split(bytes: &[u8]) -> (usize, Then) {
    let mut valid = 0;
    loop {
        valid += ascii_length(&bytes[valid..]);
        let rest = &bytes[valid..];
        if rest.is_empty() {
            return (valid, Then::End);
        }
        let piece = &rest[..rest.len().min(PIECE)];
        match core::str::from_utf8(piece) {
            Ok(_) => valid += piece.len(),
            Err(error) => {
                valid += error.valid_up_to();
                match error.error_len() {
                    Some(length) => return (valid, Then::Invalid(length)),
                    // Cut by the piece's end, not by the text's: the next piece has all of it.
                    None if piece.len() < rest.len() => {}
                    None => return (valid, Then::Cut),
                }
            }
        }
    }
}

/// Bytes that are judged in one go where there is something other than ASCII.
const PIECE: usize = 128;

fn ascii_length(bytes: &[u8]) -> usize {
    with_backend(Ascii(bytes))
}

struct Ascii<'a>(&'a [u8]);

impl Scan for Ascii<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) -> usize {
        let (blocks, rest) = self.0.as_chunks::<BLOCK>();
        let mut length = 0;
        for block in blocks {
            let found = backend.non_ascii(block);
            if found != 0 {
                return length + found.trailing_zeros() as usize;
            }
            length += BLOCK;
        }
        let found = backend.non_ascii(&padded(rest));
        if found == 0 { self.0.len() } else { length + found.trailing_zeros() as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::{Then, split};

    /// What the standard library says of the whole.
    fn expected(bytes: &[u8]) -> (usize, Then) {
        match core::str::from_utf8(bytes) {
            Ok(_) => (bytes.len(), Then::End),
            Err(error) => (
                error.valid_up_to(),
                error.error_len().map_or(Then::Cut, Then::Invalid),
            ),
        }
    }

    #[test]
    fn every_short_sequence_is_judged_as_the_standard_library_does() {
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                for third in [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xF4] {
                    for bytes in [&[first][..], &[first, second], &[first, second, third]] {
                        assert_eq!(split(bytes), expected(bytes), "{bytes:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_character_may_stand_anywhere() {
        for character in ["\u{e9}", "\u{20ac}", "\u{1f680}"] {
            for before in 0..300 {
                let whole = "x".repeat(before) + character + &"y".repeat(70);
                assert_eq!(split(whole.as_bytes()), (whole.len(), Then::End));
                for cut in before..whole.len() {
                    let bytes = &whole.as_bytes()[..cut];
                    assert_eq!(split(bytes), expected(bytes), "{before} {cut}");
                }
                let wide = character.repeat(before);
                assert_eq!(split(wide.as_bytes()), (wide.len(), Then::End));
            }
        }
    }
}
