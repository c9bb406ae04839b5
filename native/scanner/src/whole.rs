//! Whole texts. Almost every one is an object and nothing else, which the automaton alone can say:
//! without the scanner's places, limits and other readings, which take longer than a short text.

use crate::decision::{Decision, Stop};
use crate::form::Form;
use crate::grammar::{Grammar, Halt};
use crate::readings::{Repair, Span};
use crate::scanner::{Scanner, Verdict};
use crate::utf8::{Then, split};
use crate::utf16::{Halves, pack};

/// Bytes or units up to which that is worth while. A longer text would gain nothing, and lose as
/// much as it is long where it is no object and has to be read again.
const SHORT: usize = 512;

/// Decides a whole text.
#[must_use]
pub fn check(bytes: &[u8]) -> Decision {
    if is_short_object(bytes) {
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

/// Whether a text is short, and is one object and nothing else. Where it is not so, nothing is known.
#[must_use]
pub fn is_short_object(bytes: &[u8]) -> bool {
    bytes.len() <= SHORT && is_object(Form::Utf8, bytes) && split(bytes) == (bytes.len(), Then::End)
}

/// The same for UTF-16.
#[must_use]
pub fn is_short_object_utf16(units: &[u16]) -> bool {
    if SHORT < units.len() || units.first() != Some(&u16::from(b'{')) {
        return false;
    }
    let mut halves = Halves::NEW;
    let mut object = false;
    pack(units, &mut halves, &mut |bytes, _| {
        object = is_object(Form::Packed, bytes);
    });
    object && !halves.waiting() && !halves.lone()
}

/// Whether a text is one object and nothing else, as far as its grammar goes.
fn is_object(form: Form, bytes: &[u8]) -> bool {
    let mut grammar = Grammar::NEW;
    bytes.first() == Some(&b'{') && grammar.run(form, bytes, 0) == Halt::Closed(bytes.len())
}
