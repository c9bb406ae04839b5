//! Picks fields out of an event's JSON without building anything of it.
//!
//! A format says by [`Fields::action`] what to do with each key; the walk goes through the text
//! once, skips what nobody asked for, and leaves a [`Value`] (a type and where it stands) in each
//! slot that was named. It reads the whole text: where that is not JSON the answer is false, and
//! then nothing of it may be used.
//!
//! "JSON" means here what `JSON.parse` takes, also half surrogate pairs, huge numbers and any
//! depth: an event has to be readable, only the arguments in it are judged (by `scanner`).
//!
//! Events of one stream mostly differ behind a few hundred bytes that are the same. So the walk
//! remembers the text up to the last fragment and its own state there ([`Guess`]): where the next
//! event begins with the same bytes, it continues behind them. That is no guess about the result:
//! the same bytes lead to the same state. And where what follows the fragment is the same as well,
//! the event says what the last one said, but for the fragment ([`fragment_alone`]).
//!
//! Not checked here: UTF-8.
#![allow(
    clippy::inline_always,
    reason = "what runs inside a vector backend has to be inlined into it"
)]
#![allow(
    clippy::cast_possible_truncation,
    reason = "`walk` refuses texts of more than 4 GiB"
)]

use alloc::vec::Vec;

use crate::skip::{BLOCK, Backend, Block, Kernel, Lane, Scan, mask, with_backend};

/// What a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Type {
    /// There is none.
    #[default]
    Absent,
    Null,
    False,
    True,
    Number,
    /// A string without escapes.
    Text,
    /// A string with escapes.
    Escaped,
    Array,
    Object,
}

/// A value: what it is and where it stands. A string's place is that of its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    pub kind: Type,
    start: u32,
    end: u32,
}

impl Value {
    /// The bytes of the value in the event that it was found in.
    pub fn bytes<'a>(&self, event: &'a [u8]) -> &'a [u8] {
        event
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    /// Whether it is a string with something in it.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, Type::Text | Type::Escaped) && self.start < self.end
    }

    /// Whether JavaScript would call it true.
    pub fn is_truthy(&self, event: &[u8]) -> bool {
        match self.kind {
            Type::Absent | Type::Null | Type::False => false,
            Type::True | Type::Array | Type::Object => true,
            Type::Text | Type::Escaped => self.is_text(),
            Type::Number => self.bytes(event) != b"0",
        }
    }
}

/// Where the fields of an event stand in [`Event::values`].
pub mod slot {
    // Of one entry: a call, a block or an item.
    pub const INDEX: usize = 0;
    pub const ID: usize = 1;
    pub const ITEM_ID: usize = 2;
    pub const KIND: usize = 3;
    pub const NAME: usize = 4;
    pub const ARGUMENTS: usize = 5;
    pub const STATUS: usize = 6;
    pub const EXECUTION: usize = 7;
    pub const ENTRY: usize = 8;
    // Of one choice.
    pub const CHOICE: usize = 8;
    pub const FINISH: usize = 9;
    pub const RECORD: usize = 10;
    // Of the event.
    pub const TYPE: usize = 10;
    pub const OBJECT: usize = 11;
    pub const TOP_INDEX: usize = 12;
    pub const TOP_ITEM: usize = 13;
    pub const TOP_TEXT: usize = 14;
    pub const FRAGMENT: usize = 15;
    pub const DELTA_TYPE: usize = 16;
    pub const MESSAGE_ID: usize = 17;
    pub const STOP: usize = 18;
    pub const STATE: usize = 19;
    pub const LIST: usize = 20;
    pub const ERROR: usize = 21;
    pub const ERROR_CODE: usize = 22;
    pub const ERROR_TYPE: usize = 23;
    pub const ERROR_MESSAGE: usize = 24;
    /// For what has to go somewhere.
    pub const NOWHERE: usize = 25;
    pub const COUNT: usize = 26;
}

/// What to do with a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Skip,
    /// Take the value into a slot.
    Take(usize),
    /// Take the value into a slot, and where it is an object go through its keys in a context.
    Enter(u8, usize),
    /// Take the value into a slot, and where it is an array go through the keys of each object in
    /// it in a context.
    Each(u8, usize),
}

/// How a context is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    Not,
    /// A call, block or item.
    Entry,
    Choice,
}

