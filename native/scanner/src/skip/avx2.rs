//! AVX2, chosen at run time: two loads of 32 bytes a block, and the bit instructions (BMI, LZCNT,
//! POPCNT) that make a walk over a mask cheap.

use super::sse2::Sse2;
use super::{
    BLOCK, Backend, Block, Equal, LANE, Lane, NonWhite, Packed, Scan, SimpleEscapes, StringMasks,
    WIDE, last_string_masks_of,
};
use crate::form::packed;
use core::arch::x86_64::{
    __cpuid_count, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_epi16,
    _mm256_alignr_epi8, _mm256_and_si256, _mm256_blendv_epi8, _mm256_broadcastsi128_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16, _mm256_loadu_si256,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_packus_epi16,
    _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_storeu_si256,
    _mm256_subs_epu8, _mm256_subs_epu16, _mm256_testz_si256, _mm256_xor_si256, _xgetbv,
};
use core::sync::atomic::{AtomicU8, Ordering};

/// The AVX2 backend. A value of this type is the proof that the processor has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// The answer of the one detection: 0 not asked yet, 1 absent, 2 present. Two threads that ask at
/// the same time find the same answer, so no ordering is needed.
static DETECTED: AtomicU8 = AtomicU8::new(0);

impl Avx2 {
    /// The backend, where this processor and its operating system support it.
    #[must_use]
    #[inline]
    pub fn detect() -> Option<Self> {
        match DETECTED.load(Ordering::Relaxed) {
            2 => Some(Self(())),
            0 => Self::ask(),
            _ => None,
        }
    }

    #[cold]
    fn ask() -> Option<Self> {
        let present = supported();
        DETECTED.store(if present { 2 } else { 1 }, Ordering::Relaxed);
        present.then_some(Self(()))
    }

    /// Runs a scan in code compiled for AVX2.
    #[inline]
    pub fn run<S: Scan>(self, scan: S) -> S::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled<S: Scan>(scan: S, backend: Avx2) -> S::Output {
            scan.run(backend)
        }
        // SAFETY: `self` exists only where `detect` found every instruction set named above.
        unsafe { compiled(scan, self) }
    }
}

/// Asks the processor. `is_x86_feature_detected!` would do it, but lives in `std`.
fn supported() -> bool {
    const OSXSAVE_AVX_POPCNT: u32 = 1 << 27 | 1 << 28 | 1 << 23;
    const BMI1_AVX2_BMI2: u32 = 1 << 3 | 1 << 5 | 1 << 8;
    const LZCNT: u32 = 1 << 5;
    const XMM_YMM: u64 = 0b110;

    // SAFETY: every x86-64 processor has the instruction.
    #[allow(unused_unsafe, reason = "a safe function in newer versions of Rust")]
    let leaf = |leaf| unsafe { __cpuid_count(leaf, 0) };
    if leaf(0).eax < 7 || leaf(0x8000_0000).eax < 0x8000_0001 {
        return false;
    }
    if leaf(1).ecx & OSXSAVE_AVX_POPCNT != OSXSAVE_AVX_POPCNT {
        return false;
    }
    // SAFETY: OSXSAVE, checked just above, says that the instruction may be used.
    let saved = unsafe { saved_registers() };
    saved & XMM_YMM == XMM_YMM
        && leaf(7).ebx & BMI1_AVX2_BMI2 == BMI1_AVX2_BMI2
        && leaf(0x8000_0001).ecx & LZCNT == LZCNT
}

/// Which registers the operating system keeps for a thread.
#[target_feature(enable = "xsave")]
fn saved_registers() -> u64 {
    // SAFETY: register 0 exists wherever the instruction does.
    unsafe { _xgetbv(0) }
}

/// The two halves of a block.
#[inline(always)]
fn load(block: &Block) -> (__m256i, __m256i) {
    let halves = block.as_ptr().cast::<__m256i>();
    // SAFETY: a block is two times 32 readable bytes, the loads ask for no alignment, and the
    // caller holds an `Avx2`.
    unsafe {
        (
            _mm256_loadu_si256(halves),
            _mm256_loadu_si256(halves.add(1)),
        )
    }
}

/// One bit a byte, from bytes that are 0xFF or 0.
#[inline(always)]
fn mask(low: __m256i, high: __m256i) -> u64 {
    // SAFETY: the caller holds an `Avx2`.
    let (low, high) = unsafe { (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)) };
    u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
}

