//! Finds the bytes that matter in a block of 64, one bit a byte.
//!
//! A backend turns a [`Block`] into a `u64` mask whose bit `n` speaks of byte `n`. That is all:
//! no position, no state, no reading past the block, so every backend can be compared with
//! [`scalar`] on the same block. The grammar keeps the mask of the block it is in and asks it for
//! the next stop, which costs a shift and a count instead of a fresh load for every short string.
//!
//! The backend is chosen once for the process: AVX2 where the processor has it, else the
//! architecture's baseline (SSE2, NEON), else the portable one. A whole scan runs inside
//! [`with_backend`], so that the kernels are inlined into code compiled for their instructions.
//!
//! This is the one module with `unsafe` code: vector intrinsics, and the calls into functions
//! compiled for more than the baseline, each behind the check that makes it sound.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    allow(dead_code, reason = "the others are compared with it")
)]
pub mod scalar;
#[cfg(target_arch = "x86_64")]
pub mod sse2;

/// Bytes that a kernel looks at in one go.
pub const BLOCK: usize = 64;

/// Sixty-four bytes of text.
pub type Block = [u8; BLOCK];

/// A block of the last bytes of a text, with zeros behind them. Copies of a fixed size, which may
/// overlap, are cheaper than one whose length is not known.
#[inline(always)]
#[must_use]
pub fn padded(rest: &[u8]) -> Block {
    let mut block = [0; BLOCK];
    macro_rules! copy_ends {
        ($size:literal) => {
            if let (Some(first), Some(last)) =
                (rest.first_chunk::<$size>(), rest.last_chunk::<$size>())
                && rest.len() <= BLOCK
            {
                block[..$size].copy_from_slice(first);
                block[rest.len() - $size..rest.len()].copy_from_slice(last);
                return block;
            }
        };
    }
    copy_ends!(32);
    copy_ends!(16);
    copy_ends!(8);
    copy_ends!(4);
    for (byte, &source) in block.iter_mut().zip(rest) {
        *byte = source;
    }
    block
}

/// UTF-16 units that [`Backend::narrow`] looks at in one go.
pub const LANE: usize = 16;

/// The kernels. Bit `n` of a mask is byte `n` of the block.
pub trait Backend: Copy {
    /// The bytes at which a run of plain string bytes stops: `"`, `\` and below 0x20.
    fn string_stops(self, block: &Block) -> u64;
    /// The bytes that are not JSON white space: not 0x20, 0x09, 0x0A, 0x0D.
    fn non_white(self, block: &Block) -> u64;
    /// The bytes that are newlines.
    #[inline(always)]
    fn newlines(self, block: &Block) -> u64 {
        self.equal(block, b'\n')
    }
    /// The bytes equal to `byte`.
    fn equal(self, block: &Block, byte: u8) -> u64;
    /// Whether the bytes are UTF-8, in whole characters.
    #[inline(always)]
    fn valid_utf8(self, bytes: &[u8]) -> bool {
        core::str::from_utf8(bytes).is_ok()
    }
    /// Writes the low byte of each unit to `out`; bit `n` of the answer says that unit `n` is not
    /// ASCII, so that its byte means nothing.
    fn narrow(self, units: &[u16; LANE], out: &mut [u8; LANE]) -> u32;
}

/// A computation that wants a backend. Implementations of `run` are `#[inline(always)]`, or the
/// kernels are called instead of inlined.
pub trait Scan {
    /// What it computes.
    type Output;
    /// The computation.
    fn run<B: Backend>(self, backend: B) -> Self::Output;
}

/// Runs a scan with the best backend that this processor has.
#[inline]
pub fn with_backend<S: Scan>(scan: S) -> S::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(backend) = avx2::Avx2::detect() {
            return backend.run(scan);
        }
        scan.run(sse2::Sse2::new())
    }
    #[cfg(target_arch = "aarch64")]
    {
        scan.run(neon::Neon::new())
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        scan.run(scalar::Scalar)
    }
}

#[cfg(test)]
mod tests;
