//! The argument text of one call, as its fragments arrive.
//!
//! Takes the content of JSON strings, escapes and all, and feeds one [`Scanner`] with what they
//! say. Half a surrogate pair at the end of a fragment waits for its other half in the next one.
//!
//! Some senders repeat themselves. Three habits are known, and where the plain concatenation is
//! not JSON the text is what they meant, tried in this order ([`Assembly`]): the whole text sent
//! again, each fragment holding everything so far, and a placeholder `{}` before the real text.
//! All three show only where one fragment ends and the next begins, so a text that came in one
//! piece is never touched: it is decided as `parse` decides it.
//!
//! INVARIANT: each byte is fed to a scanner at most once for itself, and once for each habit that
//! is still possible when the plain text has become hopeless; what is compared is compared once.
//!
//! Without kept text no habit can be recognised: the plain concatenation counts.
//!
//! Inside a string most fragments change nothing: the scanner is calm. Short ones of plain
//! characters and whole escapes then wait in the kept text, and are scanned together.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::decision::{Decision, Kind, Stop};
use crate::form::Form;
use crate::readings::Repair;
use crate::scanner::{Scanner, Verdict};
use crate::unescape::unescape;
use crate::white;

/// How the fragments became one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Assembly {
    /// One after another.
    Plain = 0,
    /// The whole text came more than once.
    Repeated = 1,
    /// Each fragment held everything so far.
    Cumulative = 2,
    /// An empty object came before the real one.
    Placeholder = 3,
}

/// How much of a text is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of it.
    All,
    /// So many bytes from its first character that is not white.
    Start(usize),
}

/// So many bytes may wait while the scanner is calm.
const CALM_BYTES: usize = 1 << 12;

/// Longer fragments are better looked at by the scanner.
const PLAIN_MAX: usize = 24;

/// Whether a fragment is short, and nothing but ASCII characters that a string may hold and whole
/// escapes of one letter: inside a string it changes nothing.
fn is_plain(bytes: &[u8]) -> bool {
    if PLAIN_MAX < bytes.len() {
        return false;
    }
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        let plain = match byte {
            b'\\' => matches!(
                rest.next(),
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
            ),
            _ => matches!(byte, 0x20..0x80) && byte != b'"',
        };
        if !plain {
            return false;
        }
    }
    true
}

const PLACEHOLDER: &[u8] = b"{}";

/// What a scanner says of a text behind a placeholder, and how far it has read.
#[derive(Debug)]
struct Behind {
    scanner: Scanner,
    at: usize,
}

/// One call's argument text.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub struct Text {
    scanner: Scanner,
    kept: Vec<u8>,
    keep: Keep,
    bytes_max: u64,
    /// Bytes so far.
    length: u64,
    /// Bytes of the kept text that were scanned, where all of it is kept.
    scanned: usize,
    /// Whether plain bytes change nothing, up to [`CALM_BYTES`] behind those that were scanned.
    calm: bool,
    /// Where the last fragment begins.
    last: usize,
    /// Where the first fragment ended behind which the text was acceptable, or 0.
    unit: usize,
    /// Up to here the text is copies of its first `unit` bytes.
    copied: usize,
    behind: Option<Box<Behind>>,
    /// Where the text of the assembly stands in the plain one.
    range: Option<(usize, usize)>,
    /// The first half of a pair that ended the last fragment, or 0.
    high: u16,
    fragments: u8,
    assembly: Assembly,
    /// Each fragment so far began with the whole one before it.
    cumulative: bool,
    /// Whether the text is copies of its beginning as far as it goes.
    repeated: bool,
    /// Whether nothing can help the text any more.
    hopeless: bool,
}