/// The string stops of 32 bytes.
#[inline(always)]
fn string_stops(bytes: __m256i) -> __m256i {
    // SAFETY: the caller holds an `Avx2`. A byte is at most 0x1F where it is its own minimum with it.
    unsafe {
        let control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, splat(0x1F)), bytes);
        let quote = _mm256_cmpeq_epi8(bytes, splat(b'"'));
        _mm256_or_si256(quote, control)
    }
}

/// The bytes of 32 that do not end an escape with a backslash. Those that do are looked up by their
/// two halves: a bit in both tables stands for a high half that goes with a low one.
#[inline(always)]
fn not_simple_escapes(bytes: __m256i) -> __m256i {
    /// `"` and `/`.
    const TWO: i8 = 1;
    /// `\`.
    const FIVE: i8 = 1 << 1;
    /// `b`, `f` and `n`.
    const SIX: i8 = 1 << 2;
    /// `r` and `t`.
    const SEVEN: i8 = 1 << 3;
    const HIGH: [i8; 16] = [0, 0, TWO, 0, 0, FIVE, SIX, SEVEN, 0, 0, 0, 0, 0, 0, 0, 0];
    const LOW: [i8; 16] = [
        0,
        0,
        TWO | SIX | SEVEN,
        0,
        SEVEN,
        0,
        SIX,
        0,
        0,
        0,
        0,
        0,
        FIVE,
        0,
        SIX,
        TWO,
    ];
    // SAFETY: the caller holds an `Avx2`. A byte from 0x80 up finds nothing in a table.
    unsafe {
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), splat(0x0F));
        let goes_with = _mm256_shuffle_epi8(table(&LOW), bytes);
        let found = _mm256_and_si256(_mm256_shuffle_epi8(table(&HIGH), high), goes_with);
        _mm256_cmpeq_epi8(found, _mm256_setzero_si256())
    }
}

/// The JSON white space of 32 bytes: a white byte is the one that its low four bits name in the
/// table. The other entries name nothing, because their own low bits differ from their place.
#[inline(always)]
fn white(bytes: __m256i) -> __m256i {
    const WHITE: [i8; 16] = [0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0x09, 0x0A, 0, 0, 0x0D, 0, 0];
    // SAFETY: the caller holds an `Avx2`.
    unsafe { _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table(&WHITE), bytes), bytes) }
}

/// The bytes of 32 that are equal to one.
#[inline(always)]
fn equal(bytes: __m256i, byte: u8) -> __m256i {
    // SAFETY: the caller holds an `Avx2`.
    unsafe { _mm256_cmpeq_epi8(bytes, splat(byte)) }
}

#[inline(always)]
fn splat(byte: u8) -> __m256i {
    // SAFETY: the caller holds an `Avx2`.
    unsafe { _mm256_set1_epi8(byte.cast_signed()) }
}

/// A table of sixteen bytes, once in each half of the register.
#[inline(always)]
fn table(entries: &[i8; 16]) -> __m256i {
    // SAFETY: `entries` is 16 readable bytes, the load asks for no alignment, and the caller holds
    // an `Avx2`.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(entries.as_ptr().cast())) }
}

