//! Finds the bytes that matter in a block of 64, one bit a byte.
//!
//! A backend turns a [`Block`] into a `u64` mask whose bit `n` speaks of byte `n`: no position, no
//! state, no reading past the block, so every backend can be compared with [`scalar`] on the same
//! block. Beside that it judges UTF-8 and packs UTF-16, which are the same kind of work. The grammar
//! keeps the mask of the block it is in and asks it for the next stop, which costs a shift and a
//! count instead of a fresh load for every short string.
//!
//! The backend is chosen once for the process: AVX2 where the processor has it, else the
//! architecture's baseline (SSE2, NEON), else the portable one. A whole scan runs inside
//! [`with_backend`], so that the kernels are inlined into code compiled for their instructions.
//!
//! This is the one module with `unsafe` code: vector intrinsics, and the calls into functions
//! compiled for more than the baseline, each behind the check that makes it sound.
#![allow(unsafe_code)]
#![allow(
    clippy::inline_always,
    reason = "a kernel that is called costs ten times as much"
)]
#![allow(
    clippy::cast_ptr_alignment,
    reason = "the loads and stores ask for no alignment"
)]

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

/// Bytes, or UTF-16 units, that the smallest kernels look at in one go.
pub const LANE: usize = 16;

/// UTF-16 units that [`Backend::narrow`] looks at in one go.
pub const WIDE: usize = 32;

/// Sixteen bytes of text.
pub type Lane = [u8; LANE];

/// What packing a lane of units found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Whether a unit is not ASCII.
    pub wide: bool,
    /// Whether a unit may be half of a pair or white space: the lane is then to be packed unit by
    /// unit.
    pub special: bool,
}

/// What there is to know about a block with a part of a string in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringMasks {
    /// [`Backend::string_stops`].
    pub stops: u64,
    /// The backslashes.
    pub backslashes: u64,
    /// Not zero where not all of it is ASCII.
    pub wide: u32,
}

/// The mask of a block, from the masks of its lanes.
macro_rules! in_lanes {
    ($block:expr, |$lane:ident| $mask:expr) => {{
        let (lanes, _) = $block.as_chunks::<LANE>();
        let mut bits = 0;
        for (index, $lane) in lanes.iter().enumerate() {
            bits |= u64::from($mask) << (index * LANE);
        }
        bits
    }};
}
/// The kernels. Bit `n` of a mask is byte `n` of the lane or block. A backend has to provide those
/// for a lane; a wider vector unit overrides those for a block.
pub trait Backend: Copy {
    /// The bytes that may end a string, or must not be in one: `"` and those below 0x20.
    fn string_stops_in_lane(self, lane: &Lane) -> u16;
    /// The bytes that may follow a backslash and end the escape with it: `"`, `\`, `/` and `bfnrt`.
    fn simple_escapes_in_lane(self, lane: &Lane) -> u16;
    /// The bytes that are JSON white space: 0x20, 0x09, 0x0A, 0x0D.
    fn white_in_lane(self, lane: &Lane) -> u16;
    /// The bytes equal to `byte`.
    fn equal_in_lane(self, lane: &Lane, byte: u8) -> u16;
    /// The decimal digits.
    fn digits_in_lane(self, lane: &Lane) -> u16;

    /// The string stops of a block.
    #[inline(always)]
    fn string_stops(self, block: &Block) -> u64 {
        in_lanes!(block, |lane| self.string_stops_in_lane(lane))
    }
    /// All that is asked about a block with a part of a string in it.
    #[inline(always)]
    fn string_masks(self, block: &Block) -> StringMasks {
        StringMasks {
            stops: self.string_stops(block),
            backslashes: self.equal(block, b'\\'),
            wide: u32::from(!block.is_ascii()),
        }
    }
    /// The same for what a text has from `start` on, where that is less than a block: there are
    /// stops behind the end. Out of line, for the reason that [`mask`] gives.
    fn last_string_masks(self, text: &[u8], start: usize) -> StringMasks;
    /// The bytes of a block that may end an escape.
    #[inline(always)]
    fn simple_escapes(self, block: &Block) -> u64 {
        in_lanes!(block, |lane| self.simple_escapes_in_lane(lane))
    }
    /// The JSON white space of a block.
    #[inline(always)]
    fn white(self, block: &Block) -> u64 {
        in_lanes!(block, |lane| self.white_in_lane(lane))
    }
    /// The bytes of a block that are equal to `byte`.
    #[inline(always)]
    fn equal(self, block: &Block, byte: u8) -> u64 {
        in_lanes!(block, |lane| self.equal_in_lane(lane, byte))
    }
    /// For the block that a text begins with: what is not white space, and the newlines. Out of
    /// line, for the reason that [`mask`] gives.
    fn white_masks(self, text: &[u8]) -> (u64, u64);
    /// For the block that a text begins with: [`Backend::simple_escapes`]. Out of line too.
    fn escape_mask(self, text: &[u8]) -> u64;
    /// Whether the bytes are UTF-8, in whole characters.
    #[inline(always)]
    fn valid_utf8(self, bytes: &[u8]) -> bool {
        core::str::from_utf8(bytes).is_ok()
    }
    /// Writes the low byte of each unit to `out`; whether all of them are ASCII, without which the
    /// bytes mean nothing.
    fn narrow(self, units: &[u16; WIDE], out: &mut [u8; WIDE]) -> bool;
    /// Packs units ([`crate::form`]) into `out`. Where the answer says that one is special, the
    /// bytes mean nothing.
    fn pack(self, units: &[u16; LANE], out: &mut Lane) -> Packed;
}

