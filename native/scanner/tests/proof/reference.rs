//! The decision rule once more, slowly: what every answer of the scanner is compared with.
//!
//! Everything is asked of `serde_json` about the whole text, every time anew. In particular the
//! verdict is its own definition: a text is hopeless when no continuation is accepted, so
//! [`continuation`] looks for one among the few that can matter and asks the rule about each.
//! A continuation that is found proves itself; that none is missed rests on the list being one
//! continuation for every state of the grammar, which `exactness` attacks with random ones.
//!
//! Nothing here is shared with the scanner but the types of its answers. No care is taken for
//! speed: a verdict costs a few dozen parses of the text.

use argspan_scanner::{Decision, ErrorCode, Kind, Repair, ScanError, Span, Stop, Verdict};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// The stop signals, in the order of [`Expected::decisions`].
pub const STOPS: [Stop; 3] = [Stop::Finished, Stop::Length, Stop::Interrupted];

/// What positions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of UTF-8.
    Byte,
    /// UTF-16 code units.
    Utf16,
}

/// Everything that was fed so far, decoded.
#[derive(Clone, Debug)]
pub struct Fed {
    /// The characters up to the first flaw of the encoding.
    text: String,
    flaw: Flaw,
    unit: Unit,
    /// How many bytes were fed, behind a flaw too.
    bytes: usize,
    /// Where all of it stands without the white space around it; bytes that are no character
    /// are not white.
    trimmed: Range<usize>,
}

/// What stands behind the last whole character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// The first bytes of a sequence that may go on.
    Cut,
    /// A sequence that no further byte can mend.
    Invalid,
}

/// Every answer about one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The verdict, exact.
    pub verdict: Verdict,
    /// Whether the verdict may lag behind: it may be `incomplete` although no continuation is
    /// accepted, because a `\u` escape of the outer string or a UTF-8 sequence is not whole yet.
    pub may_lag: bool,
    /// The decisions for [`STOPS`].
    pub decisions: [Decision; 3],
    /// The error, where whatever follows cannot change it.
    pub error: Option<ScanError>,
    /// Where the first `{` stands.
    pub object_start: Option<u64>,
    /// Depth and whether inside a string, where a reading that both are about is alive.
    pub place: Option<(u8, bool)>,
}

impl Fed {
    /// Bytes, strict UTF-8.
    pub fn bytes(bytes: &[u8]) -> Self {
        let (valid, flaw) = match std::str::from_utf8(bytes) {
            Ok(text) => (text.len(), Flaw::None),
            Err(err) if err.error_len().is_some() => (err.valid_up_to(), Flaw::Invalid),
            Err(err) => (err.valid_up_to(), Flaw::Cut),
        };
        let text = String::from_utf8(bytes[..valid].to_vec()).expect("checked above");
        let trimmed = trimmed_bytes(bytes);
        Self {
            text,
            flaw,
            unit: Unit::Byte,
            bytes: bytes.len(),
            trimmed,
        }
    }

    /// UTF-16, in which a surrogate without its other half is U+FFFD.
    pub fn utf16(units: &[u16]) -> Self {
        let text = String::from_utf16_lossy(units);
        let trimmed = trimmed_range(&text);
        Self {
            bytes: text.len(),
            text,
            flaw: Flaw::None,
            unit: Unit::Utf16,
            trimmed,
        }
    }

    /// Every answer about the text, under a limit of `max_bytes`.
    pub fn expect(&self, max_bytes: u64) -> Expected {
        self.expect_after(Verdict::Empty, max_bytes)
    }

