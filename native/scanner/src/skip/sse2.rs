//! SSE2, which every x86-64 processor has: 16 bytes at a time.

use super::{
    Backend, LANE, Lane, Packed, StringMasks, WIDE, escape_mask, last_string_masks, white_masks,
};
use crate::form::packed;
use core::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cmpeq_epi16,
    _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_packus_epi16,
    _mm_set1_epi8, _mm_set1_epi16, _mm_setzero_si128, _mm_storeu_si128, _mm_sub_epi8,
    _mm_subs_epu16,
};

/// The x86-64 baseline backend.
#[derive(Clone, Copy, Debug)]
pub struct Sse2(());

impl Sse2 {
    /// The backend; SSE2 is part of x86-64.
    #[must_use]
    #[inline(always)]
    pub const fn new() -> Self {
        Self(())
    }
}

impl Default for Sse2 {
    fn default() -> Self {
        Self::new()
    }
}

/// The bytes of a lane.
#[inline(always)]
fn load(lane: &Lane) -> __m128i {
    // SAFETY: `lane` is 16 readable bytes, and the load asks for no alignment.
    unsafe { _mm_loadu_si128(lane.as_ptr().cast()) }
}

/// One bit a byte, from bytes that are 0xFF or 0.
#[inline(always)]
fn mask(found: __m128i) -> u16 {
    // SAFETY: SSE2 is part of x86-64.
    let bits = unsafe { _mm_movemask_epi8(found) };
    // There are just sixteen.
    u16::try_from(bits).unwrap_or_default()
}

#[inline(always)]
fn splat(byte: u8) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set1_epi8(byte.cast_signed()) }
}

impl Backend for Sse2 {
    #[inline(always)]
    fn string_stops_in_lane(self, lane: &Lane) -> u16 {
        let bytes = load(lane);
        // SAFETY: SSE2 is part of x86-64. A byte is at most 0x1F where it is its own minimum with it.
        mask(unsafe {
            let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, splat(0x1F)), bytes);
            let quote = _mm_cmpeq_epi8(bytes, splat(b'"'));
            _mm_or_si128(quote, control)
        })
    }

    #[inline(always)]
    fn simple_escapes_in_lane(self, lane: &Lane) -> u16 {
        let bytes = load(lane);
        let mut found = 0;
        for byte in *br#""\/bfnrt"# {
            // SAFETY: SSE2 is part of x86-64.
            found |= mask(unsafe { _mm_cmpeq_epi8(bytes, splat(byte)) });
        }
        found
    }

    #[inline(always)]
    fn white_in_lane(self, lane: &Lane) -> u16 {
        let bytes = load(lane);
        // SAFETY: SSE2 is part of x86-64.
        mask(unsafe {
            let space = _mm_cmpeq_epi8(bytes, splat(b' '));
            let tab = _mm_cmpeq_epi8(bytes, splat(b'\t'));
            let feed = _mm_cmpeq_epi8(bytes, splat(b'\n'));
            let carriage = _mm_cmpeq_epi8(bytes, splat(b'\r'));
            _mm_or_si128(_mm_or_si128(space, tab), _mm_or_si128(feed, carriage))
        })
    }

    #[inline(always)]
    fn equal_in_lane(self, lane: &Lane, byte: u8) -> u16 {
        // SAFETY: SSE2 is part of x86-64.
        mask(unsafe { _mm_cmpeq_epi8(load(lane), splat(byte)) })
    }

    #[inline(always)]
    fn digits_in_lane(self, lane: &Lane) -> u16 {
        let bytes = load(lane);
        // SAFETY: SSE2 is part of x86-64. What lies below `0` becomes large, and a byte is at most 9
        // where it is its own minimum with it.
        mask(unsafe {
            let digits = _mm_sub_epi8(bytes, splat(b'0'));
            _mm_cmpeq_epi8(_mm_min_epu8(digits, splat(9)), digits)
        })
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
        // SAFETY: `units` is 64 readable bytes and `out` 32 writable ones; no load or store here
        // asks for alignment, and SSE2 is part of x86-64.
        unsafe {
            let source = units.as_ptr().cast::<__m128i>();
            let target = out.as_mut_ptr().cast::<__m128i>();
            let (first, second) = (_mm_loadu_si128(source), _mm_loadu_si128(source.add(1)));
            let (third, fourth) = (
                _mm_loadu_si128(source.add(2)),
                _mm_loadu_si128(source.add(3)),
            );
            _mm_storeu_si128(target, _mm_packus_epi16(first, second));
            _mm_storeu_si128(target.add(1), _mm_packus_epi16(third, fourth));
            let any = _mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, fourth));
            let beyond = _mm_and_si128(any, _mm_set1_epi16(0xFF80_u16.cast_signed()));
            _mm_movemask_epi8(_mm_cmpeq_epi16(beyond, _mm_setzero_si128())) == 0xFFFF
        }
    }

    #[inline(always)]
    fn pack(self, units: &[u16; LANE], out: &mut Lane) -> Packed {
        // SAFETY: `units` is 32 readable bytes and `out` 16 writable ones; no load or store here
        // asks for alignment, and SSE2 is part of x86-64.
        unsafe {
            let source = units.as_ptr().cast::<__m128i>();
            let (low, high) = (_mm_loadu_si128(source), _mm_loadu_si128(source.add(1)));
            let bytes = _mm_packus_epi16(packed_units(low), packed_units(high));
            _mm_storeu_si128(out.as_mut_ptr().cast(), bytes);
            let special = _mm_or_si128(special_units(low), special_units(high));
            Packed {
                wide: _mm_movemask_epi8(bytes) != 0,
                special: _mm_movemask_epi8(special) != 0,
            }
        }
    }
}

