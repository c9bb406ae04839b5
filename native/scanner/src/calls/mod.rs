//! The assembler: which call a fragment belongs to, and when a call is finished.
//!
//! A wire format's file reads one event's fields and says here what they mean: an entry of a chat
//! delta, a block of a message, an item of a response. All that servers do to ids, indexes and
//! names (leave them out, send them late, repeat, reuse or rotate them) is resolved here, for bytes
//! and event objects alike.
//!
//! | file | decides |
//! |---|---|
//! | `chat`, `messages`, `responses` | which call is meant, and what an event does to it |
//! | `identity` | by what a call is known |
//! | `arguments` | what its text is |
//! | `ends` | when it is over, and whether it is finished |
//! | `notes` | what the caller is told |
//!
//! INVARIANT: a call's start is noted before anything else of it, its finish once and last; what
//! comes for a call after that changes nothing. A call is finished only where its wire said so
//! (guarantee 7): by a normal end, or by its own end or a later call where its text is one whole
//! JSON value.
//!
//! Notes wait in a queue until the caller has taken them; it is as long as what one chunk brought.

mod arguments;
mod chat;
mod ends;
mod identity;
mod messages;
mod notes;
mod responses;

pub use ends::stop_of;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::decision::{Decision, Kind, Stop};
use crate::error::{ErrorCode, ScanError};
use crate::readings::Span;
use crate::scanner::Verdict;
use crate::text::{Keep, Text};

/// The most bytes of an error's texts that are passed on.
const ERROR_BYTES_MAX: usize = 1 << 14;

/// What can be chosen about a stream.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most bytes of one call's arguments.
    pub argument_bytes_max: u64,
    /// The most bytes of all arguments of a response.
    pub total_bytes_max: u64,
    /// The most bytes of one event's data, or of a body.
    pub event_bytes_max: usize,
    /// The most calls of a response.
    pub calls_max: usize,
    /// The most bytes of a name or id.
    pub name_bytes_max: usize,
    /// How much of each text is kept.
    pub keep: Keep,
    /// Whether fragments are noted.
    pub fragments: bool,
    /// Whether only the text decides, whatever the stop signal says.
    pub by_text: bool,
}

/// A call's or choice's index as the wire gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// None was given.
    Absent,
    /// A number that can be an index.
    Usable(u32),
    /// A number that cannot.
    Bad,
}

/// Arguments as the wire gives them.
#[derive(Clone, Copy, Debug)]
pub enum Arguments<'a> {
    /// None were given.
    Absent,
    /// The content of a JSON string, and whether it has escapes.
    Text(&'a [u8], bool),
    /// The source text of another value.
    Source(&'a [u8]),
}

/// What one place of an event says about one call.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The index on the wire.
    pub index: Index,
    /// The id to answer with, or empty.
    pub id: Cow<'a, [u8]>,
    /// The id that other events may use, or empty.
    pub item_id: Cow<'a, [u8]>,
    /// The tool's name, or empty.
    pub name: Cow<'a, [u8]>,
    /// Empty is a function.
    pub kind: &'a [u8],
    /// The arguments, or a part of them.
    pub arguments: Arguments<'a>,
}

/// How an entry without id, index and name finds its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nameless {
    /// It continues the call that was touched last.
    Last,
    /// It is one of several in its array, and continues the call with this number.
    Nth(usize),
    /// It is the one call that the choice can have.
    Only,
}

/// Which limit a call broke, beside that of its own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// None.
    No,
    /// That of all texts.
    Total,
    /// That of names and ids.
    Name,
}

