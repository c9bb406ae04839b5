//! The portable backend: one byte at a time, in the plainest words. It is what the others are
//! compared with, and what runs where no vector unit is known.

use super::{Backend, LANE, Lane, white_masks};

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
        mask(lane, |byte| byte == b'"' || byte == b'\\' || byte < 0x20)
    }

    #[inline(always)]
    fn white_in_lane(self, lane: &Lane) -> u16 {
        mask(lane, |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    #[inline(always)]
    fn equal_in_lane(self, lane: &Lane, wanted: u8) -> u16 {
        mask(lane, |byte| byte == wanted)
    }

    fn white_masks(self, text: &[u8]) -> (u64, u64) {
        white_masks(self, text)
    }

    #[inline(always)]
    fn narrow(self, units: &[u16; LANE], out: &mut Lane) -> u32 {
        let mut bits = 0;
        for (index, (&unit, byte)) in units.iter().zip(out).enumerate() {
            *byte = unit.to_le_bytes()[0];
            bits |= u32::from(unit >= 0x80) << index;
        }
        bits
    }
}
