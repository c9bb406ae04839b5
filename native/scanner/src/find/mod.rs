//! Finds the call that a model wrote as text.
//!
//! The text is read once, from left to right. A JSON value begins at each `{` or `[` outside of
//! reasoning, and the grammar reads it; where it breaks, reading goes on at the character that
//! broke it, so that no text is read twice. [`value`] sees the calls among the values, `tally`
//! counts what has to be exactly one.
//!
//! Memory is bounded by the limit on a call's text: that of the call found first is kept, and that
//! of the one being read.
//!
//! Strings only, as JavaScript has them: a unit of UTF-16 is packed into a byte
//! ([`crate::form`]) for the grammar. Half a surrogate pair is a character like any other, so a text
//! may be cut anywhere.
//!
//! | file | decides |
//! |---|---|
//! | `marks` | what `<tool_call>`, `<think>` and their like say |
//! | `value` | what in a JSON value is a call |
//! | `tally` | how many readings there are |

mod marks;
mod tally;
mod value;

use alloc::vec::Vec;
use core::mem::take;

use crate::error::ErrorCode;
use crate::form::{Form, pack_unit, packed};
use crate::grammar::{Grammar, Halt};
use marks::{EndOfReasoning, Mark, Matcher, Progress};
use tally::Tally;
pub use tally::{Ambiguity, Call, Flaw};
use value::{Value, Watch};

/// What is known while a text streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Nothing so far belongs to a call.
    Text = 0,
    /// The end of what was fed may be the beginning of a call.
    Maybe = 1,
    /// A call has begun: there will be one, or a reason other than that there is none.
    Call = 2,
}

/// What a text comes to if it ends here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// Exactly one call.
    Call(&'a Call),
    /// Nothing that reads as a call; with an error where something begins as one does.
    Nothing(Option<ErrorCode>),
    /// Nothing, and the text ended inside of reasoning.
    Reasoning,
    /// Nothing but what stood in reasoning that the prompt had begun.
    Reasoned,
    /// More than one reading.
    Ambiguous(Ambiguity),
    /// A call that is cut off.
    Truncated(ErrorCode),
    /// A call that is none.
    Malformed(Flaw),
}

/// What the next unit belongs to.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Prose,
    /// Behind a `[`.
    Bracket,
    /// In what may be a mark.
    Mark,
    /// Behind so many backticks.
    Ticks(u8),
    /// In the line of a fence that opens.
    Info,
    /// Behind a mark or fence that opens, in white space.
    Opened,
    Value,
    Reasoning(EndOfReasoning),
}

/// What stands right before a value, and belongs to the call that it may be.
#[derive(Clone, Copy, Debug, Default)]
struct Opening {
    start: u64,
    marked: bool,
    fenced: bool,
}

/// Finds one call in a text that comes in fragments.
#[derive(Debug)]
pub struct Finder {
    names: Vec<Vec<u16>>,
    length_max: usize,
    /// Units that were read.
    at: u64,
    phase: Phase,
    matcher: Matcher,
    opening: Option<Opening>,
    /// Where the bracket, mark or fence that is being read begins.
    begun_at: u64,
    /// What may still close around the first call, while only white space has followed.
    closing: Option<Opening>,
    grammar: Grammar,
    value: Value,
    tally: Tally,
    /// Whether a call had begun in what turned out to be reasoning.
    reasoned: bool,
    packed: Vec<u8>,
}

impl Finder {
    /// A finder for texts whose calls have at most `length_max` units of name and of arguments.
    #[must_use]
    pub fn new(length_max: usize) -> Self {
        Self {
            names: Vec::new(),
            length_max,
            at: 0,
            phase: Phase::Prose,
            matcher: Matcher::NEW,
            opening: None,
            begun_at: 0,
            closing: None,
            grammar: Grammar::NEW,
            value: Value::default(),
            tally: Tally::default(),
            reasoned: false,
            packed: Vec::new(),
        }
    }

    /// Adds the name of a tool: an object of nothing but this name is a call without arguments.
    pub fn add_name(&mut self, name: &[u16]) {
        self.names.push(name.to_vec());
    }

    /// Bytes that are held, about.
    #[must_use]
    pub fn memory(&self) -> usize {
        let first = self.tally.first.as_ref();
        let call = first.map_or(0, |call| call.name.capacity() + call.arguments.capacity());
        let names: usize = self.names.iter().map(Vec::capacity).sum();
        let held = self.value.memory() + self.packed.capacity() + (call + names) * size_of::<u16>();
        size_of::<Self>() + held
    }

    /// Takes the next units.
    pub fn feed(&mut self, units: &[u16]) -> Status {
        // A piece at a time, so that what is packed stays small.
        for piece in units.chunks(1 << 12) {
            let mut packed = take(&mut self.packed);
            packed.clear();
            packed.extend(piece.iter().map(|&unit| pack_unit(unit)));
            let mut index = 0;
            while index < packed.len() {
                index = self.step(&packed, piece, index);
            }
            self.at += packed.len() as u64;
            self.packed = packed;
        }
        self.status()
    }

