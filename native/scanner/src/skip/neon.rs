//! NEON, which every 64-bit ARM processor has: 16 bytes at a time.

use super::{
    Backend, LANE, Lane, Packed, StringMasks, WIDE, escape_mask, last_string_masks, white_masks,
};
use crate::form::packed;
use core::arch::aarch64::{
    uint8x16_t, uint16x8_t, vaddq_u16, vaddv_u8, vandq_u8, vandq_u16, vbslq_u16, vceqq_u8,
    vceqq_u16, vcltq_u8, vcltq_u16, vcombine_u8, vdupq_n_u8, vdupq_n_u16, vget_high_u8,
    vget_low_u8, vld1q_u8, vld1q_u16, vmaxvq_u8, vmaxvq_u16, vmovn_u16, vorrq_u8, vorrq_u16,
    vst1q_u8, vsubq_u8,
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
        move_mask(or(equal(bytes, b'"'), control))
    }

    #[inline(always)]
    fn simple_escapes_in_lane(self, lane: &Lane) -> u16 {
        let bytes = load(lane);
        let mut found = 0;
        for byte in *br#""\/bfnrt"# {
            found |= move_mask(equal(bytes, byte));
        }
        found
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

    #[inline(always)]
    fn digits_in_lane(self, lane: &Lane) -> u16 {
        // SAFETY: NEON is part of 64-bit ARM. What lies below `0` becomes large.
        move_mask(unsafe { vcltq_u8(vsubq_u8(load(lane), vdupq_n_u8(b'0')), vdupq_n_u8(10)) })
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
        // SAFETY: NEON is part of 64-bit ARM; `units` is four loads of 8 units, `out` two stores.
        unsafe {
            let load = |index: usize| vld1q_u16(units.as_ptr().add(index * 8));
            let (first, second, third, fourth) = (load(0), load(1), load(2), load(3));
            vst1q_u8(
                out.as_mut_ptr(),
                vcombine_u8(vmovn_u16(first), vmovn_u16(second)),
            );
            let behind = vcombine_u8(vmovn_u16(third), vmovn_u16(fourth));
            vst1q_u8(out.as_mut_ptr().add(LANE), behind);
            vmaxvq_u16(vorrq_u16(
                vorrq_u16(first, second),
                vorrq_u16(third, fourth),
            )) < 0x80
        }
    }

    #[inline(always)]
    fn pack(self, units: &[u16; LANE], out: &mut Lane) -> Packed {
        // SAFETY: NEON is part of 64-bit ARM; `units` is two loads of 8 units, `out` 16 bytes.
        unsafe {
            let (low, high) = (vld1q_u16(units.as_ptr()), vld1q_u16(units.as_ptr().add(8)));
            let bytes = vcombine_u8(vmovn_u16(packed_units(low)), vmovn_u16(packed_units(high)));
            vst1q_u8(out.as_mut_ptr(), bytes);
            let special = vorrq_u16(special_units(low), special_units(high));
            Packed {
                wide: 0x80 <= vmaxvq_u8(bytes),
                special: vmaxvq_u16(special) != 0,
            }
        }
    }
}

/// The packed bytes of eight units that are not special, a unit each.
#[inline(always)]
fn packed_units(units: uint16x8_t) -> uint16x8_t {
    // SAFETY: NEON is part of 64-bit ARM.
    unsafe {
        let ascii = vcltq_u16(units, vdupq_n_u16(0x80));
        let two = vcltq_u16(units, vdupq_n_u16(0x800));
        // `THREE`, less one where two bytes will do: all ones are minus one.
        let wide = vaddq_u16(vdupq_n_u16(u16::from(packed::THREE)), two);
        vbslq_u16(ascii, units, wide)
    }
}

/// All ones where one of eight units is half of a pair or may be white space.
#[inline(always)]
fn special_units(units: uint16x8_t) -> uint16x8_t {
    /// All ones where the masked bits of a unit are these.
    macro_rules! among {
        ($mask:literal, $value:literal) => {
            vceqq_u16(vandq_u16(units, vdupq_n_u16($mask)), vdupq_n_u16($value))
        };
    }
    // SAFETY: NEON is part of 64-bit ARM.
    unsafe {
        let halves = among!(0xF800, 0xD800);
        // U+2000 to U+200F, U+2028 and U+2029, and those that stand alone.
        let spaces = vorrq_u16(among!(0xFFF0, 0x2000), among!(0xFFFE, 0x2028));
        let narrow = vorrq_u16(among!(0xFFFF, 0x202F), among!(0xFFFF, 0x205F));
        let latin = vorrq_u16(among!(0xFFFF, 0x85), among!(0xFFFF, 0xA0));
        let others = vorrq_u16(among!(0xFFFF, 0x1680), among!(0xFFFF, 0x3000));
        vorrq_u16(
            vorrq_u16(halves, spaces),
            vorrq_u16(vorrq_u16(narrow, latin), others),
        )
    }
}
