//! The search for calls in text once more, written slowly and another way: no state, no streaming,
//! the whole text at hand, and serde_json asked about every prefix of every value.

use argspan_scanner::{Ambiguity, Finder, Flaw, Found, Status};
use serde_json::Value;
use serde_json::error::Category;

/// What a text comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Name, arguments, and where it stands in UTF-16 units.
    Call(String, String, usize, usize),
    /// With serde_json's words, where something begins as a call does.
    Nothing(Option<String>),
    Reasoning,
    Reasoned,
    Ambiguous(Ambiguity),
    Truncated(String),
    Malformed(String),
    Flawed(Flaw),
}

/// What a finder says, in the reference's words.
pub fn said(finder: &Finder) -> Expected {
    match finder.finish() {
        Found::Call(call) => Expected::Call(
            String::from_utf16_lossy(&call.name),
            String::from_utf16_lossy(&call.arguments),
            usize::try_from(call.start).expect("a place"),
            usize::try_from(call.end).expect("a place"),
        ),
        Found::Nothing(error) => Expected::Nothing(error.map(|code| code.text().to_owned())),
        Found::Reasoning => Expected::Reasoning,
        Found::Reasoned => Expected::Reasoned,
        Found::Ambiguous(ambiguity) => Expected::Ambiguous(ambiguity),
        Found::Truncated(code) => Expected::Truncated(code.text().to_owned()),
        Found::Malformed(Flaw::Syntax(code)) => Expected::Malformed(code.text().to_owned()),
        Found::Malformed(flaw) => Expected::Flawed(flaw),
    }
}

const OPENS: [&str; 8] = [
    "<tool_call>",
    "<tool_calls>",
    "<toolcall>",
    "<function_call>",
    "<|tool_call|>",
    "<|python_tag|>",
    "<|start_action|>",
    "[TOOL_CALLS]",
];
const CLOSES: [&str; 6] = [
    "</tool_call>",
    "</tool_calls>",
    "</toolcall>",
    "</function_call>",
    "<|/tool_call|>",
    "<|end_action|>",
];
const REASONING: [(&str, &str); 10] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<scratch_pad>", "</scratch_pad>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("[THINK]", "[/THINK]"),
];
const LABELS: [&str; 13] = [
    "id",
    "type",
    "index",
    "call_id",
    "tool_call_id",
    "thought",
    "thoughts",
    "thinking",
    "reasoning",
    "reason",
    "rationale",
    "explanation",
    "comment",
];
const LEVELS: usize = 8;

/// Whether a text begins with a mark; what stands in angle brackets may be in any case.
fn begins(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| {
        if mark.starts_with('<') {
            start.eq_ignore_ascii_case(mark)
        } else {
            start == mark
        }
    })
}

fn mark_in<'a>(marks: impl IntoIterator<Item = &'a str>, text: &str) -> Option<usize> {
    let found = marks.into_iter().find(|mark| begins(text, mark))?;
    Some(found.len())
}

#[derive(Clone, Debug)]
enum Reading {
    Closed(usize),
    Failed(usize, String),
    Open(String),
}

fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line").next().unwrap_or_default().to_owned()
}

/// How far the value reads with which a text begins.
fn read_value(text: &str) -> Reading {
    let mut last = String::new();
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        match serde_json::from_str::<Value>(&text[..end]) {
            Ok(_) => return Reading::Closed(end),
            Err(error) if error.classify() == Category::Eof => last = words(&error),
            Err(error) => {
                let said = words(&error);
                if said != "number out of range" {
                    return Reading::Failed(at, said);
                }
                // Mostly only a number's end tells that it is too large: where one more character
                // belongs to it, the error moves on.
                let place =
                    |error: &serde_json::Error| (words(error), error.line(), error.column());
                let next = text[end..].chars().next().unwrap_or('0');
                let after = serde_json::from_str::<Value>(&format!("{}{next}", &text[..end]));
                if after.is_err_and(|after| place(&after) == place(&error)) {
                    return Reading::Failed(end, said);
                }
                last = said;
            }
        }
    }
    Reading::Open(last)
}

/// What stands in a value, or in the beginning of one.
#[derive(Default)]
struct Seen {
    calls: Vec<Result<(String, String), Expected>>,
    begun: bool,
    hinted: bool,
}

struct Walk<'a> {
    text: &'a [char],
    names: &'a [&'a str],
    marked: bool,
    length_max: usize,
    seen: Seen,
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

