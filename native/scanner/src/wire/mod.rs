//! A response as it arrives: bytes, events or a body in, notes on its tool calls out.
//!
//! Bytes are looked at once to tell what they are: an event stream, a JSON body (which some servers
//! send where a stream was asked for), or something that is neither, such as a compressed body.
//! Each event's fields are picked out by its format's file and go to the one assembler, `calls`.
//!
//! Data that is no JSON object is skipped and counted, never fatal: gateways send a lot of it.
//! Nothing of an event is used before its text was read to the end.

mod chat;
mod messages;
mod responses;
mod values;

use alloc::vec::Vec;

use self::values::arguments_of;
use crate::calls::{Calls, Effect, Options};
use crate::fields::{Action, Event, Fields, Record, Recorded, Type, slot, walk};
use crate::sse::{Framed, Framing, Sink};
use crate::template::Template;
use crate::unescape::encode;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Format {
    /// Chat completions.
    Chat = 0,
    /// Messages.
    Messages = 1,
    /// Responses.
    Responses = 2,
}

/// Room that every stream of a thread uses in turn.
#[derive(Debug, Default)]
pub struct Scratch {
    event: Event,
    text: Vec<u8>,
    gathered: Vec<u8>,
    /// The first half of a pair that ended what was gathered, or 0.
    high: u16,
}

/// More room than this is not held on to.
const ROOM_MAX: usize = 1 << 20;

impl Scratch {
    /// Adds UTF-16 units to a text that is gathered for [`Stream::gathered`].
    pub fn gather(&mut self, units: &[u16]) {
        encode(units, &mut self.high, &mut self.gathered);
    }

    /// Lets go of room that one huge event took.
    fn tidy(&mut self) {
        for room in [&mut self.text, &mut self.gathered] {
            room.clear();
            if ROOM_MAX < room.capacity() {
                *room = Vec::new();
            }
        }
        if ROOM_MAX < self.event.records.capacity() * size_of::<Recorded>() {
            self.event.records = Vec::new();
        }
    }
}

/// What the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Nothing but white space was seen, and so many bytes of a byte-order mark.
    Unknown(u8),
    Events,
    Body,
    /// Nothing that can be read.
    Neither,
}

/// What turns events into calls.
#[derive(Debug)]
struct Reader {
    /// None until the first event tells.
    format: Option<Format>,
    /// The last event, and what it did.
    template: Template,
    effect: Effect,
    calls: Calls,
    skipped: u64,
}