/// One tool call.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub struct Call {
    /// The choice that it belongs to.
    pub choice: u32,
    /// The number of its arrival in the choice.
    pub index: u32,
    /// Its index on the wire.
    pub wire_index: Option<u32>,
    /// Its id, or empty where none was on the wire.
    pub id: Vec<u8>,
    /// The tool's name.
    pub name: Vec<u8>,
    /// Empty for a function, else the wire's word.
    pub kind: Vec<u8>,
    /// Its argument text.
    pub text: Text,
    /// Whether the wire said that it is finished.
    pub finished: bool,
    /// The stop signal that its decision is made with.
    pub stop: Stop,
    /// Whether its choice's word was known when it finished.
    pub word_known: bool,
    /// It began without an id: it has to be answered by one that was made up then, also where the
    /// wire's own comes later.
    pub id_was_missing: bool,
    /// It began without a name.
    pub name_was_missing: bool,
    /// Where its choice stands in [`Calls::choices`].
    place: usize,
    item_id: Vec<u8>,
    /// The whole arguments as they came beside the fragments: they count where no fragment comes.
    spare: Vec<u8>,
    /// Fragments that wait for the start to be noted.
    held: Vec<u8>,
    /// The message that it belongs to; block indexes begin again with each.
    message: u32,
    announced: Verdict,
    broken: Broken,
    started: bool,
    /// Its own end was on the wire.
    closed: bool,
    /// The wire said that it is incomplete.
    cut: bool,
    /// Its finish was noted.
    ended: bool,
}

impl Call {
    fn is_function(&self) -> bool {
        self.kind.is_empty()
    }

    /// Whether its text is something that a next call may follow.
    fn is_whole_or_blank(&self) -> bool {
        self.text.is_blank() || self.text.is_whole()
    }

    /// The decision on it.
    #[must_use]
    pub fn decide(&self) -> Decision {
        let decision = self.text.decide(self.stop);
        if self.broken == Broken::No || decision.kind == Some(Kind::InvalidUtf8) {
            return decision;
        }
        Decision {
            verdict: Verdict::Malformed,
            repair: None,
            span: None,
            kind: Some(Kind::TooLarge),
            error: Some(ScanError {
                code: ErrorCode::TooLarge,
                offset: decision.text.end,
                line: 0,
                column: 0,
            }),
            cut: false,
            text: decision.text,
        }
    }

    fn verdict(&mut self) -> Verdict {
        if self.broken == Broken::No {
            self.text.verdict()
        } else {
            Verdict::Malformed
        }
    }
}

#[derive(Debug)]
struct Choice {
    /// One for each of its calls, as they arrived.
    keys: Vec<Key>,
    /// Its one call of the old form.
    only: Option<usize>,
    /// The call that was touched last; none where that was one too many.
    touched: Option<usize>,
    /// The wire's own word for why it ended.
    word: Vec<u8>,
    stop: Option<Stop>,
}

/// What a call is looked for by, side by side with those of the choice's others: it may have many.
#[derive(Clone, Copy, Debug)]
struct Key {
    /// The call's number.
    call: usize,
    wire_index: Option<u32>,
    /// Digests of the ids, 0 where there is none.
    id: u64,
    item_id: u64,
}

/// A call that an event continued, and whether its start waits for text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continued {
    call: usize,
    needs_text: bool,
}

/// What an event did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing, and whatever its fragment is it would have done nothing.
    Nothing,
    /// It added its fragment to a call, and did nothing else.
    Continued(Continued),
    /// Something else.
    Other,
}

/// The limits that are told of once.
mod limit {
    pub const CALLS: u8 = 1;
    pub const TOTAL: u8 = 1 << 1;
    pub const INDEX: u8 = 1 << 2;
    pub const NAME: u8 = 1 << 3;
}

/// A part of [`Calls::texts`].
type Range = (usize, usize);

/// Something that the caller is to know.
#[derive(Clone, Copy, Debug)]
pub enum Note {
    /// A call has begun.
    Start(usize),
    /// A call's text goes on.
    Fragment(usize, Range),
    /// A call's text has become complete or malformed.
    Verdict(usize, Judged),
    /// A call is over.
    Finish(usize),
    /// An error of the wire's, or a limit.
    Error {
        /// Its code, where it has one.
        code: Option<Range>,
        /// Its type, where it has one.
        kind: Option<Range>,
        /// What it says.
        message: Range,
    },
}

