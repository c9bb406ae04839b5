//! The scanner: takes fragments of text, cut anywhere, and knows a verdict after each.
//!
//! It makes whole characters of what comes (bytes that end inside a UTF-8 sequence, UTF-16 that
//! ends in half a pair), counts, and hands them to the [`Readings`]. Its state is plain data of
//! constant size, so that it can live in memory that somebody else owns and frees.
//!
//! INVARIANT: the readings have seen everything up to `at`; at most three bytes or one unit wait
//! for the rest of their character.

use crate::chunk::{Chunk, Place};
use crate::error::{ErrorCode, ScanError};
use crate::form::{Form, packed};
use crate::readings::{Readings, Repair, Span};
use crate::utf8::{Then, split, split_invalid};
use crate::utf16::{self, Halves};

/// What is known about the text so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// Nothing but white space yet.
    Empty = 0,
    /// Not acceptable as it stands; some continuation would be.
    Incomplete = 1,
    /// Acceptable as it stands. A continuation can still spoil it; it changes the value only where
    /// the object's own brace is an escape in a string.
    Complete = 2,
    /// No continuation can ever be accepted.
    Malformed = 3,
}

/// Nothing was fed yet.
const UNITS_UNKNOWN: u8 = 0;
const UNITS_BYTES: u8 = 1;
const UNITS_UTF16: u8 = 2;

/// Follows one call's arguments. All zero bits is a scanner with a limit of 0 bytes; every bit
/// pattern is a valid value, though not a meaningful one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scanner {
    readings: Readings,
    /// Everything up to here has been read.
    at: Place,
    bytes_max: u64,
    /// Where the first invalid sequence stands; of meaning once `invalid`.
    invalid_at: Place,
    /// Where the limit was passed; of meaning once `at` is beyond it.
    limit_at: u64,
    halves: Halves,
    /// The beginning of a character that ended a fragment of bytes.
    cut: [u8; 4],
    cut_length: u8,
    units: u8,
    invalid: u8,
}