/// What to look for. A type and not a closure, because only a function can be told to be inlined,
/// and a kernel that is called instead of inlined costs ten times as much.
pub trait Kernel: Copy {
    /// The mask of a block.
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64;
    /// The mask of a lane.
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16;
}

/// Looks for [`Backend::string_stops`].
#[derive(Clone, Copy, Debug)]
pub struct StringStops;

/// Looks for [`Backend::simple_escapes`].
#[derive(Clone, Copy, Debug)]
pub struct SimpleEscapes;

/// Looks for whatever is not [`Backend::white`].
#[derive(Clone, Copy, Debug)]
pub struct NonWhite;

/// Looks for [`Backend::equal`].
#[derive(Clone, Copy, Debug)]
pub struct Equal(pub u8);

impl Kernel for StringStops {
    #[inline(always)]
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64 {
        backend.string_stops(block)
    }
    #[inline(always)]
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16 {
        backend.string_stops_in_lane(lane)
    }
}

impl Kernel for SimpleEscapes {
    #[inline(always)]
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64 {
        backend.simple_escapes(block)
    }
    #[inline(always)]
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16 {
        backend.simple_escapes_in_lane(lane)
    }
}

impl Kernel for NonWhite {
    #[inline(always)]
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64 {
        !backend.white(block)
    }
    #[inline(always)]
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16 {
        !backend.white_in_lane(lane)
    }
}

impl Kernel for Equal {
    #[inline(always)]
    fn block<B: Backend>(self, backend: B, block: &Block) -> u64 {
        backend.equal(block, self.0)
    }
    #[inline(always)]
    fn lane<B: Backend>(self, backend: B, lane: &Lane) -> u16 {
        backend.equal_in_lane(lane, self.0)
    }
}

/// The mask of the block that a text begins with. Where the text is shorter, ones stand behind its
/// end, so that a walk over the mask stops there.
///
/// A short text's last lane is read from its end and overlaps the one before. A copy with zeros
/// behind it would do as well, but a vector that is loaded right after its parts were stored has
/// to wait until they have reached the cache: that costs more than all of this.
#[inline(always)]
pub fn mask<B: Backend>(backend: B, text: &[u8], kernel: impl Kernel) -> u64 {
    match text.first_chunk::<BLOCK>() {
        Some(block) => kernel.block(backend, block),
        None => short_mask(backend, text, kernel),
    }
}

/// Out of line, because inlined everywhere it takes the registers of what matters. So the lanes'
/// kernels may use nothing beyond the baseline's instructions.
#[inline(never)]
fn short_mask<B: Backend>(backend: B, text: &[u8], kernel: impl Kernel) -> u64 {
    let length = text.len();
    let behind = u64::MAX << (length % BLOCK);
    let Some(last) = text.last_chunk::<LANE>() else {
        return u64::from(kernel.lane(backend, &short_lane(text))) | behind;
    };
    let mut bits = u64::from(kernel.lane(backend, last)) << ((length - LANE) % BLOCK);
    for (index, lane) in text.as_chunks::<LANE>().0.iter().enumerate() {
        bits |= u64::from(kernel.lane(backend, lane)) << (index * LANE % BLOCK);
    }
    bits | behind
}

/// A lane of fewer bytes than it has, with zeros behind them, made in registers.
#[inline(always)]
fn short_lane(rest: &[u8]) -> Lane {
    let length = rest.len();
    let bits = if let (Some(first), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>())
    {
        let last = u128::from(u64::from_le_bytes(*last));
        u128::from(u64::from_le_bytes(*first)) | last << ((length % LANE - 8) * 8)
    } else if let (Some(first), Some(last)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        let last = u128::from(u32::from_le_bytes(*last));
        u128::from(u32::from_le_bytes(*first)) | last << ((length - 4) * 8)
    } else {
        rest.iter()
            .rev()
            .fold(0, |bits, &byte| bits << 8 | u128::from(byte))
    };
    bits.to_le_bytes()
}

/// [`Backend::last_string_masks`], to be inlined into code for the backend's instructions.
#[inline(always)]
fn last_string_masks_of<B: Backend>(backend: B, text: &[u8], start: usize) -> StringMasks {
    let rest = text.get(start..).unwrap_or_default();
    let behind = u64::MAX << (rest.len() % BLOCK);
    if let Some(block) = text.last_chunk::<BLOCK>() {
        // Read from the text's end: what stands before the start is shifted away.
        let before = (BLOCK - rest.len()) % BLOCK;
        let masks = backend.string_masks(block);
        return StringMasks {
            stops: masks.stops >> before | behind,
            backslashes: masks.backslashes >> before,
            wide: masks.wide,
        };
    }
    StringMasks {
        stops: short_mask(backend, rest, StringStops),
        backslashes: short_mask(backend, rest, Equal(b'\\')) & !behind,
        wide: u32::from(!rest.is_ascii()),
    }
}

/// [`Backend::last_string_masks`] for a backend whose kernels are the baseline's.
#[inline(never)]
fn last_string_masks<B: Backend>(backend: B, text: &[u8], start: usize) -> StringMasks {
    last_string_masks_of(backend, text, start)
}

/// [`Backend::white_masks`] for a backend whose kernels are the baseline's.
#[inline(never)]
fn white_masks<B: Backend>(backend: B, text: &[u8]) -> (u64, u64) {
    (
        mask(backend, text, NonWhite),
        mask(backend, text, Equal(b'\n')),
    )
}

/// [`Backend::escape_mask`] for a backend whose kernels are the baseline's.
#[inline(never)]
fn escape_mask<B: Backend>(backend: B, text: &[u8]) -> u64 {
    mask(backend, text, SimpleEscapes)
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
