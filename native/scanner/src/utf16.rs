//! Between UTF-16, as JavaScript's strings are, and UTF-8.
//!
//! [`encode`] works in pieces that fit the cache.
//! Sixteen units at a time are packed into bytes; where one of them is not ASCII, it is encoded by
//! itself and packing starts again behind it. A half pair becomes U+FFFD, as it does everywhere
//! where strings become bytes.

use alloc::vec::Vec;

use crate::skip::{Backend, LANE, Scan, with_backend};

/// Units that are encoded before the sink sees them.
const PIECE: usize = 1024;

/// Room for the bytes of a piece: three a unit, and a lane's overhang.
const ROOM: usize = PIECE * 3 + LANE;

/// Fragments up to this length get by with a small buffer, which costs less to clear.
const SHORT: usize = 64;
const SHORT_ROOM: usize = SHORT * 3 + LANE;

/// What `encode` carries from one fragment to the next. Every bit pattern is a valid value.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Halves {
    /// The first half of a pair that ended the last fragment, or 0.
    pub high: u16,
    /// 1 once a half was seen that belongs to no pair.
    pub lone: u16,
}

impl Halves {
    /// Gives up waiting for a second half; true where one was waited for.
    pub fn abandon(&mut self) -> bool {
        let waiting = self.high != 0;
        self.high = 0;
        // Not `self.lone |= u16::from(waiting)`: rustc 1.95 loses that store when it optimises.
        if waiting {
            self.lone = 1;
        }
        waiting
    }
}

/// Encodes `units` into `sink`, which gets whole characters and how many units they had.
pub fn encode(units: &[u16], halves: &mut Halves, sink: &mut dyn FnMut(&[u8], usize)) {
    if units.len() <= SHORT {
        with_backend(Encode {
            units,
            halves,
            room: &mut [0; SHORT_ROOM],
            sink,
        });
    } else {
        with_backend(Encode {
            units,
            halves,
            room: &mut [0; ROOM],
            sink,
        });
    }
}

struct Encode<'a> {
    units: &'a [u16],
    halves: &'a mut Halves,
    room: &'a mut [u8],
    sink: &'a mut dyn FnMut(&[u8], usize),
}

impl Scan for Encode<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) {
        let Self {
            units,
            halves,
            room,
            sink,
        } = self;
        for piece in units.chunks(PIECE) {
            let pending = usize::from(halves.high != 0);
            let length = encode_piece(backend, piece, halves, room);
            let waiting = usize::from(halves.high != 0);
            let taken = piece.len() + pending - waiting;
            if taken != 0 {
                sink(&room[..length], taken);
            }
        }
    }
}

/// Encodes one piece into `room`; answers how many bytes it took.
#[inline(always)]
fn encode_piece<B: Backend>(
    backend: B,
    units: &[u16],
    halves: &mut Halves,
    room: &mut [u8],
) -> usize {
    let mut read = 0;
    let mut written = 0;
    loop {
        // Runs of ASCII, a lane at a time.
        while halves.high == 0
            && let Some(lane) = units.get(read..).and_then(<[u16]>::first_chunk::<LANE>)
            && let Some(out) = room
                .get_mut(written..)
                .and_then(<[u8]>::first_chunk_mut::<LANE>)
        {
            let wide = backend.narrow(lane, out);
            let plain = (wide | 1 << LANE).trailing_zeros() as usize;
            read += plain;
            written += plain;
            if wide != 0 {
                break;
            }
        }
        // What is not ASCII, as long as it goes on; and the last units of the piece.
        loop {
            let Some(&unit) = units.get(read) else {
                return written;
            };
            read += 1;
            written += encode_unit(unit, halves, &mut room[written..]);
            if unit < 0x80 && LANE < units.len() - read {
                break;
            }
        }
    }
}

/// Encodes one unit behind a possible first half.
#[inline(always)]
fn encode_unit(unit: u16, halves: &mut Halves, room: &mut [u8]) -> usize {
    if halves.high == 0 && unit & 0xF800 != 0xD800 {
        return put(unit, room);
    }
    encode_half(unit, halves, room)
}