impl Scanner {
    /// A scanner that calls a text of more than `bytes_max` bytes too large; `u64::MAX` is no limit.
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max,
            ..Self::NEW
        }
    }

    const NEW: Self = Self {
        readings: Readings::NEW,
        at: Place { bytes: 0, units: 0 },
        bytes_max: 0,
        invalid_at: Place { bytes: 0, units: 0 },
        limit_at: 0,
        halves: Halves::NEW,
        cut: [0; 4],
        cut_length: 0,
        units: UNITS_UNKNOWN,
        invalid: 0,
    };

    /// Starts over in place, which is cheaper than moving a new scanner here.
    pub fn restart(&mut self, bytes_max: u64) {
        *self = Self::NEW;
        self.bytes_max = bytes_max;
    }

    /// Like [`Scanner::new`], and offsets are in UTF-16 units though bytes are fed.
    #[must_use]
    pub fn counting_utf16(bytes_max: u64) -> Self {
        Self {
            units: UNITS_UTF16,
            ..Self::new(bytes_max)
        }
    }

    /// Takes the next bytes. Where they are the first, offsets are in bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.units == UNITS_UNKNOWN {
            self.units = UNITS_BYTES;
        }
        self.abandon_half();
        let mut rest = self.complete_cut(bytes);
        loop {
            let (valid, then) = if self.invalid == 0 {
                split(rest)
            } else {
                split_invalid(rest)
            };
            self.take(&rest[..valid], Form::Utf8, false);
            rest = &rest[valid..];
            match then {
                Then::End => return,
                Then::Cut => {
                    self.cut[..rest.len()].copy_from_slice(rest);
                    self.cut_length = u8::try_from(rest.len()).unwrap_or_default();
                    return;
                }
                Then::Invalid(length) => {
                    self.take_invalid(length);
                    rest = &rest[length..];
                }
            }
        }
    }

    /// Takes the next UTF-16 units. Where they are the first, offsets are in units. A half pair
    /// counts as U+FFFD; at the end it waits for its other half.
    pub fn feed_utf16(&mut self, units: &[u16]) {
        if units.is_empty() {
            return;
        }
        self.begin_utf16();
        let mut halves = self.halves;
        utf16::pack(units, &mut halves, &mut |bytes, ascii| {
            self.take(bytes, Form::Packed, ascii);
        });
        self.halves = halves;
    }

    /// Takes the next UTF-16 units where all of them are below 0x100, a byte each. They are
    /// changed on the way.
    pub fn feed_latin1(&mut self, units: &mut [u8]) {
        if units.is_empty() {
            return;
        }
        self.begin_utf16();
        self.abandon_half();
        let ascii = utf16::pack_latin1(units);
        self.take(units, Form::Packed, ascii);
    }

    /// What every string has before it: the units that are counted, and no cut character.
    fn begin_utf16(&mut self) {
        if self.units == UNITS_UNKNOWN {
            self.units = UNITS_UTF16;
        }
        if self.cut_length != 0 {
            let length = usize::from(core::mem::take(&mut self.cut_length));
            self.take_invalid(length);
        }
    }

    /// A pending half pair becomes U+FFFD.
    fn abandon_half(&mut self) {
        if self.halves.abandon() {
            self.take(&[packed::THREE], Form::Packed, false);
        }
    }

    /// Joins the beginning of a character with the bytes that follow; answers those left.
    fn complete_cut<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        while let (length @ 1..=3, Some((&next, rest))) =
            (usize::from(self.cut_length), bytes.split_first())
        {
            self.cut[length] = next;
            let joined = self.cut;
            match split(&joined[..=length]) {
                (_, Then::End) => {
                    self.cut_length = 0;
                    self.take(&joined[..=length], Form::Utf8, false);
                    bytes = rest;
                }
                (_, Then::Cut) => {
                    self.cut_length += 1;
                    bytes = rest;
                }
                // The next byte belongs to whatever comes behind.
                (_, Then::Invalid(_)) => {
                    self.cut_length = 0;
                    self.take_invalid(length);
                }
            }
        }
        bytes
    }

    /// Takes whole characters.
    fn take(&mut self, bytes: &[u8], form: Form, ascii: bool) {
        if bytes.is_empty() {
            return;
        }
        let chunk = Chunk::new(bytes, form, self.at, self.units == UNITS_BYTES, ascii);
        let end = chunk.end();
        if self.at.bytes <= self.bytes_max && self.bytes_max < end.bytes {
            self.limit_at = chunk.place_of_utf8(self.bytes_max - self.at.bytes).units;
        }
        self.at = end;
        if self.invalid == 0 {
            self.readings.feed(chunk);
        } else {
            self.readings.pass(chunk);
        }
    }

    /// Takes bytes that are no character.
    fn take_invalid(&mut self, length: usize) {
        let start = self.at;
        if self.invalid == 0 {
            self.invalid = 1;
            self.invalid_at = start;
        }
        let units = if self.units == UNITS_UTF16 {
            1
        } else {
            length as u64
        };
        self.at = Place {
            bytes: start.bytes + length as u64,
            units: start.units + units,
        };
        self.readings.pass_invalid(start, self.at);
    }

    /// The scanner as it is where somebody asks: a pending half pair counts as U+FFFD.
    pub(crate) fn settled(&self) -> Self {
        let mut settled = *self;
        settled.abandon_half();
        settled
    }

    /// What is known about the text so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.halves.waiting() {
            return self.settled().verdict();
        }
        if self.is_invalid() || self.is_over_limit() || self.readings.hopeless() {
            Verdict::Malformed
        } else if self.cut_length != 0 {
            Verdict::Incomplete
        } else if self.readings.blank() {
            Verdict::Empty
        } else if self.readings.found().is_some() {
            Verdict::Complete
        } else {
            Verdict::Incomplete
        }
    }

    /// Whether up to `bytes` more of anything but quotes, control characters and escapes of more than
    /// two characters would leave the verdict `Incomplete`, and the depth as it is.
    #[must_use]
    pub fn is_calm(&self, bytes: u64) -> bool {
        let unsettled = self.halves.waiting() || self.is_cut() || self.is_invalid();
        let room = self.bytes_max.saturating_sub(self.bytes());
        !unsettled && bytes <= room && self.readings.calm()
    }

    /// Whether the text is the object and nothing else, not even white space: what is asked most
    /// often, in the cheapest way. Nothing else is known from `false`.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let unsettled = self.halves.waiting() || self.halves.lone() || self.is_cut();
        if unsettled || self.is_invalid() || self.is_over_limit() {
            return false;
        }
        self.readings.plain_end() == Some(self.at.units)
    }

    /// Where the object is, or the string that holds it, while the verdict is complete.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let settled = self.settled();
        (settled.verdict() == Verdict::Complete)
            .then(|| settled.found())?
            .map(|(_, span)| span)
    }

    /// Why the text is malformed, once no continuation can change what is said.
    #[must_use]
    pub fn error(&self) -> Option<ScanError> {
        let settled = self.settled();
        settled.overriding_error().or_else(|| {
            if settled.readings.hopeless() {
                settled.readings.error()
            } else {
                None
            }
        })
    }

    /// Whether the text is one whole JSON value, whatever is in it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let settled = self.settled();
        let readable = !settled.is_invalid() && !settled.is_cut() && !settled.is_over_limit();
        readable && !settled.readings.blank() && settled.readings.ending().whole
    }

    /// Where the first `{` stands.
    #[must_use]
    pub fn object_start(&self) -> Option<u64> {
        self.readings.object_start()
    }

    /// Open containers: of the span reading once a `{` was seen, else of the direct one.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.readings.leading_grammar().depth()
    }

    /// Whether a string or key is open, in the reading that `depth` speaks of.
    #[must_use]
    pub fn in_string(&self) -> bool {
        self.readings.leading_grammar().in_string()
    }

    /// Bytes fed so far, as UTF-8; a pending half pair is not counted.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.at.bytes + u64::from(self.cut_length)
    }

    pub(crate) fn readings(&self) -> &Readings {
        &self.readings
    }

    pub(crate) fn found(&self) -> Option<(Repair, Span)> {
        self.readings.found()
    }

    /// Whether a sequence was invalid.
    pub(crate) fn is_invalid(&self) -> bool {
        self.invalid != 0
    }

    /// Whether the text ends inside a character.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut_length != 0
    }

    /// The place behind all that was fed.
    fn end(&self) -> Place {
        let cut = u64::from(self.cut_length);
        let units = if self.units == UNITS_UTF16 {
            cut.min(1)
        } else {
            cut
        };
        Place {
            bytes: self.at.bytes + cut,
            units: self.at.units + units,
        }
    }

    /// The place behind the last whole character.
    pub(crate) fn at(&self) -> Place {
        self.at
    }

    /// Whether more was fed than the limit allows.
    #[must_use]
    pub fn is_over_limit(&self) -> bool {
        self.bytes_max < self.bytes()
    }

    /// Whether a fragment held half a surrogate pair without its other half: the text is then the
    /// fragments' with U+FFFD in its place.
    #[must_use]
    pub fn has_lone_half(&self) -> bool {
        self.halves.lone() || self.halves.waiting()
    }

    /// The text without the white space around it, as far as it is known. Nothing before its
    /// start will ever be asked for again.
    #[must_use]
    pub fn text(&self) -> Span {
        let mut text = self.readings.text();
        if self.readings.blank() {
            text = Span {
                start: self.at.units,
                end: self.at.units,
            };
        }
        if self.is_cut() {
            text.end = self.end().units;
        }
        text
    }

    /// The error that wins over all others, where there is one.
    pub(crate) fn overriding_error(&self) -> Option<ScanError> {
        let (code, offset) = if self.is_invalid() {
            (ErrorCode::InvalidUtf8, self.invalid_at.units)
        } else if self.is_over_limit() {
            let passed = self.bytes_max < self.at.bytes;
            (
                ErrorCode::TooLarge,
                if passed { self.limit_at } else { self.at.units },
            )
        } else {
            return None;
        };
        Some(ScanError {
            code,
            offset,
            line: 0,
            column: 0,
        })
    }

    /// Where the first invalid sequence stands, in bytes.
    #[must_use]
    pub fn invalid_at(&self) -> Option<u64> {
        self.is_invalid().then_some(self.invalid_at.bytes)
    }
}
