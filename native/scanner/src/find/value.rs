//! A JSON value that may be a call, or hold one, while the grammar reads it.
//!
//! Calls are looked for where the format puts them: the value itself, an array's items, and the
//! members that wrap a call (`function`, `tool_calls` and their like). What lies deeper, such as a
//! call's own arguments, is data.
//!
//! Kept are the keys and names of such objects, and the text of their arguments; nothing else.

use alloc::vec::Vec;
use core::mem::take;

use super::tally::{Ambiguity, Call, Flaw, Tally};
use crate::grammar::Observer;
use crate::skip::Backend;
use crate::unescape;

/// Levels in which calls are looked for: more than any format has.
pub const LEVELS_MAX: usize = 8;

/// Units of a key that are kept; no key that says something is longer, however it is escaped.
const KEY_MAX: usize = 128;

/// What a member of an object in a call's place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// The tool's name.
    Name,
    /// The tool's name where it is a string, and what wraps the call where it is not.
    Function,
    /// What wraps a call or calls.
    Wrapper,
    Arguments,
    /// Arguments in a call, and their schema in a tool's definition.
    Parameters,
    /// What formats and prompts put beside a call: ids, and the model's reasons.
    Label,
    /// Anything else. Beside arguments it may be one that was misplaced.
    Other,
}

fn key_of(key: &[u8]) -> Key {
    match key {
        b"tool" | b"name" | b"tool_name" => Key::Name,
        b"function" => Key::Function,
        b"tool_call" | b"tool_calls" | b"function_call" => Key::Wrapper,
        b"arguments" => Key::Arguments,
        b"parameters" => Key::Parameters,
        b"id" | b"type" | b"index" | b"call_id" | b"tool_call_id" | b"thought" | b"thoughts"
        | b"thinking" | b"reasoning" | b"reason" | b"rationale" | b"explanation" | b"comment" => {
            Key::Label
        }
        _ => Key::Other,
    }
}

/// What stands behind the key of the arguments, with its colon.
#[derive(Debug)]
enum Arguments {
    /// There is no such key yet.
    None,
    Open(Vec<u16>),
    Whole(Vec<u16>),
}

impl Arguments {
    fn are_given(&self) -> bool {
        !matches!(self, Self::None)
    }

    fn capacity(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Open(text) | Self::Whole(text) => text.capacity(),
        }
    }
}

/// An object or array in a call's place.
#[derive(Debug)]
struct Frame {
    object: bool,
    /// The current member, from the end of its key on.
    key: Option<Key>,
    name: Option<Vec<u16>>,
    arguments: Arguments,
    too_large: bool,
    ambiguity: Option<Ambiguity>,
    /// Whether there are members that are no part of a call.
    others: bool,
    schema: Schema,
}

/// Whether a call's `parameters` are those of a tool's definition: an object with `"type": "object"`
/// and `properties`.
#[derive(Clone, Copy, Debug, Default)]
struct Schema {
    /// The current member, from the end of its key on.
    key: Option<SchemaKey>,
    type_object: bool,
    properties: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SchemaKey {
    Type,
    Properties,
    Other,
}

impl Frame {
    fn new(object: bool) -> Self {
        Self {
            object,
            key: None,
            name: None,
            arguments: Arguments::None,
            too_large: false,
            ambiguity: None,
            others: false,
            schema: Schema::default(),
        }
    }

    /// Whether a container that opens now is in a call's place too.
    fn leads_on(&self) -> bool {
        !self.object || matches!(self.key, Some(Key::Function | Key::Wrapper))
    }
}

/// What is known of the value between chunks.
#[derive(Debug, Default)]
pub struct Value {
    frames: Vec<Frame>,
    /// Open containers below the last frame.
    below: usize,
    /// The key or name that is being read, as far as it is kept.
    token: Vec<u16>,
    capturing: bool,
    /// Whether a call has begun: it is one, or nothing can be run.
    pub begun: bool,
    /// Whether a member was seen that calls have.
    pub hinted: bool,
    /// How many calls have ended.
    pub calls: u64,
}

impl Value {
    /// Starts over; `marked` says that a mark before the value announces a call.
    pub fn restart(&mut self, marked: bool) {
        self.frames.clear();
        self.below = 0;
        self.capturing = false;
        self.begun = marked;
        self.hinted = false;
        self.calls = 0;
    }

