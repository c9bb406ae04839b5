//! An event that was read, as the pattern of those to come.
//!
//! Events of one stream mostly say what the one before them said, but for a few characters of
//! text. So the last event is remembered whole, from its first line to its blank line, with the
//! places in it that may be others: its fragment, and values that its format skips and that have
//! differed before. Where the next bytes are the same around these places, and a value stands in
//! each of them, they are an event that says the same with another fragment: neither its lines nor
//! its fields have to be looked for.
//!
//! INVARIANT: that is no guess about the result. The same bytes lead to the same lines, fields and
//! values, and what a format skips it skips whatever it is.
//!
//! Not kept here: what the event did. Who remembers it has to know that it does so again.
#![allow(
    clippy::inline_always,
    reason = "what runs inside a vector backend has to be inlined into it"
)]

use alloc::vec::Vec;

use crate::fields::{Spots, Value};
use crate::json::Reader;
use crate::skip::{Backend, Scan, with_backend};
use crate::sse::Source;

/// Longer events are not remembered.
const TEXT_MAX: usize = 2048;

/// Longer ones are not recognised: they are read as others are.
const EVENT_MAX: usize = 1 << 16;

/// So many events may be remembered in vain, one after another. From then on few are.
const VAIN_MAX: u8 = 16;

/// A place in the text that a value takes; a string's quotes belong to it.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u16,
    end: u16,
    is_fragment: bool,
    /// Whether another value may stand there.
    varies: bool,
}

/// An event that was read, and what may be different in the next.
#[derive(Debug, Default)]
pub struct Template {
    /// The event, without the white space before its last brace, which some servers fill events up
    /// with.
    text: Vec<u8>,
    /// Where that brace stands.
    brace: usize,
    places: Vec<Place>,
    /// Whether the text is that of the last event.
    is_last: bool,
    /// How many events were remembered since one was recognised.
    vain: u8,
}

/// An event that was recognised.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    /// Its bytes, all lines and line ends.
    pub length: usize,
    /// Its fragment, where it has one.
    pub fragment: Value,
}

impl Template {
    /// Bytes of memory beside the structure itself.
    pub fn kept(&self) -> usize {
        self.text.capacity() + self.places.capacity() * size_of::<Place>()
    }

    /// The last event was another one.
    pub fn forget(&mut self) {
        self.is_last = false;
    }

    /// Remembers an event. `spots` says where values stand in its data that do not matter, or are
    /// its fragment.
    pub fn remember(&mut self, source: Source<'_>, data: &[u8], spots: &Spots) {
        self.is_last = false;
        self.vain = self.vain.wrapping_add(1);
        if VAIN_MAX < self.vain && !self.vain.is_multiple_of(VAIN_MAX) {
            return;
        }
        if let Some(places) = places_in(source, spots) {
            self.vary(source.lines, places);
            self.take_text(source, data);
            self.is_last = true;
        }
    }

    /// Takes the places of a new text, and notes which of them hold something else than before.
    fn vary(&mut self, lines: &[u8], places: impl ExactSizeIterator<Item = Place>) {
        let known = places.len() == self.places.len();
        if !known {
            self.places.clear();
            self.places.reserve_exact(places.len());
        }
        let mut differ = false;
        for (nth, mut place) in places.enumerate() {
            if !known {
                self.places.push(place);
            } else if let Some(before) = self.places.get_mut(nth) {
                place.varies |=
                    before.varies || self.text.get(before.range()) != lines.get(place.range());
                differ |= before.is_fragment != place.is_fragment;
                *before = place;
            }
        }
        if differ {
            // Another kind of event with as many places.
            for place in &mut self.places {
                place.varies = place.is_fragment;
            }
        }
    }

    fn take_text(&mut self, source: Source<'_>, data: &[u8]) {
        let lines = source.lines;
        let end = source.data_at + data.len();
        let inner = data.strip_suffix(b"}").unwrap_or(data);
        self.brace = source.data_at + inner.trim_ascii_end().len();
        let behind = end - (data.len() - inner.len());
        self.text.clear();
        self.text.reserve_exact(self.brace + lines.len() - behind);
        self.text.extend_from_slice(&lines[..self.brace]);
        self.text.extend_from_slice(&lines[behind..]);
    }

    /// Whether the bytes begin with an event that says the same as the last one, but for its
    /// fragment.
    pub fn recognise(&mut self, bytes: &[u8]) -> Option<Recognised> {
        struct Look<'a>(&'a Template, &'a [u8]);
        impl Scan for Look<'_> {
            type Output = Option<Recognised>;
            #[inline(always)]
            fn run<B: Backend>(self, backend: B) -> Option<Recognised> {
                self.0.look(backend, self.1)
            }
        }
        if !self.is_last || bytes.is_empty() {
            return None;
        }
        let bytes = bytes.get(..EVENT_MAX).unwrap_or(bytes);
        let recognised = with_backend(Look(self, bytes))?;
        self.vain = 0;
        Some(recognised)
    }

    #[inline(always)]
    fn look<B: Backend>(&self, backend: B, bytes: &[u8]) -> Option<Recognised> {
        let mut reader = Reader::new(backend, bytes);
        let mut fragment = Value::default();
        let mut from = 0;
        for place in self.places.iter().filter(|place| place.varies) {
            same(&mut reader, self.text.get(from..usize::from(place.start))?)?;
            if reader.first()? == b'"' {
                reader.at += 1;
                let value = reader.short_content()?;
                if place.is_fragment {
                    fragment = value;
                }
            } else if place.is_fragment {
                return None;
            } else {
                reader.scalar()?;
            }
            from = usize::from(place.end);
        }
        let rest = self.text.get(from..)?;
        if same(&mut reader, rest).is_none() {
            let (before, behind) = rest.split_at_checked(self.brace.checked_sub(from)?)?;
            same(&mut reader, before)?;
            while reader.first() == Some(b' ') {
                reader.at += 1;
            }
            same(&mut reader, behind)?;
        }
        Some(Recognised {
            length: reader.at,
            fragment,
        })
    }
}

impl Place {
    fn range(self) -> core::ops::Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }
}

/// Reads past bytes that have to be these.
#[inline(always)]
fn same<B: Backend>(reader: &mut Reader<'_, B>, literal: &[u8]) -> Option<()> {
    let end = reader.at + literal.len();
    if reader.bytes.get(reader.at..end)? != literal {
        return None;
    }
    reader.at = end;
    Some(())
}

/// Where an event's values stand in its lines; none where it cannot be remembered.
fn places_in<'a>(
    source: Source<'_>,
    spots: &'a Spots,
) -> Option<impl ExactSizeIterator<Item = Place> + use<'a>> {
    if TEXT_MAX < source.lines.len() {
        return None;
    }
    let (places, fragment) = spots.known()?;
    let data_at = source.data_at;
    let to_line = move |at: u32| u16::try_from(data_at + at as usize).unwrap_or(u16::MAX);
    Some(places.iter().enumerate().map(move |(nth, &(start, end))| {
        let is_fragment = fragment.is_some_and(|fragment| usize::from(fragment) == nth);
        Place {
            start: to_line(start),
            end: to_line(end),
            is_fragment,
            varies: is_fragment,
        }
    }))
}
