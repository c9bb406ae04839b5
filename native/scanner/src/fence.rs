//! Whether what stands around an object is a Markdown fence and nothing else.
//!
//! Before it: three backticks, an info string (the rest of that line, without backticks and `{`)
//! and white space. Behind it: white space, three backticks, white space. The white space around
//! the whole text is trimmed before and does not come here.
//!
//! Both are followed as the text streams, and give up at the first character that is not a
//! fence's, so that prose costs nothing.

use crate::form::Form;

/// How far a fence has been recognised. All zero bits is nothing seen; every bit pattern is a
/// valid value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Fence {
    before: u8,
    behind: u8,
}

/// Three backticks have been seen, and the info string goes on.
const INFO: u8 = 3;
/// The info string's line has ended.
const BLANK: u8 = 4;
/// Three backticks have been seen behind the object.
const SHUT: u8 = 3;
const NOT_A_FENCE: u8 = u8::MAX;

impl Fence {
    pub const NEW: Self = Self {
        before: 0,
        behind: 0,
    };

    /// Takes the characters before the object.
    pub fn feed_before(&mut self, form: Form, bytes: &[u8]) {
        each_character(form, bytes, |character| {
            self.before = match (self.before, character) {
                (count @ 0..INFO, '`') => count + 1,
                (INFO, '\n') => BLANK,
                (INFO, character) if character != '`' => INFO,
                (BLANK, character) if character.is_whitespace() => BLANK,
                _ => NOT_A_FENCE,
            };
            self.before != NOT_A_FENCE
        });
    }

    /// Takes the characters behind the object.
    pub fn feed_behind(&mut self, form: Form, bytes: &[u8]) {
        if self.behind == NOT_A_FENCE {
            return;
        }
        each_character(form, bytes, |character| {
            self.behind = match (self.behind, character) {
                (count @ 0..SHUT, '`') => count + 1,
                (count @ (0 | SHUT), character) if character.is_whitespace() => count,
                _ => NOT_A_FENCE,
            };
            self.behind != NOT_A_FENCE
        });
    }

    /// Whether all that was seen is one fence.
    pub fn whole(self) -> bool {
        matches!(self.before, INFO | BLANK) && self.behind == SHUT
    }
}

/// Calls `take` with each character until it answers false.
fn each_character(form: Form, bytes: &[u8], mut take: impl FnMut(char) -> bool) {
    let mut rest = bytes;
    while let Some((character, length)) = form.first(rest) {
        if !take(character) {
            return;
        }
        rest = &rest[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::Fence;
    use crate::form::Form;
    use std::prelude::v1::*;

    #[track_caller]
    fn check(before: &str, behind: &str, whole: bool) {
        for cut in (0..=before.len()).filter(|&cut| before.is_char_boundary(cut)) {
            let mut fence = Fence::NEW;
            fence.feed_before(Form::Utf8, &before.as_bytes()[..cut]);
            fence.feed_before(Form::Utf8, &before.as_bytes()[cut..]);
            for byte in behind.as_bytes().chunks(1) {
                fence.feed_behind(Form::Utf8, byte);
            }
            assert_eq!(fence.whole(), whole, "{before:?} {behind:?} cut at {cut}");
        }
    }

    #[test]
    fn a_fence_has_backticks_on_both_sides() {
        check("```json\n", "\n```", true);
        check("```\n", "```", true);
        check("``` ", " ``` ", true);
        check("```json\r\n\u{a0} ", "\r\n```", true);
        check("```json title=\u{e9} \n\n", "\n```\n\n", true);
    }

    #[test]
    fn anything_else_is_prose() {
        check("```json\n", "\n", false);
        check("```json\nHere: ", "\n```", false);
        check("Here:\n```json\n", "\n```", false);
        check("``", "\n```", false);
        check("````\n", "\n```", false);
        check("```json\n", "\n````", false);
        check("```json\n", "\n``", false);
        check("```json\n", "\n``` done", false);
        check("```json\n", "\n`` `", false);
    }
}
