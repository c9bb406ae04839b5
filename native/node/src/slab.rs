//! What is open in one environment, by number.
//!
//! Its state varies in size, so JavaScript cannot own its memory as it owns a scanner's. It holds a
//! number instead, which a registry of finalizers or an end gives back. What it takes is reported
//! to the garbage collector, so that it comes in time.
//!
//! A thing is taken out for the length of a call: where that panics, its number is vacant and
//! every later call says so, instead of reading a half-changed state.

/// Changes are reported in steps of this many bytes.
const STEP: i64 = 1 << 18;

/// Something that holds memory.
pub trait Held {
    /// How many bytes.
    fn memory(&self) -> usize;
}

fn memory(held: &impl Held) -> i64 {
    i64::try_from(held.memory()).unwrap_or(i64::MAX)
}

/// The open things of one kind.
pub struct Slab<T> {
    open: Vec<Option<Box<T>>>,
    vacant: Vec<usize>,
    /// Bytes that came or went since the last report.
    unreported: i64,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            open: Vec::new(),
            vacant: Vec::new(),
            unreported: 0,
        }
    }
}

impl<T: Held> Slab<T> {
    /// Takes in a thing; answers its number.
    pub fn add(&mut self, thing: T) -> usize {
        let open = Box::new(thing);
        self.unreported += memory(&*open);
        if let Some(number) = self.vacant.pop() {
            if let Some(place) = self.open.get_mut(number) {
                *place = Some(open);
            }
            return number;
        }
        self.open.push(Some(open));
        self.open.len() - 1
    }

    /// Does something with a thing.
    pub fn with<A>(&mut self, number: usize, action: impl FnOnce(&mut T) -> A) -> Option<A> {
        let mut open = self.open.get_mut(number)?.take()?;
        let before = memory(&*open);
        let answer = action(&mut open);
        self.unreported += memory(&*open) - before;
        *self.open.get_mut(number)? = Some(open);
        Some(answer)
    }

    /// Frees a thing, where it is still there.
    pub fn remove(&mut self, number: usize) {
        if let Some(place) = self.open.get_mut(number)
            && let Some(open) = place.take()
        {
            self.unreported -= memory(&*open);
            self.vacant.push(number);
        }
    }

    /// What is to be reported now, if anything.
    pub fn report(&mut self) -> Option<i64> {
        (STEP <= self.unreported.abs()).then(|| core::mem::take(&mut self.unreported))
    }
}
