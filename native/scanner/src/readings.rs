//! Reads one text in three ways at once and says what is known so far.
//!
//! - **direct**: the whole text is one JSON object.
//! - **double-encoded**: the whole text is one JSON string whose content is one JSON object.
//! - **span**: from the first `{` to the last `}` stands one JSON object.
//!
//! Each reading is its own automaton over the same bytes, so each takes a chunk as a whole and
//! none waits for another. A text that begins with `{` needs just one: its span is its direct
//! reading until the object closes.
//!
//! INVARIANT: an error counts where it lies before the end of the trimmed text, `text_end`.
//! One at or behind it lies in white space that may yet be trimmed away, and then the text simply
//! ended there. So nothing has to be undone when the white space turns out to be inside.
//!
//! Not checked here: UTF-8. Chunks are whole characters; `scanner` sees to that.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use crate::chunk::{Chunk, Place};
use crate::error::{ErrorCode, ScanError};
use crate::fence::Fence;
use crate::form::Form;
use crate::grammar::{Failure, Grammar, Halt};
use crate::skip::{BLOCK, Backend, Equal, Scan, mask, with_backend};
use crate::unescape::Unescape;
use crate::white;

/// Where the lines are, as far as the direct reading has come.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Lines {
    /// Newlines so far.
    count: u64,
    /// The offset in bytes at which the current line begins.
    start: u64,
}

/// The span reading.
mod span {
    /// No `{` yet.
    pub const UNSEEN: u8 = 0;
    /// The text begins with `{`: the direct automaton reads the object.
    pub const SHARED: u8 = 1;
    /// The object is being read.
    pub const OPEN: u8 = 2;
    /// The object is whole, and no `}` has followed.
    pub const CLOSED: u8 = 3;
    /// Nothing that follows can help.
    pub const DEAD: u8 = 4;
}

/// The double-encoded reading.
mod double {
    /// The text does not begin with a quote, or nothing was seen yet.
    pub const NEVER: u8 = 0;
    /// The string is open, and its content white so far.
    pub const LEADING: u8 = 1;
    /// The object inside is being read.
    pub const OPEN: u8 = 2;
    /// The object inside is whole, and only white space has followed.
    pub const CLOSED: u8 = 3;
    /// Nothing that follows can help.
    pub const DEAD: u8 = 4;
}

/// How the object was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Repair {
    /// The text is the object.
    None = 0,
    /// The text is blank, which stands for an object without members.
    Empty = 1,
    /// The object stands in a Markdown fence.
    Fence = 2,
    /// Something stands around the object.
    Prose = 3,
    /// The text is a string that holds the object.
    DoubleEncoding = 4,
}

/// A half-open range, from the start of what was fed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: u64,
    /// Where it ends: the first position that is not in it.
    pub end: u64,
}

/// Why the direct reading does not find an object if the text ends here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    pub error: ScanError,
    /// Whether the text just ended too soon.
    pub at_end: bool,
    /// Whether the text is a whole JSON value, though not an object.
    pub whole: bool,
}

/// The state of the three readings between chunks. All zero bits is the state before the first
/// byte; every bit pattern is a valid value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Readings {
    direct: Grammar,
    span: Grammar,
    inner: Grammar,
    lines: Lines,
    /// The lines as they were at `text_end`.
    end_lines: Lines,
    text_end: Place,
    error_at: Place,
    error_line: u64,
    error_column: u64,
    text_start: u64,
    object_start: u64,
    object_end: u64,
    literal_end: u64,
    unescape: Unescape,
    fence: Fence,
    /// The text's first byte behind the white space; of meaning once `started`.
    first: u8,
    /// 1 once something other than white space was seen.
    started: u8,
    /// The number of the direct reading's error, or 0.
    error_code: u8,
    span_phase: u8,
    double_phase: u8,
    /// 1 once the string that the text begins with is closed.
    literal_closed: u8,
}

impl Readings {
    pub const NEW: Self = Self {
        direct: Grammar::NEW,
        span: Grammar::NEW,
        inner: Grammar::NEW,
        lines: Lines { count: 0, start: 0 },
        end_lines: Lines { count: 0, start: 0 },
        text_end: Place { bytes: 0, units: 0 },
        error_at: Place { bytes: 0, units: 0 },
        error_line: 0,
        error_column: 0,
        text_start: 0,
        object_start: 0,
        object_end: 0,
        literal_end: 0,
        unescape: Unescape::NEW,
        fence: Fence::NEW,
        first: 0,
        started: 0,
        error_code: 0,
        span_phase: span::UNSEEN,
        double_phase: double::NEVER,
        literal_closed: 0,
    };

