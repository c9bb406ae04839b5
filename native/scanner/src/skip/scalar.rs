//! The portable backend: one byte at a time, in the plainest words. It is what the others are
//! compared with, and what runs where no vector unit is known.

use super::{
    Backend, LANE, Lane, Packed, StringMasks, WIDE, escape_mask, last_string_masks, white_masks,
};
use crate::form::{pack_unit, packed};

/// The portable backend.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

#[inline(always)]
fn mask(lane: &Lane, wanted: impl Fn(u8) -> bool) -> u16 {
    let mut bits = 0;
    for (index, &byte) in lane.iter().enumerate() {
        bits |= u16::from(wanted(byte)) << index;
    }
    bits
}

impl Backend for Scalar {
    #[inline(always)]
    fn string_stops_in_lane(self, lane: &Lane) -> u16 {
        mask(lane, |byte| byte == b'"' || byte < 0x20)
    }

    #[inline(always)]
    fn simple_escapes_in_lane(self, lane: &Lane) -> u16 {
        mask(lane, |byte| br#""\/bfnrt"#.contains(&byte))
    }

    #[inline(always)]
    fn white_in_lane(self, lane: &Lane) -> u16 {
        mask(lane, |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    #[inline(always)]
    fn equal_in_lane(self, lane: &Lane, wanted: u8) -> u16 {
        mask(lane, |byte| byte == wanted)
    }

    #[inline(always)]
    fn digits_in_lane(self, lane: &Lane) -> u16 {
        mask(lane, |byte| byte.is_ascii_digit())
    }

    fn last_string_masks(self, text: &[u8], start: usize) -> StringMasks {
        last_string_masks(self, text, start)
    }

    fn white_masks(self, text: &[u8]) -> (u64, u64) {
        white_masks(self, text)
    }

    fn escape_mask(self, text: &[u8]) -> u64 {
        escape_mask(self, text)
    }

    #[inline(always)]
    fn narrow(self, units: &[u16; WIDE], out: &mut [u8; WIDE]) -> bool {
        for (&unit, byte) in units.iter().zip(out) {
            *byte = unit.to_le_bytes()[0];
        }
        units.iter().all(|&unit| unit < 0x80)
    }

    #[inline(always)]
    fn pack(self, units: &[u16; LANE], out: &mut Lane) -> Packed {
        let mut found = Packed {
            wide: false,
            special: false,
        };
        for (&unit, byte) in units.iter().zip(out) {
            *byte = pack_unit(unit);
            found.wide |= 0x80 <= unit;
            found.special |= packed::SECOND_HALF < *byte || unit & 0xF800 == 0xD800;
        }
        found
    }
}