/// What is wrong at each byte of a register of UTF-8; zero where nothing is.
///
/// The method is J. Keiser's and D. Lemire's ("Validating UTF-8 In Less Than One Instruction Per
/// Byte", 2021): three table look-ups, by the four-bit halves of a byte and its predecessor, whose
/// common bits name the errors that two bytes can show, and one comparison for the bytes that must
/// be a third or fourth of a sequence.
#[inline(always)]
fn utf8_errors(bytes: __m256i, before: __m256i) -> __m256i {
    /// A lead is followed by something other than a continuation.
    const TOO_SHORT: i8 = 1;
    /// A continuation follows ASCII.
    const TOO_LONG: i8 = 1 << 1;
    const OVERLONG_3: i8 = 1 << 2;
    const TOO_LARGE: i8 = 1 << 3;
    const SURROGATE: i8 = 1 << 4;
    const OVERLONG_2: i8 = 1 << 5;
    /// Beyond U+10FFFF by its lead alone, or overlong in four bytes.
    const TOO_LARGE_LEAD: i8 = 1 << 6;
    const OVERLONG_4: i8 = 1 << 6;
    /// Two continuations, which may or may not be right.
    const CONTINUATIONS: i8 = i8::MIN;
    const CARRY: i8 = TOO_SHORT | TOO_LONG | CONTINUATIONS;
    const LEAD_FOLLOWED: i8 = TOO_LONG | OVERLONG_2 | CONTINUATIONS;

    const LEAD_HIGH: [i8; 16] = [
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        CONTINUATIONS,
        CONTINUATIONS,
        CONTINUATIONS,
        CONTINUATIONS,
        TOO_SHORT | OVERLONG_2,
        TOO_SHORT,
        TOO_SHORT | OVERLONG_3 | SURROGATE,
        TOO_SHORT | TOO_LARGE | TOO_LARGE_LEAD | OVERLONG_4,
    ];
    const LEAD_LOW: [i8; 16] = [
        CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
        CARRY | OVERLONG_2,
        CARRY,
        CARRY,
        CARRY | TOO_LARGE,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD | SURROGATE,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
        CARRY | TOO_LARGE | TOO_LARGE_LEAD,
    ];
    const NEXT_HIGH: [i8; 16] = [
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        LEAD_FOLLOWED | OVERLONG_3 | TOO_LARGE_LEAD | OVERLONG_4,
        LEAD_FOLLOWED | OVERLONG_3 | TOO_LARGE,
        LEAD_FOLLOWED | SURROGATE | TOO_LARGE,
        LEAD_FOLLOWED | SURROGATE | TOO_LARGE,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
    ];

    // SAFETY: the caller holds an `Avx2`.
    unsafe {
        let low_bits = splat(0x0F);
        let high = |bytes| _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low_bits);
        // The bytes that stand one, two and three before each.
        let across = _mm256_permute2x128_si256::<0x21>(before, bytes);
        let one_before = _mm256_alignr_epi8::<15>(bytes, across);
        let two_before = _mm256_alignr_epi8::<14>(bytes, across);
        let three_before = _mm256_alignr_epi8::<13>(bytes, across);
        let lead_high = _mm256_shuffle_epi8(table(&LEAD_HIGH), high(one_before));
        let lead_low =
            _mm256_shuffle_epi8(table(&LEAD_LOW), _mm256_and_si256(one_before, low_bits));
        let next_high = _mm256_shuffle_epi8(table(&NEXT_HIGH), high(bytes));
        let special = _mm256_and_si256(_mm256_and_si256(lead_high, lead_low), next_high);
        // Only a lead of three or four bytes leaves the top bit set.
        let third = _mm256_subs_epu8(two_before, splat(0xE0 - 0x80));
        let fourth = _mm256_subs_epu8(three_before, splat(0xF0 - 0x80));
        let due = _mm256_and_si256(_mm256_or_si256(third, fourth), splat(0x80));
        _mm256_xor_si256(due, special)
    }
}

/// Non-zero where a register ends inside a sequence.
#[inline(always)]
fn utf8_unfinished(bytes: __m256i) -> __m256i {
    const LAST_MAX: [u8; 32] = {
        let mut bound = [0xFF; 32];
        bound[29] = 0xF0 - 1;
        bound[30] = 0xE0 - 1;
        bound[31] = 0xC0 - 1;
        bound
    };
    // SAFETY: `LAST_MAX` is 32 readable bytes, the load asks for no alignment, and the caller holds
    // an `Avx2`.
    unsafe { _mm256_subs_epu8(bytes, _mm256_loadu_si256(LAST_MAX.as_ptr().cast())) }
}

/// Judges a text block by block.
struct Utf8Check {
    errors: __m256i,
    /// The last half block, for the sequences that reach into the next.
    before: __m256i,
    /// Non-zero where that half ends inside a sequence.
    unfinished: __m256i,
}

impl Utf8Check {
    #[inline(always)]
    fn new() -> Self {
        // SAFETY: the caller holds an `Avx2`.
        let zero = unsafe { _mm256_setzero_si256() };
        Self {
            errors: zero,
            before: zero,
            unfinished: zero,
        }
    }