/// One response's stream.
#[derive(Debug)]
pub struct Stream {
    source: Source,
    /// Whether the white space that was seen first ends in the line that is going on.
    indented: bool,
    framing: Framing,
    body: Vec<u8>,
    event_bytes_max: usize,
    reader: Reader,
    flushed: bool,
}

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl Stream {
    /// A stream in a format; without one, its first event tells.
    #[must_use]
    pub fn new(format: Option<Format>, options: Options) -> Self {
        Self {
            source: Source::Unknown(0),
            indented: false,
            framing: Framing::new(options.event_bytes_max),
            body: Vec::new(),
            event_bytes_max: options.event_bytes_max,
            reader: Reader {
                format,
                template: Template::default(),
                effect: Effect::Other,
                calls: Calls::new(options),
                skipped: 0,
            },
            flushed: false,
        }
    }

    /// Takes the next bytes of the response.
    pub fn feed(&mut self, chunk: &[u8], scratch: &mut Scratch) {
        let mut chunk = chunk;
        if let Source::Unknown(mark) = self.source {
            chunk = self.detect_source(chunk, mark);
            if self.indented && self.source == Source::Events {
                self.feed_events(b" ", scratch);
            }
        }
        match self.source {
            Source::Events => self.feed_events(chunk, scratch),
            Source::Body => self.feed_body(chunk),
            Source::Unknown(_) | Source::Neither => {}
        }
        scratch.tidy();
    }

    fn feed_events(&mut self, chunk: &[u8], scratch: &mut Scratch) {
        let (reader, bytes_max) = (&mut self.reader, self.event_bytes_max);
        self.framing.feed(
            chunk,
            &mut Reading {
                reader,
                scratch,
                bytes_max,
            },
        );
    }

    /// Looks at the first bytes; answers those that are left to read. White space before all else says
    /// nothing, and counts for no limit: a body or an event may follow it however it was cut.
    fn detect_source<'a>(&mut self, mut chunk: &'a [u8], mut mark: u8) -> &'a [u8] {
        while let Some(&byte) = BYTE_ORDER_MARK.get(usize::from(mark))
            && chunk.first() == Some(&byte)
        {
            mark += 1;
            chunk = &chunk[1..];
        }
        if mark == 0 && !chunk.is_empty() {
            // There is none, and none may come behind white space.
            mark = 3;
        }
        self.source = Source::Unknown(mark);
        let broken = mark < 3 && !chunk.is_empty();
        let start = chunk.iter().position(|&byte| !is_white(byte));
        let (white, rest) = chunk.split_at(start.unwrap_or(chunk.len()));
        if let Some(last) = white.last() {
            self.indented = matches!(last, b' ' | b'\t');
        }
        match rest.first() {
            // A mark that breaks off, be it at white space.
            _ if broken => self.refuse_source(),
            None => {}
            Some(b'{' | b'[') => self.source = Source::Body,
            Some(b'!'..=b'~') => self.source = Source::Events,
            Some(_) => self.refuse_source(),
        }
        rest
    }

    fn refuse_source(&mut self) {
        self.source = Source::Neither;
        self.reader.calls.limit_error(
            "encoded-body",
            "the body is neither an event stream nor JSON: it may be compressed",
        );
    }

    fn feed_body(&mut self, chunk: &[u8]) {
        if self.event_bytes_max < self.body.len().saturating_add(chunk.len()) {
            self.body = Vec::new();
            self.source = Source::Neither;
            self.reader.calls.lose_event();
        } else {
            self.body.extend_from_slice(chunk);
        }
    }

    /// Takes one event's JSON text, or `[DONE]`.
    pub fn event(&mut self, data: &[u8], scratch: &mut Scratch) {
        if self.event_bytes_max < data.len() {
            self.reader.calls.lose_event();
        } else {
            let (name, source) = (&b""[..], None);
            self.reader
                .take(Framed::Event { name, data, source }, scratch);
        }
    }

    /// Takes a whole body's JSON text.
    pub fn whole(&mut self, body: &[u8], scratch: &mut Scratch) {
        self.event(body, scratch);
        self.reader.calls.end_response();
    }

    /// Takes the text that was gathered: one event, or a whole body.
    pub fn gathered(&mut self, is_body: bool, scratch: &mut Scratch) {
        let text = core::mem::take(&mut scratch.gathered);
        scratch.high = 0;
        if is_body {
            self.whole(&text, scratch);
        } else {
            self.event(&text, scratch);
        }
        scratch.gathered = text;
        scratch.tidy();
    }

    /// The response has ended: what is open stays unfinished. Only the first time counts.
    pub fn flush(&mut self, scratch: &mut Scratch) {
        if self.flushed {
            return;
        }
        self.flushed = true;
        if self.source == Source::Body {
            let body = core::mem::take(&mut self.body);
            let skipped = self.reader.skipped;
            self.event(&body, scratch);
            if self.reader.skipped == skipped {
                self.reader.calls.end_response();
            }
        } else {
            let (reader, bytes_max) = (&mut self.reader, self.event_bytes_max);
            self.framing.flush(&mut Reading {
                reader,
                scratch,
                bytes_max,
            });
        }
        self.reader.calls.flush();
    }

    /// The calls, and the notes on them.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.reader.calls
    }

    /// The calls, and the notes on them.
    pub fn calls_mut(&mut self) -> &mut Calls {
        &mut self.reader.calls
    }

    /// The format, once it is known.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.reader.format
    }

    /// Events whose data was no JSON object.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.reader.skipped
    }

    /// Bytes of memory that the stream takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + self.framing.kept()
            + self.body.capacity()
            + self.reader.template.kept()
            + self.reader.calls.memory()
    }
}

/// A stream's reader while it is fed.
struct Reading<'a> {
    reader: &'a mut Reader,
    scratch: &'a mut Scratch,
    bytes_max: usize,
}

