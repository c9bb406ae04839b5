//! Walks over strings and white space with the masks of the block that it is in, so that a short
//! string costs a shift and a count instead of a look at each byte.
//!
//! INVARIANT: a stop at or behind the index that was asked for is never passed over.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use crate::skip::{BLOCK, Backend, StringMasks};

/// What a run came by, beside what it stopped at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Whether there was a newline in a block that was looked at for white space.
    pub newline: bool,
    /// Whether a block with a part of a string was not all ASCII. Elsewhere, what is not ASCII ends
    /// the run.
    pub wide: bool,
}

/// The string stops of the block that was last asked for.
pub struct Strings<'a, B> {
    backend: B,
    bytes: &'a [u8],
    /// The index behind the block, which is all of it that is ahead.
    limit: usize,
    stops: u64,
    /// Not zero where [`Seen::wide`].
    pub wide: u32,
}

impl<'a, B: Backend> Strings<'a, B> {
    #[inline(always)]
    pub fn new(backend: B, bytes: &'a [u8]) -> Self {
        Self {
            backend,
            bytes,
            limit: 0,
            stops: 0,
            wide: 0,
        }
    }

    /// The index of the first string stop at or after `index`, or the chunk's length.
    #[inline(always)]
    pub fn end(&mut self, mut index: usize) -> usize {
        loop {
            if self.limit <= index {
                if self.bytes.len() <= index {
                    return index;
                }
                self.load(index);
            }
            let ahead = self.stops >> (index % BLOCK);
            if ahead != 0 {
                return index + ahead.trailing_zeros() as usize;
            }
            index = self.limit;
        }
    }

    #[inline(always)]
    fn load(&mut self, index: usize) {
        // Mostly the next one, which is known before the index is.
        let mut start = self.limit;
        if BLOCK <= index - start {
            start = start_of_block(index);
        }
        self.limit = start + BLOCK;
        let rest = &self.bytes[start..];
        let StringMasks {
            stops,
            backslashes,
            wide,
        } = match rest.first_chunk::<BLOCK>() {
            Some(block) => self.backend.string_masks(block),
            None => self.backend.last_string_masks(self.bytes, start),
        };
        self.stops = stops;
        self.wide |= wide;
        // What stands before the index has been read.
        let backslashes = backslashes & u64::MAX << (index % BLOCK);
        if backslashes != 0 {
            let simple = self.backend.escape_mask(rest) & inside(rest);
            self.stops = with_escapes(stops, backslashes, simple);
        }
    }
}

/// Where the block of an index begins. Out of line, so that a processor goes on with the block that it
/// expects instead of waiting for the index.
#[cold]
#[inline(never)]
fn start_of_block(index: usize) -> usize {
    index / BLOCK * BLOCK
}

/// What is not white space in the block that was last asked for.
pub struct Whites<'a, B> {
    backend: B,
    bytes: &'a [u8],
    limit: usize,
    others: u64,
    /// [`Seen::newline`].
    pub newline: bool,
}

impl<'a, B: Backend> Whites<'a, B> {
    #[inline(always)]
    pub fn new(backend: B, bytes: &'a [u8]) -> Self {
        Self {
            backend,
            bytes,
            limit: 0,
            others: 0,
            newline: false,
        }
    }

    /// The index of the first byte at or after `index` that is not JSON white space, or the
    /// chunk's length. Notes that there may be newlines; counting them is for later.
    #[inline(always)]
    pub fn end(&mut self, mut index: usize) -> usize {
        loop {
            if self.limit <= index {
                if self.bytes.len() <= index {
                    return index;
                }
                let start = index / BLOCK * BLOCK;
                self.limit = start + BLOCK;
                let rest = &self.bytes[start..];
                let newlines;
                (self.others, newlines) = self.backend.white_masks(rest);
                self.newline |= newlines & inside(rest) != 0;
            }
            let ahead = self.others >> (index % BLOCK);
            if ahead != 0 {
                return index + ahead.trailing_zeros() as usize;
            }
            index = self.limit;
        }
    }
}

/// The bits of a block's mask that stand for bytes of the text.
#[inline(always)]
fn inside(text: &[u8]) -> u64 {
    if text.len() < BLOCK {
        !(u64::MAX << text.len())
    } else {
        u64::MAX
    }
}

/// Takes the bytes that are escaped out of a block's stops, and puts in the backslash of each escape
/// that is not simple, or that ends in the next block. So a string is walked without a branch for
/// each escape, which no processor can foresee.
///
/// In a run of backslashes they escape each other in pairs, so the byte behind it is escaped where
/// the run is of odd length. Added to a run, its first bit is carried to the place behind it; that
/// the place is odd where the beginning was even, or the other way round, means an odd length.
fn with_escapes(stops: u64, backslashes: u64, simple: u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = backslashes & !(backslashes << 1);
    let behind_even = backslashes.wrapping_add(first & EVEN) & !backslashes;
    let behind_odd = backslashes.wrapping_add(first & !EVEN) & !backslashes;
    let escaped = behind_even & !EVEN | behind_odd & EVEN;
    let others = (escaped & !simple) >> 1;
    // A run of odd length up to the block's end, whose escaped byte is the next block's.
    let open = u64::from(backslashes.leading_ones() % 2 == 1) << 63;
    stops & !escaped | others | open
}

#[cfg(test)]
mod tests {
    use super::with_escapes;

    /// The stops of a string's bytes, one after another.
    fn expected(bytes: &[u8; 64]) -> u64 {
        let mut stops = 0;
        let mut index = 0;
        while let Some(&byte) = bytes.get(index) {
            let escape = byte == b'\\';
            if escape
                && bytes
                    .get(index + 1)
                    .is_some_and(|next| br#""\n"#.contains(next))
            {
                index += 2;
                continue;
            }
            stops |= u64::from(escape || byte == b'"') << index;
            index += 1 + usize::from(escape);
        }
        stops
    }

    #[test]
    fn runs_of_backslashes_escape_each_other_in_pairs() {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..200_000 {
            let mut bytes = [b'x'; 64];
            for byte in &mut bytes {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let choice = usize::from(random.to_le_bytes()[4]) % 6;
                *byte = [b'\\', b'"', b'n', b'u', b'x', b'\\'][choice];
                if round % 2 == 0 && random >> 40 & 3 != 0 {
                    *byte = b'\\';
                }
            }
            let bits = |wanted: &[u8]| {
                let set = |index: usize| u64::from(wanted.contains(&bytes[index])) << index;
                (0..64).map(set).fold(0, |all, bit| all | bit)
            };
            let found = with_escapes(bits(b"\""), bits(b"\\"), bits(br#""\n"#));
            assert_eq!(
                found,
                expected(&bytes),
                "{:?}",
                core::str::from_utf8(&bytes)
            );
        }
    }
}
