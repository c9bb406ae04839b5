//! The decision: what becomes of a call whose text ends here.
//!
//! Accept exactly one object, or say of which kind the failure is and why. The order of the kinds
//! is the rule's: invalid UTF-8, then size, win over all others; a text that some continuation
//! would make acceptable is truncated; then a whole value of the wrong shape; then the rest.

use crate::error::{ErrorCode, ScanError};
use crate::readings::{Repair, Span};
use crate::scanner::{Scanner, Verdict};

/// How the wire says that the call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stop {
    /// Normally.
    Finished = 0,
    /// The output limit was reached.
    Length = 1,
    /// The stream ended without its end, or by an error, a refusal or a filter.
    Interrupted = 2,
}

/// Of which kind a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The text was cut off.
    Truncated = 1,
    /// The text is a JSON value, but not an object.
    NotObject = 2,
    /// The text is not JSON.
    Malformed = 3,
    /// The bytes are not UTF-8.
    InvalidUtf8 = 4,
    /// The text is longer than its limit.
    TooLarge = 5,
}

/// What becomes of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is known about the text, whatever the stop signal says.
    pub verdict: Verdict,
    /// How the object was found, where the text is acceptable.
    pub repair: Option<Repair>,
    /// Where the object is, or the string that holds it, where the text is acceptable.
    pub span: Option<Span>,
    /// Of which kind the failure is; `None` is accepted.
    pub kind: Option<Kind>,
    /// Why, where the text itself is the reason.
    pub error: Option<ScanError>,
    /// Whether the stop signal alone is the reason: the text is acceptable or of the wrong shape,
    /// but the call was cut off.
    pub cut: bool,
    /// The text without the white space around it.
    pub text: Span,
}

impl Scanner {
    /// The decision if the text ended here and the wire had said `stop`. More may still be fed.
    #[must_use]
    pub fn decide(&self, stop: Stop) -> Decision {
        decide(&self.settled(), stop)
    }
}

/// Decides; the scanner has no pending half pair.
fn decide(scanner: &Scanner, stop: Stop) -> Decision {
    let readings = scanner.readings();
    let verdict = scanner.verdict();
    let blank = readings.blank() && !scanner.is_cut();
    let text = if blank {
        Span::default()
    } else {
        scanner.text()
    };
    let accepted = |repair, span| Decision {
        verdict,
        repair: Some(repair),
        span: Some(span),
        kind: None,
        error: None,
        cut: false,
        text,
    };
    let reported = |kind, error| Decision {
        verdict,
        repair: None,
        span: None,
        kind: Some(kind),
        error: Some(error),
        cut: false,
        text,
    };

    if let Some(error) = scanner.overriding_error() {
        let invalid = error.code == ErrorCode::InvalidUtf8;
        return reported(
            if invalid {
                Kind::InvalidUtf8
            } else {
                Kind::TooLarge
            },
            error,
        );
    }
    if scanner.is_cut() && verdict != Verdict::Malformed {
        let offset = scanner.at().units;
        let error = ScanError {
            code: ErrorCode::EofUtf8,
            offset,
            line: 0,
            column: 0,
        };
        return reported(Kind::Truncated, error);
    }
    let cut_off = stop != Stop::Finished;
    if let Some((repair, span)) = scanner.found() {
        let decision = accepted(repair, span);
        if !cut_off {
            return decision;
        }
        return Decision {
            kind: Some(Kind::Truncated),
            cut: true,
            ..decision
        };
    }
    let ending = readings.ending();
    let hopeless = verdict == Verdict::Malformed;
    let kind = if !hopeless && (readings.brace_seen() || ending.at_end) {
        Kind::Truncated
    } else if ending.whole {
        Kind::NotObject
    } else {
        Kind::Malformed
    };
    if !cut_off {
        return reported(kind, ending.error);
    }
    if ending.whole {
        return Decision {
            error: None,
            cut: true,
            ..reported(Kind::Truncated, ending.error)
        };
    }
    reported(if hopeless { kind } else { Kind::Truncated }, ending.error)
}