    /// Bytes that are held.
    pub fn memory(&self) -> usize {
        let units = self
            .frames
            .iter()
            .map(|frame| frame.name.as_ref().map_or(0, Vec::capacity) + frame.arguments.capacity());
        (self.token.capacity() + units.sum::<usize>()) * size_of::<u16>()
    }
}

/// Watches the grammar read one chunk of the value.
pub struct Watch<'a> {
    pub value: &'a mut Value,
    pub tally: &'a mut Tally,
    pub names: &'a [Vec<u16>],
    /// The chunk's units, at the indexes of its bytes.
    pub units: &'a [u16],
    /// Where the text of the arguments, and the token, go on in the chunk.
    pub arguments_from: usize,
    pub token_from: usize,
    /// Whether a mark announces a call.
    pub marked: bool,
    pub length_max: usize,
}

impl Watch<'_> {
    /// Keeps what the chunk's end cuts off.
    pub fn suspend(&mut self) {
        let end = self.units.len();
        self.keep_token(end);
        self.token_from = 0;
        self.keep_arguments(end);
        self.arguments_from = 0;
    }

    fn capture(&mut self, start: usize) {
        self.value.token.clear();
        self.value.capturing = true;
        self.token_from = start;
    }

    /// Keeps the token up to `end`. One beyond the limit tells that it is too long.
    fn keep_token(&mut self, end: usize) {
        let Value {
            token, capturing, ..
        } = &mut *self.value;
        if *capturing {
            let more = self.units.get(self.token_from..end).unwrap_or_default();
            let room = (self.length_max.max(KEY_MAX) + 1).saturating_sub(token.len());
            token.extend_from_slice(&more[..more.len().min(room)]);
        }
    }

    fn keep_arguments(&mut self, end: usize) {
        let Some(Frame {
            arguments: Arguments::Open(arguments),
            too_large,
            ..
        }) = self.value.frames.last_mut()
        else {
            return;
        };
        let more = self.units.get(self.arguments_from..end).unwrap_or_default();
        if *too_large || self.length_max < arguments.len() + more.len() {
            *too_large = true;
            *arguments = Vec::new();
        } else {
            arguments.extend_from_slice(more);
        }
    }

    /// A member of the object in a call's place has ended before this index.
    fn end_member(&mut self, end: usize) {
        self.keep_arguments(end);
        if let Some(frame) = self.value.frames.last_mut() {
            frame.key = None;
            if let Arguments::Open(text) = &mut frame.arguments {
                frame.arguments = Arguments::Whole(take(text));
            }
        }
    }

    fn take_key(&mut self, end: usize) {
        let too_long = KEY_MAX < self.value.token.len();
        let key = if too_long {
            Key::Other
        } else {
            key_of(&unescape::utf8_of(&self.value.token))
        };
        self.value.hinted |= !matches!(key, Key::Label | Key::Other);
        let Some(frame) = self.value.frames.last_mut() else {
            return;
        };
        frame.key = Some(key);
        match key {
            Key::Arguments | Key::Parameters if frame.arguments.are_given() => {
                frame.ambiguity = Some(Ambiguity::Arguments);
                frame.key = Some(Key::Other);
            }
            Key::Arguments | Key::Parameters => {
                frame.arguments = Arguments::Open(Vec::new());
                self.arguments_from = end + 1;
            }
            Key::Wrapper | Key::Other => frame.others = true,
            Key::Name | Key::Function | Key::Label => {}
        }
        self.value.begun |= frame.name.is_some() && frame.arguments.are_given();
    }

    fn take_name(&mut self) {
        let name = unescape::utf16_of(&self.value.token);
        let too_long = self.length_max < self.value.token.len();
        if let Some(frame) = self.value.frames.last_mut() {
            frame.too_large |= too_long;
            match &frame.name {
                Some(other) if *other != name => frame.ambiguity = Some(Ambiguity::Names),
                _ => frame.name = Some(name),
            }
            self.value.begun |= frame.arguments.are_given();
        }
    }

    /// A string inside of `parameters`, at their first level.
    fn take_schema(&mut self, key: bool) {
        if let Some(Frame { schema, .. }) = self.value.frames.last_mut() {
            let text = unescape::utf8_of(&self.value.token);
            if key {
                schema.key = Some(match &text[..] {
                    b"type" => SchemaKey::Type,
                    b"properties" => SchemaKey::Properties,
                    _ => SchemaKey::Other,
                });
            } else if schema.key == Some(SchemaKey::Type) {
                schema.type_object |= text == b"object";
            }
        }
    }

    /// An object in a call's place has closed.
    fn end_object(&mut self, frame: Frame) {
        let Some(name) = frame.name else {
            return;
        };
        if !frame.arguments.are_given() {
            let announced = self.marked || self.names.contains(&name);
            if frame.others || !announced {
                return;
            }
        }
        self.value.begun = true;
        self.value.calls += 1;
        let definition = frame.schema.type_object && frame.schema.properties;
        if frame.too_large {
            self.tally.note_flaw(Flaw::TooLarge);
        } else if let Some(ambiguity) = frame.ambiguity {
            self.tally.note_ambiguity(ambiguity);
        } else if definition {
            self.tally.note_ambiguity(Ambiguity::Definition);
        } else if frame.others {
            self.tally.note_ambiguity(Ambiguity::Members);
        } else {
            let arguments = match frame.arguments {
                Arguments::None => Vec::new(),
                Arguments::Open(member) | Arguments::Whole(member) => arguments_text(member),
            };
            self.tally.note_call(Call {
                name,
                arguments,
                start: 0,
                end: 0,
            });
        }
    }
}

