//! Every vector backend that runs here finds in any text what the portable one finds.
//!
//! Texts are copied to memory of exactly their length, so that a read beyond one is seen.
#![no_main]

use argspan_scanner::skip::scalar::Scalar;
use argspan_scanner::skip::{
    BLOCK, Backend, Equal, LANE, NonWhite, Scan, SimpleEscapes, StringStops, WIDE, mask,
};
use libfuzzer_sys::fuzz_target;

/// The texts to compare on, and a byte to look for.
struct Compare<'a> {
    text: &'a [u8],
    byte: u8,
}

impl Scan for Compare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) {
        let text: Box<[u8]> = self.text.into();
        let valid = std::str::from_utf8(&text).is_ok();
        assert_eq!(backend.valid_utf8(&text), valid);
        for piece in text.chunks(BLOCK) {
            let piece: Box<[u8]> = piece.into();
            compare_masks(backend, &piece, self.byte);
        }
        compare_strings(backend, &text);
        // Units as they come, and bytes as units: most of a text is ASCII.
        let pairs = text.as_chunks::<2>().0.iter();
        let raw: Vec<u16> = pairs.map(|&pair| u16::from_le_bytes(pair)).collect();
        let widened: Vec<u16> = text.iter().map(|&byte| u16::from(byte)).collect();
        for units in [raw, widened] {
            compare_units(backend, &units);
        }
    }
}

/// The mask in the plainest words, with ones behind a text that is shorter than a block. The
/// portable backend is held against it like the others.
fn plain_mask(text: &[u8], wanted: impl Fn(u8) -> bool) -> u64 {
    let wanted = |index: usize| text.get(index).is_none_or(|&byte| wanted(byte));
    (0..BLOCK)
        .filter(|&index| wanted(index))
        .fold(0, |bits, index| bits | 1 << index)
}

fn compare_masks(backend: impl Backend, text: &[u8], byte: u8) {
    let stops = plain_mask(text, |found| found == b'"' || found < 0x20);
    let escapes = plain_mask(text, |found| br#""\/bfnrt"#.contains(&found));
    let non_white = plain_mask(text, |found| !b" \t\n\r".contains(&found));
    let newlines = plain_mask(text, |found| found == b'\n');
    assert_eq!(mask(backend, text, StringStops), stops);
    assert_eq!(mask(backend, text, SimpleEscapes), escapes);
    assert_eq!(mask(backend, text, NonWhite), non_white);
    assert_eq!(
        mask(backend, text, Equal(byte)),
        plain_mask(text, |found| found == byte)
    );
    assert_eq!(backend.escape_mask(text), escapes);
    assert_eq!(backend.white_masks(text), (non_white, newlines));
}

/// What is asked about blocks with parts of strings in them, the last one too.
fn compare_strings(backend: impl Backend, text: &[u8]) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for block in blocks {
        let found = backend.string_masks(block);
        let expected = Scalar.string_masks(block);
        assert_eq!(
            (found.stops, found.backslashes),
            (expected.stops, expected.backslashes)
        );
        assert_eq!(found.wide == 0, block.is_ascii());
    }
    if rest.is_empty() {
        return;
    }
    let found = backend.last_string_masks(text, text.len() - rest.len());
    let behind = u64::MAX << rest.len();
    assert_eq!(
        found.stops,
        plain_mask(rest, |byte| byte == b'"' || byte < 0x20)
    );
    assert_eq!(
        found.backslashes,
        plain_mask(rest, |byte| byte == b'\\') & !behind
    );
    // It may speak of some bytes before as well.
    assert!(found.wide != 0 || rest.is_ascii());
    assert!(found.wide == 0 || !text.is_ascii());
}

fn compare_units(backend: impl Backend, units: &[u16]) {
    for units in units.as_chunks::<WIDE>().0 {
        let (mut found, mut expected) = ([0; WIDE], [0; WIDE]);
        let ascii = backend.narrow(units, &mut found);
        assert_eq!(ascii, Scalar.narrow(units, &mut expected));
        assert!(!ascii || found == expected);
    }
    for units in units.as_chunks::<LANE>().0 {
        let (mut found, mut expected) = ([0; LANE], [0; LANE]);
        let answer = backend.pack(units, &mut found);
        let scalar = Scalar.pack(units, &mut expected);
        assert_eq!(answer.wide, scalar.wide);
        // A vector may call a lane special that is not, never the other way round.
        assert!(answer.special || !scalar.special);
        assert!(answer.special || found == expected);
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&byte, text)) = data.split_first() else {
        return;
    };
    let compare = || Compare { text, byte };
    #[cfg(target_arch = "x86_64")]
    {
        use argspan_scanner::skip::{avx2::Avx2, sse2::Sse2};
        compare().run(Sse2::new());
        if let Some(avx2) = Avx2::detect() {
            avx2.run(compare());
        }
    }
    #[cfg(target_arch = "aarch64")]
    compare().run(argspan_scanner::skip::neon::Neon::new());
    compare().run(Scalar);
});