/// Encodes a unit that is half of a pair, or that comes where the second half is due.
#[inline(never)]
fn encode_half(unit: u16, halves: &mut Halves, room: &mut [u8]) -> usize {
    let first = halves.high;
    if first != 0 && (0xDC00..=0xDFFF).contains(&unit) {
        halves.high = 0;
        let scalar = 0x1_0000 + ((u32::from(first) - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
        let character = char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER);
        return character.encode_utf8(room).len();
    }
    let lone = if halves.abandon() {
        put(REPLACEMENT, room)
    } else {
        0
    };
    match unit {
        0xD800..=0xDBFF => {
            halves.high = unit;
            lone
        }
        0xDC00..=0xDFFF => {
            halves.lone = 1;
            lone + put(REPLACEMENT, &mut room[lone..])
        }
        _ => lone + put(unit, &mut room[lone..]),
    }
}

/// What stands for half a pair: U+FFFD.
const REPLACEMENT: u16 = 0xFFFD;

/// Writes a unit that is a character of its own.
#[inline(always)]
fn put(unit: u16, room: &mut [u8]) -> usize {
    let byte = |bits: u16| bits.to_le_bytes()[0];
    match room {
        [first, ..] if unit < 0x80 => {
            *first = byte(unit);
            1
        }
        [first, second, ..] if unit < 0x800 => {
            *first = 0xC0 | byte(unit >> 6);
            *second = 0x80 | byte(unit & 0x3F);
            2
        }
        [first, second, third, ..] => {
            *first = 0xE0 | byte(unit >> 12);
            *second = 0x80 | byte(unit >> 6 & 0x3F);
            *third = 0x80 | byte(unit & 0x3F);
            3
        }
        // There is always room: three bytes a unit.
        _ => 0,
    }
}

/// Appends the units of a UTF-8 text to `units`, which has room for one a byte. False where the
/// bytes are not UTF-8: then the units mean nothing.
#[must_use]
pub fn decode(bytes: &[u8], units: &mut Vec<u16>) -> bool {
    let Ok(text) = core::str::from_utf8(bytes) else {
        return false;
    };
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(lane) = rest.as_bytes().first_chunk::<LANE>()
            && lane.is_ascii()
        {
            units.extend(lane.iter().map(|&byte| u16::from(byte)));
            rest = &rest[LANE..];
            continue;
        }
        // As far as the next run of ASCII may begin.
        let mut taken = 0;
        for character in rest.chars() {
            if character.is_ascii() && LANE <= taken {
                break;
            }
            taken += character.len_utf8();
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
        }
        rest = &rest[taken..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Halves, decode, encode};
    use std::prelude::v1::*;

    #[test]
    fn decoding_is_what_the_standard_library_does() {
        for text in [
            "",
            "plain ASCII, longer than a lane",
            "caf\u{e9} \u{1f680} \u{65e5}\u{672c} and on and on",
        ] {
            for repeat in 0..20 {
                let text = text.repeat(repeat);
                let mut units = Vec::new();
                assert!(decode(text.as_bytes(), &mut units));
                assert_eq!(units, text.encode_utf16().collect::<Vec<_>>());
            }
        }
        assert!(!decode(b"\xFF", &mut Vec::new()));
    }

    fn encoded(pieces: &[&[u16]]) -> (String, usize) {
        let mut halves = Halves::default();
        let mut bytes = Vec::new();
        let mut units = 0;
        for piece in pieces {
            encode(piece, &mut halves, &mut |more, count| {
                assert!(
                    core::str::from_utf8(more).is_ok(),
                    "a character was torn apart"
                );
                bytes.extend_from_slice(more);
                units += count;
            });
        }
        if halves.abandon() {
            bytes.extend_from_slice("\u{FFFD}".as_bytes());
            units += 1;
        }
        let well_formed = char::decode_utf16(pieces.concat()).all(|character| character.is_ok());
        assert_eq!(halves.lone == 0, well_formed);
        (String::from_utf8(bytes).unwrap(), units)
    }

    #[test]
    fn every_unit_is_encoded_as_the_standard_library_does_at_every_place() {
        for unit in (0..=u16::MAX).step_by(7).chain(0xD700..=0xE000) {
            for before in [0, 1, 15, 16, 17, 40] {
                let mut units = vec![u16::from(b'x'); before];
                units.push(unit);
                units.extend([u16::from(b'y'); 20]);
                let expected = String::from_utf16_lossy(&units);
                assert_eq!(
                    encoded(&[&units]),
                    (expected, units.len()),
                    "{unit:x} {before}"
                );
            }
        }
    }

    #[test]
    fn pairs_and_halves_join_at_every_cut() {
        let halves = [
            0xD83D, 0xDE80, 0xD83D, 0xD83D, 0xDE80, 0xDE80, 0x41, 0xD83D, 0x42, 0xDE80,
        ];
        let units: Vec<u16> = halves.into_iter().cycle().take(2100).collect();
        let expected = (String::from_utf16_lossy(&units), units.len());
        for cut in (0..60).chain(1000..1060) {
            assert_eq!(
                encoded(&[&units[..cut], &units[cut..]]),
                expected,
                "cut at {cut}"
            );
        }
        let single: Vec<&[u16]> = units.chunks(1).collect();
        assert_eq!(encoded(&single), expected);
    }
}
