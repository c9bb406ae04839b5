//! The marks that stand around calls and around reasoning, recognised as they stream.
//!
//! INVARIANT: no mark is the beginning of another, and behind its first byte none holds a byte with
//! which one begins. So a mark that turns out to be none can be let go without reading it again.

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A call follows.
    Opens,
    /// A call ends.
    Closes,
    /// Reasoning begins, of this kind.
    Reasons(u8),
    /// Reasoning ends.
    Reasoned,
}

use Mark::{Closes, Opens, Reasoned, Reasons};

/// The marks of calls, and those with which reasoning begins. What stands in angle brackets is
/// compared in lower case.
const MARKS: [(&[u8], Mark); 24] = [
    (b"<tool_call>", Opens),
    (b"</tool_call>", Closes),
    (b"<tool_calls>", Opens),
    (b"</tool_calls>", Closes),
    (b"<toolcall>", Opens),
    (b"</toolcall>", Closes),
    (b"<function_call>", Opens),
    (b"</function_call>", Closes),
    (b"<|tool_call|>", Opens),
    (b"<|/tool_call|>", Closes),
    (b"<|python_tag|>", Opens),
    (b"<|start_action|>", Opens),
    (b"<|end_action|>", Closes),
    (b"[TOOL_CALLS]", Opens),
    (b"<think>", Reasons(0)),
    (b"<thinking>", Reasons(1)),
    (b"<thought>", Reasons(2)),
    (b"<reasoning>", Reasons(3)),
    (b"<reflection>", Reasons(4)),
    (b"<scratchpad>", Reasons(5)),
    (b"<scratch_pad>", Reasons(6)),
    (b"<|begin_of_thought|>", Reasons(7)),
    (b"<|start_thinking|>", Reasons(8)),
    (b"[THINK]", Reasons(9)),
];

/// How reasoning of each kind ends.
const ENDS: [&[u8]; 10] = [
    b"</think>",
    b"</thinking>",
    b"</thought>",
    b"</reasoning>",
    b"</reflection>",
    b"</scratchpad>",
    b"</scratch_pad>",
    b"<|end_of_thought|>",
    b"<|end_thinking|>",
    b"[/THINK]",
];

/// Every mark with its meaning.
fn marks() -> impl Iterator<Item = (&'static [u8], Mark)> {
    MARKS
        .into_iter()
        .chain(ENDS.into_iter().map(|end| (end, Reasoned)))
}

/// The length of the longest mark.
const LONGEST: usize = 20;

/// What a byte makes of the mark that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It goes on.
    Part,
    /// It is whole.
    Whole(Mark),
    /// It is none; the byte is yet to be read.
    None,
}

/// A mark that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Matcher {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Matcher {
    pub const NEW: Self = Self {
        bytes: [0; LONGEST],
        length: 0,
    };

    /// Begins with a `<` or `[`.
    pub fn begin(&mut self, byte: u8) {
        self.bytes[0] = byte;
        self.length = 1;
    }

    /// Whether the byte can be the second of a mark that begins with `[`: in JSON it cannot.
    pub fn is_second_behind_bracket(byte: u8) -> bool {
        matches!(byte, b'T' | b'/')
    }

    /// Takes the next byte.
    pub fn push(&mut self, byte: u8) -> Progress {
        let angle = self.bytes[0] == b'<';
        if self.length == 1 && !is_second(byte) {
            return Progress::None;
        }
        let Some(slot) = self.bytes.get_mut(self.length) else {
            return Progress::None;
        };
        *slot = if angle {
            byte.to_ascii_lowercase()
        } else {
            byte
        };
        let read = &self.bytes[..=self.length];
        let Some((mark, meaning)) = marks().find(|(mark, _)| mark.starts_with(read)) else {
            return Progress::None;
        };
        self.length += 1;
        if mark.len() == self.length {
            Progress::Whole(meaning)
        } else {
            Progress::Part
        }
    }

    /// Whether what was read may become a mark that opens a call.
    pub fn may_open(&self) -> bool {
        let read = &self.bytes[..self.length];
        marks().any(|(mark, meaning)| meaning == Opens && mark.starts_with(read))
    }
}

/// Whether a mark may go on with this byte: so prose is told from marks at a glance.
fn is_second(byte: u8) -> bool {
    matches!(
        byte.to_ascii_lowercase(),
        b't' | b'f' | b'r' | b's' | b'/' | b'|'
    )
}

/// Looks for the end of reasoning.
#[derive(Clone, Copy, Debug)]
pub struct EndOfReasoning {
    kind: u8,
    matched: usize,
}

impl EndOfReasoning {
    pub const fn new(kind: u8) -> Self {
        Self { kind, matched: 0 }
    }

    /// Takes the next byte; whether the reasoning has ended.
    pub fn push(&mut self, byte: u8) -> bool {
        let end = ENDS[usize::from(self.kind) % ENDS.len()];
        if end.get(self.matched) == Some(&byte.to_ascii_lowercase())
            || end.get(self.matched) == Some(&byte)
        {
            self.matched += 1;
        } else {
            // An end's first byte stands in it once, so nothing else of it can have begun.
            self.matched = usize::from(byte == end[0]);
        }
        self.matched == end.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{ENDS, EndOfReasoning, LONGEST, Mark, Matcher, Progress, is_second, marks};
    use std::vec::Vec;

    #[test]
    fn no_mark_is_the_beginning_of_another() {
        let all: Vec<_> = marks().map(|(mark, _)| mark).collect();
        for (index, mark) in all.iter().enumerate() {
            assert!(mark.len() <= LONGEST && is_second(mark[1]));
            let begins = mark[1..].iter().any(|byte| b"<[`{".contains(byte));
            assert!(!begins, "{}", mark.escape_ascii());
            for other in &all[index + 1..] {
                assert!(!mark.starts_with(other) && !other.starts_with(mark));
            }
        }
        for end in ENDS {
            assert!(!end[1..].contains(&end[0]), "{}", end.escape_ascii());
        }
    }

    #[test]
    fn every_mark_is_recognised_at_its_last_byte() {
        for (mark, meaning) in marks() {
            let mut matcher = Matcher::NEW;
            matcher.begin(mark[0]);
            let (last, inner) = mark[1..].split_last().unwrap();
            for &byte in inner {
                assert_eq!(matcher.push(byte), Progress::Part);
            }
            assert_eq!(matcher.push(*last), Progress::Whole(meaning));
            if let Mark::Reasons(kind) = meaning {
                let mut end = EndOfReasoning::new(kind);
                let found = ENDS[usize::from(kind)].iter().map(|&byte| end.push(byte));
                assert_eq!(found.filter(|&ended| ended).count(), 1);
            }
        }
    }
}
