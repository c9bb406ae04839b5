//! Event framing by the rules of WHATWG's server-sent events, over chunks cut anywhere.
//!
//! Lines end in LF, CR or CRLF; `data` lines of one event are joined with LF; a blank line
//! dispatches, and without any `data` nothing is dispatched. Comments and all other fields are
//! passed over. At the end of the stream an event whose blank line is missing is dispatched too:
//! whoever reads it sees whether its data is whole.
//!
//! INVARIANT: an event that lies in one chunk is handed on in place. Only what a chunk's end cuts
//! is copied, into buffers that are used again, and never more than `bytes_max` of it: a larger
//! event is dropped up to its blank line, and said so once.
//!
//! Between two events there is no state at all. There whoever takes the events may take some by
//! itself, whole, without the lines being looked for ([`Sink::ahead`]).
//!
//! A byte-order mark is not looked for here: it may only stand at the start of the stream, where
//! the caller looks at the first bytes anyhow.
#![allow(
    clippy::inline_always,
    reason = "what runs inside a vector backend has to be inlined into it"
)]

use alloc::vec::Vec;

use crate::skip::{BLOCK, Backend, Block, Kernel, Lane, Scan, mask, with_backend};

/// What the framing found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// An event: its name, empty where it has none, its data, and itself.
    Event {
        name: &'a [u8],
        data: &'a [u8],
        source: Option<Source<'a>>,
    },
    /// An event with more data than the limit allows, which was dropped.
    TooLarge,
}

/// An event as it came, where all of it lies in one chunk and its data in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// All its lines, the blank one too. Behind them nothing of the event is left: they end in LF.
    pub lines: &'a [u8],
    /// Where in them the data begins.
    pub data_at: usize,
}

/// Takes what the framing finds.
pub trait Sink {
    /// Gets each event.
    fn take(&mut self, framed: Framed<'_>);

    /// Is asked where an event begins: how many bytes of whole events it has taken by itself. They
    /// have to be what the framing would find.
    fn ahead(&mut self, bytes: &[u8]) -> usize;
}

/// Longer names are no name that anybody knows.
const NAME_MAX: usize = 64;

const DATA: &[u8] = b"data";
const EVENT: &[u8] = b"event";

/// The framing's state between chunks.
#[allow(clippy::struct_excessive_bools, reason = "each is a state of its own")]
#[derive(Debug)]
pub struct Framing {
    /// The beginning of a line that a chunk's end cut.
    line: Vec<u8>,
    /// The current event's data, as far as it does not lie in the current chunk.
    data: Vec<u8>,
    name: Vec<u8>,
    bytes_max: usize,
    /// The last chunk ended in CR: an LF at the start of the next belongs to it.
    after_carriage: bool,
    /// The cut line is no field that counts, and only its end is of interest.
    passing: bool,
    has_data: bool,
    /// The current event is too large.
    dropping: bool,
}

/// Data of the current event that lies in the current chunk.
type InPlace<'a> = Option<&'a [u8]>;

/// A line without its end, and the event so far: from its first line up to behind this one's end,
/// where all of that lies in the current chunk.
#[derive(Clone, Copy)]
struct Line<'a> {
    bytes: &'a [u8],
    event: Option<&'a [u8]>,
}

