//! Opt-in repairs: what may be made of a kept text that the rule calls malformed.
//!
//! The text alone says which object stands in it and which repairs that takes; what the caller
//! allows only decides whether that is enough. So no set of repairs can lead to another object
//! than another set does, and allowing more never changes what was accepted with fewer.
//!
//! | file | repairs |
//! |---|---|
//! | `around` | `unique-object`, `repeated-copies`, `extra-closers`: what stands around the object |
//! | `strings` | `control-characters`, `literal-backslashes`: what stands in its strings |
//!
//! INVARIANT: nothing is made of a text of any other kind, first of all of a truncated one, and
//! what is made of one is an object that the rule accepts by itself.

use alloc::borrow::Cow;

use crate::decision::{Kind, Stop};
use crate::form::Form;
use crate::readings::{Repair, Span};
use crate::scanner::Scanner;
use crate::white;
use crate::whole::check;

mod around;
mod strings;

/// The repairs: bits of a set.
pub mod repairs {
    /// One complete object, and other text with braces around it.
    pub const UNIQUE_OBJECT: u32 = 1;
    /// The same object several times over.
    pub const REPEATED_COPIES: u32 = 1 << 1;
    /// Raw control characters in strings.
    pub const CONTROL_CHARACTERS: u32 = 1 << 2;
    /// Backslashes none of which is an escape.
    pub const LITERAL_BACKSLASHES: u32 = 1 << 3;
    /// Closing brackets behind the object.
    pub const EXTRA_CLOSERS: u32 = 1 << 4;
    /// All of them.
    pub const ALL: u32 = (1 << 5) - 1;
}

/// The repairs after which the rule itself finds the object.
const IN_STRINGS: u32 = repairs::CONTROL_CHARACTERS | repairs::LITERAL_BACKSLASHES;

/// What a text that ends inside a character ends in, once it is whole characters.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// A text's object, and what it took to find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired<'a> {
    /// The repairs that the text needs, as a set; never empty.
    pub needed: u32,
    /// How the rule finds the object once its strings are repaired; [`Repair::None`] where the
    /// repairs themselves find it.
    pub found: Repair,
    /// Where the object stands, in bytes; of several copies the first.
    pub span: Span,
    /// The same in units of UTF-16.
    pub span_utf16: Span,
    /// The object, as JSON in UTF-8.
    pub text: Cow<'a, [u8]>,
}

/// What the repairs in `allowed` make of a text that the wire says is finished; `None` where the
/// rule does not call it malformed, or where they do not suffice.
#[must_use]
pub fn repair(bytes: &[u8], allowed: u32) -> Option<Repaired<'_>> {
    if allowed & repairs::ALL == 0 || check(bytes).kind != Some(Kind::Malformed) {
        return None;
    }
    let start = white::leading(Form::Utf8, bytes);
    let text = &bytes[start..white::trimmed_end(Form::Utf8, bytes).max(start)];
    if core::str::from_utf8(text).is_err() || text.ends_with(REPLACEMENT) {
        return None;
    }
    let literal = strings::all_literal(text);
    let (object, needed) = around::read(text, literal)?;
    if needed == 0 || needed & !allowed != 0 {
        return None;
    }
    let mended = if needed & IN_STRINGS == 0 {
        Cow::Borrowed(&text[object.clone()])
    } else {
        Cow::Owned(strings::escaped(text, object.clone(), literal))
    };
    let found = if needed & !IN_STRINGS == 0 {
        found(&text[..object.start], &mended, &text[object.end..])?
    } else {
        found(b"", &mended, b"").filter(|&found| found == Repair::None)?
    };
    let utf16 = |end: usize| Form::Utf8.lengths(&bytes[..end]).utf16;
    let (first, last) = (start + object.start, start + object.end);
    Some(Repaired {
        needed,
        found,
        span: Span {
            start: first as u64,
            end: last as u64,
        },
        span_utf16: Span {
            start: utf16(first),
            end: utf16(last),
        },
        text: mended,
    })
}

/// How the rule finds the object of a text in three parts. The rule has the last word on whatever
/// is made of a text.
fn found(before: &[u8], object: &[u8], behind: &[u8]) -> Option<Repair> {
    let mut scanner = Scanner::new(u64::MAX);
    for part in [before, object, behind] {
        scanner.feed(part);
    }
    let decision = scanner.decide(Stop::Finished);
    decision.repair.filter(|_| decision.kind.is_none())
}

#[cfg(test)]
mod tests;
