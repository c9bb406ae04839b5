//! The assembler: which call a fragment belongs to, and when a call is finished.
//!
//! A wire format's file reads one event's fields and says here what they mean: an entry of a chat
//! delta, a block of a message, an item of a response. All that servers do to ids, indexes and
//! names (leave them out, send them late, repeat, reuse or rotate them) is resolved in this file,
//! for bytes and event objects alike.
//!
//! INVARIANT: a call's start is noted before anything else of it, its finish once and last; what
//! comes for a call after that changes nothing. A call is finished only where its wire said so
//! (guarantee 7): by a normal end, or by its own end or a later call where its text is one whole
//! JSON value.
//!
//! Notes wait in a queue until the caller has taken them; it is as long as what one chunk brought.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::decision::{Decision, Kind, Stop};
use crate::error::{ErrorCode, ScanError};
use crate::fields::{Event, Type, Value};
use crate::readings::Span;
use crate::scanner::Verdict;
use crate::text::{Keep, Text, unescape};

/// Indexes from here on are none that a server means.
const INDEX_END: u32 = 1 << 16;

/// The most bytes of an error's texts that are passed on.
const ERROR_BYTES_MAX: usize = 1 << 14;

/// Open blocks of other kinds that are remembered.
const BLOCKS_MAX: usize = 1024;

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
    /// It is the choice's one call of the old form.
    only: bool,
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
    number: u32,
    /// Calls so far.
    arrived: u32,
    /// The call that was touched last; none where that was one too many.
    touched: Option<usize>,
    /// The wire's own word for why it ended.
    word: Vec<u8>,
    stop: Option<Stop>,
}

/// What a call is looked for by, side by side with those of the others: a response may have many.
#[derive(Clone, Copy, Debug)]
struct Key {
    choice: u32,
    wire_index: Option<u32>,
    /// Digests of the ids, 0 where there is none.
    id: u64,
    item_id: u64,
}

