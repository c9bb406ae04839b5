//! White space at the ends of a text: the White_Space characters of Unicode, which is what Rust's
//! `str::trim` removes and wider than the four bytes that JSON allows between tokens.
//!
//! The slices here are UTF-8 that was checked before; of anything else only the length of the
//! answer is promised.

/// The length of the white space at the start.
#[inline]
pub fn leading(bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(u8::is_ascii_graphic) {
        return 0;
    }
    leading_run(bytes)
}

fn leading_run(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some(rest) = bytes.get(length..) {
        match first(rest) {
            Some(character) if character.is_whitespace() => length += character.len_utf8(),
            _ => break,
        }
    }
    length
}

/// The length of the text without the white space at its end.
#[inline]
pub fn trimmed_end(bytes: &[u8]) -> usize {
    if bytes.last().is_some_and(u8::is_ascii_graphic) {
        return bytes.len();
    }
    trimmed_run(bytes)
}

fn trimmed_run(bytes: &[u8]) -> usize {
    let mut length = bytes.len();
    while let Some(start) = last_start(&bytes[..length]) {
        match first(&bytes[start..length]) {
            Some(character) if character.is_whitespace() => length = start,
            _ => break,
        }
    }
    length
}

/// The first character.
pub fn first(bytes: &[u8]) -> Option<char> {
    let &lead = bytes.first()?;
    if lead < 0x80 {
        return Some(char::from(lead));
    }
    let length = sequence_length(lead);
    let text = core::str::from_utf8(bytes.get(..length)?).ok()?;
    text.chars().next()
}

/// The length of the sequence that a lead byte announces.
pub fn sequence_length(lead: u8) -> usize {
    match lead {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// Where the last character begins.
fn last_start(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| byte & 0xC0 != 0x80)
}

#[cfg(test)]
mod tests {
    use super::{leading, trimmed_end};
    use std::prelude::v1::*;

    #[test]
    fn every_character_is_trimmed_as_rust_trims_it() {
        for character in '\0'..=char::MAX {
            let text = format!("{character}x{character}");
            let trimmed = text.trim();
            let start = leading(text.as_bytes());
            let end = trimmed_end(text.as_bytes());
            assert_eq!(&text[start..end], trimmed, "{character:?}");
        }
    }

    #[test]
    fn runs_of_white_space_go_as_a_whole() {
        let text = " \t\u{85}\u{2028}\u{3000}";
        assert_eq!(leading(text.as_bytes()), text.len());
        assert_eq!(trimmed_end(text.as_bytes()), 0);
        assert_eq!(trimmed_end(b""), 0);
    }
}