impl Text {
    /// No text yet; one of more than `bytes_max` bytes will be too large.
    #[must_use]
    pub fn new(bytes_max: u64, keep: Keep) -> Self {
        Self {
            scanner: Scanner::counting_utf16(bytes_max),
            kept: Vec::new(),
            keep,
            bytes_max,
            length: 0,
            scanned: 0,
            calm: false,
            last: 0,
            unit: 0,
            copied: 0,
            behind: None,
            range: None,
            high: 0,
            fragments: 0,
            assembly: Assembly::Plain,
            cumulative: keep == Keep::All,
            repeated: true,
            hopeless: false,
        }
    }

    /// Takes a fragment: the content of a JSON string. Answers what it says; `scratch` is room
    /// for that where it has to be decoded.
    pub fn push<'a>(
        &mut self,
        content: &'a [u8],
        escaped: bool,
        scratch: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        let decoded = if escaped || self.high != 0 {
            scratch.clear();
            unescape(content, &mut self.high, scratch);
            &scratch[..]
        } else {
            content
        };
        if !decoded.is_empty() {
            self.feed(decoded);
        }
        decoded
    }

    fn feed(&mut self, bytes: &[u8]) {
        if self.cumulative {
            let last = self.kept.get(self.last..).unwrap_or_default();
            self.cumulative = bytes.starts_with(last);
        }
        let before = self.kept.len();
        self.note_fragment(bytes);
        // Less than what may wait, so that no limit is passed and nothing is missing.
        if self.calm && before + bytes.len() < self.scanned + CALM_BYTES && is_plain(bytes) {
            self.append(bytes);
            return;
        }
        self.keep(bytes);
        if self.keep == Keep::All {
            // What was too much to be kept is scanned all the same.
            let kept = (self.kept.len() - before).min(bytes.len());
            self.catch_up();
            self.scanner.feed(&bytes[kept..]);
            self.calm = self.scanner.is_calm(CALM_BYTES as u64);
        } else {
            self.scanner.feed(bytes);
        }
    }

    /// Adds a fragment without escapes that changes nothing, where there is room for it. False
    /// where it may change something; then nothing was done.
    pub fn add_calmly(&mut self, content: &[u8]) -> bool {
        let end = self.kept.len() + content.len();
        let waits = self.calm && end < self.scanned + CALM_BYTES;
        let room = !self.cumulative && self.high == 0 && end <= self.kept.capacity();
        let adds = waits && room && !content.is_empty() && is_plain(content);
        if adds {
            self.note_fragment(content);
            self.kept.extend_from_slice(content);
        }
        adds
    }

    fn note_fragment(&mut self, bytes: &[u8]) {
        self.last = self.kept.len();
        self.fragments = self.fragments.saturating_add(1);
        self.length += bytes.len() as u64;
    }

    /// Scans what has waited.
    pub fn catch_up(&mut self) {
        if self.keep == Keep::All && self.scanned < self.kept.len() {
            self.scanner
                .feed(self.kept.get(self.scanned..).unwrap_or_default());
            self.scanned = self.kept.len();
            self.calm = false;
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let (bytes, most) = match self.keep {
            Keep::All => (bytes, usize::try_from(self.bytes_max).unwrap_or(usize::MAX)),
            Keep::Start(most) if self.kept.is_empty() => {
                (&bytes[white::leading(Form::Utf8, bytes)..], most)
            }
            Keep::Start(most) => (bytes, most),
        };
        let room = most.saturating_sub(self.kept.len()).min(bytes.len());
        self.append(&bytes[..room]);
    }

    fn append(&mut self, bytes: &[u8]) {
        // A quarter more than needed: little is wasted, and growing stays linear.
        if self.kept.capacity() < self.kept.len() + bytes.len() {
            self.kept
                .reserve_exact(bytes.len() + self.kept.len() / 4 + 16);
        }
        self.kept.extend_from_slice(bytes);
    }

    /// Starts over with a text that replaces what the fragments said.
    pub fn replace(&mut self, content: &[u8], escaped: bool, scratch: &mut Vec<u8>) {
        *self = Self::new(self.bytes_max, self.keep);
        self.push(content, escaped, scratch);
    }

    /// Whether the fragments said exactly this; false where they are not kept.
    #[must_use]
    pub fn says(&self, decoded: &[u8]) -> bool {
        self.keep == Keep::All && self.high == 0 && self.kept == decoded
    }

    /// Bytes so far.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether nothing but white space came.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.high == 0 && self.scanner.verdict() == Verdict::Empty
    }

    /// Bytes of memory beside the structure itself.
    #[must_use]
    pub fn kept_capacity(&self) -> usize {
        self.kept.capacity()
    }

    /// What is known about the text. It is malformed only where no habit of the sender's can
    /// explain it any more.
    pub fn verdict(&mut self) -> Verdict {
        if self.calm {
            return Verdict::Incomplete;
        }
        let verdict = self.scanner.verdict();
        if verdict == Verdict::Complete && self.unit == 0 {
            self.unit = self.kept.len();
        }
        if verdict != Verdict::Malformed || self.hopeless {
            return verdict;
        }
        let verdict = self.explained();
        self.hopeless = verdict == Verdict::Malformed;
        verdict
    }

    /// The verdict on what the sender may have meant.
    fn explained(&mut self) -> Verdict {
        if self.fragments < 2 || !self.is_whole_kept() {
            return Verdict::Malformed;
        }
        if self.unit != 0 && self.follows_itself() {
            return if self.kept.len().is_multiple_of(self.unit) {
                Verdict::Complete
            } else {
                Verdict::Incomplete
            };
        }
        if self.cumulative {
            let verdict = self.scan(self.last, self.kept.len()).verdict();
            if verdict != Verdict::Malformed {
                return verdict;
            }
        }
        if self.has_placeholder() {
            return self.verdict_behind();
        }
        Verdict::Malformed
    }

    /// Whether all of the text is there to be compared.
    fn is_whole_kept(&self) -> bool {
        self.keep == Keep::All && self.kept.len() as u64 == self.length
    }

    /// Whether the text is copies of its first `unit` bytes, as far as it goes.
    fn follows_itself(&mut self) -> bool {
        let from = self.copied.max(self.unit);
        let earlier = self.kept.get(from - self.unit..self.kept.len() - self.unit);
        self.repeated = self.repeated && self.kept.get(from..) == earlier;
        self.copied = self.kept.len();
        self.repeated
    }

    fn has_placeholder(&self) -> bool {
        self.unit != 0 && self.kept.get(..self.unit) == Some(PLACEHOLDER)
    }

    fn verdict_behind(&mut self) -> Verdict {
        let (bytes_max, unit) = (self.bytes_max, self.unit);
        let behind = self.behind.get_or_insert_with(|| {
            Box::new(Behind {
                scanner: Scanner::counting_utf16(bytes_max),
                at: unit,
            })
        });
        behind
            .scanner
            .feed(self.kept.get(behind.at..).unwrap_or_default());
        behind.at = self.kept.len();
        behind.scanner.verdict()
    }

    fn scan(&self, start: usize, end: usize) -> Scanner {
        let mut scanner = Scanner::counting_utf16(self.bytes_max);
        scanner.feed(self.kept.get(start..end).unwrap_or_default());
        scanner
    }

    /// The text has ended: settles what it is.
    pub fn settle(&mut self) {
        if core::mem::take(&mut self.high) != 0 {
            self.feed("\u{FFFD}".as_bytes());
        }
        self.catch_up();
        self.verdict();
        let decision = self.scanner.decide(Stop::Finished);
        let is_json = matches!(decision.kind, None | Some(Kind::NotObject));
        if is_json || self.fragments < 2 || !self.is_whole_kept() {
            return;
        }
        let length = self.kept.len();
        if self.unit != 0 && length.is_multiple_of(self.unit) && self.follows_itself() {
            self.assemble(Assembly::Repeated, 0, self.unit);
        }
        if self.assembly == Assembly::Plain && self.cumulative {
            self.assemble(Assembly::Cumulative, self.last, length);
        }
        if self.assembly == Assembly::Plain && self.has_placeholder() {
            self.assemble(Assembly::Placeholder, self.unit, length);
        }
    }

    /// Takes a part of the text for all of it, where that is one whole object.
    fn assemble(&mut self, assembly: Assembly, start: usize, end: usize) {
        let scanner = self.scan(start, end);
        let decision = scanner.decide(Stop::Finished);
        if decision.kind.is_none()
            && matches!(decision.repair, Some(Repair::None | Repair::DoubleEncoding))
        {
            self.scanner = scanner;
            self.range = Some((start, end));
            self.assembly = assembly;
        }
    }

    /// How the fragments became one text; final once it is settled.
    #[must_use]
    pub fn assembly(&self) -> Assembly {
        self.assembly
    }

    /// The text, as far as it is kept.
    #[must_use]
    pub fn assembled(&self) -> &[u8] {
        match self.range {
            Some((start, end)) => self.kept.get(start..end).unwrap_or_default(),
            None => &self.kept,
        }
    }

    /// All fragments one after another, as far as they are kept.
    #[must_use]
    pub fn plain(&self) -> &[u8] {
        &self.kept
    }

    /// Whether the text is one whole JSON value.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.scanner.is_whole()
    }

    /// The decision if the text is all there is.
    #[must_use]
    pub fn decide(&self, stop: Stop) -> Decision {
        self.scanner.decide(stop)
    }

    /// The scanner that the decision comes from.
    #[must_use]
    pub fn scanner(&self) -> &Scanner {
        // A habit that explains the text so far is decided upon at its end.
        match &self.behind {
            Some(behind) if self.range.is_none() && !self.hopeless => &behind.scanner,
            _ => &self.scanner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Assembly, Keep, Text};
    use crate::decision::Stop;
    use crate::scanner::{Scanner, Verdict};
    use std::prelude::v1::*;

    /// Feeds fragments; answers the verdicts behind each, the assembly and the text.
    fn assembled(fragments: &[&str]) -> (Vec<Verdict>, Assembly, String) {
        let mut text = Text::new(u64::MAX, Keep::All);
        let mut scratch = Vec::new();
        let verdicts = fragments
            .iter()
            .map(|fragment| {
                text.push(fragment.as_bytes(), false, &mut scratch);
                text.verdict()
            })
            .collect();
        text.settle();
        let assembled = String::from_utf8(text.assembled().to_vec()).unwrap();
        (verdicts, text.assembly(), assembled)
    }

    #[test]
    fn fragments_join() {
        use Verdict::{Complete, Incomplete};
        let (verdicts, assembly, text) = assembled(&["{\"a\"", ": 1}", "\n"]);
        assert_eq!(verdicts, [Incomplete, Complete, Complete]);
        assert_eq!((assembly, &*text), (Assembly::Plain, "{\"a\": 1}\n"));
    }

    #[test]
    fn a_text_sent_again_counts_once() {
        use Verdict::{Complete, Incomplete, Malformed};
        let copies = ["{\"a\"", ": 1}", "{\"a\": 1}", "{\"a\": 1", "}"];
        let (verdicts, assembly, text) = assembled(&copies);
        // A `{` behind an object is prose, which is acceptable; the `}` is what spoils it.
        assert_eq!(verdicts[..2], [Incomplete, Complete]);
        assert_eq!(verdicts[2..], [Complete, Incomplete, Complete]);
        assert_eq!((assembly, &*text), (Assembly::Repeated, "{\"a\": 1}"));
        let (verdicts, assembly, text) = assembled(&["{\"a\": 1}", "{\"a\": 2}"]);
        assert_eq!(verdicts, [Complete, Malformed]);
        assert_eq!((assembly, text.len()), (Assembly::Plain, 16));
        assert_eq!(assembled(&["{}{}"]).1, Assembly::Plain);
        assert_eq!(assembled(&["{}", "{}"]).1, Assembly::Repeated);
    }

    #[test]
    fn a_text_that_grows_counts_as_it_ended() {
        let (verdicts, assembly, text) = assembled(&["{\"a", "{\"a\": [1", "{\"a\": [1]}"]);
        assert!(!verdicts.contains(&Verdict::Malformed));
        assert_eq!((assembly, &*text), (Assembly::Cumulative, "{\"a\": [1]}"));
        let (verdicts, assembly, _) = assembled(&["{\"a", "{\"a\": [1", "{\"b\": [1]}"]);
        assert_eq!(verdicts[2], Verdict::Malformed);
        assert_eq!(assembly, Assembly::Plain);
    }

    #[test]
    fn a_placeholder_gives_way() {
        let (verdicts, assembly, text) = assembled(&["{}", "{\"a\": ", "1}"]);
        assert_eq!(verdicts[2], Verdict::Complete);
        assert_eq!((assembly, &*text), (Assembly::Placeholder, "{\"a\": 1}"));
        let (verdicts, assembly, _) = assembled(&["{}", "{\"a\": ", "x}"]);
        assert_eq!(verdicts[2], Verdict::Malformed);
        assert_eq!(assembly, Assembly::Plain);
    }

    #[test]
    fn halves_of_a_pair_join_across_fragments() {
        let mut text = Text::new(u64::MAX, Keep::All);
        let mut scratch = Vec::new();
        for fragment in [
            r#"{\"a\":\"\ud83d"#,
            r"\ude00\ud83d",
            r"x\ude00\",
            r#""}\ud83d"#,
        ] {
            let fragment = fragment.strip_suffix('\\').unwrap_or(fragment);
            text.push(fragment.as_bytes(), true, &mut scratch);
        }
        text.settle();
        assert_eq!(
            text.assembled(),
            "{\"a\":\"\u{1f600}\u{fffd}x\u{fffd}\"}\u{fffd}".as_bytes()
        );
    }

    #[test]
    fn what_waits_changes_no_verdict_and_no_decision() {
        let long = "plain words ".repeat(600) + "caf\u{e9} \\u0041 ";
        let texts = [
            format!("{{\"a\": \"{long}\", \"b\": [1, \"{long}\"]}}"),
            format!("see {{\"{long}\": \"{long}\"}} there"),
            format!("{{\"a\": \"{long}\n\"}}"),
            format!("{{\"a\": \"{long}"),
        ];
        for text in &texts {
            for bytes_max in [u64::MAX, 100, 4097, 5000, 8192] {
                for size in [1, 3, 4, 7, 24, 25, 4096] {
                    let mut waiting = Text::new(bytes_max, Keep::All);
                    let mut scanner = Scanner::counting_utf16(bytes_max);
                    for fragment in text.as_bytes().chunks(size) {
                        waiting.push(fragment, false, &mut Vec::new());
                        scanner.feed(fragment);
                        assert_eq!(waiting.verdict(), scanner.verdict(), "{size} {bytes_max}");
                    }
                    waiting.settle();
                    for stop in [Stop::Finished, Stop::Length] {
                        assert_eq!(waiting.decide(stop), scanner.decide(stop));
                    }
                }
            }
        }
    }

    #[test]
    fn a_limit_bounds_what_is_kept() {
        let mut text = Text::new(10, Keep::All);
        for _ in 0..100 {
            text.push(b"{\"aaaa", false, &mut Vec::new());
        }
        text.settle();
        assert_eq!(text.plain().len(), 10);
        assert!(text.decide(Stop::Finished).kind.is_some());
        let mut text = Text::new(u64::MAX, Keep::Start(4));
        for _ in 0..100 {
            text.push(b" {\"aaaa", false, &mut Vec::new());
        }
        assert_eq!(text.plain(), b"{\"aa");
    }
}