/// A digest (FNV-1a) that tells most ids apart; the ids themselves are compared after it.
fn digest(id: &[u8]) -> u64 {
    if id.is_empty() {
        return 0;
    }
    id.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
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
mod told {
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
    /// One for each call.
    keys: Vec<Key>,
    /// Calls whose name is not known.
    unnamed: usize,
    choices: Vec<Choice>,
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
    /// Limits that were told of, which each is once; bits of [`told`].
    told: u8,
}

/// Whether a stop reason is a normal end, the output limit, or something else.
pub fn stop_of(word: &[u8]) -> Stop {
    match word {
        b"length" | b"max_tokens" | b"model_context_window_exceeded" | b"max_output_tokens" => {
            Stop::Length
        }
        b"content_filter"
        | b"refusal"
        | b"pause_turn"
        | b"compaction"
        | b"error"
        | b"failed"
        | b"incomplete"
        | b"cancelled"
        | b"canceled"
        | b"abort"
        | b"aborted"
        | b"safety"
        | b"max_messages"
        | b"steered"
        | b"insufficient_system_resource" => Stop::Interrupted,
        _ => Stop::Finished,
    }
}

impl Calls {
    /// No calls yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            all: Vec::new(),
            keys: Vec::new(),
            unnamed: 0,
            choices: Vec::new(),
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
        let Some(call) = self.get(call) else {
            return &[];
        };
        self.choices
            .iter()
            .find(|choice| choice.number == call.choice)
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

    // ---- errors

    fn keep_text(&mut self, text: &[u8]) -> Range {
        let start = self.texts.len();
        let end = text.len().min(ERROR_BYTES_MAX);
        self.texts.extend_from_slice(&text[..end]);
        (start, self.texts.len())
    }

    /// Notes a limit that was broken, or bytes that cannot be read.
    pub fn limit_error(&mut self, code: &str, message: &str) {
        self.act();
        let code = Some(self.keep_text(code.as_bytes()));
        let message = self.keep_text(message.as_bytes());
        self.queue.push(Note::Error {
            code,
            kind: None,
            message,
        });
    }

    fn tell_once(&mut self, limit: u8, code: &str, message: &str) {
        if self.told & limit == 0 {
            self.told |= limit;
            self.limit_error(code, message);
        }
    }

    /// The wire's own error: nothing that is open now can end normally any more.
    pub fn wire_error(&mut self, code: &[u8], kind: &[u8], message: &[u8]) {
        self.errored = true;
        self.act();
        let code = (!code.is_empty()).then(|| self.keep_text(code));
        let kind = (!kind.is_empty()).then(|| self.keep_text(kind));
        let message = self.keep_text(message);
        self.queue.push(Note::Error {
            code,
            kind,
            message,
        });
    }

    /// Whether the wire has sent an error.
    #[must_use]
    pub fn has_errored(&self) -> bool {
        self.errored
    }

    /// An event was dropped: what it would have said to the open calls is not known.
    pub fn lose_event(&mut self) {
        self.limit_error(
            "event-too-large",
            "an event was larger than the limit, and was dropped",
        );
        for call in self.all.iter_mut().filter(|call| !call.ended) {
            call.cut = true;
        }
    }

    fn usable(&mut self, index: Index) -> Option<u32> {
        match index {
            Index::Usable(index) => Some(index),
            Index::Absent => None,
            Index::Bad => {
                self.tell_once(told::INDEX, "bad-index", "an index was no usable number");
                None
            }
        }
    }

    // ---- calls

    /// Adds a call; its number, or none where there are too many.
    fn add(&mut self, choice: u32, wire_index: Option<u32>, kind: &[u8]) -> Option<usize> {
        let place = self.choice_place(choice);
        if self.options.calls_max <= self.all.len() {
            if let Some(place) = place {
                self.choices[place].touched = None;
            }
            self.tell_once(
                told::CALLS,
                "too-many-calls",
                "there were more calls than the limit",
            );
            return None;
        }
        let place = place.unwrap_or_else(|| {
            self.choices.reserve_exact(1);
            self.choices.push(Choice {
                number: choice,
                arrived: 0,
                touched: None,
                word: Vec::new(),
                stop: None,
            });
            self.choices.len() - 1
        });
        let number = self.all.len();
        let arrived = &mut self.choices[place];
        let call = Call {
            choice,
            index: arrived.arrived,
            wire_index,
            id: Vec::new(),
            name: Vec::new(),
            kind: kind.to_vec(),
            text: Text::new(self.options.argument_bytes_max, self.options.keep),
            finished: false,
            stop: Stop::Finished,
            word_known: false,
            item_id: Vec::new(),
            spare: Vec::new(),
            held: Vec::new(),
            message: self.message,
            announced: Verdict::Empty,
            broken: Broken::No,
            started: false,
            closed: false,
            cut: false,
            ended: false,
            only: false,
        };
        arrived.arrived += 1;
        arrived.touched = Some(number);
        if self.all.len() == self.all.capacity() {
            self.all.reserve_exact(self.all.len().max(1));
            self.keys.reserve_exact(self.all.len().max(1));
        }
        self.all.push(Box::new(call));
        self.keys.push(Key {
            choice,
            wire_index,
            id: 0,
            item_id: 0,
        });
        self.unnamed += 1;
        self.memory += size_of::<Call>();
        Some(number)
    }

    fn choice_place(&self, choice: u32) -> Option<usize> {
        self.choices.iter().position(|known| known.number == choice)
    }

    /// The latest call that answers to the description.
    fn latest(&self, wanted: impl Fn(&Key) -> bool) -> Option<usize> {
        self.keys.iter().rposition(wanted)
    }

    /// The latest call of a choice with this id that answers to the description.
    fn latest_with_id(
        &self,
        choice: u32,
        id: &[u8],
        wanted: impl Fn(&Key) -> bool,
    ) -> Option<usize> {
        let digest = digest(id);
        self.latest(|key| key.id == digest && key.choice == choice && wanted(key))
            .filter(|&number| self.all[number].id == id)
    }

    fn has_calls(&self, choice: u32) -> bool {
        self.choice_place(choice).is_some()
    }

    fn clipped<'a>(&mut self, call: usize, text: &'a [u8]) -> &'a [u8] {
        if text.len() <= self.options.name_bytes_max {
            return text;
        }
        self.all[call].broken = Broken::Name;
        self.tell_once(
            told::NAME,
            "name-too-large",
            "a name or id was longer than the limit",
        );
        &text[..self.options.name_bytes_max]
    }

    /// Takes note of ids and name, where they are new.
    fn identify(&mut self, call: usize, entry: &Entry<'_>) {
        if self.all[call].ended {
            return;
        }
        if !entry.id.is_empty() && self.all[call].id.is_empty() {
            let id = self.clipped(call, &entry.id);
            self.all[call].id = id.to_vec();
            self.keys[call].id = digest(id);
        }
        if !entry.item_id.is_empty() && self.all[call].item_id.is_empty() {
            let id = self.clipped(call, &entry.item_id);
            self.all[call].item_id = id.to_vec();
            self.keys[call].item_id = digest(id);
        }
        if entry.name.is_empty() || self.all[call].name == *entry.name {
            return;
        }
        let known = &self.all[call];
        if known.name.is_empty() {
            let name = self.clipped(call, &entry.name);
            self.all[call].name = name.to_vec();
            self.unnamed -= 1;
        } else if known.text.length() == 0 && !known.started {
            let mut name = known.name.clone();
            name.extend_from_slice(&entry.name);
            let name = self.clipped(call, &name).to_vec();
            self.all[call].name = name;
        }
    }

    /// Adds to a call's text.
    fn push(&mut self, call: usize, arguments: Arguments<'_>, scratch: &mut Vec<u8>) {
        let source;
        let (content, escaped) = match arguments {
            Arguments::Absent => return,
            Arguments::Text(content, escaped) => (content, escaped),
            Arguments::Source(text) => {
                source = compact(text);
                (&source[..], false)
            }
        };
        self.push_content(call, content, escaped, scratch);
    }

    fn push_content(
        &mut self,
        number: usize,
        content: &[u8],
        escaped: bool,
        scratch: &mut Vec<u8>,
    ) {
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.ended || content.is_empty() || call.broken == Broken::Total {
            return;
        }
        let bytes = content.len() as u64;
        if self.options.total_bytes_max < self.total.saturating_add(bytes) {
            call.broken = Broken::Total;
            self.tell_once(
                told::TOTAL,
                "total-too-large",
                "all arguments together passed the limit",
            );
            return;
        }
        let before = call.text.kept_capacity();
        let decoded = call.text.push(content, escaped, scratch);
        self.total += decoded.len() as u64;
        self.memory += call.text.kept_capacity() - before;
        if self.options.fragments && !decoded.is_empty() {
            if call.started {
                let start = self.texts.len();
                self.texts.extend_from_slice(decoded);
                let range = (start, self.texts.len());
                self.queue.push(Note::Fragment(number, range));
            } else {
                call.held.extend_from_slice(decoded);
            }
        }
    }

    /// Replaces a call's text by one that the wire calls the whole.
    fn replace(&mut self, number: usize, arguments: Arguments<'_>, scratch: &mut Vec<u8>) {
        let mut decoded = Vec::new();
        match arguments {
            Arguments::Absent => return,
            Arguments::Text(content, escaped) if escaped => {
                unescape(content, &mut 0, &mut decoded);
            }
            Arguments::Text(content, _) => decoded.extend_from_slice(content),
            Arguments::Source(text) => decoded = compact(text),
        }
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.ended || decoded.is_empty() || call.text.says(&decoded) {
            return;
        }
        if call.text.length() == 0 {
            self.push_content(number, &decoded, false, scratch);
            return;
        }
        let before = call.text.kept_capacity();
        let length = call.text.length();
        self.total = self.total.saturating_sub(length);
        if self.options.total_bytes_max < self.total.saturating_add(decoded.len() as u64) {
            self.total += length;
            self.push_content(number, &decoded, false, scratch);
            return;
        }
        call.text.replace(&decoded, false, scratch);
        self.total += decoded.len() as u64;
        self.memory = (self.memory + call.text.kept_capacity()).saturating_sub(before);
    }

    /// Whole arguments count where nothing else came.
    fn use_spare(&mut self, call: usize) {
        let spare = core::mem::take(&mut self.all[call].spare);
        self.memory = self.memory.saturating_sub(spare.capacity());
        if self.all[call].text.length() == 0 {
            self.push_content(call, &spare, false, &mut Vec::new());
        }
    }

    fn keep_spare(&mut self, call: usize, arguments: Arguments<'_>) {
        let mut spare = Vec::new();
        match arguments {
            Arguments::Absent => return,
            Arguments::Text(content, _) => unescape(content, &mut 0, &mut spare),
            Arguments::Source(text) => spare = compact(text),
        }
        let call = &mut self.all[call];
        if call.text.length() == 0 && call.spare.is_empty() && !call.ended {
            self.memory += spare.capacity();
            call.spare = spare;
        }
    }

    // ---- notes

    fn start(&mut self, number: usize) {
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.started {
            return;
        }
        call.started = true;
        self.queue.push(Note::Start(number));
        if !call.held.is_empty() {
            let start = self.texts.len();
            self.texts.extend_from_slice(&call.held);
            call.held = Vec::new();
            let range = (start, self.texts.len());
            self.queue.push(Note::Fragment(number, range));
        }
    }

    /// Notes what has become of a call that was just touched.
    fn look(&mut self, number: usize, needs_text: bool) {
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.ended {
            return;
        }
        let known = || !call.name.is_empty() && !call.id.is_empty();
        let starts = !call.started && known() && !(needs_text && call.text.length() == 0);
        if call.is_function() {
            let verdict = call.verdict();
            if is_news(call.announced, verdict) {
                self.start(number);
                self.announce(number, verdict);
                return;
            }
        }
        if starts {
            self.start(number);
        }
    }

    fn announce(&mut self, number: usize, verdict: Verdict) {
        let limit = self.get(number).map_or(0, |call| self.limit(call));
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        call.announced = verdict;
        call.text.catch_up();
        let decision = call.decide();
        let scanner = call.text.scanner();
        let malformed = verdict == Verdict::Malformed;
        let judged = Judged {
            verdict,
            span: if malformed {
                None
            } else {
                scanner.span().or(decision.span)
            },
            error: if call.broken == Broken::No {
                scanner.error().filter(|_| malformed)
            } else {
                decision.error
            },
            invalid_at: scanner.invalid_at(),
            limit,
        };
        self.queue.push(Note::Verdict(number, judged));
    }

    // ---- ends

    /// A call is over. `signal` is how its choice ended.
    fn finish(&mut self, number: usize, signal: Stop) {
        if self.all.get(number).is_none_or(|call| call.ended) {
            return;
        }
        self.use_spare(number);
        let choice = self.choice_place(self.all[number].choice);
        let (arrived, word_known) = choice.map_or((0, false), |choice| {
            let choice = &self.choices[choice];
            (choice.arrived, !choice.word.is_empty())
        });
        let call = &mut self.all[number];
        call.text.settle();
        let superseded = call.index + 1 < arrived;
        let own_end = (superseded && call.is_function() || call.closed) && !call.cut;
        let normal = signal == Stop::Finished && !call.cut;
        let unfinished = if signal == Stop::Finished {
            Stop::Interrupted
        } else {
            signal
        };
        let blank = call.text.is_blank();
        (call.finished, call.stop) = if !call.is_function() {
            if normal || own_end {
                (true, Stop::Finished)
            } else {
                (false, unfinished)
            }
        } else if blank {
            if normal && !self.orphaned {
                (true, Stop::Finished)
            } else {
                (false, unfinished)
            }
        } else if normal || self.options.by_text {
            let kind = call.text.decide(Stop::Finished).kind;
            (kind != Some(Kind::Truncated), Stop::Finished)
        } else if own_end && call.text.is_whole() {
            (true, Stop::Finished)
        } else {
            (false, unfinished)
        };
        call.word_known = word_known;
        self.start(number);
        let call = &mut self.all[number];
        let verdict = call.verdict();
        if call.is_function() && is_news(call.announced, verdict) {
            self.announce(number, verdict);
        }
        self.all[number].ended = true;
        self.queue.push(Note::Finish(number));
    }

    /// Whether a call is one at all: some servers send places without anything in them.
    fn is_call(&self, number: usize) -> bool {
        self.get(number).is_some_and(|call| {
            let nothing = call.id.is_empty() && call.name.is_empty() && call.text.length() == 0;
            call.started || !nothing
        })
    }

    fn finish_choice(&mut self, choice: u32, signal: Stop) {
        for number in 0..self.all.len() {
            if self.keys[number].choice == choice && self.is_call(number) {
                self.finish(number, signal);
            }
        }
    }

    /// A choice has ended, and this is the wire's word for why; the first one counts.
    pub fn end_choice(&mut self, choice: Index, word: &[u8], stop: Stop) {
        self.act();
        let choice = self.usable(choice).unwrap_or(0);
        let Some(place) = self.choice_place(choice) else {
            return;
        };
        let known = &mut self.choices[place];
        if known.stop.is_some() {
            return;
        }
        let stop = if self.errored && stop == Stop::Finished {
            Stop::Interrupted
        } else {
            stop
        };
        known.stop = Some(stop);
        known.word = word[..word.len().min(self.options.name_bytes_max)].to_vec();
        self.finish_choice(choice, stop);
    }

    /// The response has ended as it should: choices that have not ended end normally.
    pub fn end_response(&mut self) {
        self.act();
        if self.errored {
            return;
        }
        for place in 0..self.choices.len() {
            if self.choices[place].stop.is_none() {
                self.choices[place].stop = Some(Stop::Finished);
                self.finish_choice(self.choices[place].number, Stop::Finished);
            }
        }
    }

    /// The stream has ended: what is open stays unfinished.
    pub fn flush(&mut self) {
        for number in 0..self.all.len() {
            if !self.is_call(number) {
                continue;
            }
            let stop = self
                .choice_place(self.all[number].choice)
                .and_then(|place| self.choices[place].stop);
            self.finish(number, stop.unwrap_or(Stop::Interrupted));
        }
    }

    // ---- what an event did

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

    /// The event that did the same as another, but for its fragment.
    pub fn continue_call(
        &mut self,
        continued: Continued,
        arguments: Arguments<'_>,
        scratch: &mut Vec<u8>,
    ) {
        if self.add_calmly(continued.call, arguments) {
            return;
        }
        self.push(continued.call, arguments, scratch);
        self.look(continued.call, continued.needs_text);
    }

    /// Adds a fragment that changes nothing but the text, as most do. False where more than that
    /// has to be done; then nothing was.
    fn add_calmly(&mut self, number: usize, arguments: Arguments<'_>) -> bool {
        let Arguments::Text(content, false) = arguments else {
            return false;
        };
        let Some(call) = self.all.get_mut(number) else {
            return false;
        };
        let total = self.total.saturating_add(content.len() as u64);
        let known = call.started && !call.ended && call.broken == Broken::No;
        let added = known
            && total <= self.options.total_bytes_max
            && !self.options.fragments
            && call.text.add_calmly(content);
        if added {
            self.total = total;
        }
        added
    }

    // ---- chat completions

    /// An entry of a choice's delta.
    pub fn chat_entry(
        &mut self,
        choice: Index,
        entry: &Entry<'_>,
        nameless: Nameless,
        scratch: &mut Vec<u8>,
    ) {
        let alone = self.act();
        let choice = self.usable(choice).unwrap_or(0);
        let index = self.usable(entry.index);
        let Some(number) = self.route(choice, index, entry, nameless) else {
            return;
        };
        if let Some(place) = self.choice_place(choice) {
            self.choices[place].touched = Some(number);
        }
        let call = &mut self.all[number];
        if call.wire_index.is_none() {
            call.wire_index = index;
            self.keys[number].wire_index = index;
        }
        if nameless == Nameless::Only {
            call.only = true;
        }
        self.identify(number, entry);
        self.push(number, entry.arguments, scratch);
        self.look(number, true);
        let anonymous = entry.id.is_empty() && entry.name.is_empty();
        if alone && anonymous && index.is_some() {
            self.effect = Effect::Continued(Continued {
                call: number,
                needs_text: true,
            });
        }
    }

    /// The call that an entry belongs to, which may be a new one.
    fn route(
        &mut self,
        choice: u32,
        index: Option<u32>,
        entry: &Entry<'_>,
        nameless: Nameless,
    ) -> Option<usize> {
        let (id, name) = (&entry.id[..], &entry.name[..]);
        if nameless == Nameless::Only {
            return self
                .all
                .iter()
                .position(|call| call.only && call.choice == choice)
                .or_else(|| self.add(choice, index, entry.kind));
        }
        let known = if id.is_empty() {
            None
        } else {
            self.latest_with_id(choice, id, |key| key.wire_index == index)
                .or_else(|| self.latest_with_id(choice, id, |_| true))
        };
        if let Some(number) = known {
            let call = &self.all[number];
            let renamed = !name.is_empty() && !call.name.is_empty() && call.name != name;
            let moved = !name.is_empty()
                && index.is_some()
                && call.wire_index.is_some_and(|known| index != Some(known));
            let new = renamed && call.text.is_whole() || moved && call.is_whole_or_blank();
            return if new {
                self.add(choice, index, entry.kind)
            } else {
                Some(number)
            };
        }
        if index.is_some() {
            let Some(number) = self.latest(|key| key.wire_index == index && key.choice == choice)
            else {
                return self.add(choice, index, entry.kind);
            };
            let call = &self.all[number];
            let other_id = !id.is_empty() && !call.id.is_empty() && !name.is_empty();
            let new = if other_id {
                call.is_whole_or_blank()
            } else {
                id.is_empty() && !name.is_empty() && begins_anew(call, entry)
            };
            return if new {
                self.add(choice, index, entry.kind)
            } else {
                Some(number)
            };
        }
        let any = self.has_calls(choice);
        if !id.is_empty() && (!name.is_empty() || !any) {
            return self.add(choice, None, entry.kind);
        }
        if !name.is_empty() {
            let unnamed = || {
                self.all
                    .iter()
                    .rposition(|call| call.choice == choice && call.name.is_empty() && !call.ended)
            };
            return (self.unnamed != 0)
                .then(unnamed)
                .flatten()
                .or_else(|| self.add(choice, None, entry.kind));
        }
        if let Nameless::Nth(nth) = nameless {
            let nth = self
                .all
                .iter()
                .position(|call| call.choice == choice && call.index as usize == nth);
            if nth.is_some() {
                return nth;
            }
        }
        if any {
            return self
                .choice_place(choice)
                .and_then(|place| self.choices[place].touched);
        }
        self.add(choice, None, entry.kind)
    }

    // ---- messages

    /// A message begins; another one than before has its own block indexes.
    pub fn begin_message(&mut self, id: &[u8]) {
        self.act();
        if !self.message_id.is_empty() && self.message_id != id {
            self.message += 1;
            self.other_blocks.clear();
        }
        self.message_id = id[..id.len().min(self.options.name_bytes_max)].to_vec();
    }

    fn block(&self, index: Option<u32>) -> Option<usize> {
        let message = self.message;
        if index.is_some() {
            let block = self.latest(|key| key.wire_index == index);
            if block.is_some_and(|block| self.all[block].message == message) {
                return block;
            }
        }
        let mut open = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, call)| call.message == message && !call.closed && !call.ended);
        match (open.next(), open.next()) {
            (Some((number, _)), None) => Some(number),
            _ => None,
        }
    }

    /// A block that holds a call begins. `whole`: it has all its arguments.
    pub fn begin_block(&mut self, entry: &Entry<'_>, whole: bool, scratch: &mut Vec<u8>) {
        self.act();
        let index = self.usable(entry.index);
        let message = self.message;
        let repeated = if entry.id.is_empty() {
            None
        } else {
            self.latest_with_id(0, &entry.id, |key| key.wire_index == index)
                .filter(|&number| self.all[number].message == message)
        };
        let Some(number) = repeated.or_else(|| self.add(0, index, entry.kind)) else {
            return;
        };
        self.identify(number, entry);
        if whole {
            self.push(number, entry.arguments, scratch);
        } else if !is_placeholder(entry.arguments) {
            self.keep_spare(number, entry.arguments);
        }
        self.start(number);
        self.look(number, false);
    }

    /// A block begins that holds no call.
    pub fn begin_other_block(&mut self, index: Index) {
        self.act();
        if let Some(index) = self.usable(index)
            && !self.other_blocks.contains(&index)
        {
            if BLOCKS_MAX <= self.other_blocks.len() {
                self.other_blocks.remove(0);
            }
            self.other_blocks.push(index);
        }
    }

    /// A part of a block's arguments.
    pub fn block_fragment(
        &mut self,
        index: Index,
        arguments: Arguments<'_>,
        scratch: &mut Vec<u8>,
    ) {
        let index = self.usable(index);
        if index.is_some_and(|index| self.other_blocks.contains(&index)) {
            return;
        }
        let alone = self.act();
        let Some(number) = self.block(index) else {
            self.orphan(arguments);
            return;
        };
        self.push(number, arguments, scratch);
        self.look(number, false);
        if alone {
            self.effect = Effect::Continued(Continued {
                call: number,
                needs_text: false,
            });
        }
    }

    /// A fragment belongs to no call: whose text is empty may have lost it.
    fn orphan(&mut self, arguments: Arguments<'_>) {
        if let Arguments::Text([_, ..], _) | Arguments::Source(_) = arguments {
            self.orphaned = true;
        }
    }

    /// A block ends.
    pub fn end_block(&mut self, index: Index) {
        self.act();
        let index = self.usable(index);
        if let Some(index) = index
            && let Some(place) = self.other_blocks.iter().position(|&other| other == index)
        {
            self.other_blocks.swap_remove(place);
            return;
        }
        let Some(number) = self.block(index) else {
            return;
        };
        self.all[number].closed = true;
        self.use_spare(number);
        self.look(number, false);
        let call = &self.all[number];
        if !call.is_function() || call.text.is_whole() {
            self.finish(number, Stop::Interrupted);
        }
    }

    // ---- responses

    fn find_item(&self, index: Option<u32>, ids: [&[u8]; 2]) -> Option<usize> {
        if index.is_some() {
            let item = self.latest(|key| key.wire_index == index);
            if item.is_some() {
                return item;
            }
        }
        ids.into_iter().filter(|id| !id.is_empty()).find_map(|id| {
            let wanted = digest(id);
            self.latest(|key| key.id == wanted || key.item_id == wanted)
                .filter(|&number| {
                    let call = &self.all[number];
                    call.id == id || call.item_id == id
                })
        })
    }

    /// An item begins, or is `done`: then it holds its whole arguments. `cut`: the wire says that
    /// it is incomplete.
    pub fn item(&mut self, entry: &Entry<'_>, done: bool, cut: bool, scratch: &mut Vec<u8>) {
        self.act();
        let index = self.usable(entry.index);
        let found = self
            .find_item(index, [&entry.id, &entry.item_id])
            .filter(|&number| {
                // Another item in the same place is another call.
                let call = &self.all[number];
                let differs = |known: &[u8], id: &[u8]| !known.is_empty() && known != id;
                done || entry.id.is_empty()
                    || !differs(&call.id, &entry.id)
                    || !differs(&call.item_id, &entry.item_id)
            });
        let Some(number) = found.or_else(|| self.add(0, index, entry.kind)) else {
            return;
        };
        self.identify(number, entry);
        if !done {
            self.keep_spare(number, entry.arguments);
            self.look(number, false);
            return;
        }
        self.replace(number, entry.arguments, scratch);
        self.use_spare(number);
        self.look(number, false);
        self.close_item(number, cut);
    }

    fn close_item(&mut self, number: usize, cut: bool) {
        let call = &mut self.all[number];
        if call.ended {
            return;
        }
        call.closed = true;
        call.cut |= cut;
        if call.cut {
            return;
        }
        call.text.settle();
        let blank = call.text.is_blank();
        let truncated = call.text.decide(Stop::Finished).kind == Some(Kind::Truncated);
        if !call.is_function() || !blank && !truncated {
            self.finish(number, Stop::Finished);
        }
    }

    /// A part of an item's arguments, or all of them.
    pub fn item_text(
        &mut self,
        index: Index,
        id: &[u8],
        arguments: Arguments<'_>,
        whole: bool,
        scratch: &mut Vec<u8>,
    ) {
        let alone = self.act();
        let index = self.usable(index);
        let latest = if index.is_none() {
            self.all.len().checked_sub(1)
        } else {
            None
        };
        let found = self.find_item(index, [id, &[]]);
        let Some(number) = found.or(latest).or_else(|| self.block(None)) else {
            self.orphan(arguments);
            return;
        };
        if whole {
            self.replace(number, arguments, scratch);
        } else {
            self.push(number, arguments, scratch);
            if alone {
                self.effect = Effect::Continued(Continued {
                    call: number,
                    needs_text: false,
                });
            }
        }
        self.look(number, false);
    }

    /// An item of the response as it is at its end: adds what was never seen, erases nothing.
    /// `nth`: how many items that are calls stand before it.
    pub fn snapshot_item(
        &mut self,
        entry: &Entry<'_>,
        position: u32,
        nth: u32,
        cut: bool,
        scratch: &mut Vec<u8>,
    ) {
        self.act();
        let found = self
            .find_item(None, [&entry.id, &entry.item_id])
            .or_else(|| self.latest(|key| key.wire_index == Some(position)))
            .or_else(|| {
                let number = nth as usize;
                let call = self.all.get(number)?;
                let same = call.wire_index.is_none() && call.name == *entry.name;
                same.then_some(number)
            });
        if let Some(number) = found {
            if self.all[number].text.length() == 0 && self.all[number].spare.is_empty() {
                self.push(number, entry.arguments, scratch);
                self.look(number, false);
            }
            return;
        }
        let Some(number) = self.add(0, Some(position), entry.kind) else {
            return;
        };
        self.identify(number, entry);
        self.push(number, entry.arguments, scratch);
        self.look(number, false);
        self.all[number].cut = cut;
    }
}