    /// Reads a chunk.
    pub fn feed(&mut self, chunk: Chunk<'_>) {
        let mut from = 0;
        if self.started == 0 {
            from = white::leading(chunk.form, chunk.bytes);
            let Some(&first) = chunk.bytes.get(from) else {
                return;
            };
            self.start(first, chunk.place(from));
        }
        let trimmed = white::trimmed_end(chunk.form, chunk.bytes);
        if from < trimmed {
            let whole = trimmed == chunk.bytes.len();
            self.text_end = if whole {
                chunk.end()
            } else {
                chunk.place(trimmed)
            };
        }
        let shared = self.span_phase == span::SHARED;
        let mut behind = None;
        if self.error_code == 0 {
            let content = self.feed_direct(&chunk, from, trimmed, &mut behind);
            if let Some(content) = content {
                self.feed_double(chunk.form, content);
            }
        }
        if !shared {
            self.feed_span(&chunk, from);
        } else if let Some(index) = behind {
            self.feed_behind(&chunk, index);
        }
    }

    /// Takes note of bytes that no reading needs any more.
    pub fn pass(&mut self, chunk: Chunk<'_>) {
        let trimmed = white::trimmed_end(chunk.form, chunk.bytes);
        let from = if self.started == 0 {
            white::leading(chunk.form, chunk.bytes)
        } else {
            0
        };
        if from < trimmed {
            self.note_start(chunk.place(from));
            self.text_end = chunk.place(trimmed);
        }
    }

    /// Takes note of something that is not a character.
    pub fn pass_invalid(&mut self, start: Place, end: Place) {
        self.note_start(start);
        self.text_end = end;
    }

    fn note_start(&mut self, place: Place) {
        if self.started == 0 {
            self.started = 1;
            self.text_start = place.units;
        }
    }

    fn start(&mut self, first: u8, place: Place) {
        self.note_start(place);
        self.first = first;
        self.lines.start = place.bytes;
        self.end_lines = self.lines;
        match first {
            b'{' => {
                self.span_phase = span::SHARED;
                self.object_start = place.units;
            }
            b'"' => self.double_phase = double::LEADING,
            _ => {}
        }
    }