    #[inline(always)]
    fn feed(&mut self, block: &Block) {
        let (low, high) = load(block);
        // SAFETY: the caller holds an `Avx2`.
        unsafe {
            if _mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0 {
                self.errors = _mm256_or_si256(self.errors, self.unfinished);
                self.unfinished = _mm256_setzero_si256();
            } else {
                self.errors = _mm256_or_si256(self.errors, utf8_errors(low, self.before));
                self.errors = _mm256_or_si256(self.errors, utf8_errors(high, low));
                self.unfinished = utf8_unfinished(high);
            }
        }
        self.before = high;
    }

    /// Whether all was valid, and the text ends with a whole character.
    #[inline(always)]
    fn passed(&self) -> bool {
        // SAFETY: the caller holds an `Avx2`.
        unsafe {
            let errors = _mm256_or_si256(self.errors, self.unfinished);
            _mm256_testz_si256(errors, errors) == 1
        }
    }
}

/// The masks of a lane are SSE2's: they are asked for out of line, in code for the baseline.
const NARROWER: Sse2 = Sse2::new();

impl Backend for Avx2 {
    #[inline(always)]
    fn string_stops_in_lane(self, lane: &Lane) -> u16 {
        NARROWER.string_stops_in_lane(lane)
    }

    #[inline(always)]
    fn simple_escapes_in_lane(self, lane: &Lane) -> u16 {
        NARROWER.simple_escapes_in_lane(lane)
    }

    #[inline(always)]
    fn white_in_lane(self, lane: &Lane) -> u16 {
        NARROWER.white_in_lane(lane)
    }

    #[inline(always)]
    fn equal_in_lane(self, lane: &Lane, byte: u8) -> u16 {
        NARROWER.equal_in_lane(lane, byte)
    }

    #[inline(always)]
    fn digits_in_lane(self, lane: &Lane) -> u16 {
        NARROWER.digits_in_lane(lane)
    }

    #[inline(always)]
    fn string_stops(self, block: &Block) -> u64 {
        let (low, high) = load(block);
        mask(string_stops(low), string_stops(high))
    }

    #[inline(always)]
    fn simple_escapes(self, block: &Block) -> u64 {
        let (low, high) = load(block);
        !mask(not_simple_escapes(low), not_simple_escapes(high))
    }

    #[inline(always)]
    fn white(self, block: &Block) -> u64 {
        let (low, high) = load(block);
        mask(white(low), white(high))
    }

    #[inline(always)]
    fn equal(self, block: &Block, byte: u8) -> u64 {
        let (low, high) = load(block);
        mask(equal(low, byte), equal(high, byte))
    }