/// Which fields a wire format has.
pub trait Fields {
    /// The slot in which fragments stand.
    const FRAGMENT: usize;
    /// What to do with a key in a context; the top object's context is 0.
    fn action(context: u8, key: &[u8]) -> Action;
    /// How a context is recorded.
    fn record(context: u8) -> Record;
}

/// One entry or choice of an event, complete.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    pub context: u8,
    /// Its place in the array that holds it.
    pub position: u32,
    pub values: [Value; slot::RECORD],
}

/// Entries that one event may have.
const RECORDS_MAX: usize = 1 << 16;

/// What one event says.
#[derive(Clone, Debug)]
pub struct Event {
    pub values: [Value; slot::COUNT],
    /// Entries and choices in the order of their ends: a choice's entries stand before it.
    pub records: Vec<Recorded>,
    /// Whether it had more entries than can be.
    pub overflowed: bool,
    /// Open containers of a value that is skipped, one bit each, 1 for an object.
    stack: Vec<u64>,
}

impl Default for Event {
    fn default() -> Self {
        Self {
            values: [Value::default(); slot::COUNT],
            records: Vec::new(),
            overflowed: false,
            stack: Vec::new(),
        }
    }
}

/// Containers that a format goes into, at most.
const FRAMES_MAX: usize = 12;

#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    context: u8,
    is_array: bool,
    /// Of an object its place in the array around it; of an array how many items it had.
    position: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Frames {
    frames: [Frame; FRAMES_MAX],
    depth: u8,
}

impl Frames {
    #[inline(always)]
    fn push(&mut self, frame: Frame) -> Option<()> {
        *self.frames.get_mut(usize::from(self.depth))? = frame;
        self.depth += 1;
        Some(())
    }

    #[inline(always)]
    fn top(&mut self) -> Option<&mut Frame> {
        self.frames.get_mut(usize::from(self.depth).checked_sub(1)?)
    }
}

/// Prefixes and tails that are longer are not remembered.
const PREFIX_MAX: usize = 1024;
const TAIL_MAX: usize = 256;

/// So many prefixes may be remembered in vain, one after another.
const MISSES_MAX: u8 = 16;

/// What the walk remembers of an event up to its first fragment.
#[derive(Clone, Debug)]
pub struct Guess {
    /// The text of an event up to the content of its first fragment.
    prefix: Vec<u8>,
    /// Where in it a number stands that was skipped and may be another one, or 0 and 0.
    number: (usize, usize),
    /// The text of such an event from the end of that content on, without the last brace and the
    /// white space before it; it was read to its end.
    tail: Vec<u8>,
    /// Where in it the content of a string stands that was skipped and may be another, or 0 and 0.
    string: (usize, usize),
    /// How often in a row a prefix was remembered in vain.
    misses: u8,
    /// Whether the last event that was walked through was `prefix`, a fragment and `tail`.
    is_last: bool,
    values: [Value; slot::COUNT],
    frames: Frames,
}

impl Default for Guess {
    fn default() -> Self {
        Self {
            prefix: Vec::new(),
            number: (0, 0),
            tail: Vec::new(),
            string: (0, 0),
            misses: 0,
            is_last: false,
            values: [Value::default(); slot::COUNT],
            frames: Frames::default(),
        }
    }
}

impl Guess {
    /// Bytes of memory beside the structure itself.
    pub fn kept(&self) -> usize {
        self.prefix.capacity() + self.tail.capacity()
    }

    /// Whether the next event may begin as this one does. Where that was often hoped for in vain, it
    /// is tried only now and then.
    fn is_worth_it(&mut self) -> bool {
        self.misses = self.misses.wrapping_add(1);
        self.misses <= MISSES_MAX || self.misses.is_multiple_of(MISSES_MAX)
    }

    /// Whether an event begins as the remembered one does. A number that is skipped may differ,
    /// where it has as many digits: then everything behind it stands in the same place.
    #[inline(always)]
    fn begins(&self, bytes: &[u8]) -> bool {
        let (start, end) = self.number;
        let Some(begun) = bytes.get(..self.prefix.len()) else {
            return false;
        };
        if end == 0 {
            return begun == self.prefix;
        }
        let digits = &begun[start..end];
        begun[end..] == self.prefix[end..]
            && begun[..start] == self.prefix[..start]
            && digits.iter().all(u8::is_ascii_digit)
            && (digits.len() == 1 || digits[0] != b'0')
    }

