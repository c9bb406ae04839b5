//! Every backend against the portable one: each byte value in each lane, and random blocks.

use super::scalar::Scalar;
use super::{BLOCK, Backend, Block, Equal, LANE, NonWhite, SimpleEscapes, StringStops, WIDE, mask};
use std::vec::Vec;

/// A small generator, so that the blocks are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for byte in 0..=u8::MAX {
        for lane in 0..BLOCK {
            for filler in [b'x', 0, b'"', 0xFF] {
                let mut block = [filler; BLOCK];
                block[lane] = byte;
                blocks.push(block);
            }
        }
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..20_000 {
        let mut block = [0; BLOCK];
        block.fill_with(|| random.next().to_le_bytes()[0]);
        blocks.push(block);
    }
    blocks
}

/// Sequences of every kind, good and bad, at every distance from a block's end.
fn texts() -> Vec<Vec<u8>> {
    let edges = [
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
        0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF,
    ];
    let mut texts = Vec::new();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for &first in &edges {
        for &second in &edges {
            for &third in &edges {
                let fourth = edges[usize::from(random.next().to_le_bytes()[4]) % edges.len()];
                for before in [0, 29, 30, 31, 32, 61, 62, 63, 64] {
                    let mut text = std::vec![b'x'; before];
                    text.extend([first, second, third, fourth]);
                    texts.push(text.clone());
                    text.extend([b'y'; 40]);
                    texts.push(text);
                }
            }
        }
    }
    texts
}

fn agrees_with_scalar<B: Backend>(backend: B) {
    for block in &blocks() {
        assert_eq!(
            backend.string_stops(block),
            Scalar.string_stops(block),
            "{block:x?}"
        );
        assert_eq!(backend.white(block), Scalar.white(block), "{block:x?}");
        let escapes = backend.simple_escapes(block);
        assert_eq!(escapes, Scalar.simple_escapes(block), "{block:x?}");
        let masks = backend.string_masks(block);
        assert_eq!(masks.stops, Scalar.string_stops(block), "{block:x?}");
        assert_eq!(masks.backslashes, Scalar.equal(block, b'\\'), "{block:x?}");
        assert_eq!(masks.wide == 0, block.is_ascii(), "{block:x?}");
        for length in [1, 7, 8, 15, 16, 17, 33, 63] {
            for whole in [0, 1, 3] {
                // What stands before the last block must not show.
                let text = [&[b'"'; BLOCK * 3][..BLOCK * whole], &block[..length]].concat();
                let last = backend.last_string_masks(&text, BLOCK * whole);
                let behind = u64::MAX << length;
                let stops = Scalar.string_stops(block) | behind;
                let backslashes = Scalar.equal(block, b'\\') & !behind;
                let found = (last.stops, last.backslashes);
                assert_eq!(found, (stops, backslashes), "{text:x?}");
                assert_eq!(last.wide == 0, text.is_ascii(), "{text:x?}");
            }
        }
        for length in [0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63] {
            let behind = u64::MAX << length;
            let stops = mask(backend, &block[..length], StringStops);
            assert_eq!(
                stops,
                Scalar.string_stops(block) | behind,
                "{block:x?} {length}"
            );
            let escapes = mask(backend, &block[..length], SimpleEscapes);
            assert_eq!(
                escapes,
                Scalar.simple_escapes(block) | behind,
                "{block:x?} {length}"
            );
            let non_white = mask(backend, &block[..length], NonWhite);
            assert_eq!(
                non_white,
                !Scalar.white(block) | behind,
                "{block:x?} {length}"
            );
            let quotes = mask(backend, &block[..length], Equal(b'"'));
            assert_eq!(
                quotes,
                Scalar.equal(block, b'"') | behind,
                "{block:x?} {length}"
            );
        }
        for lane in block.as_chunks::<LANE>().0 {
            assert_eq!(
                backend.digits_in_lane(lane),
                Scalar.digits_in_lane(lane),
                "{lane:x?}"
            );
        }
        for byte in [b'{', b'}', b'\n', 0x00, 0x7F, 0x80, 0xFF] {
            assert_eq!(
                backend.equal(block, byte),
                Scalar.equal(block, byte),
                "{block:x?}"
            );
        }
    }
    for text in texts() {
        let expected = core::str::from_utf8(&text).is_ok();
        assert_eq!(backend.valid_utf8(&text), expected, "{text:x?}");
    }
    for unit in 0..=u16::MAX {
        for place in [0, 7, 8, 15, 16, 31] {
            let mut units = [u16::from(b'x'); WIDE];
            units[place] = unit;
            let (mut ours, mut expected) = ([0; WIDE], [0; WIDE]);
            let ascii = backend.narrow(&units, &mut ours);
            assert_eq!(ascii, Scalar.narrow(&units, &mut expected), "{units:x?}");
            assert!(!ascii || ours == expected, "{units:x?}");
        }
        for lane in [0, 1, 7, 8, 15] {
            let mut units = [u16::from(b'x'); LANE];
            units[lane] = unit;
            let (mut ours, mut expected) = ([0; LANE], [0; LANE]);
            let found = backend.pack(&units, &mut ours);
            let scalar = Scalar.pack(&units, &mut expected);
            assert_eq!(found.wide, scalar.wide, "{units:x?}");
            // A vector may look twice where it need not, never the other way round.
            assert!(found.special || !scalar.special, "{units:x?}");
            if !found.special {
                assert_eq!(ours, expected, "{units:x?}");
            }
        }
    }
}

#[test]
fn scalar_finds_what_its_names_say() {
    let mut block = [b'x'; BLOCK];
    block[0] = b'"';
    block[5] = b'\\';
    block[17] = 0x1F;
    block[18] = b' ';
    block[40] = 0x80;
    block[63] = b'\n';
    assert_eq!(Scalar.string_stops(&block), 1 | 1 << 17 | 1 << 63);
    assert_eq!(Scalar.white(&block), 1 << 18 | 1 << 63);
    assert_eq!(Scalar.equal(&block, b'\\'), 1 << 5);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn sse2_agrees_with_scalar() {
    agrees_with_scalar(super::sse2::Sse2::new());
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx2_agrees_with_scalar() {
    struct Compare;
    impl super::Scan for Compare {
        type Output = ();
        fn run<B: Backend>(self, backend: B) {
            agrees_with_scalar(backend);
        }
    }
    let Some(backend) = super::avx2::Avx2::detect() else {
        std::println!("skipped: this processor has no AVX2");
        return;
    };
    backend.run(Compare);
}

#[cfg(target_arch = "aarch64")]
#[test]
fn neon_agrees_with_scalar() {
    agrees_with_scalar(super::neon::Neon::new());
}
