//! UTF-16, as JavaScript's strings are: packed for reading ([`crate::form`]), and made of UTF-8.
//!
//! A string may end in half a surrogate pair, whose other half comes with the next one. A half
//! that has no other counts as U+FFFD, as it does everywhere where strings become bytes.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use alloc::vec::Vec;

use crate::form::{pack_unit, packed};
use crate::skip::{Backend, LANE, Lane, Scan, WIDE, with_backend};

/// Units that are packed before the sink sees them: few enough to stay in the nearest cache.
const PIECE: usize = 4096;

/// Room for a piece, the first half that came before it, and a lane's overhang.
const ROOM: usize = PIECE + 1 + LANE;

/// Fragments up to this length get by with a small buffer, which costs less to clear.
const SHORT: usize = 512;
const SHORT_ROOM: usize = SHORT + 1 + LANE;

/// What packing carries from one fragment to the next. Every bit pattern is a valid value.
///
/// One number, because of two fields side by side rustc 1.95 loses a store when it optimises; the
/// tests here fail then.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Halves(u32);

/// Set once a half was seen that belongs to no pair.
const LONE: u32 = 1 << 16;

impl Halves {
    pub const NEW: Self = Self(0);

    /// The first half of a pair that ended the last fragment, or 0.
    fn high(self) -> u32 {
        self.0 & 0xFFFF
    }

    /// Whether a first half waits for its second.
    pub fn waiting(self) -> bool {
        self.high() != 0
    }

    /// Whether a half was seen that belongs to no pair.
    pub fn lone(self) -> bool {
        self.0 & LONE != 0
    }

    fn wait_for(&mut self, high: u16) {
        self.0 = self.0 & LONE | u32::from(high);
    }

    /// The second half has come.
    fn join(&mut self) {
        self.0 &= LONE;
    }

    fn note_lone(&mut self) {
        self.0 |= LONE;
    }

    /// Gives up waiting for a second half; true where one was waited for.
    pub fn abandon(&mut self) -> bool {
        let waiting = self.waiting();
        if waiting {
            self.0 = LONE;
        }
        waiting
    }
}

/// Packs `units` into `sink`, which gets whole characters, and whether all of them are known to
/// be ASCII.
pub fn pack(units: &[u16], halves: &mut Halves, sink: &mut dyn FnMut(&[u8], bool)) {
    if units.len() <= SHORT {
        with_backend(Pack {
            units,
            halves,
            room: &mut [0; SHORT_ROOM],
            sink,
        });
    } else {
        with_backend(Pack {
            units,
            halves,
            room: &mut [0; ROOM],
            sink,
        });
    }
}

struct Pack<'a> {
    units: &'a [u16],
    halves: &'a mut Halves,
    room: &'a mut [u8],
    sink: &'a mut dyn FnMut(&[u8], bool),
}

impl Scan for Pack<'_> {
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
            let (length, ascii) = pack_piece(backend, piece, halves, room);
            if length != 0 {
                sink(&room[..length], ascii);
            }
        }
    }
}

/// Packs units below 0x100 in place, of which a byte each was taken; whether all are ASCII.
pub fn pack_latin1(units: &mut [u8]) -> bool {
    with_backend(PackLatin1(units))
}

struct PackLatin1<'a>(&'a mut [u8]);

impl Scan for PackLatin1<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Backend>(self, _backend: B) -> bool {
        // Loops that the compiler turns into vectors of the backend's width.
        let any = self.0.iter().fold(0, |any, &unit| any | unit);
        if any < 0x80 {
            return true;
        }
        for unit in self.0 {
            let white = *unit == 0x85 || *unit == 0xA0;
            let wide = if white {
                packed::WHITE_TWO
            } else {
                packed::TWO
            };
            *unit = if *unit < 0x80 { *unit } else { wide };
        }
        false
    }
}

/// Packs one piece into `room`; answers how many bytes it took, and whether all are ASCII.
#[inline(always)]
fn pack_piece<B: Backend>(
    backend: B,
    units: &[u16],
    halves: &mut Halves,
    room: &mut [u8],
) -> (usize, bool) {
    let mut length = 0;
    let mut wide = false;
    let mut rest = units;
    while let Some((block, behind)) = rest.split_first_chunk::<WIDE>() {
        let ascii = !halves.waiting()
            && room
                .get_mut(length..)
                .and_then(<[u8]>::first_chunk_mut::<WIDE>)
                .is_some_and(|out| backend.narrow(block, out));
        if ascii {
            length += WIDE;
        } else {
            wide = true;
            for lane in block.as_chunks::<LANE>().0 {
                length += pack_lane(backend, lane, halves, &mut room[length..]);
            }
        }
        rest = behind;
    }
    if let Some((lane, behind)) = rest.split_first_chunk::<LANE>() {
        let before = length;
        length += pack_lane(backend, lane, halves, &mut room[length..]);
        wide |= !room[before..length].is_ascii();
        rest = behind;
    }
    // A lane of zeros where nothing is left, so that the last units go the same way.
    let mut last = [0; LANE];
    last[..rest.len()].copy_from_slice(rest);
    let mut out: Lane = [0; LANE];
    let found = backend.pack(&last, &mut out);
    if halves.waiting() && !rest.is_empty() || found.special {
        wide = true;
        length += pack_units(rest, halves, &mut room[length..]);
    } else if let Some(room) = room
        .get_mut(length..)
        .and_then(<[u8]>::first_chunk_mut::<LANE>)
    {
        *room = out;
        wide |= found.wide;
        length += rest.len();
    }
    (length, !wide)
}

