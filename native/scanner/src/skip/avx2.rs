//! AVX2, chosen at run time: two loads of 32 bytes a block, and the bit instructions (BMI, LZCNT,
//! POPCNT) that make a walk over a mask cheap.

use super::{Backend, Block, LANE, Scan};
use core::arch::x86_64::{
    __cpuid, __cpuid_count, __m256i, _mm_storeu_si128, _mm256_and_si256, _mm256_castsi256_si128,
    _mm256_cmpeq_epi8, _mm256_cmpeq_epi16, _mm256_loadu_si256, _mm256_min_epu8,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_packs_epi16, _mm256_packus_epi16,
    _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_setzero_si256,
    _xgetbv,
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

    if __cpuid(0).eax < 7 || __cpuid(0x8000_0000).eax < 0x8000_0001 {
        return false;
    }
    if __cpuid(1).ecx & OSXSAVE_AVX_POPCNT != OSXSAVE_AVX_POPCNT {
        return false;
    }
    // SAFETY: OSXSAVE, checked just above, says that the instruction may be used.
    let saved = unsafe { saved_registers() };
    saved & XMM_YMM == XMM_YMM
        && __cpuid_count(7, 0).ebx & BMI1_AVX2_BMI2 == BMI1_AVX2_BMI2
        && __cpuid(0x8000_0001).ecx & LZCNT == LZCNT
}

/// Which registers the operating system keeps for a thread.
#[target_feature(enable = "xsave")]
fn saved_registers() -> u64 {
    // SAFETY: register 0 exists wherever the instruction does.
    unsafe { _xgetbv(0) }
}

/// The mask of a block, from a test that answers 0xFF in the lanes that it wants.
#[inline(always)]
fn mask(block: &Block, test: impl Fn(__m256i) -> __m256i) -> u64 {
    let mut bits = 0;
    let (lanes, _) = block.as_chunks::<32>();
    for (index, lane) in lanes.iter().enumerate() {
        // SAFETY: `lane` is 32 readable bytes, the load asks for no alignment, and the caller
        // holds an `Avx2`.
        let bytes = unsafe { _mm256_loadu_si256(lane.as_ptr().cast()) };
        // SAFETY: the caller holds an `Avx2`.
        let found = unsafe { _mm256_movemask_epi8(test(bytes)) };
        bits |= u64::from(found.cast_unsigned()) << (index * 32);
    }
    bits
}

#[inline(always)]
fn splat(byte: u8) -> __m256i {
    // SAFETY: the caller holds an `Avx2`.
    unsafe { _mm256_set1_epi8(byte.cast_signed()) }
}

impl Backend for Avx2 {
    #[inline(always)]
    fn string_stops(self, block: &Block) -> u64 {
        // SAFETY: `self` is the proof. A byte is at most 0x1F where it is its own minimum with it.
        mask(block, |bytes| unsafe {
            let control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, splat(0x1F)), bytes);
            let quote = _mm256_cmpeq_epi8(bytes, splat(b'"'));
            let backslash = _mm256_cmpeq_epi8(bytes, splat(b'\\'));
            _mm256_or_si256(_mm256_or_si256(quote, backslash), control)
        })
    }

    #[inline(always)]
    fn non_white(self, block: &Block) -> u64 {
        // SAFETY: `self` is the proof.
        !mask(block, |bytes| unsafe {
            let space = _mm256_cmpeq_epi8(bytes, splat(b' '));
            let tab = _mm256_cmpeq_epi8(bytes, splat(b'\t'));
            let feed = _mm256_cmpeq_epi8(bytes, splat(b'\n'));
            let carriage = _mm256_cmpeq_epi8(bytes, splat(b'\r'));
            _mm256_or_si256(_mm256_or_si256(space, tab), _mm256_or_si256(feed, carriage))
        })
    }

    #[inline(always)]
    fn equal(self, block: &Block, byte: u8) -> u64 {
        // SAFETY: `self` is the proof.
        mask(block, |bytes| unsafe { _mm256_cmpeq_epi8(bytes, splat(byte)) })
    }

    #[inline(always)]
    fn non_ascii(self, block: &Block) -> u64 {
        // The mask is made of the top bits, which are just what is asked for.
        mask(block, |bytes| bytes)
    }

    #[inline(always)]
    fn narrow(self, units: &[u16; LANE], out: &mut [u8; LANE]) -> u32 {
        // SAFETY: `self` is the proof; `units` is 32 readable bytes and `out` 16 writable ones, and
        // neither the load nor the store asks for alignment.
        unsafe {
            let wide = _mm256_loadu_si256(units.as_ptr().cast());
            let byte = _mm256_and_si256(wide, _mm256_set1_epi16(0x00FF));
            // Packing works within each half of the register: the permutation puts the two
            // halves that hold the answer side by side.
            let packed = _mm256_permute4x64_epi64::<0b1101_1000>(_mm256_packus_epi16(byte, byte));
            _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(packed));
            let beyond = _mm256_set1_epi16(0xFF80_u16.cast_signed());
            let ascii = _mm256_cmpeq_epi16(_mm256_and_si256(wide, beyond), _mm256_setzero_si256());
            let ascii = _mm256_permute4x64_epi64::<0b1101_1000>(_mm256_packs_epi16(ascii, ascii));
            !_mm256_movemask_epi8(ascii).cast_unsigned() & 0xFFFF
        }
    }
}