    /// The same, where the verdict on the text without its last unit is known already: what no
    /// continuation could save stays beyond saving, so the search need not be repeated.
    pub fn expect_after(&self, before: Verdict, max_bytes: u64) -> Expected {
        if self.flaw == Flaw::Invalid {
            // The flaw begins behind the characters before it.
            return self.unreadable(Kind::InvalidUtf8, ErrorCode::InvalidUtf8, self.text.len());
        }
        if max_bytes < self.bytes as u64 {
            // The byte that is too much; inside a character that is not whole yet, its first.
            let at = usize::try_from(max_bytes)
                .expect("less than there are")
                .min(self.text.len());
            return self.unreadable(Kind::TooLarge, ErrorCode::TooLarge, at);
        }
        let verdict = match (before, self.flaw) {
            (Verdict::Malformed, _) => Verdict::Malformed,
            (_, Flaw::None) => verdict(&self.text),
            (_, _) => match verdict(&self.text) {
                Verdict::Malformed => Verdict::Malformed,
                _ => Verdict::Incomplete,
            },
        };
        let whole = self.flaw == Flaw::None;
        Expected {
            verdict,
            may_lag: !whole || may_lag(&self.text),
            decisions: self.decisions(verdict),
            error: (verdict == Verdict::Malformed)
                .then(|| self.final_error())
                .flatten(),
            object_start: self.text.find('{').map(|start| self.offset(start)),
            // Nothing hopeless has a reading left that a place could be in.
            place: (whole && verdict != Verdict::Malformed)
                .then(|| place(&self.text))
                .flatten(),
        }
    }

    /// The first error, where it stands whatever follows: the probes make numbers and escapes go
    /// on, end white space that would be trimmed, and turn a whole value into a broken one.
    fn final_error(&self) -> Option<ScanError> {
        const PROBES: [&str; 12] = [
            "x",
            "0",
            "e",
            ".",
            "\"",
            "\\",
            ",",
            "}",
            "]",
            " x",
            "\nx",
            "\u{2028}x",
        ];
        let (error, shape) = self.first_error(&trimmed_range(&self.text));
        let stays = |probe: &&str| {
            let text = format!("{}{probe}", self.text);
            let more = Self {
                text,
                ..self.clone()
            };
            more.first_error(&trimmed_range(&more.text)).0 == error
        };
        (!shape && PROBES.iter().all(stays)).then_some(error)
    }

    /// The decisions for [`STOPS`] where the verdict is known and the text is within its limits.
    pub fn decisions(&self, verdict: Verdict) -> [Decision; 3] {
        STOPS.map(|stop| self.decide(verdict, stop))
    }

    fn decide(&self, verdict: Verdict, stop: Stop) -> Decision {
        let trimmed = trimmed_range(&self.text);
        let mut decision = Decision {
            verdict,
            repair: None,
            span: None,
            kind: None,
            error: None,
            cut: false,
            text: self.span(&self.trimmed),
        };
        if self.flaw == Flaw::Cut && verdict != Verdict::Malformed {
            decision.kind = Some(Kind::Truncated);
            decision.error = Some(position_free(ErrorCode::EofUtf8, self.text.len() as u64));
            return decision;
        }
        let text = &self.text[trimmed.clone()];
        if let Some(found) = accept(text) {
            decision.span = Some(self.span(&shift(&found.span, trimmed.start)));
            decision.repair = Some(found.repair);
            if stop != Stop::Finished {
                decision.kind = Some(Kind::Truncated);
                decision.cut = true;
            }
            return decision;
        }
        let (error, shape) = self.first_error(&trimmed);
        let hopeless = verdict == Verdict::Malformed;
        let kind = if !hopeless && (text.contains('{') || is_eof(error.code)) {
            Kind::Truncated
        } else if shape {
            Kind::NotObject
        } else {
            Kind::Malformed
        };
        let stopped = stop != Stop::Finished && !(kind == Kind::Malformed && hopeless);
        decision.kind = Some(if stopped { Kind::Truncated } else { kind });
        decision.cut = stopped && shape;
        decision.error = (!decision.cut).then_some(error);
        decision
    }