impl Walk<'_> {
    fn skip(&self, mut at: usize) -> Option<usize> {
        while matches!(self.text.get(at)?, ' ' | '\t' | '\n' | '\r') {
            at += 1;
        }
        Some(at)
    }

    fn slice(&self, from: usize, to: usize) -> String {
        self.text[from..to].iter().collect()
    }

    /// The end of the string at `at`.
    fn string(&self, at: usize) -> Option<usize> {
        let mut at = at + 1;
        loop {
            match self.text.get(at)? {
                '"' => return Some(at + 1),
                '\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// The end of the value at `at`, in a call's place at the given level, or elsewhere.
    fn value(&mut self, at: usize, level: Option<usize>) -> Option<usize> {
        let level = level.filter(|&level| level < LEVELS);
        match self.text[at] {
            '"' => self.string(at),
            '[' => self.array(at, level),
            '{' => self.object(at, level),
            _ => {
                let mut end = at;
                while !matches!(
                    self.text.get(end)?,
                    ',' | ']' | '}' | ' ' | '\t' | '\n' | '\r'
                ) {
                    end += 1;
                }
                Some(end)
            }
        }
    }

    fn array(&mut self, at: usize, level: Option<usize>) -> Option<usize> {
        let mut at = self.skip(at + 1)?;
        if self.text[at] == ']' {
            return Some(at + 1);
        }
        loop {
            let end = self.value(at, level.map(|level| level + 1))?;
            at = self.skip(end)?;
            if self.text[at] == ']' {
                return Some(at + 1);
            }
            at = self.skip(at + 1)?;
        }
    }

    fn object(&mut self, at: usize, level: Option<usize>) -> Option<usize> {
        let mut members: Vec<(String, String)> = Vec::new();
        let mut at = self.skip(at + 1)?;
        let mut named = false;
        let mut arguments = false;
        while self.text[at] != '}' {
            let end = self.string(at)?;
            let raw = self.slice(at, end);
            // A quote among the digits of an escape ends no string: the value breaks there.
            let key: String = serde_json::from_str(&raw).ok()?;
            let is_arguments = key == "arguments" || key == "parameters";
            let is_name = matches!(&key[..], "name" | "tool" | "tool_name" | "function");
            let wraps = matches!(&key[..], "tool_call" | "tool_calls" | "function_call");
            if level.is_some() {
                self.seen.hinted |= is_arguments || is_name || wraps;
                arguments |= is_arguments;
                self.seen.begun |= named && arguments;
            }
            at = self.skip(end)?;
            at = self.skip(at + 1)?;
            let down = level.filter(|_| wraps || key == "function");
            let from = at;
            let end = self.value(at, down.map(|level| level + 1))?;
            if level.is_some() {
                named |= is_name && self.text[from] == '"';
                self.seen.begun |= named && arguments;
            }
            // A value's end is known by what follows, so that a literal may be cut at it.
            members.push((key, self.slice(from, end)));
            at = self.skip(end)?;
            if self.text[at] == ',' {
                at = self.skip(at + 1)?;
            }
        }
        if level.is_some() {
            self.settle(&members);
        }
        Some(at + 1)
    }

    fn settle(&mut self, members: &[(String, String)]) {
        let decoded = |raw: &str| serde_json::from_str::<String>(raw).ok();
        let names: Vec<String> = members
            .iter()
            .filter(|(key, _)| matches!(&key[..], "name" | "tool" | "tool_name" | "function"))
            .filter_map(|(_, raw)| decoded(raw))
            .collect();
        let given: Vec<&(String, String)> = members
            .iter()
            .filter(|(key, _)| key == "arguments" || key == "parameters")
            .collect();
        let Some(name) = names.last() else { return };
        let others = members.iter().any(|(key, raw)| match &key[..] {
            "arguments" | "parameters" | "name" | "tool" | "tool_name" => false,
            key if LABELS.contains(&key) => false,
            "function" => raw.starts_with(['{', '[']),
            _ => true,
        });
        let announced = self.marked || self.names.contains(&&names[0][..]);
        if given.is_empty() && (others || !announced) {
            return;
        }
        let text = given.first().map_or(String::new(), |(_, raw)| {
            if raw == "null" {
                String::new()
            } else {
                decoded(raw).unwrap_or_else(|| raw.clone())
            }
        });
        let long = |text: &str| self.length_max < units(text);
        let large = names.iter().any(|name| long(name));
        let definition = given
            .first()
            .is_some_and(|(key, raw)| key == "parameters" && defines(raw));
        self.seen.begun = true;
        self.seen.calls.push(if large {
            Err(Expected::Flawed(Flaw::TooLarge))
        } else if 1 < given.len() {
            Err(Expected::Ambiguous(Ambiguity::Arguments))
        } else if names.iter().any(|other| other != name) {
            Err(Expected::Ambiguous(Ambiguity::Names))
        } else if definition {
            Err(Expected::Ambiguous(Ambiguity::Definition))
        } else if others {
            Err(Expected::Ambiguous(Ambiguity::Members))
        } else {
            Ok((name.clone(), text))
        });
    }
}

/// Whether parameters are a schema.
fn defines(raw: &str) -> bool {
    let Ok(Value::Object(members)) = serde_json::from_str(raw) else {
        return false;
    };
    let properties = members.get("properties");
    members.get("type") == Some(&Value::from("object")) && properties.is_some_and(Value::is_object)
}

/// What stands before a value and belongs to it.
#[derive(Clone, Copy, Default)]
struct Opening {
    start: usize,
    marked: bool,
    fenced: bool,
}

/// Finds the call.
pub fn find(text: &str, names: &[&str], length_max: usize) -> Expected {
    let mut state = Tally::default();
    let mut at = 0;
    // What opens, as long as only white space follows.
    let mut opening: Option<Opening> = None;
    while at < text.len() {
        let rest = &text[at..];
        let next = rest.chars().next().expect("more");
        if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        }
        if let Some(length) = mark_in(REASONING.map(|(begin, _)| begin), rest) {
            let (_, end) = REASONING
                .into_iter()
                .find(|(begin, _)| begins(rest, begin))
                .expect("found above");
            let behind = (at + length..text.len())
                .find(|&from| text.is_char_boundary(from) && begins(&text[from..], end));
            let Some(behind) = behind else {
                return state.finish(Expected::Reasoning);
            };
            at = behind + end.len();
            opening = None;
        } else if let Some(length) = mark_in(REASONING.map(|(_, end)| end), rest) {
            // A call had begun where there is one, or a problem with one.
            let called = state.first.is_some() || !state.problems.is_empty();
            state = Tally {
                reasoned: state.reasoned || called,
                ..Tally::default()
            };
            at += length;
            opening = None;
        } else if let Some(length) = mark_in(OPENS, rest) {
            let before = opening.unwrap_or(Opening {
                start: at,
                ..Opening::default()
            });
            opening = Some(Opening {
                marked: true,
                ..before
            });
            at += length;
        } else if next == '{' || next == '[' && !rest[1..].starts_with(['T', '/']) {
            if next == '[' && rest.len() == 1 {
                break;
            }
            let opened = opening.take().unwrap_or(Opening {
                start: at,
                ..Opening::default()
            });
            match read(&mut state, rest, opened, names, length_max) {
                Ok(length) => {
                    at += length;
                    if state.fresh {
                        let end = at + closers(&text[at..], opened);
                        state.place(text, opened.start, end);
                        at = end;
                    }
                }
                Err(ended) => return ended,
            }
        } else if let Some((length, is_fence)) = fence(rest) {
            if is_fence {
                let before = opening.unwrap_or(Opening {
                    start: at,
                    ..Opening::default()
                });
                opening = Some(Opening {
                    fenced: true,
                    ..before
                });
            } else {
                let still_open = at + length == text.len();
                opening = opening.filter(|_| still_open);
            }
            at += length;
        } else {
            if opening.is_some_and(|opening| opening.marked) && matches!(next, '<' | '[') {
                if partial(rest) {
                    break;
                }
                state.problems.push(Expected::Flawed(Flaw::NotACall));
            }
            at += next.len_utf8();
            opening = None;
        }
    }
    if state.problem().is_none() && opening.is_some_and(|opening| opening.marked) {
        return Expected::Truncated("EOF while parsing a value".into());
    }
    state.finish(Expected::Nothing(state.wreck.clone()))
}

/// Whether a text is the beginning of a mark, and ends in it.
fn partial(text: &str) -> bool {
    let mut marks = OPENS
        .into_iter()
        .chain(CLOSES)
        .chain(REASONING.into_iter().flat_map(|(begin, end)| [begin, end]));
    marks.any(|mark| text.len() < mark.len() && begins(mark, &text.to_ascii_lowercase()))
        || marks_in_capitals(text)
}

fn marks_in_capitals(text: &str) -> bool {
    ["[TOOL_CALLS]", "[THINK]", "[/THINK]"]
        .iter()
        .any(|mark| text.len() < mark.len() && mark.starts_with(text))
}

/// The length of backticks, and of the line behind them where they open a fence.
fn fence(text: &str) -> Option<(usize, bool)> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks == 0 {
        return None;
    }
    if ticks < 3 {
        return Some((ticks, false));
    }
    let info = &text[ticks..];
    match info.find(['\n', '{', '`']) {
        Some(end) if info[end..].starts_with('\n') => Some((ticks + end + 1, true)),
        Some(end) if info[end..].starts_with('{') => Some((ticks + end, true)),
        Some(end) => Some((ticks + end, false)),
        None => Some((text.len(), false)),
    }
}

