//! White space at the ends of a text: the `White_Space` characters of Unicode, which is what Rust's
//! `str::trim` removes and wider than the four bytes that JSON allows between tokens.

use crate::form::Form;

/// The length of the white space at the start.
#[inline]
pub fn leading(form: Form, bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(u8::is_ascii_graphic) {
        return 0;
    }
    leading_run(form, bytes)
}

fn leading_run(form: Form, bytes: &[u8]) -> usize {
    let mut start = 0;
    while let Some((character, length)) = bytes.get(start..).and_then(|rest| form.first(rest))
        && character.is_whitespace()
    {
        start += length;
    }
    start
}

/// The length of the text without the white space at its end.
#[inline]
pub fn trimmed_end(form: Form, bytes: &[u8]) -> usize {
    if bytes.last().is_some_and(u8::is_ascii_graphic) {
        return bytes.len();
    }
    trimmed_run(form, bytes)
}

fn trimmed_run(form: Form, bytes: &[u8]) -> usize {
    let mut end = bytes.len();
    while let Some((character, length)) = bytes.get(..end).and_then(|text| form.last(text))
        && character.is_whitespace()
    {
        end -= length;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{leading, trimmed_end};
    use crate::form::{Form, pack_unit};
    use std::prelude::v1::*;

    #[test]
    fn every_character_is_trimmed_as_rust_trims_it() {
        for character in '\0'..=char::MAX {
            let text = format!("{character}x{character}");
            let trimmed = text.trim();
            let start = leading(Form::Utf8, text.as_bytes());
            let end = trimmed_end(Form::Utf8, text.as_bytes());
            assert_eq!(&text[start..end], trimmed, "{character:?}");
        }
        for unit in 0..=u16::MAX {
            let Some(character) = char::from_u32(u32::from(unit)) else {
                continue;
            };
            let packed = [pack_unit(unit), b'x', pack_unit(unit)];
            let white = usize::from(character.is_whitespace());
            assert_eq!(leading(Form::Packed, &packed), white, "{character:?}");
            assert_eq!(
                trimmed_end(Form::Packed, &packed),
                3 - white,
                "{character:?}"
            );
        }
    }

    #[test]
    fn runs_of_white_space_go_as_a_whole() {
        let text = " \t\u{85}\u{2028}\u{3000}";
        assert_eq!(leading(Form::Utf8, text.as_bytes()), text.len());
        assert_eq!(trimmed_end(Form::Utf8, text.as_bytes()), 0);
        assert_eq!(trimmed_end(Form::Utf8, b""), 0);
    }
}
