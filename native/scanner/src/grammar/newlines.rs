//! Counts newlines, for the line and column of an error. A run only notes that there are some: most
//! texts have none, and counting them block by block costs less than at each run of white space.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use crate::skip::{BLOCK, Backend, Equal, Scan, mask, with_backend};

/// Newlines in a part of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Newlines {
    pub count: u64,
    /// The index behind the last one.
    pub behind: usize,
}

impl Newlines {
    /// The newlines between two indexes, where there are some.
    pub fn between(bytes: &[u8], from: usize, to: usize) -> Option<Self> {
        let passed = bytes.get(from..to)?;
        let mut newlines = with_backend(Count(passed));
        newlines.behind += from;
        (newlines.count != 0).then_some(newlines)
    }
}

struct Count<'a>(&'a [u8]);

impl Scan for Count<'_> {
    type Output = Newlines;

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) -> Newlines {
        let mut newlines = Newlines::default();
        for (index, block) in self.0.chunks(BLOCK).enumerate() {
            let mut found = mask(backend, block, Equal(b'\n'));
            if block.len() < BLOCK {
                found &= !(u64::MAX << block.len());
            }
            if found != 0 {
                newlines.count += u64::from(found.count_ones());
                newlines.behind = (index + 1) * BLOCK - found.leading_zeros() as usize;
            }
        }
        newlines
    }
}

#[cfg(test)]
mod tests {
    use super::Newlines;
    use std::prelude::v1::*;

    #[test]
    fn newlines_are_counted_wherever_they_stand() {
        for length in [0, 1, 15, 16, 63, 64, 65, 127, 128, 200] {
            for step in 1..length {
                let text: Vec<u8> = (0..length)
                    .map(|index| if index % step == 0 { b'\n' } else { b' ' })
                    .collect();
                for from in [0, 1, step].map(|from| from.min(length)) {
                    for to in from..=length {
                        let passed = &text[from..to];
                        let count = passed.iter().map(|&byte| u64::from(byte == b'\n')).sum();
                        let last = passed.iter().rposition(|&byte| byte == b'\n');
                        let expected = last.map(|last| Newlines {
                            count,
                            behind: from + last + 1,
                        });
                        assert_eq!(Newlines::between(&text, from, to), expected);
                    }
                }
            }
        }
    }
}