/// How much behind a call belongs to it: what closes that which opened.
fn closers(text: &str, opened: Opening) -> usize {
    let mut fenced = opened.fenced;
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let white = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        if opened.marked
            && let Some(mark) = mark_in(CLOSES, rest)
        {
            length += white + mark;
        } else if fenced && 3 <= ticks {
            length += white + ticks;
            fenced = false;
        } else {
            return length;
        }
    }
}

#[derive(Default)]
struct Tally {
    first: Option<(String, String)>,
    place: Option<(usize, usize)>,
    fresh: bool,
    problems: Vec<Expected>,
    wreck: Option<String>,
    reasoned: bool,
}

impl Tally {
    /// The problem that is said: an ambiguity whatever else there is, and else the first.
    fn problem(&self) -> Option<Expected> {
        let ambiguous = |problem: &&Expected| matches!(problem, Expected::Ambiguous(_));
        let found = self.problems.iter().find(ambiguous);
        found.or(self.problems.first()).cloned()
    }

    fn place(&mut self, text: &str, start: usize, end: usize) {
        self.place = Some((units(&text[..start]), units(&text[..end])));
        self.fresh = false;
    }

    fn finish(&self, otherwise: Expected) -> Expected {
        if let Some(problem) = self.problem() {
            return problem;
        }
        match (&self.first, self.place) {
            (Some((name, text)), Some((start, end))) => {
                Expected::Call(name.clone(), text.clone(), start, end)
            }
            _ if self.reasoned && otherwise == Expected::Nothing(None) => Expected::Reasoned,
            _ => otherwise,
        }
    }
}