    /// Runs the direct reading. Answers the part of the chunk that is the content of the string
    /// that the text is, where it is one; `behind` becomes the index behind the object.
    fn feed_direct<'a>(
        &mut self,
        chunk: &Chunk<'a>,
        from: usize,
        trimmed: usize,
        behind: &mut Option<usize>,
    ) -> Option<&'a [u8]> {
        let was_open = self.double_phase != double::NEVER && self.literal_closed == 0;
        // The opening quote is the text's first byte.
        let opened_here = was_open && self.direct.untouched();
        let content_start = from + usize::from(opened_here);
        let mut content_end = chunk.bytes.len();
        let mut index = from;
        // First what is surely text, to know the lines at its end; then the white space behind it.
        let mut end = trimmed.max(from);
        loop {
            let halt = if index == end {
                Halt::End
            } else {
                let read = &chunk.bytes[..end];
                let (halt, newlines) = self.direct.run_counting(chunk.form, read, index);
                if let Some(newlines) = newlines {
                    self.lines.count += newlines.count;
                    self.lines.start = chunk.place(newlines.behind).bytes;
                }
                halt
            };
            match halt {
                Halt::End => {
                    if from < trimmed && end == trimmed {
                        self.end_lines = self.lines;
                    }
                    if end == chunk.bytes.len() {
                        break;
                    }
                    index = end;
                    end = chunk.bytes.len();
                }
                Halt::Closed(at) => {
                    index = at;
                    let place = if at == trimmed {
                        self.text_end
                    } else {
                        chunk.place(at)
                    };
                    if self.span_phase == span::SHARED {
                        self.object_end = place.units;
                        self.span_phase = span::CLOSED;
                        *behind = Some(at).filter(|&at| at < chunk.bytes.len());
                    } else if was_open {
                        self.literal_end = place.units;
                        self.literal_closed = 1;
                        content_end = at - 1;
                    }
                }
                Halt::Failed(failure) => {
                    self.fail(chunk, failure);
                    if self.literal_closed == 0 {
                        content_end = failure.index;
                    }
                    break;
                }
            }
        }
        if was_open {
            chunk.bytes.get(content_start..content_end)
        } else {
            None
        }
    }

    fn fail(
        &mut self,
        chunk: &Chunk<'_>,
        Failure {
            index,
            within,
            code,
        }: Failure,
    ) {
        self.error_code = code as u8;
        let out_of_range = code == ErrorCode::NumberOutOfRange;
        self.error_at = if out_of_range {
            let behind = chunk.place(index);
            Place {
                bytes: behind.bytes - 1,
                units: behind.units - 1,
            }
        } else {
            chunk.byte_place(index, within)
        };
        let newline = chunk.bytes.get(index) == Some(&b'\n') && !out_of_range;
        self.error_line = self.lines.count + 1 + u64::from(newline);
        let column = self.error_at.bytes + 1 - self.lines.start;
        self.error_column = if newline { 0 } else { column };
        if self.span_phase == span::SHARED {
            self.span_phase = span::DEAD;
        }
        if self.double_phase != double::NEVER && code != ErrorCode::TrailingCharacters {
            self.double_phase = double::DEAD;
        }
    }

    fn feed_span(&mut self, chunk: &Chunk<'_>, from: usize) {
        let mut index = from;
        if self.span_phase == span::UNSEEN {
            let found = find(chunk.bytes, from, b'{');
            let before = &chunk.bytes[from..found.unwrap_or(chunk.bytes.len())];
            self.fence.feed_before(chunk.form, before);
            let Some(brace) = found else { return };
            self.object_start = chunk.place(brace).units;
            self.span_phase = span::OPEN;
            index = brace;
        }
        if self.span_phase == span::OPEN {
            match self.span.run(chunk.form, chunk.bytes, index) {
                Halt::End => return,
                Halt::Failed(_) => {
                    self.span_phase = span::DEAD;
                    return;
                }
                Halt::Closed(end) => {
                    self.object_end = chunk.place(end).units;
                    self.span_phase = span::CLOSED;
                    index = end;
                }
            }
        }
        if self.span_phase == span::CLOSED {
            self.feed_behind(chunk, index);
        }
    }

    /// Takes what follows the object: a `}` would make another slice of it.
    fn feed_behind(&mut self, chunk: &Chunk<'_>, from: usize) {
        if chunk.bytes.len() <= from {
            return;
        }
        if find(chunk.bytes, from, b'}').is_some() {
            self.span_phase = span::DEAD;
        } else {
            self.fence.feed_behind(chunk.form, &chunk.bytes[from..]);
        }
    }

    /// Takes the next bytes of the string that the text is.
    fn feed_double(&mut self, form: Form, content: &[u8]) {
        let Self {
            unescape,
            inner,
            double_phase,
            ..
        } = self;
        if !matches!(*double_phase, double::LEADING..=double::CLOSED) {
            return;
        }
        unescape.feed(form, content, &mut |decoded| {
            feed_inner(inner, double_phase, form, decoded);
        });
    }

    /// Whether nothing but white space was seen.
    pub fn blank(&self) -> bool {
        self.started == 0
    }

    /// Whether the direct reading's error lies inside the trimmed text.
    fn failed(&self) -> bool {
        self.error_code != 0 && self.error_at.bytes < self.text_end.bytes
    }

    fn double_complete(&self) -> bool {
        self.double_phase == double::CLOSED && self.literal_closed != 0 && !self.failed()
    }

    fn double_alive(&self) -> bool {
        if self.direct.doomed() || self.failed() {
            return false;
        }
        match self.double_phase {
            double::LEADING => self.literal_closed == 0 && !self.unescape.awaits_second_half(),
            double::OPEN => {
                let wide = self.unescape.awaits_second_half() && !self.inner.takes_any_character();
                self.literal_closed == 0 && !self.inner.doomed() && !wide
            }
            double::CLOSED => !self.unescape.awaits_second_half(),
            _ => false,
        }
    }

    fn span_alive(&self) -> bool {
        match self.span_phase {
            span::SHARED => !self.direct.doomed(),
            span::OPEN => !self.span.doomed(),
            span::CLOSED => true,
            _ => false,
        }
    }

    /// Whether no continuation can ever be accepted.
    pub fn hopeless(&self) -> bool {
        self.brace_seen() && !self.span_alive() && !self.double_alive()
    }

    /// Whether a `{` was seen.
    pub fn brace_seen(&self) -> bool {
        self.span_phase != span::UNSEEN
    }

    /// How the object is found if the text ends here, and where it stands.
    pub fn found(&self) -> Option<(Repair, Span)> {
        if self.blank() {
            return Some((Repair::Empty, Span::default()));
        }
        if self.double_complete() {
            let span = Span {
                start: self.text_start,
                end: self.literal_end,
            };
            return Some((Repair::DoubleEncoding, span));
        }
        if self.span_phase != span::CLOSED {
            return None;
        }
        let repair = if self.first == b'{' && !self.failed() {
            Repair::None
        } else if self.fence.whole() {
            Repair::Fence
        } else {
            Repair::Prose
        };
        Some((
            repair,
            Span {
                start: self.object_start,
                end: self.object_end,
            },
        ))
    }

    /// Where the object ends, if it begins the text and no `}` follows.
    pub fn plain_end(&self) -> Option<u64> {
        let plain = self.first == b'{' && self.text_start == 0 && self.span_phase == span::CLOSED;
        plain.then_some(self.object_end)
    }

    /// Why the direct reading does not find an object if the text ends here.
    pub fn ending(&self) -> Ending {
        if let Some(error) = self.error() {
            return Ending {
                error,
                at_end: false,
                whole: false,
            };
        }
        let line = self.end_lines.count + 1;
        let column = self.text_end.bytes.saturating_sub(self.end_lines.start);
        match self.direct.end() {
            Some(code @ ErrorCode::NumberOutOfRange) => {
                let offset = self.text_end.units.saturating_sub(1);
                let error = ScanError {
                    code,
                    offset,
                    line,
                    column,
                };
                Ending {
                    error,
                    at_end: false,
                    whole: false,
                }
            }
            Some(code) => {
                let error = ScanError {
                    code,
                    offset: self.text_end.units,
                    line,
                    column,
                };
                Ending {
                    error,
                    at_end: true,
                    whole: false,
                }
            }
            None => {
                let code = if self.first == b'"' {
                    ErrorCode::StringWithoutObject
                } else {
                    ErrorCode::NotObject
                };
                let error = ScanError {
                    code,
                    offset: self.text_start,
                    line: 0,
                    column: 0,
                };
                Ending {
                    error,
                    at_end: false,
                    whole: true,
                }
            }
        }
    }

    /// The direct reading's error, once it is final.
    pub fn error(&self) -> Option<ScanError> {
        if !self.failed() {
            return None;
        }
        Some(ScanError {
            code: ErrorCode::from_number(self.error_code)?,
            offset: self.error_at.units,
            line: self.error_line,
            column: self.error_column,
        })
    }

    /// The trimmed text.
    pub fn text(&self) -> Span {
        Span {
            start: self.text_start,
            end: self.text_end.units,
        }
    }

    /// Where the first `{` stands.
    pub fn object_start(&self) -> Option<u64> {
        self.brace_seen().then_some(self.object_start)
    }

    /// Whether the object is open and inside a string, between two of its characters: whatever
    /// follows but a quote, a backslash or a control character changes nothing.
    pub fn calm(&self) -> bool {
        match self.span_phase {
            span::SHARED => self.direct.takes_any_character(),
            span::OPEN => self.span.takes_any_character(),
            _ => false,
        }
    }

    /// The automaton that `depth` and `in_string` speak of.
    pub fn leading_grammar(&self) -> &Grammar {
        if self.brace_seen() && self.first != b'{' {
            &self.span
        } else {
            &self.direct
        }
    }
}