impl Framing {
    /// Framing that drops events of more than `bytes_max` bytes of data.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            name: Vec::new(),
            bytes_max,
            after_carriage: false,
            passing: false,
            has_data: false,
            dropping: false,
        }
    }

    /// Bytes of memory that are kept between chunks.
    pub fn kept(&self) -> usize {
        self.line.capacity() + self.data.capacity() + self.name.capacity()
    }

    /// Takes the next chunk; `sink` gets each event that it completes.
    pub fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut at = 0;
        if self.after_carriage && !chunk.is_empty() {
            self.after_carriage = false;
            at = usize::from(chunk.first() == Some(&b'\n'));
        }
        let mut in_place = None;
        // Where the current event begins, if it does in this chunk.
        let mut event_start = self.is_between_events().then_some(at);
        while at < chunk.len() {
            if event_start == Some(at) {
                at += sink.ahead(&chunk[at..]);
                event_start = Some(at);
                if at == chunk.len() {
                    break;
                }
            }
            let end = line_end(chunk, at);
            let Some(&terminator) = chunk.get(end) else {
                self.keep_line(&chunk[at..], sink);
                break;
            };
            let bytes = &chunk[at..end];
            at = end + 1;
            if terminator == b'\r' {
                if chunk.get(at) == Some(&b'\n') {
                    at += 1;
                } else if at == chunk.len() {
                    self.after_carriage = true;
                }
            }
            if self.passing {
                self.passing = false;
            } else if self.line.is_empty() {
                let event = event_start.map(|start| &chunk[start..at]);
                if self.take_line(Line { bytes, event }, &mut in_place, sink) {
                    event_start = Some(at);
                }
            } else {
                self.take_cut_line(bytes, &mut in_place, sink);
            }
        }
        self.copy_out(&mut in_place);
    }

    /// Takes the end of a line whose beginning came in an earlier chunk.
    fn take_cut_line(&mut self, end: &[u8], in_place: &mut InPlace<'_>, sink: &mut impl Sink) {
        let mut line = core::mem::take(&mut self.line);
        line.extend_from_slice(end);
        self.copy_out(in_place);
        let mut copied = None;
        let bytes = &line[..];
        self.take_line(Line { bytes, event: None }, &mut copied, sink);
        self.copy_out(&mut copied);
        line.clear();
        self.line = line;
    }

    /// Whether nothing of an event was seen.
    fn is_between_events(&self) -> bool {
        let seen = self.has_data || self.dropping || self.passing;
        !seen && self.line.is_empty() && self.name.is_empty()
    }

    /// The stream has ended: dispatches an event whose blank line is missing.
    pub fn flush(&mut self, sink: &mut impl Sink) {
        let line = core::mem::take(&mut self.line);
        let mut in_place = None;
        if !line.is_empty() {
            let bytes = &line[..];
            self.take_line(Line { bytes, event: None }, &mut in_place, sink);
        }
        self.dispatch(None, &mut in_place, sink);
        self.passing = false;
        self.after_carriage = false;
    }

    /// Copies data out of a chunk that ends.
    fn copy_out(&mut self, in_place: &mut InPlace<'_>) {
        if let Some(data) = in_place.take() {
            self.data.extend_from_slice(data);
        }
    }

    /// Keeps the beginning of a line, where it may be a field that counts.
    fn keep_line(&mut self, part: &[u8], sink: &mut impl Sink) {
        if self.passing {
            return;
        }
        self.line.extend_from_slice(part);
        let counts = !self.dropping
            && [DATA, EVENT].iter().any(|field| {
                let begun = self.line.len().min(field.len());
                self.line[..begun] == field[..begun]
                    && self.line.get(field.len()).is_none_or(|&next| next == b':')
            });
        if counts && self.line.starts_with(EVENT) {
            // Of a name that long nobody wants to know the rest.
            self.line.truncate(EVENT.len() + 2 + NAME_MAX);
            return;
        }
        let room = self.bytes_max.saturating_add(DATA.len() + 2);
        if counts && room < self.line.len() + self.data.len() {
            self.drop_event(sink);
        } else if counts {
            return;
        }
        self.line = Vec::new();
        self.passing = true;
    }

    fn drop_event(&mut self, sink: &mut impl Sink) {
        self.dropping = true;
        self.data = Vec::new();
        sink.take(Framed::TooLarge);
    }

    /// Takes a whole line; true where it was the event's last.
    fn take_line<'a>(
        &mut self,
        line: Line<'a>,
        in_place: &mut InPlace<'a>,
        sink: &mut impl Sink,
    ) -> bool {
        let Line { bytes, event } = line;
        if bytes.is_empty() {
            self.dispatch(event, in_place, sink);
            return true;
        }
        if self.dropping {
            // Nothing of it counts.
        } else if let Some(value) = value_of(bytes, DATA) {
            self.take_data(value, in_place, sink);
        } else if let Some(value) = value_of(bytes, EVENT) {
            self.name.clear();
            self.name
                .extend_from_slice(&value[..value.len().min(NAME_MAX)]);
        }
        false
    }

    fn take_data<'a>(&mut self, value: &'a [u8], in_place: &mut InPlace<'a>, sink: &mut impl Sink) {
        let before = self.data.len() + in_place.map_or(0, <[u8]>::len);
        if self.bytes_max < before.saturating_add(value.len()) {
            *in_place = None;
            self.drop_event(sink);
        } else if self.has_data {
            self.copy_out(in_place);
            self.data.push(b'\n');
            self.data.extend_from_slice(value);
        } else {
            self.has_data = true;
            *in_place = Some(value);
        }
    }

    fn dispatch<'a>(
        &mut self,
        event: Option<&'a [u8]>,
        in_place: &mut InPlace<'a>,
        sink: &mut impl Sink,
    ) {
        if self.has_data && !self.dropping {
            let data = in_place.unwrap_or(&self.data);
            let name = &self.name;
            let source = match (event, *in_place) {
                (Some(lines), Some(data)) if lines.ends_with(b"\n") => Some(Source {
                    lines,
                    data_at: data.as_ptr().addr() - lines.as_ptr().addr(),
                }),
                _ => None,
            };
            sink.take(Framed::Event { name, data, source });
        }
        *in_place = None;
        self.has_data = false;
        self.dropping = false;
        self.data.clear();
        self.name.clear();
    }
}

