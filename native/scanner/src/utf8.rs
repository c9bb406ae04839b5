//! Splits bytes into UTF-8 and what is not: strict, so overlong forms, surrogates and what lies
//! beyond U+10FFFF are invalid.
//!
//! Almost all text is valid, so the first question is only whether it is, which a vector unit
//! answers quickly. Where an invalid sequence stands is the standard library's to say.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use crate::form::sequence_length;
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
    if bytes.len() < BLOCK && bytes.is_ascii() {
        return (bytes.len(), Then::End);
    }
    let whole = bytes.len() - cut_length(bytes);
    if with_backend(Valid(&bytes[..whole])) {
        return (
            whole,
            if whole == bytes.len() {
                Then::End
            } else {
                Then::Cut
            },
        );
    }
    split_invalid(bytes)
}

/// The same for bytes of which more are expected to be invalid: it looks no further than the first
/// that is, so that a text full of them costs no more than its length.
pub fn split_invalid(bytes: &[u8]) -> (usize, Then) {
    match core::str::from_utf8(bytes) {
        Ok(_) => (bytes.len(), Then::End),
        Err(error) => (
            error.valid_up_to(),
            error.error_len().map_or(Then::Cut, Then::Invalid),
        ),
    }
}

/// How many bytes at the end look like the beginning of a longer character.
fn cut_length(bytes: &[u8]) -> usize {
    for (length, &byte) in (1..=3).zip(bytes.iter().rev()) {
        if byte < 0x80 {
            return 0;
        }
        if 0xC0 <= byte {
            // A lead that cannot begin anything is not cut but invalid.
            let begun = (0xC2..=0xF4).contains(&byte) && length < sequence_length(byte);
            let valid = !begun
                || core::str::from_utf8(&bytes[bytes.len() - length..])
                    .is_err_and(|error| error.error_len().is_none());
            return if begun && valid { length } else { 0 };
        }
    }
    0
}

struct Valid<'a>(&'a [u8]);

impl Scan for Valid<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) -> bool {
        backend.valid_utf8(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Then, split, split_invalid};

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
                for third in [
                    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xF4,
                ] {
                    for bytes in [&[first][..], &[first, second], &[first, second, third]] {
                        assert_eq!(split(bytes), expected(bytes), "{bytes:x?}");
                        assert_eq!(split_invalid(bytes), expected(bytes), "{bytes:x?}");
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