/// What was known when a verdict changed.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Where the object is.
    pub span: Option<Span>,
    /// Why the text is malformed.
    pub error: Option<ScanError>,
    /// Where the first invalid sequence stands.
    pub invalid_at: Option<u64>,
    /// The limit that was broken.
    pub limit: u64,
}

/// The calls of one response.
#[derive(Debug)]
pub struct Calls {
    options: Options,
    #[allow(
        clippy::vec_box,
        reason = "a call is large, and most responses have one"
    )]
    all: Vec<Box<Call>>,
    /// Calls whose name is not known.
    unnamed: usize,
    choices: Vec<Choice>,
    /// Where in them each number stands.
    places: BTreeMap<u32, usize>,
    queue: Vec<Note>,
    /// The texts of the notes in the queue.
    texts: Vec<u8>,
    /// Notes that were taken.
    taken: usize,
    /// Argument bytes so far.
    total: u64,
    memory: usize,
    /// Open blocks that are no calls.
    other_blocks: Vec<u32>,
    message: u32,
    message_id: Vec<u8>,
    /// What the current event has done so far.
    effect: Effect,
    errored: bool,
    /// A fragment came that belongs to no call.
    orphaned: bool,
    /// Limits that were told of, which each is once; bits of [`limit`].
    told: u8,
}

impl Calls {
    /// No calls yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            all: Vec::new(),
            unnamed: 0,
            choices: Vec::new(),
            places: BTreeMap::new(),
            queue: Vec::new(),
            texts: Vec::new(),
            taken: 0,
            total: 0,
            memory: 0,
            other_blocks: Vec::new(),
            message: 0,
            message_id: Vec::new(),
            effect: Effect::Other,
            errored: false,
            orphaned: false,
            told: 0,
        }
    }

    /// The calls by number.
    #[must_use]
    pub fn get(&self, call: usize) -> Option<&Call> {
        self.all.get(call).map(|call| &**call)
    }

    /// How many notes wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.len() - self.taken
    }

    /// The next note. When the last was taken, [`Calls::forget_notes`] makes room.
    pub fn next_note(&mut self) -> Option<Note> {
        let note = self.queue.get(self.taken).copied()?;
        self.taken += 1;
        Some(note)
    }

    /// Lets go of notes that were taken.
    pub fn forget_notes(&mut self) {
        if self.taken == self.queue.len() && self.taken != 0 {
            self.taken = 0;
            // A queue that was long once need not stay so.
            self.queue = Vec::new();
            self.texts = Vec::new();
        }
    }

    /// A note's text.
    #[must_use]
    pub fn note_text(&self, (start, end): Range) -> &[u8] {
        self.texts.get(start..end).unwrap_or_default()
    }

    /// The wire's word for why a call's choice ended, or empty.
    #[must_use]
    pub fn word(&self, call: usize) -> &[u8] {
        self.get(call)
            .and_then(|call| self.choices.get(call.place))
            .map_or(&[], |choice| &choice.word)
    }

    /// The limit that a call's report names.
    #[must_use]
    pub fn limit(&self, call: &Call) -> u64 {
        match call.broken {
            Broken::No => self.options.argument_bytes_max,
            Broken::Total => self.options.total_bytes_max,
            Broken::Name => self.options.name_bytes_max as u64,
        }
    }

    /// Bytes of memory that the texts take.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Another event begins.
    pub fn begin_event(&mut self) {
        self.effect = Effect::Nothing;
    }

    /// What the event has done.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The event does something; true where it is the first thing. Every public method that
    /// changes anything begins with this.
    fn act(&mut self) -> bool {
        core::mem::replace(&mut self.effect, Effect::Other) == Effect::Nothing
    }
}