/// The value of a line that is this field: what follows the colon, without one leading space.
fn value_of<'a>(line: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(field)?;
    let Some((&first, value)) = rest.split_first() else {
        return Some(rest);
    };
    (first == b':').then(|| value.strip_prefix(b" ").unwrap_or(value))
}

/// The index of the first CR or LF at or after `from`, or the length.
fn line_end(bytes: &[u8], from: usize) -> usize {
    with_backend(LineEnd { bytes, from })
}

struct LineEnd<'a> {
    bytes: &'a [u8],
    from: usize,
}

impl Scan for LineEnd<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) -> usize {
        let mut index = self.from;
        while let Some(rest) = self.bytes.get(index..) {
            // Behind the end stand ones.
            let found = mask(backend, rest, LineEnds);
            if found != 0 {
                return (index + found.trailing_zeros() as usize).min(self.bytes.len());
            }
            index += BLOCK;
        }
        self.bytes.len()
    }
}

/// Looks for CR and LF.
#[derive(Clone, Copy)]
struct LineEnds;

impl Kernel for LineEnds {
    #[inline(always)]
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64 {
        backend.equal(block, b'\n') | backend.equal(block, b'\r')
    }

    #[inline(always)]
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16 {
        backend.equal_in_lane(lane, b'\n') | backend.equal_in_lane(lane, b'\r')
    }
}

#[cfg(test)]
mod tests {
    use super::{Framed, Framing, Sink};
    use std::prelude::v1::*;

    /// Writes down what it gets: the events as `name=data`, `!` for one that was too large.
    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Sink for Seen {
        fn take(&mut self, framed: Framed<'_>) {
            self.0.push(match framed {
                Framed::Event { name, data, source } => {
                    if let Some(source) = source {
                        assert!(source.lines.ends_with(b"\n"));
                        assert!(source.lines[source.data_at..].starts_with(data));
                    }
                    String::from_utf8_lossy(name).into_owned()
                        + "="
                        + &String::from_utf8_lossy(data)
                }
                Framed::TooLarge => "!".to_owned(),
            });
        }

        fn ahead(&mut self, _: &[u8]) -> usize {
            0
        }
    }

    fn events(chunks: &[&[u8]], bytes_max: usize) -> Vec<String> {
        let mut framing = Framing::new(bytes_max);
        let mut seen = Seen::default();
        for chunk in chunks {
            framing.feed(chunk, &mut seen);
        }
        framing.flush(&mut seen);
        seen.0
    }

    /// Checks a text at every cut in two, byte by byte, and as a whole.
    fn check(text: &str, expected: &[&str]) {
        let bytes = text.as_bytes();
        for cut in 0..=bytes.len() {
            let chunks = [&bytes[..cut], &bytes[cut..]];
            assert_eq!(events(&chunks, 1000), expected, "{text:?} cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(events(&single, 1000), expected, "{text:?} byte by byte");
    }

    #[test]
    fn lines_end_in_each_of_the_three_ways() {
        for end in ["\n", "\r", "\r\n"] {
            let text = "event: a\ndata: 1\n\n: note\ndata:2\ndata\ndata:  3\n\nid: 7\nretry: 1\n\n";
            check(&text.replace('\n', end), &["a=1", "=2\n\n 3"]);
        }
    }

    #[test]
    fn a_name_without_data_is_forgotten() {
        check("event: ping\n\ndata: x\n\n", &["=x"]);
    }

    #[test]
    fn the_last_event_needs_no_blank_line() {
        check("data: x\n\ndata: y", &["=x", "=y"]);
        check("data: x\n\ndata: y\n", &["=x", "=y"]);
        check("data: x\n\nevent: y", &["=x"]);
    }

    #[test]
    fn other_fields_are_passed_over() {
        check(
            "dat: 1\ndatas: 2\n data: 3\nDATA: 4\neventdata: 5\ndata: 6\n\n",
            &["=6"],
        );
    }

    #[test]
    fn an_event_beyond_the_limit_is_dropped_and_said_so_once() {
        let text =
            "data: 12345\n\ndata: 123456\ndata: 7\n\ndata: 12\ndata: 34\n\nevent: e\ndata: 8\n\n";
        let bytes = text.as_bytes();
        let expected = ["=12345", "!", "=12\n34", "e=8"];
        for cut in 0..=bytes.len() {
            assert_eq!(
                events(&[&bytes[..cut], &bytes[cut..]], 5),
                expected,
                "cut at {cut}"
            );
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(events(&single, 5), expected);
    }

    #[test]
    fn a_line_that_counts_for_nothing_is_not_kept() {
        let mut framing = Framing::new(1 << 20);
        let mut seen = Seen::default();
        framing.feed(b": ", &mut seen);
        for _ in 0..1000 {
            framing.feed(&[b'x'; 1000], &mut seen);
        }
        assert_eq!(seen.0.len(), 0);
        assert!(framing.kept() < 100);
    }
}