    #[inline(always)]
    fn valid_utf8(self, bytes: &[u8]) -> bool {
        let mut check = Utf8Check::new();
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            check.feed(block);
        }
        if !rest.is_ascii() {
            let mut last = [0; BLOCK];
            last[..rest.len()].copy_from_slice(rest);
            check.feed(&last);
        }
        check.passed()
    }

    #[inline(always)]
    fn string_masks(self, block: &Block) -> StringMasks {
        let (low, high) = load(block);
        let (stops_low, stops_high) = (string_stops(low), string_stops(high));
        let (escapes_low, escapes_high) = (equal(low, b'\\'), equal(high, b'\\'));
        // SAFETY: the caller holds an `Avx2`.
        let (any, wide) = unsafe {
            let any_low = _mm256_or_si256(stops_low, escapes_low);
            let any_high = _mm256_or_si256(stops_high, escapes_high);
            (
                _mm256_movemask_epi8(_mm256_or_si256(any_low, any_high)),
                _mm256_movemask_epi8(_mm256_or_si256(low, high)).cast_unsigned(),
            )
        };
        // In the middle of a long string, that is all there is to know.
        if any == 0 {
            return StringMasks {
                stops: 0,
                backslashes: 0,
                wide,
            };
        }
        StringMasks {
            stops: mask(stops_low, stops_high),
            backslashes: mask(escapes_low, escapes_high),
            wide,
        }
    }

    fn last_string_masks(self, text: &[u8], start: usize) -> StringMasks {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        #[inline(never)]
        fn compiled(backend: Avx2, text: &[u8], start: usize) -> StringMasks {
            last_string_masks_of(backend, text, start)
        }
        // SAFETY: `self` is the proof.
        unsafe { compiled(self, text, start) }
    }

    fn white_masks(self, text: &[u8]) -> (u64, u64) {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        #[inline(never)]
        fn compiled(backend: Avx2, text: &[u8]) -> (u64, u64) {
            (
                super::mask(backend, text, NonWhite),
                super::mask(backend, text, Equal(b'\n')),
            )
        }
        // SAFETY: `self` is the proof.
        unsafe { compiled(self, text) }
    }

    fn escape_mask(self, text: &[u8]) -> u64 {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        #[inline(never)]
        fn compiled(backend: Avx2, text: &[u8]) -> u64 {
            super::mask(backend, text, SimpleEscapes)
        }
        // SAFETY: `self` is the proof.
        unsafe { compiled(self, text) }
    }

    #[inline(always)]
    fn narrow(self, units: &[u16; WIDE], out: &mut [u8; WIDE]) -> bool {
        // SAFETY: `self` is the proof; `units` is 64 readable bytes and `out` 32 writable ones, and
        // neither the loads nor the store ask for alignment.
        unsafe {
            let source = units.as_ptr().cast::<__m256i>();
            let (low, high) = (
                _mm256_loadu_si256(source),
                _mm256_loadu_si256(source.add(1)),
            );
            // Packing takes the halves of both registers in turn: the permutation puts them right.
            let bytes = _mm256_packus_epi16(low, high);
            let bytes = _mm256_permute4x64_epi64::<0b1101_1000>(bytes);
            _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes);
            let any = _mm256_or_si256(low, high);
            _mm256_testz_si256(any, _mm256_set1_epi16(0xFF80_u16.cast_signed())) == 1
        }
    }

    #[inline(always)]
    fn pack(self, units: &[u16; LANE], out: &mut Lane) -> Packed {
        // SAFETY: `self` is the proof; `units` is 32 readable bytes and `out` 16 writable ones, and
        // neither the load nor the store asks for alignment.
        unsafe {
            let units = _mm256_loadu_si256(units.as_ptr().cast());
            let zero = _mm256_setzero_si256();
            // All ones where a unit is at most the bound.
            let ascii = _mm256_cmpeq_epi16(_mm256_subs_epu16(units, _mm256_set1_epi16(0x7F)), zero);
            let two = _mm256_cmpeq_epi16(_mm256_subs_epu16(units, _mm256_set1_epi16(0x7FF)), zero);
            // `THREE`, less one where two bytes will do: all ones are minus one.
            let wide = _mm256_add_epi16(_mm256_set1_epi16(i16::from(packed::THREE)), two);
            let words = _mm256_blendv_epi8(wide, units, ascii);
            // Packing works within each half of the register: the permutation puts the two
            // halves that hold the answer side by side.
            let packed = _mm256_permute4x64_epi64::<0b1101_1000>(_mm256_packus_epi16(words, words));
            _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(packed));
            Packed {
                wide: _mm256_movemask_epi8(ascii) != -1,
                special: _mm256_movemask_epi8(special_units(units)) != 0,
            }
        }
    }
}

/// All ones where one of sixteen units is half of a pair or may be white space.
#[inline(always)]
fn special_units(units: __m256i) -> __m256i {
    /// All ones where the masked bits of a unit are these.
    macro_rules! among {
        ($mask:literal, $value:literal) => {
            _mm256_cmpeq_epi16(
                _mm256_and_si256(units, _mm256_set1_epi16(($mask as u16).cast_signed())),
                _mm256_set1_epi16(($value as u16).cast_signed()),
            )
        };
    }
    // SAFETY: the caller holds an `Avx2`.
    unsafe {
        let halves = among!(0xF800, 0xD800);
        // U+2000 to U+200F, U+2028 and U+2029, and those that stand alone.
        let spaces = _mm256_or_si256(among!(0xFFF0, 0x2000), among!(0xFFFE, 0x2028));
        let narrow = _mm256_or_si256(among!(0xFFFF, 0x202F), among!(0xFFFF, 0x205F));
        let latin = _mm256_or_si256(among!(0xFFFF, 0x85), among!(0xFFFF, 0xA0));
        let others = _mm256_or_si256(among!(0xFFFF, 0x1680), among!(0xFFFF, 0x3000));
        let rest = _mm256_or_si256(_mm256_or_si256(narrow, latin), others);
        _mm256_or_si256(_mm256_or_si256(halves, spaces), rest)
    }
}