/// Whether a verdict says more than the one that was announced last.
fn is_news(announced: Verdict, verdict: Verdict) -> bool {
    match verdict {
        Verdict::Empty | Verdict::Incomplete => false,
        Verdict::Complete => announced == Verdict::Empty,
        Verdict::Malformed => announced != Verdict::Malformed,
    }
}

/// Whether an entry that names its call begins another one at the same index.
fn begins_anew(call: &Call, entry: &Entry<'_>) -> bool {
    let opens = match entry.arguments {
        Arguments::Absent => false,
        Arguments::Text(text, _) | Arguments::Source(text) => {
            matches!(text.first(), Some(b'{' | b'['))
        }
    };
    if !opens || !call.text.is_whole() {
        return false;
    }
    let mut decoded = Vec::new();
    match entry.arguments {
        Arguments::Absent => {}
        Arguments::Text(content, _) => unescape(content, &mut 0, &mut decoded),
        Arguments::Source(text) => decoded = compact(text),
    }
    !(call.name == *entry.name && call.text.says(&decoded))
}

/// Whether arguments are the empty object that stands for those that will come.
fn is_placeholder(arguments: Arguments<'_>) -> bool {
    match arguments {
        Arguments::Absent => true,
        Arguments::Text(text, _) => text.is_empty() || text == b"{}",
        Arguments::Source(text) => compact(text) == b"{}",
    }
}

