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

/// Every mark; those in angle brackets in lower case, as they are compared.
const MARKS: [(&[u8], Mark); 34] = [
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
    (b"</think>", Reasoned),
    (b"</thinking>", Reasoned),
    (b"</thought>", Reasoned),
    (b"</reasoning>", Reasoned),
    (b"</reflection>", Reasoned),
    (b"</scratchpad>", Reasoned),
    (b"</scratch_pad>", Reasoned),
    (b"<|end_of_thought|>", Reasoned),
    (b"<|end_thinking|>", Reasoned),
    (b"[/THINK]", Reasoned),
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

/// The marks, a bit each, that begin with a byte.
const fn beginning_with(byte: u8) -> u64 {
    let mut marks = 0;
    let mut index = 0;
    while index < MARKS.len() {
        if MARKS[index].0[0] == byte {
            marks |= 1 << index;
        }
        index += 1;
    }
    marks
}

const IN_ANGLES: u64 = beginning_with(b'<');
const IN_SQUARES: u64 = beginning_with(b'[');

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
    /// The marks, a bit each, that it may become.
    left: u64,
    length: usize,
}

impl Matcher {
    pub const NEW: Self = Self { left: 0, length: 0 };

    /// Begins with a `<` or `[`.
    pub fn begin(&mut self, byte: u8) {
        self.left = if byte == b'<' { IN_ANGLES } else { IN_SQUARES };
        self.length = 1;
    }

    /// Whether the byte can be the second of a mark that begins with `[`: in JSON it cannot.
    pub fn is_second_behind_bracket(byte: u8) -> bool {
        matches!(byte, b'T' | b'/')
    }

    /// The marks that it may become, by their numbers.
    fn possible(self) -> impl Iterator<Item = usize> {
        let mut left = self.left;
        core::iter::from_fn(move || {
            let index = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (index < MARKS.len()).then_some(index)
        })
    }

    /// Takes the next byte.
    pub fn push(&mut self, byte: u8) -> Progress {
        let byte = if self.left & IN_ANGLES == 0 {
            byte
        } else {
            byte.to_ascii_lowercase()
        };
        let mut left = 0;
        for index in self.possible() {
            let (mark, meaning) = MARKS[index];
            if mark.get(self.length) != Some(&byte) {
                continue;
            }
            if mark.len() == self.length + 1 {
                return Progress::Whole(meaning);
            }
            left |= 1 << index;
        }
        self.left = left;
        self.length += 1;
        if left == 0 {
            Progress::None
        } else {
            Progress::Part
        }
    }

    /// Whether what was read may become a mark that opens a call.
    pub fn may_open(&self) -> bool {
        self.possible().any(|index| MARKS[index].1 == Opens)
    }
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
    use super::{ENDS, EndOfReasoning, MARKS, Mark, Matcher, Progress};

    #[test]
    fn no_mark_is_the_beginning_of_another() {
        for (index, (mark, _)) in MARKS.iter().enumerate() {
            let begins = mark[1..].iter().any(|byte| b"<[`{".contains(byte));
            assert!(!begins, "{}", mark.escape_ascii());
            for (other, _) in &MARKS[index + 1..] {
                assert!(!mark.starts_with(other) && !other.starts_with(mark));
            }
        }
        for end in ENDS {
            assert!(!end[1..].contains(&end[0]), "{}", end.escape_ascii());
            assert!(MARKS.contains(&(end, Mark::Reasoned)));
        }
    }

    #[test]
    fn every_mark_is_recognised_at_its_last_byte() {
        for (mark, meaning) in MARKS {
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
