//! SSE2, which every x86-64 processor has: 16 bytes at a time.

use super::{Backend, LANE, Lane, white_masks};
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpeq_epi16, _mm_loadu_si128, _mm_min_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_packs_epi16, _mm_packus_epi16, _mm_set1_epi8,
    _mm_set1_epi16, _mm_setzero_si128, _mm_storeu_si128,
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
    bits.cast_unsigned() as u16
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
            let backslash = _mm_cmpeq_epi8(bytes, splat(b'\\'));
            _mm_or_si128(_mm_or_si128(quote, backslash), control)
        })
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

    fn white_masks(self, text: &[u8]) -> (u64, u64) {
        white_masks(self, text)
    }

    #[inline(always)]
    fn narrow(self, units: &[u16; LANE], out: &mut Lane) -> u32 {
        // SAFETY: `units` is 32 readable bytes and `out` 16 writable ones; no load or store here
        // asks for alignment, and SSE2 is part of x86-64.
        unsafe {
            let source = units.as_ptr().cast::<__m128i>();
            let low = _mm_loadu_si128(source);
            let high = _mm_loadu_si128(source.add(1));
            let byte = _mm_set1_epi16(0x00FF);
            let packed = _mm_packus_epi16(_mm_and_si128(low, byte), _mm_and_si128(high, byte));
            _mm_storeu_si128(out.as_mut_ptr().cast(), packed);
            let beyond = _mm_set1_epi16(0xFF80_u16.cast_signed());
            let zero = _mm_setzero_si128();
            let low_ascii = _mm_cmpeq_epi16(_mm_and_si128(low, beyond), zero);
            let high_ascii = _mm_cmpeq_epi16(_mm_and_si128(high, beyond), zero);
            let ascii = _mm_movemask_epi8(_mm_packs_epi16(low_ascii, high_ascii));
            !ascii.cast_unsigned() & 0xFFFF
        }
    }
}
