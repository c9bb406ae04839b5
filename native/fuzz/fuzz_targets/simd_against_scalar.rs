//! Every vector backend that runs here finds in any block what the portable one finds.
#![no_main]

use argspan_scanner::skip::scalar::Scalar;
use argspan_scanner::skip::{BLOCK, Backend, Block, LANE};
use libfuzzer_sys::fuzz_target;

fn compare(backend: impl Backend, block: &Block, byte: u8) {
    assert_eq!(backend.string_stops(block), Scalar.string_stops(block));
    assert_eq!(backend.non_white(block), Scalar.non_white(block));
    assert_eq!(backend.newlines(block), Scalar.newlines(block));
    assert_eq!(backend.equal(block, byte), Scalar.equal(block, byte));
    for half in block.chunks_exact(2 * LANE) {
        let mut units = [0; LANE];
        for (unit, pair) in units.iter_mut().zip(half.chunks_exact(2)) {
            *unit = u16::from_le_bytes([pair[0], pair[1]]);
        }
        let (mut found, mut expected) = ([0; LANE], [0; LANE]);
        let beyond = backend.narrow(&units, &mut found);
        assert_eq!(beyond, Scalar.narrow(&units, &mut expected));
        for lane in (0..LANE).filter(|lane| beyond & 1 << lane == 0) {
            assert_eq!(found[lane], expected[lane], "unit {lane}");
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&byte, text)) = data.split_first() else {
        return;
    };
    let compare_all = |block: &Block| {
        #[cfg(target_arch = "x86_64")]
        {
            compare(argspan_scanner::skip::sse2::Sse2::new(), block, byte);
            if let Some(avx2) = argspan_scanner::skip::avx2::Avx2::detect() {
                compare(avx2, block, byte);
            }
        }
        #[cfg(target_arch = "aarch64")]
        compare(argspan_scanner::skip::neon::Neon::new(), block, byte);
    };
    for piece in text.chunks(BLOCK) {
        compare_all(&argspan_scanner::skip::padded(piece));
    }
    let valid = std::str::from_utf8(text).is_ok();
    #[cfg(target_arch = "x86_64")]
    {
        assert_eq!(
            argspan_scanner::skip::sse2::Sse2::new().valid_utf8(text),
            valid
        );
        if let Some(avx2) = argspan_scanner::skip::avx2::Avx2::detect() {
            assert_eq!(avx2.valid_utf8(text), valid);
        }
    }
    #[cfg(target_arch = "aarch64")]
    assert_eq!(
        argspan_scanner::skip::neon::Neon::new().valid_utf8(text),
        valid
    );
    assert_eq!(Scalar.valid_utf8(text), valid);
});