/// Reads the value with which a text begins; its length, or what the text comes to if it ends in it.
fn read(
    state: &mut Tally,
    text: &str,
    opened: Opening,
    names: &[&str],
    length_max: usize,
) -> Result<usize, Expected> {
    let reading = read_value(text);
    let length = match &reading {
        Reading::Closed(end) | Reading::Failed(end, _) => *end,
        Reading::Open(_) => text.len(),
    };
    let chars: Vec<char> = text[..length].chars().collect();
    let mut walk = Walk {
        text: &chars,
        names,
        marked: opened.marked,
        length_max,
        seen: Seen {
            begun: opened.marked,
            ..Seen::default()
        },
    };
    walk.value(0, Some(0));
    let seen = walk.seen;
    for call in &seen.calls {
        match call {
            Err(problem) => state.problems.push(problem.clone()),
            Ok(call) if state.first.is_none() => {
                state.first = Some(call.clone());
                state.fresh = true;
            }
            Ok(call) if state.first.as_ref() == Some(call) => {}
            Ok(_) => state.problems.push(Expected::Ambiguous(Ambiguity::Calls)),
        }
    }
    match reading {
        Reading::Closed(end) => {
            if opened.marked && seen.calls.is_empty() {
                state.problems.push(Expected::Flawed(Flaw::NotACall));
            }
            Ok(end)
        }
        Reading::Failed(end, said) => {
            state.fresh = false;
            let quoted = said != "number out of range" && text[end..].starts_with('\'');
            if seen.begun {
                state.problems.push(Expected::Malformed(said));
            } else if seen.hinted || quoted {
                state.wreck.get_or_insert(said);
            }
            Ok(end)
        }
        Reading::Open(said) => {
            if let Some(problem) = state.problem() {
                return Err(problem);
            }
            if seen.begun || seen.hinted {
                return Err(Expected::Truncated(said));
            }
            Err(state.finish(Expected::Nothing(state.wreck.clone())))
        }
    }
}

/// What has to be known of a prefix, given what its continuations come to: that a call found later
/// does not begin in a prefix that was said to be text.
pub fn allows(status: Status, prefix: usize, whole: &Expected) -> bool {
    match whole {
        Expected::Call(_, _, start, end) => {
            status != Status::Text || prefix <= *start || *end < prefix
        }
        _ => true,
    }
}