impl Observer for Watch<'_> {
    fn string_begins(&mut self, start: usize) {
        let Value { frames, below, .. } = &*self.value;
        let Some(frame) = frames.last() else {
            return;
        };
        let wanted = match below {
            0 => match frame.key {
                None => frame.object,
                Some(key) => matches!(key, Key::Name | Key::Function),
            },
            1 => {
                frame.key == Some(Key::Parameters)
                    && matches!(frame.schema.key, None | Some(SchemaKey::Type))
            }
            _ => false,
        };
        if wanted {
            self.capture(start);
        }
    }

    fn string_ends<B: Backend>(&mut self, _: B, _: &[u8], end: usize, key: bool) {
        if !self.value.capturing {
            return;
        }
        self.keep_token(end);
        self.value.capturing = false;
        if self.value.below != 0 {
            self.take_schema(key);
        } else if key {
            self.take_key(end);
        } else {
            self.take_name();
        }
    }

    fn opens(&mut self, object: bool) {
        let Value { frames, below, .. } = &mut *self.value;
        let leads_on = frames.last().is_none_or(Frame::leads_on);
        if *below == 0 && leads_on && frames.len() < LEVELS_MAX {
            if let Some(frame) = frames.last_mut() {
                // It wraps something, so it is more than a name.
                frame.others = true;
            }
            frames.push(Frame::new(object));
            return;
        }
        *below += 1;
        if let Some(Frame {
            key: Some(Key::Parameters),
            schema,
            ..
        }) = frames.last_mut()
        {
            if *below == 1 && object {
                *schema = Schema::default();
            } else if *below == 2 && object {
                schema.properties |= schema.key == Some(SchemaKey::Properties);
            }
        }
    }

    fn closes(&mut self, end: usize) {
        if 0 < self.value.below {
            self.value.below -= 1;
            return;
        }
        self.end_member(end - 1);
        if let Some(frame) = self.value.frames.pop()
            && frame.object
        {
            self.end_object(frame);
        }
    }

    fn next_member(&mut self, at: usize) {
        match self.value.below {
            0 => self.end_member(at),
            1 => {
                if let Some(Frame { schema, .. }) = self.value.frames.last_mut() {
                    schema.key = None;
                }
            }
            _ => {}
        }
    }
}

/// The arguments' text: what a string says, nothing for null, and else what stands there. `member`
/// begins at the colon.
fn arguments_text(mut member: Vec<u16>) -> Vec<u16> {
    let white = |unit: &u16| matches!(unit, 0x20 | 0x09 | 0x0A | 0x0D);
    let colon = u16::from(b':');
    let mut before = true;
    let start = member.iter().position(|unit| {
        let skipped = white(unit) || before && *unit == colon;
        before &= *unit != colon;
        !skipped
    });
    let end = member.iter().rposition(|unit| !white(unit));
    let (Some(start), Some(end)) = (start, end) else {
        return Vec::new();
    };
    let text = &member[start..=end];
    if text.first() == Some(&u16::from(b'"')) {
        return unescape::utf16_of(text.get(1..text.len() - 1).unwrap_or_default());
    }
    if text.first() == Some(&u16::from(b'n')) {
        return Vec::new();
    }
    member.truncate(end + 1);
    member.drain(..start);
    take(&mut member)
}