    /// What the direct reading says, and whether that is about the shape of a whole value.
    fn first_error(&self, trimmed: &Range<usize>) -> (ScanError, bool) {
        let text = &self.text[trimmed.clone()];
        let start = self.offset(trimmed.start);
        match serde_json::from_str::<Value>(text) {
            Ok(Value::String(_)) => (position_free(ErrorCode::StringWithoutObject, start), true),
            Ok(_) => (position_free(ErrorCode::NotObject, start), true),
            Err(err) => {
                let display = err.to_string();
                let (words, _) = display
                    .rsplit_once(" at line ")
                    .expect("serde_json says where");
                let code = code_with_text(words);
                let at = if is_eof(code) {
                    text.len()
                } else {
                    byte_at(text, &err)
                };
                let error = ScanError {
                    code,
                    offset: self.offset(trimmed.start + at),
                    line: err.line() as u64,
                    column: err.column() as u64,
                };
                assert_eq!(error.to_string(), display, "the words are serde_json's");
                (error, false)
            }
        }
    }

    /// What wins over every reading.
    fn unreadable(&self, kind: Kind, code: ErrorCode, at: usize) -> Expected {
        let decision = Decision {
            verdict: Verdict::Malformed,
            repair: None,
            span: None,
            kind: Some(kind),
            error: Some(position_free(code, self.offset(at))),
            cut: false,
            text: self.span(&self.trimmed),
        };
        Expected {
            verdict: Verdict::Malformed,
            may_lag: false,
            decisions: [decision; 3],
            error: decision.error,
            object_start: self.text.find('{').map(|start| self.offset(start)),
            place: None,
        }
    }

    fn span(&self, range: &Range<usize>) -> Span {
        Span {
            start: self.offset(range.start),
            end: self.offset(range.end),
        }
    }

    /// A byte's index as the caller counts; inside a character, the character's.
    fn offset(&self, byte: usize) -> u64 {
        match self.unit {
            Unit::Byte => byte as u64,
            Unit::Utf16 => {
                let before = |(start, char): &(usize, char)| start + char.len_utf8() <= byte;
                let chars = self.text.char_indices().take_while(before);
                chars.map(|(_, char)| char.len_utf16() as u64).sum()
            }
        }
    }
}

/// What a decision says whatever positions count: bytes or UTF-16 units.
pub type WithoutOffsets = (
    Verdict,
    Option<Repair>,
    Option<Kind>,
    bool,
    Option<(ErrorCode, u64, u64)>,
);

/// The decision without its offsets; line and column are the same in both forms.
pub fn without_offsets(decision: &Decision) -> WithoutOffsets {
    let error = decision
        .error
        .map(|error| (error.code, error.line, error.column));
    (
        decision.verdict,
        decision.repair,
        decision.kind,
        decision.cut,
        error,
    )
}

/// An object that the rule finds.
struct Found {
    repair: Repair,
    span: Range<usize>,
}

/// Rules 1 and 4 on a trimmed text.
fn accept(text: &str) -> Option<Found> {
    if text.is_empty() {
        return Some(Found {
            repair: Repair::Empty,
            span: 0..0,
        });
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => {
            return Some(Found {
                repair: Repair::None,
                span: 0..text.len(),
            });
        }
        Ok(Value::String(content)) if is_object(content.trim()) => {
            return Some(Found {
                repair: Repair::DoubleEncoding,
                span: 0..text.len(),
            });
        }
        _ => {}
    }
    let span = text.find('{')?..text.rfind('}')? + 1;
    let slice = text.get(span.clone())?;
    is_object(slice).then(|| Found {
        repair: if is_fenced(&text[..span.start], &text[span.end..]) {
            Repair::Fence
        } else {
            Repair::Prose
        },
        span,
    })
}

/// Whether the rule accepts the text as it stands.
pub fn accepts(text: &str) -> bool {
    accept(text.trim()).is_some()
}

/// Whether what stands around an object is a Markdown fence and nothing else. A fence that is
/// not closed is none: what the model meant to write behind the object is not known then.
fn is_fenced(before: &str, after: &str) -> bool {
    let Some(info) = before.trim_start().strip_prefix("```") else {
        return false;
    };
    let (line, rest) = info.split_once('\n').unwrap_or((info, ""));
    !line.contains('`') && rest.trim().is_empty() && after.trim() == "```"
}

