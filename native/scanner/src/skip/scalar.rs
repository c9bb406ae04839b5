//! The portable backend: one byte at a time, in the plainest words. It is what the others are
//! compared with, and what runs where no vector unit is known.

use super::{Backend, Block, LANE};

/// The portable backend.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

#[inline(always)]
fn mask(block: &Block, wanted: impl Fn(u8) -> bool) -> u64 {
    let mut bits = 0;
    for (index, &byte) in block.iter().enumerate() {
        bits |= u64::from(wanted(byte)) << index;
    }
    bits
}

impl Backend for Scalar {
    #[inline(always)]
    fn string_stops(self, block: &Block) -> u64 {
        mask(block, |byte| byte == b'"' || byte == b'\\' || byte < 0x20)
    }

    #[inline(always)]
    fn non_white(self, block: &Block) -> u64 {
        mask(block, |byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    #[inline(always)]
    fn equal(self, block: &Block, wanted: u8) -> u64 {
        mask(block, |byte| byte == wanted)
    }

    #[inline(always)]
    fn narrow(self, units: &[u16; LANE], out: &mut [u8; LANE]) -> u32 {
        let mut bits = 0;
        for (index, (&unit, byte)) in units.iter().zip(out).enumerate() {
            *byte = unit.to_le_bytes()[0];
            bits |= u32::from(unit >= 0x80) << index;
        }
        bits
    }
}
