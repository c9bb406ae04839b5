//! Feeds a scanner in every way that matters and compares all it says with the reference.
//!
//! A text is bytes or UTF-16 units; both go through the same checks. A failure shows the text and
//! the cuts, so that it can be put into `regressions` as it stands.

use crate::reference::{Expected, Fed, STOPS};
use argspan_scanner::{Decision, Kind, Scanner, Verdict};

/// No limit on the length.
pub const UNLIMITED: u64 = u64::MAX;

/// A text in one of the two forms that a scanner takes.
pub trait Text {
    /// The text as a literal.
    fn shown(&self) -> String;
    /// How many units there are to cut between.
    fn units(&self) -> usize;
    /// Feeds the units from `from` to `to`.
    fn feed(&self, scanner: &mut Scanner, from: usize, to: usize);
    /// The first units, for the reference.
    fn prefix(&self, to: usize) -> Fed;
    /// How many bytes of UTF-8 the first units are; half a pair that may go on is not counted.
    fn byte_length(&self, to: usize) -> u64;
}

impl Text for [u8] {
    fn shown(&self) -> String {
        match std::str::from_utf8(self) {
            Ok(text) => format!("{text:?}"),
            Err(_) => format!("b\"{}\"", self.escape_ascii()),
        }
    }

    fn units(&self) -> usize {
        self.len()
    }

    fn feed(&self, scanner: &mut Scanner, from: usize, to: usize) {
        scanner.feed(&self[from..to]);
    }

    fn prefix(&self, to: usize) -> Fed {
        Fed::bytes(&self[..to])
    }

    fn byte_length(&self, to: usize) -> u64 {
        to as u64
    }
}

impl Text for [u16] {
    fn shown(&self) -> String {
        match String::from_utf16(self) {
            Ok(text) => format!("units of {text:?}"),
            Err(_) => format!("{self:#x?} as units"),
        }
    }

    fn units(&self) -> usize {
        self.len()
    }

    fn feed(&self, scanner: &mut Scanner, from: usize, to: usize) {
        scanner.feed_utf16(&self[from..to]);
    }

    fn prefix(&self, to: usize) -> Fed {
        Fed::utf16(&self[..to])
    }

    fn byte_length(&self, to: usize) -> u64 {
        let whole = match self[..to].split_last() {
            Some((0xd800..=0xdbff, before)) => before,
            _ => &self[..to],
        };
        String::from_utf16_lossy(whole).len() as u64
    }
}

/// What a scanner says about all that was fed, as if it ended here.
pub fn decisions(scanner: &Scanner) -> [Decision; 3] {
    STOPS.map(|stop| scanner.decide(stop))
}

/// The decisions on the whole text, fed in pieces that end at the cuts.
pub fn decide_cut<T: Text + ?Sized>(text: &T, cuts: &[usize], max_bytes: u64) -> [Decision; 3] {
    let mut scanner = Scanner::new(max_bytes);
    let mut from = 0;
    for &to in cuts {
        text.feed(&mut scanner, from, to);
        from = to;
    }
    text.feed(&mut scanner, from, text.units());
    decisions(&scanner)
}

/// Feeds the text unit by unit and compares everything that the scanner says after each with the
/// reference's answers, which it returns: the empty prefix first.
pub fn check_prefixes<T: Text + ?Sized>(text: &T, max_bytes: u64) -> Vec<Expected> {
    let mut scanner = Scanner::new(max_bytes);
    let mut before = Verdict::Empty;
    let mut all = Vec::with_capacity(text.units() + 1);
    let mut settled = None;
    for to in 0..=text.units() {
        if 0 < to {
            text.feed(&mut scanner, to - 1, to);
        }
        let expected = text.prefix(to).expect_after(before, max_bytes);
        before = expected.verdict;
        compare(&scanner, &expected, &|| {
            format!("the first {to} units of {}", text.shown())
        });
        let kind = expected.decisions[0].kind;
        if !matches!(kind, Some(Kind::InvalidUtf8 | Kind::TooLarge)) {
            let bytes = text.byte_length(to);
            assert_eq!(
                scanner.bytes(),
                bytes,
                "bytes, the first {to} units of {}",
                text.shown()
            );
            let error = settled.or(scanner.error());
            assert_eq!(
                scanner.error(),
                error,
                "final error, {to} units of {}",
                text.shown()
            );
            settled = error;
        }
        all.push(expected);
    }
    all
}