    /// What is known so far.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.tally.called {
            return Status::Call;
        }
        match self.phase {
            Phase::Prose | Phase::Reasoning(_) => Status::Text,
            // A mark before it announces a call until this one is seen to be none.
            Phase::Mark if !self.is_marked() && !self.matcher.may_open() => Status::Text,
            Phase::Mark
            | Phase::Bracket
            | Phase::Ticks(_)
            | Phase::Info
            | Phase::Opened
            | Phase::Value => Status::Maybe,
        }
    }

    /// Whether a mark announces what is being read as a call.
    fn is_marked(&self) -> bool {
        self.opening.is_some_and(|opening| opening.marked)
    }

    /// What the text comes to if it ends here.
    #[must_use]
    pub fn finish(&self) -> Found<'_> {
        let Tally {
            first,
            ambiguity,
            flaw,
            wreck,
            ..
        } = &self.tally;
        if let Some(ambiguity) = *ambiguity {
            return Found::Ambiguous(ambiguity);
        }
        if let Some(flaw) = *flaw {
            return Found::Malformed(flaw);
        }
        let inside = matches!(self.phase, Phase::Value);
        if inside && (self.value.begun || self.value.hinted) {
            return Found::Truncated(self.grammar.end().unwrap_or(ErrorCode::EofObject));
        }
        if self.is_marked() {
            return Found::Truncated(ErrorCode::EofValue);
        }
        match (first, self.phase) {
            (Some(call), _) => Found::Call(call),
            (None, Phase::Reasoning(_)) => Found::Reasoning,
            (None, _) if self.reasoned && wreck.is_none() => Found::Reasoned,
            (None, _) => Found::Nothing(*wreck),
        }
    }

    /// Reads from `index` on, in one phase; answers where the next begins.
    fn step(&mut self, bytes: &[u8], units: &[u16], index: usize) -> usize {
        let byte = bytes[index];
        match self.phase {
            Phase::Prose => self.read_prose(bytes, index),
            Phase::Bracket if Matcher::is_second_behind_bracket(byte) => {
                self.matcher.begin(b'[');
                self.phase = Phase::Mark;
                index
            }
            Phase::Bracket => {
                self.begin_value(self.begun_at);
                self.read_value(b"[", &[u16::from(b'[')], 0);
                index
            }
            Phase::Mark => self.read_mark(byte, index),
            Phase::Ticks(count) => self.read_ticks(byte, index, count),
            Phase::Info => self.read_info(byte, index),
            Phase::Opened if is_white(byte) => index + 1,
            Phase::Opened if begins(byte) => {
                self.begin(byte, index);
                index + usize::from(byte != b'{')
            }
            Phase::Opened => self.leave_for_prose(index),
            Phase::Value => self.read_value(bytes, units, index),
            Phase::Reasoning(mut end) => {
                let ended = end.push(byte);
                self.phase = if ended {
                    Phase::Prose
                } else {
                    Phase::Reasoning(end)
                };
                index + 1
            }
        }
    }

    fn place(&self, index: usize) -> u64 {
        self.at + index as u64
    }

    /// What was read is prose; the unit at the index is yet to be.
    fn leave_for_prose(&mut self, index: usize) -> usize {
        self.opening = None;
        self.closing = None;
        self.phase = Phase::Prose;
        index
    }

    fn read_prose(&mut self, bytes: &[u8], index: usize) -> usize {
        let rest = &bytes[index..];
        let found = rest.iter().position(|&byte| begins(byte));
        let before = found.unwrap_or(rest.len());
        if self.closing.is_some() && !rest[..before].iter().all(|&byte| is_white(byte)) {
            self.closing = None;
        }
        let index = index + before;
        match bytes.get(index) {
            Some(&byte) => {
                self.begin(byte, index);
                // The grammar reads a value from its brace on.
                index + usize::from(byte != b'{')
            }
            None => index,
        }
    }

    /// Begins what a byte begins.
    fn begin(&mut self, byte: u8, index: usize) {
        self.begun_at = self.place(index);
        match byte {
            b'{' => self.begin_value(self.begun_at),
            b'[' => self.phase = Phase::Bracket,
            b'`' => self.phase = Phase::Ticks(1),
            _ => {
                self.matcher.begin(byte);
                self.phase = Phase::Mark;
            }
        }
    }

    fn read_mark(&mut self, byte: u8, index: usize) -> usize {
        let behind = index + 1;
        let mark = match self.matcher.push(byte) {
            Progress::Part => return behind,
            Progress::None => return self.abandon_mark(index),
            Progress::Whole(mark) => mark,
        };
        match mark {
            Mark::Opens => {
                self.open(true);
                behind
            }
            Mark::Closes => {
                if self.closing.is_some_and(|closing| closing.marked) {
                    self.extend(behind);
                    self.phase = Phase::Prose;
                    return behind;
                }
                self.abandon_mark(behind)
            }
            Mark::Reasons(kind) => {
                self.leave_for_prose(behind);
                self.phase = Phase::Reasoning(EndOfReasoning::new(kind));
                behind
            }
            Mark::Reasoned => {
                // The prompt had begun it: all before was reasoning.
                self.reasoned |= self.tally.called;
                self.tally = Tally::default();
                self.leave_for_prose(behind)
            }
        }
    }

    /// A mark is none that says anything here.
    fn abandon_mark(&mut self, index: usize) -> usize {
        if self.is_marked() {
            // What was announced is in a format that is not JSON.
            self.tally.called = true;
            self.tally.note_flaw(Flaw::NotACall);
        }
        self.leave_for_prose(index)
    }

    /// A mark or a fence has opened.
    fn open(&mut self, is_mark: bool) {
        let before = self.opening.unwrap_or(Opening {
            start: self.begun_at,
            ..Opening::default()
        });
        self.opening = Some(Opening {
            marked: before.marked || is_mark,
            fenced: before.fenced || !is_mark,
            ..before
        });
        self.closing = None;
        self.phase = Phase::Opened;
    }

    /// What closes around the first call belongs to it.
    fn extend(&mut self, behind: usize) {
        let end = self.place(behind);
        if let Some(first) = &mut self.tally.first {
            first.end = end;
        }
    }

    fn read_ticks(&mut self, byte: u8, index: usize, count: u8) -> usize {
        let closes = self.closing.is_some_and(|closing| closing.fenced);
        if byte == b'`' {
            self.phase = Phase::Ticks(count.saturating_add(1));
            if closes && 2 <= count {
                self.extend(index + 1);
            }
            return index + 1;
        }
        if count < 3 {
            return self.leave_for_prose(index);
        }
        if closes {
            self.closing = self.closing.map(|closing| Opening {
                fenced: false,
                ..closing
            });
            self.phase = Phase::Prose;
            return index;
        }
        self.phase = Phase::Info;
        index
    }

    fn read_info(&mut self, byte: u8, index: usize) -> usize {
        match byte {
            b'\n' => {
                self.open(false);
                index + 1
            }
            b'{' => {
                self.open(false);
                index
            }
            b'`' => self.leave_for_prose(index),
            _ => index + 1,
        }
    }

    fn begin_value(&mut self, start: u64) {
        let opening = self.opening.unwrap_or(Opening {
            start,
            ..Opening::default()
        });
        self.opening = Some(opening);
        self.closing = None;
        self.grammar = Grammar::NEW;
        self.value.restart(opening.marked);
        self.tally.first_is_here = false;
        self.tally.called |= opening.marked;
        self.phase = Phase::Value;
    }

    fn read_value(&mut self, bytes: &[u8], units: &[u16], index: usize) -> usize {
        let opening = self.opening.unwrap_or_default();
        let mut watch = Watch {
            value: &mut self.value,
            tally: &mut self.tally,
            names: &self.names,
            units,
            arguments_from: index,
            token_from: index,
            marked: opening.marked,
            length_max: self.length_max,
        };
        let halt = self.grammar.observe(Form::Packed, bytes, index, &mut watch);
        watch.suspend();
        self.tally.called |= self.value.begun;
        match halt {
            Halt::End => bytes.len(),
            Halt::Closed(end) => {
                self.end_value(opening, end);
                end
            }
            Halt::Failed(failure) => {
                // A number too large fails before the index, which may be in the next piece.
                let quoted = failure.code != ErrorCode::NumberOutOfRange
                    && bytes.get(failure.index) == Some(&b'\'');
                if self.value.begun {
                    self.tally.note_flaw(Flaw::Syntax(failure.code));
                } else if self.value.hinted || quoted {
                    self.tally.wreck.get_or_insert(failure.code);
                }
                self.value.restart(false);
                self.leave_for_prose(failure.index)
            }
        }
    }

    fn end_value(&mut self, opening: Opening, index: usize) {
        if opening.marked && self.value.calls == 0 {
            self.tally.note_flaw(Flaw::NotACall);
        }
        self.value.restart(false);
        self.leave_for_prose(index);
        if self.tally.first_is_here {
            self.tally.first_is_here = false;
            self.closing = Some(opening);
            if let Some(first) = &mut self.tally.first {
                first.start = opening.start;
            }
            self.extend(index);
        }
    }
}

/// Whether something other than prose may begin with this byte.
fn begins(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'<' | b'`')
}

/// White space, as far as a byte of a packed text tells.
fn is_white(byte: u8) -> bool {
    matches!(
        byte,
        b'\t'..=b'\r' | b' ' | packed::WHITE_TWO | packed::WHITE_THREE
    )
}