/// The packed bytes of eight units that are not special, a unit each.
#[inline(always)]
fn packed_units(units: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let zero = _mm_setzero_si128();
        // All ones where a unit is at most the bound.
        let ascii = _mm_cmpeq_epi16(_mm_subs_epu16(units, _mm_set1_epi16(0x7F)), zero);
        let two = _mm_cmpeq_epi16(_mm_subs_epu16(units, _mm_set1_epi16(0x7FF)), zero);
        // `THREE`, less one where two bytes will do: all ones are minus one.
        let wide = _mm_add_epi16(_mm_set1_epi16(i16::from(packed::THREE)), two);
        _mm_or_si128(_mm_and_si128(ascii, units), _mm_andnot_si128(ascii, wide))
    }
}

/// All ones where one of eight units is half of a pair or may be white space.
#[inline(always)]
fn special_units(units: __m128i) -> __m128i {
    /// All ones where the masked bits of a unit are these.
    macro_rules! among {
        ($mask:literal, $value:literal) => {
            _mm_cmpeq_epi16(
                _mm_and_si128(units, _mm_set1_epi16(($mask as u16).cast_signed())),
                _mm_set1_epi16(($value as u16).cast_signed()),
            )
        };
    }
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let halves = among!(0xF800, 0xD800);
        // U+2000 to U+200F, U+2028 and U+2029, and those that stand alone.
        let spaces = _mm_or_si128(among!(0xFFF0, 0x2000), among!(0xFFFE, 0x2028));
        let narrow = _mm_or_si128(among!(0xFFFF, 0x202F), among!(0xFFFF, 0x205F));
        let latin = _mm_or_si128(among!(0xFFFF, 0x85), among!(0xFFFF, 0xA0));
        let others = _mm_or_si128(among!(0xFFFF, 0x1680), among!(0xFFFF, 0x3000));
        let rest = _mm_or_si128(_mm_or_si128(narrow, latin), others);
        _mm_or_si128(_mm_or_si128(halves, spaces), rest)
    }
}