/// Packs a lane into `room`; answers how many bytes it took.
#[inline(always)]
fn pack_lane<B: Backend>(
    backend: B,
    lane: &[u16; LANE],
    halves: &mut Halves,
    room: &mut [u8],
) -> usize {
    if !halves.waiting()
        && let Some(out) = room.first_chunk_mut::<LANE>()
        && !backend.pack(lane, out).special
    {
        return LANE;
    }
    pack_units(lane, halves, room)
}

/// Packs units one by one, behind a possible first half.
#[inline(never)]
fn pack_units(units: &[u16], halves: &mut Halves, room: &mut [u8]) -> usize {
    let mut length = 0;
    let mut put = |byte| {
        if let Some(slot) = room.get_mut(length) {
            *slot = byte;
            length += 1;
        }
    };
    for &unit in units {
        if halves.waiting() && (0xDC00..=0xDFFF).contains(&unit) {
            halves.join();
            put(packed::FIRST_HALF);
            put(packed::SECOND_HALF);
            continue;
        }
        if halves.abandon() {
            put(packed::THREE);
        }
        match unit {
            0xD800..=0xDBFF => halves.wait_for(unit),
            0xDC00..=0xDFFF => {
                halves.note_lone();
                put(packed::THREE);
            }
            _ => put(pack_unit(unit)),
        }
    }
    length
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
    use super::{Halves, decode, pack, pack_latin1};
    use crate::form::{Form, Lengths};
    use std::prelude::v1::*;

    #[test]
    fn decoding_is_what_the_standard_library_does() {
        for text in [
            "",
            "plain ASCII, longer than a lane",
            "caf\u{e9} \u{1f680} \u{65e5}\u{672c} and on",
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

    /// Compares packed pieces with the UTF-8 text that they are.
    #[track_caller]
    fn check(pieces: &[&[u16]]) {
        let mut halves = Halves::NEW;
        let mut bytes = Vec::new();
        for piece in pieces {
            pack(piece, &mut halves, &mut |more, ascii| {
                assert!(!ascii || more.is_ascii());
                assert!(
                    !Form::Packed.continues(more[0]),
                    "a character was torn apart"
                );
                bytes.extend_from_slice(more);
            });
        }
        if halves.abandon() {
            bytes.push(super::packed::THREE);
        }
        let units = pieces.concat();
        let well_formed = char::decode_utf16(units.iter().copied()).all(|unit| unit.is_ok());
        assert_eq!(
            !halves.lone(),
            well_formed,
            "{:x?}",
            &pieces[0][..pieces[0].len().min(20)]
        );
        let text = String::from_utf16_lossy(&units);
        let lengths = Lengths {
            utf8: text.len() as u64,
            utf16: units.len() as u64,
        };
        assert_eq!(Form::Packed.lengths(&bytes), lengths);
        let mut rest = &bytes[..];
        for expected in text.chars() {
            let (found, length) = Form::Packed.first(rest).unwrap();
            assert_eq!(
                found.is_whitespace(),
                expected.is_whitespace(),
                "{expected:?}"
            );
            assert_eq!(
                found.is_ascii().then_some(found),
                expected.is_ascii().then_some(expected)
            );
            assert_eq!(length, expected.len_utf16(), "{expected:?}");
            rest = &rest[length..];
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn every_unit_is_packed_for_what_it_is_at_every_place() {
        for unit in 0..=u16::MAX {
            let mut units = vec![unit];
            units.extend([u16::from(b'y'); 20]);
            check(&[&units]);
            if unit % 7 == 0 || (0xD700..=0xE100).contains(&unit) {
                for before in [1, 15, 16, 17, 40] {
                    let mut units = vec![u16::from(b'x'); before];
                    units.push(unit);
                    check(&[&units]);
                }
            }
        }
    }

    #[test]
    fn latin1_is_packed_as_other_units_are() {
        let mut units: Vec<u8> = (0..=u8::MAX).collect();
        let wide: Vec<u16> = units.iter().map(|&unit| u16::from(unit)).collect();
        assert!(pack_latin1(&mut units.clone()[..0x80]));
        assert!(!pack_latin1(&mut units));
        let mut packed = Vec::new();
        let mut halves = Halves::NEW;
        pack(&wide, &mut halves, &mut |more, _| {
            packed.extend_from_slice(more);
        });
        assert_eq!(units, packed);
    }

    #[test]
    fn pairs_and_halves_join_at_every_cut() {
        let halves = [
            0xD83D, 0xDE80, 0xD83D, 0xD83D, 0xDE80, 0xDE80, 0x41, 0xD83D, 0x42, 0xDE80,
        ];
        let units: Vec<u16> = halves.into_iter().cycle().take(8300).collect();
        for cut in (0..60).chain(4070..4130) {
            check(&[&units[..cut], &units[cut..]]);
        }
        let single: Vec<&[u16]> = units.chunks(1).collect();
        check(&single);
    }
}
