//! A chunk of text, and what its indexes mean outside of it.

use crate::form::{Form, Lengths};

/// A position in all that was fed, both in bytes and in the units that the caller counts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Place {
    pub bytes: u64,
    pub units: u64,
}

/// Whole characters of the text, and where they stand in it.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    pub bytes: &'a [u8],
    pub form: Form,
    pub base: Place,
    pub lengths: Lengths,
    /// Whether the caller counts bytes of UTF-8, or units of UTF-16.
    pub counts_bytes: bool,
}

impl<'a> Chunk<'a> {
    /// A chunk that begins where `base` says; `ascii` says that all of it is ASCII, if known.
    pub fn new(bytes: &'a [u8], form: Form, base: Place, counts_bytes: bool, ascii: bool) -> Self {
        let length = bytes.len() as u64;
        // Where bytes are counted in UTF-8, nobody asks for units of UTF-16.
        let alike = ascii || form == Form::Utf8 && counts_bytes;
        let lengths = if alike {
            Lengths {
                utf8: length,
                utf16: length,
            }
        } else {
            form.lengths(bytes)
        };
        Self {
            bytes,
            form,
            base,
            lengths,
            counts_bytes,
        }
    }

    fn at(&self, lengths: Lengths) -> Place {
        let units = if self.counts_bytes {
            lengths.utf8
        } else {
            lengths.utf16
        };
        Place {
            bytes: self.base.bytes + lengths.utf8,
            units: self.base.units + units,
        }
    }

    /// Where the next chunk begins.
    pub fn end(&self) -> Place {
        self.at(self.lengths)
    }

    /// The place of the character that begins at `index`.
    pub fn place(&self, index: usize) -> Place {
        let whole = self.bytes.len();
        let Lengths { utf8, utf16 } = self.lengths;
        if utf8 == utf16 {
            // Each byte is one of both.
            return self.at(Lengths {
                utf8: index as u64,
                utf16: index as u64,
            });
        }
        if index < whole / 2 {
            return self.at(self.form.lengths(&self.bytes[..index]));
        }
        // Counted from the nearer end: the end of the text lies there in every chunk.
        let behind = self.form.lengths(&self.bytes[index..]);
        self.at(Lengths {
            utf8: utf8 - behind.utf8,
            utf16: utf16 - behind.utf16,
        })
    }

    /// The place of a byte of UTF-8, so far within what stands at `index`. Counted in units it is
    /// the place of its character.
    pub fn byte_place(&self, index: usize, within: u8) -> Place {
        let mut start = index;
        while 0 < start
            && self
                .bytes
                .get(start)
                .is_some_and(|&byte| self.form.continues(byte))
        {
            start -= 1;
        }
        let character = self.place(start);
        let before = self.form.lengths(&self.bytes[start..index]).utf8 + u64::from(within);
        let units = character.units + if self.counts_bytes { before } else { 0 };
        Place {
            bytes: character.bytes + before,
            units,
        }
    }

    /// The place of the byte of UTF-8 that stands so far behind the chunk's start.
    pub fn place_of_utf8(&self, offset: u64) -> Place {
        let mut read = 0;
        for (index, &byte) in self.bytes.iter().enumerate() {
            let width = u64::from(self.form.width(byte));
            if offset < read + width {
                let within = u8::try_from(offset - read).unwrap_or_default();
                return self.byte_place(index, within);
            }
            read += width;
        }
        self.end()
    }
}