impl Sink for Reading<'_> {
    fn take(&mut self, framed: Framed<'_>) {
        self.reader.take(framed, self.scratch);
    }

    fn ahead(&mut self, bytes: &[u8]) -> usize {
        let Reader {
            template,
            effect,
            calls,
            ..
        } = &mut *self.reader;
        let mut at = 0;
        while let Some(event) = template.recognise(&bytes[at..]) {
            if self.bytes_max < event.length {
                break;
            }
            if let Effect::Continued(continued) = *effect {
                let fragment = arguments_of(event.fragment, &bytes[at..]);
                calls.continue_call(continued, fragment, &mut self.scratch.text);
            }
            at += event.length;
        }
        at
    }
}

impl Reader {
    fn take(&mut self, framed: Framed<'_>, scratch: &mut Scratch) {
        self.template.forget();
        let (name, data, source) = match framed {
            Framed::Event { name, data, source } => (name, data, source),
            Framed::TooLarge => return self.calls.lose_event(),
        };
        if data.trim_ascii() == b"[DONE]" {
            // Other formats have ends of their own, and some gateways add this one.
            if self.format == Some(Format::Chat) {
                self.calls.end_response();
            }
            return;
        }
        self.calls.begin_event();
        if !self.apply(name, data, scratch) {
            self.skipped += 1;
            return;
        }
        self.effect = self.calls.effect();
        if let Some(source) = source
            && self.effect != Effect::Other
        {
            self.template.remember(source, data, &scratch.event.spots);
        }
    }

    /// Does what an event says; false where it cannot be read.
    fn apply(&mut self, name: &[u8], data: &[u8], scratch: &mut Scratch) -> bool {
        let Scratch { event, text, .. } = scratch;
        let format = match self.format {
            Some(format) => format,
            None => match detect_format(data, name, event) {
                Detected::Format(format) => {
                    self.format = Some(format);
                    format
                }
                Detected::Error => Format::Chat,
                Detected::Nothing => return false,
            },
        };
        let read = match format {
            Format::Chat => walk::<chat::Chat>(data, event),
            Format::Messages => walk::<messages::Messages>(data, event),
            Format::Responses => walk::<responses::Responses>(data, event),
        };
        if !read {
            return false;
        }
        let calls = &mut self.calls;
        match format {
            Format::Chat => chat::apply(event, data, name, calls, text),
            Format::Messages => messages::apply(event, data, name, calls, text),
            Format::Responses => responses::apply(event, data, name, calls, text),
        }
        if event.overflowed {
            calls.lose_event();
        }
        true
    }
}

/// What an event tells of its stream's format.
enum Detected {
    Format(Format),
    /// An error, which every format can send.
    Error,
    Nothing,
}

/// The fields that tell formats apart.
struct FormatFields;

impl Fields for FormatFields {
    const FRAGMENT: usize = slot::COUNT;

    fn action(context: u8, key: &[u8]) -> Action {
        match (context, key) {
            (0, b"type") => Action::Take(slot::TYPE),
            (0, b"object") => Action::Take(slot::OBJECT),
            (0, b"choices") => Action::Take(slot::LIST),
            (0, b"error") => Action::Take(slot::ERROR),
            _ => Action::Skip,
        }
    }

    fn record(_: u8) -> Record {
        Record::Not
    }
}

/// Which format an event belongs to, by its fields and its name.
fn detect_format(data: &[u8], name: &[u8], event: &mut Event) -> Detected {
    if !walk::<FormatFields>(data, event) {
        return Detected::Nothing;
    }
    let values = &event.values;
    let object = values[slot::OBJECT].bytes(data);
    let kind = match values[slot::TYPE].kind {
        Type::Text => values[slot::TYPE].bytes(data),
        _ => name,
    };
    if values[slot::LIST].kind == Type::Array || object.starts_with(b"chat.completion") {
        return Detected::Format(Format::Chat);
    }
    if object == b"response" || kind.starts_with(b"response.") {
        return Detected::Format(Format::Responses);
    }
    match kind {
        b"message"
        | b"message_start"
        | b"message_delta"
        | b"message_stop"
        | b"content_block_start"
        | b"content_block_delta"
        | b"content_block_stop" => Detected::Format(Format::Messages),
        b"error" if values[slot::ERROR].kind == Type::Absent => Detected::Format(Format::Responses),
        _ if values[slot::ERROR].is_truthy(data) => Detected::Error,
        _ => Detected::Nothing,
    }
}

#[cfg(test)]
mod tests;