/// A JSON text without the white space between its tokens.
fn compact(source: &[u8]) -> Vec<u8> {
    let mut compact = Vec::with_capacity(source.len());
    let mut in_string = false;
    let mut escaped = false;
    for &byte in source {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            continue;
        } else {
            in_string = byte == b'"';
        }
        compact.push(byte);
    }
    compact
}

// ---- from values to what they say

/// A string's or number's text.
pub fn text_of(value: Value, event: &[u8]) -> Cow<'_, [u8]> {
    match value.kind {
        Type::Text | Type::Number => Cow::Borrowed(value.bytes(event)),
        Type::Escaped => {
            let mut text = Vec::new();
            let mut high = 0;
            unescape(value.bytes(event), &mut high, &mut text);
            if high != 0 {
                text.extend_from_slice("\u{FFFD}".as_bytes());
            }
            Cow::Owned(text)
        }
        Type::Absent | Type::Null | Type::False | Type::True | Type::Array | Type::Object => {
            Cow::Borrowed(&[])
        }
    }
}

/// A number as an index.
pub fn index_of(value: Value, event: &[u8]) -> Index {
    if value.kind != Type::Number {
        return Index::Absent;
    }
    let digits = value.bytes(event);
    let mut index = 0_u32;
    for &digit in digits {
        if !digit.is_ascii_digit() || INDEX_END <= index {
            return Index::Bad;
        }
        index = index * 10 + u32::from(digit - b'0');
    }
    if index < INDEX_END {
        Index::Usable(index)
    } else {
        Index::Bad
    }
}

/// Arguments in whichever form they came.
pub fn arguments_of(value: Value, event: &[u8]) -> Arguments<'_> {
    match value.kind {
        Type::Absent | Type::Null => Arguments::Absent,
        Type::Text => Arguments::Text(value.bytes(event), false),
        Type::Escaped => Arguments::Text(value.bytes(event), true),
        Type::False | Type::True | Type::Number | Type::Array | Type::Object => {
            Arguments::Source(value.bytes(event))
        }
    }
}

/// Notes an event's own error, where it has one: `error` as text or object, or at its top.
pub fn note_error(calls: &mut Calls, event: &Event, bytes: &[u8], at_top: bool) -> bool {
    use crate::fields::slot;
    let error = event.values[slot::ERROR];
    if !at_top && !error.is_truthy(bytes) {
        return false;
    }
    let text = |slot: usize| text_of(event.values[slot], bytes);
    let message = if error.is_text() {
        text_of(error, bytes)
    } else {
        text(slot::ERROR_MESSAGE)
    };
    calls.wire_error(&text(slot::ERROR_CODE), &text(slot::ERROR_TYPE), &message);
    true
}
