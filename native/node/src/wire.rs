//! The exports of wire streams: what came in, and how many notes wait.
//!
//! Most chunks bring no note, so `feedStream` answers with their number alone. The notes are then
//! taken one by one: `nextNote` says of which kind the next is and writes what is a number into
//! the buffer of facts; `noteText` and `callText` give the strings that somebody asks for.

use argspan_scanner::{Format, Judged, Keep, Note, Options, Stream, decode};

use crate::raw::{Answer, Call};
use crate::streams::Open;
use crate::{Facts, double, fact, limit_of, write_decided, write_error, write_span};

/// Where each option stands in the buffer of facts when a stream is opened.
mod option {
    pub const FORMAT: usize = 0;
    pub const ARGUMENT_BYTES_MAX: usize = 1;
    pub const TOTAL_BYTES_MAX: usize = 2;
    pub const EVENT_BYTES_MAX: usize = 3;
    pub const CALLS_MAX: usize = 4;
    pub const NAME_BYTES_MAX: usize = 5;
    /// Negative is all.
    pub const KEPT_BYTES: usize = 6;
    pub const FRAGMENTS: usize = 7;
    pub const BY_TEXT: usize = 8;
}

/// Of which kind a note is; `src/wire/reader.ts` names them too.
mod note {
    pub const NONE: u32 = 0;
    pub const START: u32 = 1;
    pub const FRAGMENT: u32 = 2;
    pub const VERDICT: u32 = 3;
    pub const FINISH: u32 = 4;
    pub const ERROR: u32 = 5;
}

/// Which text of a call; `src/wire/reader.ts` names them too.
mod part {
    pub const ID: usize = 0;
    pub const NAME: usize = 1;
    pub const KIND: usize = 2;
    pub const WORD: usize = 3;
    pub const TEXT: usize = 4;
    pub const PLAIN: usize = 5;
    /// Its name when it began.
    pub const FIRST_NAME: usize = 6;
    pub const COUNT: usize = 8;
}

fn size_of_limit(number: f64) -> usize {
    usize::try_from(limit_of(number)).unwrap_or(usize::MAX)
}

/// `openStream(facts)`: a new stream with the options that stand there; its number.
pub fn open(call: &mut Call<'_>) -> Answer {
    let facts = call.numbers::<{ fact::COUNT }>(0)?;
    let format = match size_of_limit(facts[option::FORMAT]) {
        0 => Some(Format::Chat),
        1 => Some(Format::Messages),
        2 => Some(Format::Responses),
        _ => None,
    };
    let kept = facts[option::KEPT_BYTES];
    let options = Options {
        argument_bytes_max: limit_of(facts[option::ARGUMENT_BYTES_MAX]),
        total_bytes_max: limit_of(facts[option::TOTAL_BYTES_MAX]),
        event_bytes_max: size_of_limit(facts[option::EVENT_BYTES_MAX]),
        calls_max: size_of_limit(facts[option::CALLS_MAX]),
        name_bytes_max: size_of_limit(facts[option::NAME_BYTES_MAX]),
        keep: if kept < 0.0 {
            Keep::All
        } else {
            Keep::Start(size_of_limit(kept))
        },
        fragments: facts[option::FRAGMENTS] != 0.0,
        by_text: facts[option::BY_TEXT] != 0.0,
    };
    let number = call.streams().add(Stream::new(format, options));
    report(call);
    call.small(u32::try_from(number).ok()?)
}

/// Tells the garbage collector what has changed, where it is much.
fn report(call: &mut Call<'_>) {
    if let Some(change) = call.streams().report() {
        call.adjust_memory(change);
    }
}

fn waiting(open: &Open) -> u32 {
    u32::try_from(open.stream.calls().waiting()).unwrap_or(u32::MAX)
}

/// `feedStream(stream, bytes)`: how many notes wait.
pub fn feed(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let bytes = call.bytes(1)?;
    let waiting = call.streams().with(number, |open, scratch| {
        open.stream.feed(bytes, scratch);
        waiting(open)
    })?;
    report(call);
    call.small(waiting)
}

/// `gather(text)`: keeps a part of a long text for the next `feedEvent`.
pub fn gather(call: &mut Call<'_>) -> Answer {
    let (units, streams) = call.text_and_streams(0)?;
    streams.scratch.gather(units);
    call.small(0)
}

/// `feedEvent(stream, text)`: takes what was gathered and this as one event; how many notes wait.
pub fn feed_event(call: &mut Call<'_>) -> Answer {
    feed_gathered(call, false)
}

/// `feedBodyText(stream, text)`: takes what was gathered and this as a whole body.
pub fn feed_body_text(call: &mut Call<'_>) -> Answer {
    feed_gathered(call, true)
}

fn feed_gathered(call: &mut Call<'_>, is_body: bool) -> Answer {
    let number = call.count(0)?;
    let (units, streams) = call.text_and_streams(1)?;
    streams.scratch.gather(units);
    let waiting = streams.with(number, |open, scratch| {
        open.stream.gathered(is_body, scratch);
        waiting(open)
    })?;
    report(call);
    call.small(waiting)
}

/// `feedBody(stream, bytes)`: takes a whole body; how many notes wait.
pub fn feed_body(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let bytes = call.bytes(1)?;
    let waiting = call.streams().with(number, |open, scratch| {
        open.stream.whole(bytes, scratch);
        waiting(open)
    })?;
    report(call);
    call.small(waiting)
}

