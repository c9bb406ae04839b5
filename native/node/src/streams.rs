//! The open streams of one environment.

use argspan_scanner::{Note, Scratch, Stream};

use crate::slab::{Held, Slab};

/// An open stream, and the note that was read last.
#[derive(Debug)]
pub struct Open {
    pub stream: Stream,
    pub note: Option<Note>,
}

impl Held for Open {
    fn memory(&self) -> usize {
        self.stream.memory()
    }
}

/// The streams of an environment.
#[derive(Default)]
pub struct Streams {
    open: Slab<Open>,
    pub scratch: Scratch,
}

impl Streams {
    /// Takes in a stream; answers its number.
    pub fn add(&mut self, stream: Stream) -> usize {
        self.open.add(Open { stream, note: None })
    }

    /// Does something with a stream.
    pub fn with<T>(
        &mut self,
        number: usize,
        action: impl FnOnce(&mut Open, &mut Scratch) -> T,
    ) -> Option<T> {
        let Self { open, scratch } = self;
        open.with(number, |open| action(open, scratch))
    }

    /// Frees a stream, where it is still there.
    pub fn remove(&mut self, number: usize) {
        self.open.remove(number);
    }

    /// What is to be reported now, if anything.
    pub fn report(&mut self) -> Option<i64> {
        self.open.report()
    }
}
