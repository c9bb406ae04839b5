//! NEON, which every 64-bit ARM processor has: 16 bytes at a time.

use super::{Backend, LANE, Lane, white_masks};
use core::arch::aarch64::{
    uint8x16_t, vaddv_u8, vandq_u8, vceqq_u8, vcgeq_u16, vcltq_u8, vcombine_u8, vdupq_n_u8,
    vdupq_n_u16, vget_high_u8, vget_low_u8, vld1q_u8, vld1q_u16, vmovn_u16, vorrq_u8, vst1q_u8,
};

/// The 64-bit ARM backend.
#[derive(Clone, Copy, Debug)]
pub struct Neon(());

impl Neon {
    /// The backend; NEON is part of 64-bit ARM.
    #[must_use]
    #[inline(always)]
    pub const fn new() -> Self {
        Self(())
    }
}

impl Default for Neon {
    fn default() -> Self {
        Self::new()
    }
}

/// The weight of each lane, so that the sum of eight lanes is their mask.
const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// One bit a lane, from lanes that are 0xFF or 0: what x86 calls a move of the mask.
#[inline(always)]
fn move_mask(lanes: uint8x16_t) -> u16 {
    // SAFETY: NEON is part of 64-bit ARM, and `WEIGHTS` is 16 readable bytes.
    unsafe {
        let weighed = vandq_u8(lanes, vld1q_u8(WEIGHTS.as_ptr()));
        u16::from(vaddv_u8(vget_low_u8(weighed))) | u16::from(vaddv_u8(vget_high_u8(weighed))) << 8
    }
}

/// The bytes of a lane.
#[inline(always)]
fn load(lane: &Lane) -> uint8x16_t {
    // SAFETY: `lane` is 16 readable bytes.
    unsafe { vld1q_u8(lane.as_ptr()) }
}

#[inline(always)]
fn equal(bytes: uint8x16_t, byte: u8) -> uint8x16_t {
    // SAFETY: NEON is part of 64-bit ARM.
    unsafe { vceqq_u8(bytes, vdupq_n_u8(byte)) }
}

#[inline(always)]
fn or(left: uint8x16_t, right: uint8x16_t) -> uint8x16_t {
    // SAFETY: NEON is part of 64-bit ARM.
    unsafe { vorrq_u8(left, right) }
}

impl Backend for Neon {
    #[inline(always)]
    fn string_stops_in_lane(self, lane: &Lane) -> u16 {
        let bytes = load(lane);
        // SAFETY: NEON is part of 64-bit ARM.
        let control = unsafe { vcltq_u8(bytes, vdupq_n_u8(0x20)) };
        move_mask(or(or(equal(bytes, b'"'), equal(bytes, b'\\')), control))
    }

    #[inline(always)]
    fn white_in_lane(self, lane: &Lane) -> u16 {
        let bytes = load(lane);
        let blank = or(equal(bytes, b' '), equal(bytes, b'\t'));
        move_mask(or(blank, or(equal(bytes, b'\n'), equal(bytes, b'\r'))))
    }

    #[inline(always)]
    fn equal_in_lane(self, lane: &Lane, byte: u8) -> u16 {
        move_mask(equal(load(lane), byte))
    }

    fn white_masks(self, text: &[u8]) -> (u64, u64) {
        white_masks(self, text)
    }

    #[inline(always)]
    fn narrow(self, units: &[u16; LANE], out: &mut Lane) -> u32 {
        // SAFETY: NEON is part of 64-bit ARM; `units` is two loads of 8 units, `out` 16 bytes.
        unsafe {
            let low = vld1q_u16(units.as_ptr());
            let high = vld1q_u16(units.as_ptr().add(8));
            vst1q_u8(
                out.as_mut_ptr(),
                vcombine_u8(vmovn_u16(low), vmovn_u16(high)),
            );
            let limit = vdupq_n_u16(0x80);
            let wide = vcombine_u8(
                vmovn_u16(vcgeq_u16(low, limit)),
                vmovn_u16(vcgeq_u16(high, limit)),
            );
            u32::from(move_mask(wide))
        }
    }
}
