//! Calls in text: any cutting gives the same statuses and the same end, and the end is what the
//! reference says.
#![no_main]

use argspan_fuzz::find_reference::{allows, find, said};
use argspan_fuzz::{lengths_and_text, pieces};
use argspan_scanner::Finder;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 1] = ["now"];
/// The reference asks serde_json about every prefix of every value.
const REFERENCE_MAX: usize = 400;

fn finder() -> Finder {
    let mut finder = Finder::new(1 << 20);
    for name in NAMES {
        finder.add_name(&name.encode_utf16().collect::<Vec<_>>());
    }
    finder
}

fuzz_target!(|data: &[u8]| {
    let Some((lengths, bytes)) = lengths_and_text(data) else {
        return;
    };
    let text = String::from_utf8_lossy(bytes);
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut one_by_one = finder();
    let mut statuses = vec![one_by_one.status()];
    statuses.extend(units.iter().map(|&unit| one_by_one.feed(&[unit])));
    let expected = said(&one_by_one);
    let mut in_pieces = finder();
    let mut to = 0;
    for piece in pieces(&units, lengths) {
        to += piece.len();
        assert_eq!(in_pieces.feed(piece), statuses[to]);
    }
    assert_eq!(said(&in_pieces), expected);
    for (prefix, &status) in statuses.iter().enumerate() {
        assert!(allows(status, prefix, &expected));
    }
    if text.len() <= REFERENCE_MAX {
        assert_eq!(expected, find(&text, &NAMES, 1 << 20));
    }
});