fn is_object(text: &str) -> bool {
    matches!(serde_json::from_str::<Value>(text), Ok(Value::Object(_)))
}

/// The verdict, by its definition.
pub fn verdict(text: &str) -> Verdict {
    if text.trim().is_empty() {
        Verdict::Empty
    } else if accepts(text) {
        Verdict::Complete
    } else if continuation(text).is_some() {
        Verdict::Incomplete
    } else {
        Verdict::Malformed
    }
}

/// A continuation that the rule accepts, if there is any.
pub fn continuation(text: &str) -> Option<String> {
    candidates(text)
        .into_iter()
        .find(|more| accepts(&format!("{text}{more}")))
}

/// The continuations that can matter: one for each state in which a reading may be.
fn candidates(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    match text.find('{') {
        // The first object is still to come, and the span reading takes any.
        None => all.push("{}".to_owned()),
        Some(start) => all.extend(closings(&text[start..])),
    }
    if text.trim_start().starts_with('"') {
        all.extend(outer_closings(text));
    }
    all
}

/// What finishes a token, or the step that a structure is in, so that only brackets are missing.
static BRIDGES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut all: Vec<String> = ["", "\"", "\":0", ":0", "0", "\"\":0"]
        .map(str::to_owned)
        .into();
    for literal in ["true", "false", "null"] {
        all.extend(suffixes(literal));
    }
    // A number that is too large so far can be saved by a negative exponent only.
    for number in ["e-99999999", "0e-99999999", "-99999999", "99999999"] {
        all.push(number.to_owned());
    }
    // Escapes, in a value and in a key; the last four digits may belong to a first half.
    let mut escapes = vec!["n".to_owned()];
    escapes.extend(suffixes("\\udc00"));
    for digits in suffixes("0041") {
        escapes.push(format!("{digits}\\udc00"));
        escapes.push(digits);
    }
    for escape in escapes {
        all.push(format!("{escape}\""));
        all.push(format!("{escape}\":0"));
    }
    all
});

/// What finishes an escape of a string, so that its content so far is known: each printable
/// character of ASCII in every way that is left, and the others by one representative.
static OUTER_BRIDGES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut all = BTreeSet::from([String::new(), "n".to_owned()]);
    for byte in 0x20..0x7f {
        all.extend(suffixes(&format!("u00{byte:02x}")));
    }
    all.extend(suffixes("u00a0"));
    all.extend(suffixes("\\udc00"));
    for digits in suffixes("000") {
        all.insert(format!("{digits}\\udc00"));
        all.insert(digits);
    }
    all
});

/// The non-empty ends of an ASCII word, the word itself first.
fn suffixes(word: &str) -> Vec<String> {
    (0..word.len())
        .map(|start| word[start..].to_owned())
        .collect()
}

/// Continuations for a text that is to be one object.
fn closings(text: &str) -> Vec<String> {
    BRIDGES
        .iter()
        .map(|bridge| {
            let brackets = open_brackets(&format!("{text}{bridge}"));
            format!("{bridge}{}", brackets.closing)
        })
        .collect()
}

/// Continuations for a text that is to be one string with one object in it.
fn outer_closings(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for bridge in OUTER_BRIDGES.iter() {
        let literal = format!("{}{bridge}\"", text.trim_start());
        let Ok(content) = serde_json::from_str::<String>(&literal) else {
            continue;
        };
        if seen.insert(content.clone()) {
            let inner = content.trim_start();
            let mut closings = closings(inner);
            closings.push("{}".to_owned());
            all.extend(closings.into_iter().map(|more| {
                let quoted = Value::String(more).to_string();
                format!("{bridge}{}\"", &quoted[1..quoted.len() - 1])
            }));
        }
        if bridge.is_empty() {
            break;
        }
    }
    all
}

/// Where a text stands, by counting quotes and brackets: true of any text that is the beginning
/// of a JSON value, meaningless for others.
pub struct Brackets {
    /// The brackets that would close it, in order.
    pub closing: String,
    /// Whether it ends inside a string.
    pub in_string: bool,
}