    /// Takes note of how an event that was read to its end went on behind its fragment. `string`
    /// is where the content of the last string that was skipped there stands, or 0 and 0.
    fn note_tail(&mut self, bytes: &[u8], fragment_end: usize, string: (usize, usize)) {
        let tail = without_brace(&bytes[fragment_end..]);
        self.is_last = tail.len() <= TAIL_MAX;
        if !self.is_last {
            return;
        }
        self.string = if string.1 == 0 {
            (0, 0)
        } else {
            (string.0 - fragment_end, string.1 - fragment_end)
        };
        if self.tail != tail {
            self.tail.clear();
            self.tail.reserve_exact(tail.len());
            self.tail.extend_from_slice(tail);
        }
    }
}

/// The end of an object without its last brace and the white space before it, which some servers
/// fill events up with.
#[inline(always)]
fn without_brace(tail: &[u8]) -> &[u8] {
    tail.strip_suffix(b"}").unwrap_or(tail).trim_ascii_end()
}

/// Where an event says what the one that was walked through last says, but for its fragment: the
/// fragment. Only what was skipped may differ besides.
pub fn fragment_alone(bytes: &[u8], guess: &Guess) -> Option<Value> {
    struct Alone<'a>(&'a [u8], &'a Guess);
    impl Scan for Alone<'_> {
        type Output = Option<Value>;
        #[inline(always)]
        fn run<B: Backend>(self, backend: B) -> Option<Value> {
            let Self(bytes, guess) = self;
            if !guess.begins(bytes) {
                return None;
            }
            let mut reader = Reader::new(backend, bytes);
            reader.at = guess.prefix.len();
            let fragment = reader.string_content()?;
            let end = fragment.end as usize;
            let (start, behind) = guess.string;
            if behind == 0 {
                let tail = bytes.get(end..)?.strip_suffix(b"}")?;
                return (tail == guess.tail || tail.trim_ascii_end() == guess.tail)
                    .then_some(fragment);
            }
            if bytes.get(end..end + start)? != guess.tail.get(..start)? {
                return None;
            }
            reader.at = end + start;
            let string = reader.string_content()?;
            let tail = bytes.get(string.end as usize..)?.strip_suffix(b"}")?;
            (tail.trim_ascii_end() == guess.tail.get(behind..)?).then_some(fragment)
        }
    }
    if !guess.is_last || u32::try_from(bytes.len()).is_err() {
        return None;
    }
    with_backend(Alone(bytes, guess))
}

/// Walks through an event's text; false where it is not a JSON object.
pub fn walk<F: Fields>(bytes: &[u8], event: &mut Event, guess: &mut Guess) -> bool {
    if u32::try_from(bytes.len()).is_err() {
        return false;
    }
    with_backend(Walk::<F> {
        bytes,
        event,
        guess,
        fields: core::marker::PhantomData,
    })
    .is_some()
}

/// Where the walk is.
#[derive(Clone, Copy)]
enum Next {
    FirstKey,
    Key,
    FirstItem,
    Item,
    AfterValue,
}

struct Walk<'a, F> {
    bytes: &'a [u8],
    event: &'a mut Event,
    guess: &'a mut Guess,
    fields: core::marker::PhantomData<F>,
}

