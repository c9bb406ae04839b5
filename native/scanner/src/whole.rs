//! Whole texts. Almost every one is an object and nothing else, which the automaton alone can say:
//! without the scanner's places, limits and other readings, which take longer than a short text.

use crate::decision::{Decision, Stop};
use crate::form::Form;
use crate::grammar::Grammar;
use crate::readings::{Repair, Span};
use crate::scanner::{Scanner, Verdict};
use crate::utf8::{Then, split};
use crate::utf16::{Halves, pack};

/// Units up to which that is worth while for a string, which is packed as it is read: a longer one
/// would be packed twice where it is no object.
const SHORT: usize = 512;

/// Decides a whole text.
#[must_use]
pub fn check(bytes: &[u8]) -> Decision {
    if is_object(bytes) {
        let span = Span {
            start: 0,
            end: bytes.len() as u64,
        };
        return Decision {
            verdict: Verdict::Complete,
            repair: Some(Repair::None),
            span: Some(span),
            kind: None,
            error: None,
            cut: false,
            text: span,
        };
    }
    let mut scanner = Scanner::new(u64::MAX);
    scanner.feed(bytes);
    scanner.decide(Stop::Finished)
}

/// Whether a text is one object and nothing else. Where it is not so, nothing is known.
#[must_use]
pub fn is_object(bytes: &[u8]) -> bool {
    // What was cut off, or has something behind it, is seldom read for nothing.
    if bytes.first() != Some(&b'{') || bytes.last() != Some(&b'}') {
        return false;
    }
    let (object, ascii) = Grammar::closes(Form::Utf8, bytes);
    object && (ascii || split(bytes) == (bytes.len(), Then::End))
}

/// The same for UTF-16, where it is short.
#[must_use]
pub fn is_short_object_utf16(units: &[u16]) -> bool {
    if SHORT < units.len() || units.first() != Some(&u16::from(b'{')) {
        return false;
    }
    let mut halves = Halves::NEW;
    let mut object = false;
    pack(units, &mut halves, &mut |bytes, _| {
        object = Grammar::closes(Form::Packed, bytes).0;
    });
    object && !halves.waiting() && !halves.lone()
}