/// Counts quotes and brackets.
pub fn open_brackets(text: &str) -> Brackets {
    let mut stack = Vec::new();
    let mut in_string = false;
    let mut escaped = false;
    for byte in text.bytes() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'{') => stack.push('}'),
            (false, b'[') => stack.push(']'),
            (false, b'}' | b']') => drop(stack.pop()),
            (_, _) => {}
        }
    }
    Brackets {
        closing: stack.into_iter().rev().collect(),
        in_string,
    }
}

/// Depth and whether inside a string, of the span reading or, while there is no `{`, of the
/// direct one; nothing once that reading has failed.
fn place(text: &str) -> Option<(u8, bool)> {
    let start = text.find('{');
    let reading = &text[start.unwrap_or(text.len() - text.trim_start().len())..];
    let mut values = serde_json::Deserializer::from_str(reading).into_iter::<Value>();
    let value = values.next();
    let rest = &reading[values.byte_offset()..];
    match value {
        Some(Ok(_)) if start.is_some() => return (!rest.contains('}')).then_some((0, false)),
        Some(Ok(_)) if rest.trim().is_empty() => return Some((0, false)),
        Some(Ok(_)) => return None,
        Some(Err(_)) | None => {}
    }
    let alive = |more: &String| serde_json::from_str::<Value>(&format!("{reading}{more}")).is_ok();
    let brackets = open_brackets(reading);
    let depth = u8::try_from(brackets.closing.len()).ok()?;
    closings(reading)
        .iter()
        .any(alive)
        .then_some((depth, brackets.in_string))
}

/// Whether a verdict may wait: the text is one string so far that ends inside `\u` and its
/// digits.
pub fn may_lag(text: &str) -> bool {
    let text = text.trim_start();
    let digits = text.bytes().rev().take_while(u8::is_ascii_hexdigit).count();
    (0..=digits.min(3)).any(|digits| {
        let Some(head) = text[..text.len() - digits].strip_suffix("\\u") else {
            return false;
        };
        // The escape's backslash is not itself escaped: the string before it can end there.
        serde_json::from_str::<String>(&format!("{head}\"")).is_ok()
            || serde_json::from_str::<String>(&format!("{head}\\udc00\"")).is_ok()
    })
}

/// Where the text stands without the white space around it; 0..0 for a blank one.
fn trimmed_range(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    if end <= start { 0..0 } else { start..end }
}

/// The same of bytes, in which what is no character is not white.
fn trimmed_bytes(bytes: &[u8]) -> Range<usize> {
    let mut trimmed = 0..0;
    let mut at = 0;
    let mut extend = |range: Range<usize>| {
        if trimmed.is_empty() {
            trimmed.start = range.start;
        }
        trimmed.end = range.end;
    };
    for chunk in bytes.utf8_chunks() {
        for (start, char) in chunk.valid().char_indices() {
            if !char.is_whitespace() {
                extend(at + start..at + start + char.len_utf8());
            }
        }
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            extend(at..at + chunk.invalid().len());
        }
        at += chunk.invalid().len();
    }
    trimmed
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// The byte that serde_json's line and column speak of: column 0 is the line feed itself.
fn byte_at(text: &str, err: &serde_json::Error) -> usize {
    let line_start = match err.line() {
        1 => 0,
        line => {
            text.match_indices('\n')
                .nth(line - 2)
                .expect("a line of the text")
                .0
                + 1
        }
    };
    line_start + err.column() - 1
}

fn code_with_text(text: &str) -> ErrorCode {
    *ErrorCode::ALL
        .iter()
        .find(|code| code.text() == text)
        .unwrap_or_else(|| panic!("no code says {text:?}"))
}

fn is_eof(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::EofList | ErrorCode::EofObject | ErrorCode::EofString | ErrorCode::EofValue
    )
}

/// An error with no line and column.
fn position_free(code: ErrorCode, offset: u64) -> ScanError {
    ScanError {
        code,
        offset,
        line: 0,
        column: 0,
    }
}