/// `flushStream(stream)`: the response has ended; how many notes wait.
pub fn flush(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let waiting = call.streams().with(number, |open, scratch| {
        open.stream.flush(scratch);
        waiting(open)
    })?;
    report(call);
    call.small(waiting)
}

/// `closeStream(stream)`: frees it.
pub fn close(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    call.streams().remove(number);
    report(call);
    call.small(0)
}

/// `nextNote(stream, facts)`: the kind of the next note, or 0 where there is none.
pub fn next_note(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let facts = call.numbers::<{ fact::COUNT }>(1)?;
    let kind = call.streams().with(number, |open, _| {
        let note = open.stream.calls_mut().next_note();
        open.note = note;
        match note {
            None => {
                open.stream.calls_mut().forget_notes();
                note::NONE
            }
            Some(Note::Start(number)) => {
                write_place(facts, open, number);
                let format = open.stream.format().map_or(0, |format| format as u8);
                facts[fact::FLAGS] = f64::from(format);
                note::START
            }
            Some(Note::Fragment(number, _)) => {
                write_place(facts, open, number);
                note::FRAGMENT
            }
            Some(Note::Verdict(number, judged)) => {
                write_place(facts, open, number);
                write_judged(facts, &judged);
                note::VERDICT
            }
            Some(Note::Finish(number)) => {
                write_place(facts, open, number);
                note::FINISH
            }
            Some(Note::Error { .. }) => note::ERROR,
        }
    })?;
    call.small(kind)
}

fn write_place(facts: &mut Facts, open: &Open, number: usize) {
    facts[fact::CALL] = double(number as u64);
    if let Some(call) = open.stream.calls().get(number) {
        facts[fact::CHOICE] = f64::from(call.choice);
        facts[fact::INDEX] = f64::from(call.index);
        facts[fact::WIRE_INDEX] = call.wire_index.map_or(-1.0, f64::from);
    }
}

fn write_judged(facts: &mut Facts, judged: &Judged) {
    write_span(facts, judged.span);
    write_error(facts, judged.error);
    facts[fact::INVALID_AT] = judged.invalid_at.map_or(-1.0, double);
    facts[fact::LIMIT] = double(judged.limit);
    facts[fact::FLAGS] = f64::from(judged.verdict as u8);
}

/// `noteText(stream, which)`: a text of the note that was read last, or null.
pub fn note_text(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let which = call.count(1)?;
    let text = call.streams().with(number, |open, _| {
        let range = match (open.note, which) {
            (Some(Note::Fragment(_, range)), 0) => Some(range),
            (Some(Note::Error { code, .. }), 0) => code,
            (Some(Note::Error { kind, .. }), 1) => kind,
            (Some(Note::Error { message, .. }), 2) => Some(message),
            _ => None,
        };
        range.map(|range| open.stream.calls().note_text(range).to_vec())
    })?;
    match text {
        Some(text) => answer_text(call, &text),
        None => call.null(),
    }
}

/// `describeCall(stream, facts)`: the decision on the call whose number stands in the facts.
pub fn describe_call(call: &mut Call<'_>) -> Answer {
    let stream = call.count(0)?;
    let facts = call.numbers::<{ fact::COUNT }>(1)?;
    let number = size_of_limit(facts[fact::CALL]);
    call.streams().with(stream, |open, _| {
        let calls = open.stream.calls();
        let described = calls.get(number)?;
        let decision = described.decide();
        let scanner = described.text.scanner();
        write_decided(facts, &decision, scanner);
        facts[fact::LIMIT] = double(calls.limit(described));
        let flags = u32::from(described.finished)
            | (described.stop as u32) << 1
            | (described.text.assembly() as u32) << 3
            | u32::from(described.word_known) << 5;
        facts[fact::FLAGS] = f64::from(flags);
        Some(())
    })??;
    call.nothing()
}

/// `callText(stream, call * 8 + which)`: a text of a call.
pub fn call_text(call: &mut Call<'_>) -> Answer {
    let stream = call.count(0)?;
    let asked = call.count(1)?;
    let (number, which) = (asked / part::COUNT, asked % part::COUNT);
    let text = call.streams().with(stream, |open, _| {
        let calls = open.stream.calls();
        let asked = calls.get(number)?;
        let text = match which {
            part::ID if asked.id_was_missing => &[][..],
            part::ID => &asked.id,
            part::FIRST_NAME if asked.name_was_missing => &[],
            part::NAME | part::FIRST_NAME => &asked.name,
            part::KIND => &asked.kind,
            part::WORD => calls.word(number),
            part::TEXT => asked.text.assembled(),
            part::PLAIN => asked.text.plain(),
            _ => return None,
        };
        Some(text.to_vec())
    })??;
    answer_text(call, &text)
}

/// Bytes as a string; what is not UTF-8 in them becomes U+FFFD.
fn answer_text(call: &Call<'_>, bytes: &[u8]) -> Answer {
    if bytes.is_ascii() {
        return call.ascii(bytes);
    }
    let mut units = Vec::new();
    if !decode(bytes, &mut units) {
        let text = String::from_utf8_lossy(bytes);
        units.clear();
        if !decode(text.as_bytes(), &mut units) {
            return None;
        }
    }
    call.utf16(&units)
}
