//! Feeds a scanner in every way that matters and compares all it says with the reference.
//!
//! A text is bytes, UTF-16 units, or units below 0x100 as bytes; all go through the same checks. A
//! failure shows the text and the cuts, so that it can be put into `regressions` as it stands.

use crate::reference::{Expected, Fed, STOPS};
use argspan_scanner::{Decision, Kind, Repair, Scanner, Span, Stop, Verdict};

/// No limit on the length.
pub const UNLIMITED: u64 = u64::MAX;

/// A text in one of the three forms that a scanner takes.
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
    /// Whether the first units hold half a pair without its other half.
    fn has_lone_half(&self, to: usize) -> bool;
}

/// UTF-16 whose units are all below 0x100, a byte each.
pub struct Latin1(pub Vec<u8>);

impl Latin1 {
    /// The text in this form, where it has one.
    pub fn from_text(text: &str) -> Option<Self> {
        text.chars()
            .map(|char| u8::try_from(char).ok())
            .collect::<Option<_>>()
            .map(Self)
    }

    fn units_to(&self, to: usize) -> Vec<u16> {
        self.0[..to].iter().map(|&byte| u16::from(byte)).collect()
    }
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

    fn has_lone_half(&self, _: usize) -> bool {
        false
    }
}

impl Text for Latin1 {
    fn shown(&self) -> String {
        let text: String = self.0.iter().map(|&byte| char::from(byte)).collect();
        format!("Latin-1 of {text:?}")
    }

    fn units(&self) -> usize {
        self.0.len()
    }

    fn feed(&self, scanner: &mut Scanner, from: usize, to: usize) {
        // The scanner may change what it is given.
        scanner.feed_latin1(&mut self.0[from..to].to_vec());
    }

    fn prefix(&self, to: usize) -> Fed {
        Fed::utf16(&self.units_to(to))
    }

    fn byte_length(&self, to: usize) -> u64 {
        String::from_utf16_lossy(&self.units_to(to)).len() as u64
    }

    fn has_lone_half(&self, _: usize) -> bool {
        false
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

    fn has_lone_half(&self, to: usize) -> bool {
        String::from_utf16(&self[..to]).is_err()
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
        let about = || format!("the first {to} units of {}", text.shown());
        check_facts(&scanner, text, to, max_bytes, &about);
        check_calm(&scanner, &about);
        if !matches!(
            expected.decisions[0].kind,
            Some(Kind::InvalidUtf8 | Kind::TooLarge)
        ) {
            let error = settled.or(scanner.error());
            assert_eq!(scanner.error(), error, "a final error: {}", about());
            settled = error;
        }
        all.push(expected);
    }
    all
}

/// What a scanner knows about the fragments and not about JSON.
fn check_facts<T: Text + ?Sized>(
    scanner: &Scanner,
    text: &T,
    to: usize,
    max_bytes: u64,
    about: &dyn Fn() -> String,
) {
    let bytes = text.byte_length(to);
    assert_eq!(scanner.bytes(), bytes, "bytes: {}", about());
    assert_eq!(
        scanner.is_over_limit(),
        max_bytes < bytes,
        "limit: {}",
        about()
    );
    assert_eq!(
        scanner.has_lone_half(),
        text.has_lone_half(to),
        "halves: {}",
        about()
    );
    let decision = scanner.decide(Stop::Finished);
    let invalid = decision.kind == Some(Kind::InvalidUtf8);
    assert_eq!(scanner.invalid_at().is_some(), invalid, "flaw: {}", about());
    // A half that waits is not part of the text yet.
    if decision.text.start < decision.text.end && !scanner.has_lone_half() {
        assert_eq!(scanner.text(), decision.text, "text: {}", about());
    }
    if scanner.is_plain() {
        let whole = Span {
            start: 0,
            end: to as u64,
        };
        assert_eq!(decision.repair, Some(Repair::None), "plain: {}", about());
        assert_eq!(
            (decision.span, decision.text),
            (Some(whole), whole),
            "{}",
            about()
        );
    }
}

/// A scanner that is calm stays as it is, whatever comes but quotes, control characters and escapes
/// of more than two characters, for as many bytes as it was asked about.
fn check_calm(scanner: &Scanner, about: &dyn Fn() -> String) {
    const FILLERS: [&str; 13] = [
        "x", " ", "{", "}", "]", "\u{7f}", "\u{85}", "\u{2028}", "😀", "\\n", "\\\"", "\\\\", "\\/",
    ];
    // One filler and one room a prefix: the next prefix has the next ones.
    let turn = usize::try_from(scanner.bytes()).expect("a short text");
    let filler = FILLERS[turn % FILLERS.len()];
    let room = [64, 5][turn / FILLERS.len() % 2];
    if !scanner.is_calm(room as u64) {
        return;
    }
    assert_eq!(scanner.verdict(), Verdict::Incomplete, "calm: {}", about());
    let more = filler.repeat(room / filler.len());
    let mut in_bytes = *scanner;
    in_bytes.feed(more.as_bytes());
    let mut in_units = *scanner;
    in_units.feed_utf16(&more.encode_utf16().collect::<Vec<_>>());
    for fed in [in_bytes, in_units] {
        let found = (fed.verdict(), fed.depth(), fed.in_string());
        let stays = (Verdict::Incomplete, scanner.depth(), true);
        assert_eq!(found, stays, "{more:?} after {}", about());
    }
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

/// Everything at once, for texts short enough: every prefix and every two-way split, in each form.
pub fn check_thoroughly(text: &str) {
    fn check<T: Text + ?Sized>(text: &T) {
        let expected = check_prefixes(text, UNLIMITED);
        check_two_way_splits(text, &expected, UNLIMITED);
    }
    check(text.as_bytes());
    check(&text.encode_utf16().collect::<Vec<_>>()[..]);
    if let Some(latin1) = Latin1::from_text(text) {
        check(&latin1);
    }
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