/// Takes decoded content of the string that the text is, in whole characters.
fn feed_inner(inner: &mut Grammar, phase: &mut u8, form: Form, decoded: &[u8]) {
    let mut index = 0;
    if *phase == double::LEADING {
        index = white::leading(form, decoded);
        match decoded.get(index) {
            None => return,
            Some(b'{') => *phase = double::OPEN,
            Some(_) => *phase = double::DEAD,
        }
    }
    if *phase == double::OPEN {
        match inner.run(form, decoded, index) {
            Halt::End => return,
            Halt::Closed(end) => {
                *phase = double::CLOSED;
                index = end;
            }
            Halt::Failed(_) => *phase = double::DEAD,
        }
    }
    if *phase == double::CLOSED {
        let rest = &decoded[index..];
        if white::leading(form, rest) < rest.len() {
            *phase = double::DEAD;
        }
    }
}

/// The index of the first such byte at or after `from`.
fn find(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    with_backend(Find {
        bytes,
        from,
        wanted,
    })
}

struct Find<'a> {
    bytes: &'a [u8],
    from: usize,
    wanted: u8,
}

impl Scan for Find<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) -> Option<usize> {
        let mut index = self.from;
        loop {
            let rest = self.bytes.get(index..)?;
            let found = mask(backend, rest, Equal(self.wanted));
            if found != 0 {
                let length = found.trailing_zeros() as usize;
                return (length < rest.len()).then_some(index + length);
            }
            index += BLOCK;
        }
    }
}
