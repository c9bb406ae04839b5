//! UTF-16, cut anywhere, is decided as its UTF-8 is, with U+FFFD for the halves of pairs; and as
//! one byte a unit where its units are that small.
#![no_main]

use argspan_fuzz::reference::{STOPS, without_offsets};
use argspan_fuzz::{ask, lengths_and_text, pieces};
use argspan_scanner::Scanner;
use libfuzzer_sys::fuzz_target;

/// Text as it is for the most part, and units as they come where the text has been marked so:
/// surrogates are rare in random units, and JSON is rarer.
fn units(text: &[u8]) -> Vec<u16> {
    String::from_utf8_lossy(text)
        .encode_utf16()
        .map(|unit| match unit {
            // Private characters stand for halves that no text can hold.
            0xe000..=0xe7ff => unit - 0x800,
            other => other,
        })
        .collect()
}

fuzz_target!(|data: &[u8]| {
    let Some((lengths, text)) = lengths_and_text(data) else {
        return;
    };
    let units = units(text);
    let mut in_pieces = Scanner::new(u64::MAX);
    let mut single = Scanner::new(u64::MAX);
    for piece in pieces(&units, lengths) {
        in_pieces.feed_utf16(piece);
        for unit in piece {
            single.feed_utf16(std::slice::from_ref(unit));
        }
        assert_eq!(ask(&in_pieces), ask(&single));
    }
    if let Ok(latin1) = units
        .iter()
        .map(|&unit| u8::try_from(unit))
        .collect::<Result<Vec<_>, _>>()
    {
        let mut narrow = Scanner::new(u64::MAX);
        for piece in pieces(&latin1, lengths) {
            narrow.feed_latin1(&mut piece.to_vec());
        }
        assert_eq!(ask(&narrow), ask(&in_pieces));
    }
    let as_text = String::from_utf16_lossy(&units);
    let mut in_bytes = Scanner::new(u64::MAX);
    in_bytes.feed(as_text.as_bytes());
    for stop in STOPS {
        let [units, bytes] = [&in_pieces, &in_bytes].map(|scanner| scanner.decide(stop));
        assert_eq!(without_offsets(&units), without_offsets(&bytes));
    }
    let offset = |byte: u64| {
        as_text[..usize::try_from(byte).unwrap()]
            .encode_utf16()
            .count() as u64
    };
    let spans = [in_pieces.span(), in_bytes.span()].map(|span| span.unwrap_or_default());
    assert_eq!(spans[0].start, offset(spans[1].start));
    assert_eq!(spans[0].end, offset(spans[1].end));
    assert_eq!(
        in_pieces.object_start(),
        in_bytes.object_start().map(offset)
    );
});