impl<F: Fields> Scan for Walk<'_, F> {
    type Output = Option<()>;

    #[allow(clippy::too_many_lines, reason = "one loop over one match")]
    #[inline(always)]
    fn run<B: Backend>(self, backend: B) -> Option<()> {
        let Self {
            bytes,
            event,
            guess,
            ..
        } = self;
        let mut reader = Reader::new(backend, bytes);
        let mut frames;
        let mut next;
        let mut remember = true;
        // Where the fragment behind the remembered prefix ends, once there is one, and where the
        // last number before it and the last string behind it stand that were skipped.
        let mut fragment_end = 0;
        let mut number = (0, 0);
        let mut string = (0, 0);
        guess.is_last = false;
        event.records.clear();
        event.overflowed = false;
        if !guess.prefix.is_empty() && guess.begins(bytes) {
            remember = false;
            guess.misses = 0;
            event.values = guess.values;
            frames = guess.frames;
            reader.at = guess.prefix.len();
            let fragment = reader.string_content()?;
            fragment_end = fragment.end as usize;
            event.values[F::FRAGMENT] = fragment;
            next = Next::AfterValue;
        } else {
            event.values = [Value::default(); slot::COUNT];
            frames = Frames::default();
            reader.white();
            reader.take(b'{')?;
            frames.push(Frame::default())?;
            next = Next::FirstKey;
        }
        loop {
            match next {
                Next::FirstKey | Next::Key => {
                    if matches!(next, Next::FirstKey) && reader.peek()? == b'}' {
                        next = Next::AfterValue;
                        continue;
                    }
                    reader.take(b'"')?;
                    let key = reader.string_content()?;
                    reader.white();
                    reader.take(b':')?;
                    reader.white();
                    let context = frames.top()?.context;
                    let action = match key.kind {
                        Type::Text => F::action(context, key.bytes(bytes)),
                        _ => escaped_action::<F>(context, key.bytes(bytes)),
                    };
                    let first = reader.first()?;
                    let start = reader.at as u32;
                    next = Next::AfterValue;
                    match action {
                        Action::Skip => {
                            reader.skip(&mut event.stack)?;
                            if first == b'"' && fragment_end != 0 {
                                string = (start as usize + 1, reader.at - 1);
                            } else if first.is_ascii_digit() && fragment_end == 0 {
                                number = (start as usize, reader.at);
                            }
                        }
                        Action::Enter(context, slot) if first == b'{' => {
                            reader.at += 1;
                            event.values[slot] = Value {
                                kind: Type::Object,
                                start,
                                end: start,
                            };
                            frames.push(Frame {
                                context,
                                ..Frame::default()
                            })?;
                            begin::<F>(context, event);
                            next = Next::FirstKey;
                        }
                        Action::Each(context, slot) if first == b'[' => {
                            reader.at += 1;
                            event.values[slot] = Value {
                                kind: Type::Array,
                                start,
                                end: start,
                            };
                            frames.push(Frame {
                                context,
                                is_array: true,
                                position: 0,
                            })?;
                            next = Next::FirstItem;
                        }
                        Action::Take(slot) | Action::Enter(_, slot) | Action::Each(_, slot) => {
                            let value = reader.value(&mut event.stack)?;
                            if remember && slot == F::FRAGMENT && event.records.is_empty() {
                                remember = false;
                                if guess.is_worth_it() {
                                    remember_prefix(guess, bytes, value, event, frames, number);
                                    fragment_end = value.end as usize;
                                }
                            }
                            event.values[slot] = value;
                        }
                    }
                }
                Next::FirstItem | Next::Item => {
                    let first = reader.peek()?;
                    if matches!(next, Next::FirstItem) && first == b']' {
                        next = Next::AfterValue;
                        continue;
                    }
                    let array = frames.top()?;
                    let (context, position) = (array.context, array.position);
                    array.position += 1;
                    if first == b'{' {
                        reader.at += 1;
                        frames.push(Frame {
                            context,
                            is_array: false,
                            position,
                        })?;
                        begin::<F>(context, event);
                        next = Next::FirstKey;
                    } else {
                        reader.skip(&mut event.stack)?;
                        next = Next::AfterValue;
                    }
                }
                Next::AfterValue => {
                    let frame = *frames.top()?;
                    match (reader.peek()?, frame.is_array) {
                        (b',', is_array) => {
                            reader.at += 1;
                            reader.white();
                            next = if is_array { Next::Item } else { Next::Key };
                        }
                        (b'}', false) => {
                            reader.at += 1;
                            end::<F>(frame, event);
                            frames.depth -= 1;
                        }
                        (b']', true) => {
                            reader.at += 1;
                            frames.depth -= 1;
                        }
                        _ => return None,
                    }
                    if frames.depth == 0 {
                        reader.white();
                        if reader.at != bytes.len() {
                            return None;
                        }
                        if fragment_end != 0 && !guess.prefix.is_empty() {
                            guess.note_tail(bytes, fragment_end, string);
                        }
                        return Some(());
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn begin<F: Fields>(context: u8, event: &mut Event) {
    match F::record(context) {
        Record::Not => {}
        Record::Entry => event.values[..slot::ENTRY].fill(Value::default()),
        Record::Choice => event.values[slot::CHOICE..slot::RECORD].fill(Value::default()),
    }
}

#[inline(always)]
fn end<F: Fields>(frame: Frame, event: &mut Event) {
    if F::record(frame.context) == Record::Not {
        return;
    }
    if RECORDS_MAX <= event.records.len() {
        event.overflowed = true;
        return;
    }
    if let Some(values) = event.values.first_chunk() {
        event.records.push(Recorded {
            context: frame.context,
            position: frame.position,
            values: *values,
        });
    }
}

/// Remembers the way to a fragment, where its text is one.
#[cold]
fn remember_prefix(
    guess: &mut Guess,
    bytes: &[u8],
    value: Value,
    event: &Event,
    frames: Frames,
    number: (usize, usize),
) {
    guess.prefix.clear();
    let (start, end) = number;
    let digits = bytes.get(start..end).unwrap_or_default();
    guess.number = if digits.iter().all(u8::is_ascii_digit) {
        number
    } else {
        (0, 0)
    };
    let prefix = &bytes[..value.start as usize];
    if matches!(value.kind, Type::Text | Type::Escaped) && prefix.len() <= PREFIX_MAX {
        guess.prefix.reserve_exact(prefix.len());
        guess.prefix.extend_from_slice(prefix);
        guess.values = event.values;
        guess.frames = frames;
    }
}

/// A key with escapes in it, which nobody sends, means what it says all the same.
#[cold]
fn escaped_action<F: Fields>(context: u8, key: &[u8]) -> Action {
    if 256 < key.len() {
        return Action::Skip;
    }
    let mut plain = Vec::new();
    let mut high = 0;
    crate::text::unescape(key, &mut high, &mut plain);
    F::action(context, &plain)
}

/// Looks for whatever a run of plain string bytes stops at: quotes, backslashes, control bytes.
#[derive(Clone, Copy)]
struct Stops;

impl Kernel for Stops {
    #[inline(always)]
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64 {
        backend.string_stops(block) | backend.equal(block, b'\\')
    }

    #[inline(always)]
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16 {
        backend.string_stops_in_lane(lane) | backend.equal_in_lane(lane, b'\\')
    }
}

/// Reads values; every method answers `None` where the text is not JSON.
struct Reader<'a, B> {
    backend: B,
    bytes: &'a [u8],
    at: usize,
    /// The block whose mask is known, and the mask.
    block: usize,
    stops: u64,
}

impl<'a, B: Backend> Reader<'a, B> {
    #[inline(always)]
    fn new(backend: B, bytes: &'a [u8]) -> Self {
        Self {
            backend,
            bytes,
            at: 0,
            block: usize::MAX,
            stops: 0,
        }
    }

    #[inline(always)]
    fn first(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline(always)]
    fn take(&mut self, byte: u8) -> Option<()> {
        if self.first()? != byte {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// The next byte that is not white space.
    #[inline(always)]
    fn peek(&mut self) -> Option<u8> {
        self.white();
        self.first()
    }

    #[inline(always)]
    fn white(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.first() {
            self.at += 1;
        }
    }

    /// The next quote, backslash or control byte at or behind the place, or the end.
    #[inline(always)]
    fn string_stop(&mut self) -> usize {
        let mut at = self.at;
        loop {
            let block = at / BLOCK;
            if block != self.block {
                let Some(rest) = self.bytes.get(block * BLOCK..) else {
                    return self.bytes.len();
                };
                self.block = block;
                self.stops = mask(self.backend, rest, Stops);
            }
            let ahead = self.stops >> (at % BLOCK);
            if ahead != 0 {
                return (at + ahead.trailing_zeros() as usize).min(self.bytes.len());
            }
            at = (block + 1) * BLOCK;
            if self.bytes.len() <= at {
                return self.bytes.len();
            }
        }
    }

    /// Reads on behind an opening quote, past the closing one.
    #[inline(always)]
    fn string_content(&mut self) -> Option<Value> {
        let start = self.at;
        let mut kind = Type::Text;
        loop {
            let stop = self.string_stop();
            match self.bytes.get(stop)? {
                b'"' => {
                    self.at = stop + 1;
                    return Some(Value {
                        kind,
                        start: start as u32,
                        end: stop as u32,
                    });
                }
                b'\\' => {
                    kind = Type::Escaped;
                    match self.bytes.get(stop + 1)? {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                            self.at = stop + 2;
                        }
                        b'u' => {
                            let digits = self.bytes.get(stop + 2..stop + 6)?;
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                return None;
                            }
                            self.at = stop + 6;
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
    }

    /// Reads a value and says where it stands.
    #[inline(always)]
    fn value(&mut self, stack: &mut Vec<u64>) -> Option<Value> {
        let start = self.at as u32;
        let kind = match self.first()? {
            b'"' => {
                self.at += 1;
                return self.string_content();
            }
            b'{' => Type::Object,
            b'[' => Type::Array,
            b't' => Type::True,
            b'f' => Type::False,
            b'n' => Type::Null,
            _ => Type::Number,
        };
        self.skip(stack)?;
        Some(Value {
            kind,
            start,
            end: self.at as u32,
        })
    }

    /// Reads past a value.
    #[inline(always)]
    fn skip(&mut self, stack: &mut Vec<u64>) -> Option<()> {
        match self.first()? {
            b'"' => {
                self.at += 1;
                self.string_content().map(|_| ())
            }
            b'{' | b'[' => self.container(stack),
            _ => self.scalar(),
        }
    }

    #[inline(always)]
    fn scalar(&mut self) -> Option<()> {
        let word: &[u8] = match self.first()? {
            b't' => b"true",
            b'f' => b"false",
            b'n' => b"null",
            _ => return self.number(),
        };
        if !self.bytes[self.at..].starts_with(word) {
            return None;
        }
        self.at += word.len();
        Some(())
    }

    #[inline(always)]
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.first().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (start < self.at).then_some(())
    }

    #[inline(always)]
    fn number(&mut self) -> Option<()> {
        if self.first()? == b'-' {
            self.at += 1;
        }
        if self.first()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.first() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.first() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.first() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Reads past an array or object of any depth.
    #[inline(never)]
    fn container(&mut self, stack: &mut Vec<u64>) -> Option<()> {
        stack.clear();
        let mut depth = 0_usize;
        // The innermost 64 levels; those around them are in `stack`.
        let mut bits = 0_u64;
        loop {
            // A value is due.
            match self.peek()? {
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    if depth != 0 && depth.is_multiple_of(64) {
                        stack.push(bits);
                    }
                    depth += 1;
                    bits = bits << 1 | u64::from(open == b'{');
                    let close = if open == b'{' { b'}' } else { b']' };
                    if self.peek()? != close {
                        if open == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'"' => {
                    self.at += 1;
                    self.string_content()?;
                }
                _ => self.scalar()?,
            }
            // A value has ended.
            loop {
                let in_object = bits & 1 == 1;
                match (self.peek()?, in_object) {
                    (b',', _) => {
                        self.at += 1;
                        if in_object {
                            self.white();
                            self.key()?;
                        }
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.at += 1;
                        depth -= 1;
                        if depth == 0 {
                            return Some(());
                        }
                        bits >>= 1;
                        if depth.is_multiple_of(64) {
                            bits = stack.pop()?;
                        }
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Reads past a key and its colon.
    #[inline(always)]
    fn key(&mut self) -> Option<()> {
        self.take(b'"')?;
        self.string_content()?;
        self.white();
        self.take(b':')
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Action, Event, Fields, Guess, Reader, Record, Type, Value, fragment_alone, slot, walk,
    };
    use crate::skip::{Backend, Scan, with_backend};
    use std::prelude::v1::*;

    struct Sample;

    impl Fields for Sample {
        const FRAGMENT: usize = slot::FRAGMENT;

        fn action(context: u8, key: &[u8]) -> Action {
            match (context, key) {
                (0, b"items") => Action::Each(1, slot::LIST),
                (0, b"error") => Action::Enter(2, slot::ERROR),
                (0, b"text") => Action::Take(slot::FRAGMENT),
                (1, b"id") => Action::Take(slot::ID),
                (2, b"message") => Action::Take(slot::ERROR_MESSAGE),
                _ => Action::Skip,
            }
        }

        fn record(context: u8) -> Record {
            if context == 1 {
                Record::Entry
            } else {
                Record::Not
            }
        }
    }

    #[test]
    fn takes_what_the_format_names_and_nothing_else() {
        let text = br#" {"x":[{"id":1},{"y":[]}],"items":[null,{"id":"a","id":7},{}],"t\u0065xt":"f\n","error":{"message":null}} "#;
        let mut event = Event::default();
        assert!(walk::<Sample>(text, &mut event, &mut Guess::default()));
        assert_eq!(event.records.len(), 2);
        assert_eq!(event.records[0].position, 1);
        assert_eq!(event.records[0].values[slot::ID].bytes(text), b"7");
        assert_eq!(event.records[1].values[slot::ID].kind, Type::Absent);
        assert_eq!(event.values[slot::FRAGMENT].kind, Type::Escaped);
        assert_eq!(event.values[slot::FRAGMENT].bytes(text), br"f\n");
        assert_eq!(event.values[slot::ERROR].kind, Type::Object);
        assert_eq!(event.values[slot::ERROR_MESSAGE].kind, Type::Null);
    }

    #[test]
    fn a_remembered_prefix_changes_nothing() {
        let texts = [
            r#"{"items":[],"text":"one","z":1}"#,
            r#"{"items":[],"text":"two","z":1}"#,
            r#"{"items":[],"text":"a \"longer\" one","error":"no"}"#,
            r#"{"items":[],"text":"cut"#,
            r#"{"items":[],"text":"bad" 1}"#,
            r#"{"items":[{"id":"x"}],"text":"late"}"#,
            r#"{"text":5}"#,
            r#"{"n":10,"text":"one","fill":"abc"}"#,
            r#"{"n":11,"text":"two","fill":"a\"b"}"#,
            r#"{"n":9,"text":"three","fill":""  }"#,
            r#"{"n":01,"text":"four","fill":"x"}"#,
            r#"{"n":8,"text":"five","fill":"x"   }"#,
            r#"{"n":8,"text":"five","fill":"x" , }"#,
            r#"{"n":8,"text":"five","fill":"x","error":"no"}"#,
            r#"{"n":8,"text":"five","fill":"x","fill":"y"}"#,
            r#"{"n":8,"text":"five"}"#,
            r#"{"n":8,"text":"six"  }"#,
            r#"{"n":8,"text":"six"  }}"#,
        ];
        let mut guess = Guess::default();
        let kinds = |event: &Event| event.values.map(|value| value.kind);
        let mut last = kinds(&Event::default());
        let mut alone = 0;
        for text in texts.into_iter().flat_map(|text| [text, text]) {
            let mut event = Event::default();
            let mut fresh = Event::default();
            let expected = walk::<Sample>(text.as_bytes(), &mut fresh, &mut Guess::default());
            if let Some(fragment) = fragment_alone(text.as_bytes(), &guess) {
                alone += 1;
                assert!(expected, "{text}");
                assert_eq!(fragment, fresh.values[slot::FRAGMENT], "{text}");
                assert_eq!(kinds(&fresh), last, "{text}");
            }
            last = kinds(&fresh);
            let whole = walk::<Sample>(text.as_bytes(), &mut event, &mut guess);
            assert_eq!(whole, expected, "{text}");
            if whole {
                assert_eq!(event.values, fresh.values, "{text}");
                assert_eq!(event.records.len(), fresh.records.len(), "{text}");
            }
        }
        // Or nothing was shown.
        assert_eq!(alone, 14);
    }

    /// Reads one value by itself.
    fn value(bytes: &[u8], event: &mut Event) -> Option<Value> {
        struct One<'a>(&'a [u8], &'a mut Vec<u64>);
        impl Scan for One<'_> {
            type Output = Option<Value>;
            #[inline(always)]
            fn run<B: Backend>(self, backend: B) -> Option<Value> {
                let mut reader = Reader::new(backend, self.0);
                reader.white();
                reader.value(self.1)
            }
        }
        with_backend(One(bytes, &mut event.stack))
    }

    #[test]
    fn reads_what_json_parse_reads() {
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        let mixed = "{\"a\":[".repeat(100) + "1" + &"]}".repeat(100);
        let good = [
            "{}",
            "[]",
            "[1,-0,0.5,1e999,12E-3]",
            "\"\\ud800\"",
            "[true,false,null]",
            "{\"a\":{\"b\":[{}]}}",
            "[ 1 , 2 ]",
            "{ \"a\" : 1 , \"b\" : [ ] }",
            &deep,
            &mixed,
        ];
        let bad = [
            "",
            "{",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{1:2}",
            "[}",
            "{]",
            "01",
            "1.",
            "-",
            "1e",
            "tru",
            "\"\\x\"",
            "\"\\u12\"",
            "\"a\nb\"",
            "{\"a\":[}]",
            &deep[..1999],
            &mixed[..700],
        ];
        let read = |text: &str| {
            let mut event = Event::default();
            value(text.as_bytes(), &mut event).is_some_and(|value| {
                value.end as usize
                    + usize::from(value.kind == Type::Text || value.kind == Type::Escaped)
                    == text.len()
            })
        };
        for text in good {
            assert!(read(text), "{text}");
        }
        for text in bad {
            assert!(!read(text), "{text}");
        }
    }
}