/// Compares everything that a scanner says with the reference's answers.
pub fn compare(scanner: &Scanner, expected: &Expected, about: &dyn Fn() -> String) {
    let lags = expected.may_lag
        && expected.verdict == Verdict::Malformed
        && scanner.verdict() == Verdict::Incomplete;
    if lags {
        assert_eq!(
            scanner.error(),
            None,
            "error before the verdict: {}",
            about()
        );
        return;
    }
    assert_eq!(scanner.verdict(), expected.verdict, "verdict: {}", about());
    for (index, decision) in decisions(scanner).iter().enumerate() {
        assert_eq!(
            decision,
            &expected.decisions[index],
            "{:?}: {}",
            STOPS[index],
            about()
        );
    }
    let span = expected.decisions[0]
        .span
        .filter(|_| expected.verdict == Verdict::Complete);
    assert_eq!(scanner.span(), span, "span: {}", about());
    assert_eq!(scanner.error(), expected.error, "error: {}", about());
    assert_eq!(
        scanner.object_start(),
        expected.object_start,
        "object start: {}",
        about()
    );
    if let Some(place) = expected.place {
        assert_eq!(
            (scanner.depth(), scanner.in_string()),
            place,
            "place: {}",
            about()
        );
    }
}

/// Cuts the text in two at every place: the verdict at the cut and the decision at the end have
/// to be those of the reference.
pub fn check_two_way_splits<T: Text + ?Sized>(text: &T, expected: &[Expected], max_bytes: u64) {
    let end = expected.last().expect("the whole text");
    for (cut, before) in expected.iter().enumerate() {
        let mut scanner = Scanner::new(max_bytes);
        text.feed(&mut scanner, 0, cut);
        compare(&scanner, before, &|| {
            format!("{} up to {cut}", text.shown())
        });
        text.feed(&mut scanner, cut, text.units());
        compare(&scanner, end, &|| format!("{} cut at {cut}", text.shown()));
    }
}

/// Cuts the text at the given places, which ascend, and compares at each.
pub fn check_cuts<T: Text + ?Sized>(
    text: &T,
    expected: &[Expected],
    cuts: &[usize],
    max_bytes: u64,
) {
    let mut scanner = Scanner::new(max_bytes);
    let mut from = 0;
    for &to in cuts.iter().chain([&text.units()]) {
        text.feed(&mut scanner, from, to);
        compare(&scanner, &expected[to], &|| {
            format!("{} cut at {cuts:?}, up to {to}", text.shown())
        });
        from = to;
    }
}

/// Everything at once, for texts short enough: every prefix and every two-way split, as bytes and
/// as UTF-16.
pub fn check_thoroughly(text: &str) {
    let bytes = text.as_bytes();
    let expected = check_prefixes(bytes, UNLIMITED);
    check_two_way_splits(bytes, &expected, UNLIMITED);
    let units: Vec<u16> = text.encode_utf16().collect();
    let expected = check_prefixes(&units[..], UNLIMITED);
    check_two_way_splits(&units[..], &expected, UNLIMITED);
}

/// Pieces of random lengths, most of them short: where to cut a text of so many units.
pub fn random_cuts(units: usize, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let mut cuts = Vec::new();
    let mut at = 0;
    loop {
        let longest = [1, 4, 16, 200][random.below(4)];
        at += 1 + random.below(longest);
        if units <= at {
            return cuts;
        }
        cuts.push(at);
    }
}

/// Numbers that look random and are the same in every run (xorshift64*).
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 |= 1;
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    /// One of the items.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}
