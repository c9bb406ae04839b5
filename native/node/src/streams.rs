//! The open streams of one environment, by number.
//!
//! A stream's state varies in size, so JavaScript cannot own its memory as it owns a scanner's.
//! It holds a number instead, which a registry of finalizers or the stream's end gives back. What
//! the streams take is reported to the garbage collector, so that it comes in time.
//!
//! A stream is taken out for the length of a call: where that panics, its number is vacant and
//! every later call says so, instead of reading a half-changed state.

use argspan_scanner::{Note, Scratch, Stream};

/// Changes are reported in steps of this many bytes.
const STEP: i64 = 1 << 18;

/// An open stream, and the note that was read last.
#[derive(Debug)]
pub struct Open {
    pub stream: Stream,
    pub note: Option<Note>,
}

/// The streams of an environment.
#[derive(Default)]
pub struct Streams {
    open: Vec<Option<Box<Open>>>,
    vacant: Vec<usize>,
    /// Bytes that came or went since the last report.
    unreported: i64,
    pub scratch: Scratch,
}

fn memory(open: &Open) -> i64 {
    i64::try_from(open.stream.memory()).unwrap_or(i64::MAX)
}

impl Streams {
    /// Takes in a stream; answers its number.
    pub fn add(&mut self, stream: Stream) -> usize {
        let open = Box::new(Open { stream, note: None });
        self.unreported += memory(&open);
        if let Some(number) = self.vacant.pop() {
            if let Some(place) = self.open.get_mut(number) {
                *place = Some(open);
            }
            return number;
        }
        self.open.push(Some(open));
        self.open.len() - 1
    }

    /// Does something with a stream.
    pub fn with<T>(
        &mut self,
        number: usize,
        action: impl FnOnce(&mut Open, &mut Scratch) -> T,
    ) -> Option<T> {
        let mut open = self.open.get_mut(number)?.take()?;
        let before = memory(&open);
        let answer = action(&mut open, &mut self.scratch);
        self.unreported += memory(&open) - before;
        *self.open.get_mut(number)? = Some(open);
        Some(answer)
    }

    /// Frees a stream, where it is still there.
    pub fn remove(&mut self, number: usize) {
        if let Some(place) = self.open.get_mut(number)
            && let Some(open) = place.take()
        {
            self.unreported -= memory(&open);
            self.vacant.push(number);
        }
    }

    /// What is to be reported now, if anything.
    pub fn report(&mut self) -> Option<i64> {
        (STEP <= self.unreported.abs()).then(|| core::mem::take(&mut self.unreported))
    }
}
