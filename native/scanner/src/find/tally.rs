//! What a text comes to: at most one call, and why it has none.

use alloc::vec::Vec;

use crate::error::ErrorCode;

/// A call that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool's name.
    pub name: Vec<u16>,
    /// The arguments' text, exactly: what a string of them says, and else what stands there.
    pub arguments: Vec<u16>,
    /// Where it begins, in units of the text, with its marks or its fence.
    pub start: u64,
    /// Where it ends: the first unit that is not in it.
    pub end: u64,
}

/// Why a text has more than one reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ambiguity {
    /// It holds different calls.
    Calls = 1,
    /// A call has different names.
    Names = 2,
    /// A call has arguments twice.
    Arguments = 3,
    /// What may be a call may be a tool's definition too.
    Definition = 4,
    /// A call has members that may be arguments in the wrong place.
    Members = 5,
}

/// Why a call that has begun is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It is not JSON.
    Syntax(ErrorCode),
    /// What a mark announces is something else.
    NotACall,
    /// It is longer than the limit.
    TooLarge,
}

/// What is known of the text behind the last end of reasoning that nothing began.
#[derive(Debug, Default)]
pub struct Tally {
    pub first: Option<Call>,
    /// Whether the first call stands in the value that is being read.
    pub first_is_here: bool,
    pub ambiguity: Option<Ambiguity>,
    pub flaw: Option<Flaw>,
    /// Something that begins as a call does, and is not JSON.
    pub wreck: Option<ErrorCode>,
    /// Whether a call has begun.
    pub called: bool,
}

impl Tally {
    pub fn note_ambiguity(&mut self, ambiguity: Ambiguity) {
        self.ambiguity.get_or_insert(ambiguity);
    }

    pub fn note_flaw(&mut self, flaw: Flaw) {
        self.flaw.get_or_insert(flaw);
    }

    /// Notes a call. The same one again has no other reading: models repeat themselves.
    pub fn note_call(&mut self, call: Call) {
        match &self.first {
            None => {
                self.first = Some(call);
                self.first_is_here = true;
            }
            Some(first) if first.name == call.name && first.arguments == call.arguments => {}
            Some(_) => self.note_ambiguity(Ambiguity::Calls),
        }
    }
}
