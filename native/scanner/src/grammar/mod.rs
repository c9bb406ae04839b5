//! The JSON automaton: follows the bytes of one value and says where it closes or fails.
//!
//! It accepts what serde_json 1.0.154 accepts as a `Value`, with its error codes at its positions.
//! One run takes a chunk, cut anywhere, from the state in which the last one ended; no earlier
//! chunk is needed again and nothing is kept but the state, one bit a level and what a number needs.
//!
//! INVARIANT: `stack` holds one bit for each of the `depth` open containers, the innermost lowest,
//! 1 for an object; `depth` is at most [`DEPTH_MAX`].
//!
//! Not checked here: UTF-8 (bytes from 0x80 up are plain inside strings and wrong elsewhere, so
//! both forms of a text are read alike).
//!
//! | file | holds |
//! |---|---|
//! | `state` | what may come next |
//! | `run` | a chunk, step by step |
//! | `plain` | the quick way through most of it |
//! | `masks` | how strings and white space are passed over |
//! | `newlines` | how lines are counted |
//! | `number` | numbers |
//! | `word` | some bytes at once |
//! | `observer` | who is told what a run passes |

use crate::error::ErrorCode;
use crate::form::Form;
use crate::magnitude::Magnitude;
use crate::skip::with_backend;

mod masks;
mod newlines;
mod number;
mod observer;
mod plain;
mod run;
mod state;
mod word;

use masks::Seen;
pub use newlines::Newlines;
pub use observer::Observer;
use observer::Unobserved;
use run::Run;
use state::{STATES, State};

/// Levels of nesting that are read; serde_json refuses the next one.
pub const DEPTH_MAX: u8 = 127;

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The chunk is used up.
    End,
    /// The top value, a container or string, closed just before this index; run on from there.
    Closed(usize),
    /// A byte cannot be; the state is still the one that refused it.
    Failed(Failure),
}

/// Where and why a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The index of the byte. For a number out of range it is the index just behind the byte that
    /// the error names, which may have been the last of an earlier chunk.
    pub index: usize,
    /// How many bytes of UTF-8 into what stands at the index the error lies.
    pub within: u8,
    pub code: ErrorCode,
}

const KEY: u8 = 1;
const SECOND_HALF: u8 = 1 << 1;
const BAD_DIGIT: u8 = 1 << 2;

/// The literals by number, and again, so that any stored number names one.
const LITERALS: [&[u8]; 4] = [b"true", b"false", b"null", b"null"];

/// The automaton's state between chunks. All zero bits is the state before the first byte; every
/// bit pattern is a valid value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Grammar {
    stack: [u64; 2],
    magnitude: Magnitude,
    /// The code units that `\u` has given so far.
    hex: u16,
    state: u8,
    depth: u8,
    /// About the string that is open.
    flags: u8,
    /// Digits of `\u`, or letters of a literal, that have been read.
    taken: u8,
    /// Which literal.
    literal: u8,
}

impl Grammar {
    pub const NEW: Self = Self {
        stack: [0; 2],
        magnitude: Magnitude::NEW,
        hex: 0,
        state: 0,
        depth: 0,
        flags: 0,
        taken: 0,
        literal: 0,
    };

    fn state(&self) -> State {
        STATES[usize::from(self.state & 31)]
    }

    /// Whether nothing but white space was read.
    pub fn untouched(&self) -> bool {
        self.depth == 0 && self.state() == State::BeforeValue
    }

    /// Open containers.
    pub fn depth(&self) -> u8 {
        self.depth.min(DEPTH_MAX)
    }

    /// Whether the innermost container is an object.
    fn in_object(&self) -> bool {
        self.stack[0] & 1 == 1
    }

    fn push(&mut self, object: bool) {
        let [low, high] = self.stack;
        self.stack = [low << 1 | u64::from(object), high << 1 | low >> 63];
        self.depth += 1;
    }

