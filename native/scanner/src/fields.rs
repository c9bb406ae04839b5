//! Picks fields out of an event's JSON without building anything of it.
//!
//! A format says by [`Fields::action`] what to do with each key; the walk goes through the text
//! once, skips what nobody asked for, and leaves a [`Value`] (a type and where it stands) in each
//! slot that was named. It reads the whole text: where that is not JSON the answer is false, and
//! then nothing of it may be used.
//!
//! What it skipped, and where a fragment stands, is noted beside that ([`Spots`]): most events say
//! what the one before them said, but for these places (`template`).
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

use crate::json::Reader;
use crate::skip::{Backend, Scan, with_backend};

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
    pub start: u32,
    pub end: u32,
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

/// Values that are noted, at most.
pub const SPOTS_MAX: usize = 16;

/// Where a value begins and ends.
pub type Spot = (u32, u32);

/// Where values stand that nobody asked for, or a fragment: a string with its quotes, a number or
/// a literal.
#[derive(Clone, Copy, Debug)]
pub struct Spots {
    places: [Spot; SPOTS_MAX],
    count: u8,
    /// Which of them is the fragment.
    fragment: Option<u8>,
    /// Whether there was a fragment that is not noted.
    missed: bool,
}

impl Spots {
    const NONE: Self = Self {
        places: [(0, 0); SPOTS_MAX],
        count: 0,
        fragment: None,
        missed: false,
    };

    #[inline(always)]
    fn note(&mut self, start: usize, end: usize) -> bool {
        let Some(place) = self.places.get_mut(usize::from(self.count)) else {
            return false;
        };
        *place = (start as u32, end as u32);
        self.count += 1;
        true
    }

    #[inline(always)]
    fn note_fragment(&mut self, first: u8, start: usize, end: usize) {
        let at = self.count;
        if first == b'"' && self.fragment.is_none() && self.note(start, end) {
            self.fragment = Some(at);
        } else {
            self.missed = true;
        }
    }

    /// The places in their order, and the number of the one that is the fragment. None where there
    /// was more than one fragment, or one that is no string.
    pub fn known(&self) -> Option<(&[Spot], Option<u8>)> {
        let places = self.places.get(..usize::from(self.count))?;
        (!self.missed).then_some((places, self.fragment))
    }
}

/// What one event says.
#[derive(Clone, Debug)]
pub struct Event {
    pub values: [Value; slot::COUNT],
    /// Entries and choices in the order of their ends: a choice's entries stand before it.
    pub records: Vec<Recorded>,
    /// Whether it had more entries than can be.
    pub overflowed: bool,
    pub spots: Spots,
    /// Open containers of a value that is skipped, one bit each, 1 for an object.
    stack: Vec<u64>,
}

impl Default for Event {
    fn default() -> Self {
        Self {
            values: [Value::default(); slot::COUNT],
            records: Vec::new(),
            overflowed: false,
            spots: Spots::NONE,
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

/// Walks through an event's text; false where it is not a JSON object.
pub fn walk<F: Fields>(bytes: &[u8], event: &mut Event) -> bool {
    if u32::try_from(bytes.len()).is_err() {
        return false;
    }
    with_backend(Walk::<F> {
        bytes,
        event,
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
    fields: core::marker::PhantomData<F>,
}

impl<F: Fields> Scan for Walk<'_, F> {
    type Output = Option<()>;

    #[allow(clippy::too_many_lines, reason = "one loop over one match")]
    #[inline(always)]
    fn run<B: Backend>(self, backend: B) -> Option<()> {
        let Self { bytes, event, .. } = self;
        let mut reader = Reader::new(backend, bytes);
        let mut frames = Frames::default();
        event.values = [Value::default(); slot::COUNT];
        event.records.clear();
        event.overflowed = false;
        event.spots.count = 0;
        event.spots.fragment = None;
        event.spots.missed = false;
        reader.white();
        reader.take(b'{')?;
        frames.push(Frame::default())?;
        let mut next = Next::FirstKey;
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
                            if !matches!(first, b'{' | b'[') {
                                event.spots.note(start as usize, reader.at);
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
                            if slot == F::FRAGMENT {
                                event.spots.note_fragment(first, start as usize, reader.at);
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
                        return (reader.at == bytes.len()).then_some(());
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

/// A key with escapes in it, which nobody sends, means what it says all the same.
#[cold]
fn escaped_action<F: Fields>(context: u8, key: &[u8]) -> Action {
    if 256 < key.len() {
        return Action::Skip;
    }
    let mut plain = Vec::new();
    let mut high = 0;
    crate::unescape::unescape(key, &mut high, &mut plain);
    F::action(context, &plain)
}

#[cfg(test)]
mod tests {
    use super::{Action, Event, Fields, Record, Type, slot, walk};
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
        assert!(walk::<Sample>(text, &mut event));
        assert_eq!(event.records.len(), 2);
        assert_eq!(event.records[0].position, 1);
        assert_eq!(event.records[0].values[slot::ID].bytes(text), b"7");
        assert_eq!(event.records[1].values[slot::ID].kind, Type::Absent);
        assert_eq!(event.values[slot::FRAGMENT].kind, Type::Escaped);
        assert_eq!(event.values[slot::FRAGMENT].bytes(text), br"f\n");
        assert_eq!(event.values[slot::ERROR].kind, Type::Object);
        assert_eq!(event.values[slot::ERROR_MESSAGE].kind, Type::Null);
    }
}
