//! What the fuzz targets share: the reference, the cutting of a text, the reading of a response.
//!
//! The references are the tests' own files. They decide any text by asking serde_json, so a target
//! that compares with one finds whatever the tests' generators do not reach.

#[path = "../../scanner/tests/proof/find_reference.rs"]
pub mod find_reference;
#[path = "../../scanner/tests/proof/findings_reference.rs"]
pub mod findings_reference;
#[path = "../../scanner/tests/proof/reference.rs"]
pub mod reference;
#[path = "../../scanner/tests/proof/repairs_reference.rs"]
pub mod repairs_reference;
pub mod wire;

use argspan_scanner::{Decision, ScanError, Scanner, Span, Verdict};

/// Everything that may be asked of a scanner.
#[derive(Debug, PartialEq)]
pub struct Answers {
    verdict: Verdict,
    decisions: [Decision; 3],
    error: Option<ScanError>,
    spans: (Option<Span>, Span),
    places: (Option<u64>, bool, Option<u64>),
    state: (u8, bool, bool),
    facts: (u64, bool, bool),
}

/// Asks everything.
pub fn ask(scanner: &Scanner) -> Answers {
    Answers {
        verdict: scanner.verdict(),
        decisions: reference::STOPS.map(|stop| scanner.decide(stop)),
        error: scanner.error(),
        spans: (scanner.span(), scanner.text()),
        places: (
            scanner.object_start(),
            scanner.is_plain(),
            scanner.invalid_at(),
        ),
        state: (scanner.depth(), scanner.in_string(), scanner.is_calm(9)),
        facts: (
            scanner.bytes(),
            scanner.is_over_limit(),
            scanner.has_lone_half(),
        ),
    }
}

/// Splits fuzzer input: the first bytes say how long the pieces are, one after another and over
/// again; the rest is the text.
pub fn lengths_and_text(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&count, rest) = data.split_first()?;
    let count = 1 + usize::from(count % 8);
    (count <= rest.len()).then(|| rest.split_at(count))
}

/// The pieces of a text, as long as `lengths` say, over and over; a piece may be empty.
pub fn pieces<'a, T>(text: &'a [T], lengths: &'a [u8]) -> impl Iterator<Item = &'a [T]> {
    let mut rest = text;
    let mut next = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        // Two empty pieces in a row say no more than one, and none may be for ever.
        let length = usize::from(lengths[next % lengths.len()] % 70);
        let length = if next % 2 == 0 { length.max(1) } else { length };
        next += 1;
        let (piece, after) = rest.split_at(length.min(rest.len()));
        rest = after;
        Some(piece)
    })
}