    fn pop(&mut self) {
        let [low, high] = self.stack;
        self.stack = [low >> 1 | high << 63, high >> 1];
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether the next byte belongs to a string or key.
    pub fn in_string(&self) -> bool {
        use State::{AfterHighHalf, InEscape, InHex, InLowEscape, InString};
        matches!(
            self.state(),
            InString | InEscape | InHex | AfterHighHalf | InLowEscape
        )
    }

    /// Whether the next character may be one that JSON has no use for outside of strings.
    pub fn takes_any_character(&self) -> bool {
        self.state() == State::InString
    }

    /// Whether no continuation can avoid an error, though its byte has not come yet.
    pub fn doomed(&self) -> bool {
        match self.state() {
            State::InHex => self.hex_doomed(),
            State::AfterExponentSign | State::InExponent => self.magnitude.doomed(),
            _ => false,
        }
    }

    fn hex_doomed(&self) -> bool {
        if self.flags & BAD_DIGIT != 0 {
            return true;
        }
        let second = self.flags & SECOND_HALF != 0;
        match self.taken {
            1 => second && self.hex != 0xD,
            // DC to DF is a second half, which must and may only come second.
            2 => second != (0xDC..=0xDF).contains(&self.hex),
            3 => second != (0xDC0..=0xDFF).contains(&self.hex),
            _ => false,
        }
    }

    /// What serde_json says if the text ends here; `None` where the value is whole.
    pub fn end(&self) -> Option<ErrorCode> {
        use State::{
            AfterExponent, AfterExponentSign, AfterHighHalf, AfterItem, AfterKey, AfterMember,
            AfterMinus, AfterPoint, AfterValue, AfterZero, BeforeFirstItem, BeforeFirstKey,
            BeforeItem, BeforeKey, BeforeValue, InEscape, InExponent, InFraction, InHex, InInteger,
            InLiteral, InLowEscape, InString,
        };
        match self.state() {
            BeforeFirstItem | AfterItem => Some(ErrorCode::EofList),
            BeforeFirstKey | AfterKey | AfterMember => Some(ErrorCode::EofObject),
            InString | InEscape | InHex | AfterHighHalf | InLowEscape => Some(ErrorCode::EofString),
            BeforeValue | BeforeItem | BeforeKey | InLiteral | AfterMinus | AfterPoint
            | AfterExponent | AfterExponentSign => Some(ErrorCode::EofValue),
            AfterZero | InInteger | InFraction | InExponent => {
                if self.magnitude.out_of_range() {
                    Some(ErrorCode::NumberOutOfRange)
                } else if self.depth == 0 {
                    None
                } else if self.in_object() {
                    Some(ErrorCode::EofObject)
                } else {
                    Some(ErrorCode::EofList)
                }
            }
            AfterValue => None,
        }
    }

    /// Reads a chunk from index `from` on.
    pub fn run(&mut self, form: Form, bytes: &[u8], from: usize) -> Halt {
        self.observe(form, bytes, from, &mut Unobserved)
    }

    /// The same, and the newlines that it passed, where there are some.
    pub fn run_counting(
        &mut self,
        form: Form,
        bytes: &[u8],
        from: usize,
    ) -> (Halt, Option<Newlines>) {
        let (halt, seen) = self.step(form, bytes, from, &mut Unobserved);
        if !seen.newline {
            return (halt, None);
        }
        let end = match halt {
            Halt::End => bytes.len(),
            Halt::Closed(index) | Halt::Failed(Failure { index, .. }) => index,
        };
        // Before where it stopped they can only stand between tokens.
        (halt, Newlines::between(bytes, from, end))
    }

    /// Reads a chunk from index `from` on, and tells an observer what stands in it.
    pub fn observe(
        &mut self,
        form: Form,
        bytes: &[u8],
        from: usize,
        observer: &mut impl Observer,
    ) -> Halt {
        self.step(form, bytes, from, observer).0
    }

    /// Whether a text is one value, a container or string, and nothing else; and if so, whether all
    /// of it is known to be ASCII.
    pub fn closes(form: Form, bytes: &[u8]) -> (bool, bool) {
        let mut grammar = Self::NEW;
        let (halt, seen) = grammar.step(form, bytes, 0, &mut Unobserved);
        (halt == Halt::Closed(bytes.len()), !seen.wide)
    }

    fn step(
        &mut self,
        form: Form,
        bytes: &[u8],
        from: usize,
        observer: &mut impl Observer,
    ) -> (Halt, Seen) {
        let mut seen = Seen::default();
        let halt = with_backend(Run {
            grammar: self,
            form,
            bytes,
            from,
            seen: &mut seen,
            observer,
        });
        (halt, seen)
    }
}

fn failure(index: usize, code: ErrorCode) -> Failure {
    Failure {
        index,
        within: 0,
        code,
    }
}
