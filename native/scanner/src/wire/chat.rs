//! Chat completions: `choices[].delta.tool_calls[]`, one entry a call and event.
//!
//! ```text
//! {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":…,"type":"function",
//!   "function":{"name":…,"arguments":…}}]},"finish_reason":null}]}
//! ```
//!
//! A body has `message` where a stream has `delta`, and so have some streams. The old form,
//! `function_call`, has no id and no index and stands once in a choice. The stream ends with
//! `[DONE]`; an error is an object without `choices`.
#![allow(
    clippy::inline_always,
    reason = "what runs inside a vector backend has to be inlined into it"
)]

use super::values::{arguments_of, index_of, note_error, text_of};
use crate::calls::{Calls, Entry, Index, Nameless, stop_of};
use crate::fields::{Action, Event, Fields, Record, Recorded, Type, slot};
use alloc::vec::Vec;

const TOP: u8 = 0;
const CHOICE: u8 = 1;
const DELTA: u8 = 2;
const ENTRY: u8 = 3;
const FUNCTION: u8 = 4;
const FUNCTION_CALL: u8 = 5;
const ERROR: u8 = 6;

/// The fields of a chat completion's chunk, or of a whole one.
pub struct Chat;

impl Fields for Chat {
    const FRAGMENT: usize = slot::ARGUMENTS;

    #[inline(always)]
    fn action(context: u8, key: &[u8]) -> Action {
        match (context, key) {
            (TOP, b"choices") => Action::Each(CHOICE, slot::LIST),
            (TOP, b"error") => Action::Enter(ERROR, slot::ERROR),
            (CHOICE, b"index") => Action::Take(slot::CHOICE),
            (CHOICE, b"delta" | b"message") => Action::Enter(DELTA, slot::NOWHERE),
            (CHOICE, b"finish_reason") => Action::Take(slot::FINISH),
            (DELTA, b"tool_calls") => Action::Each(ENTRY, slot::NOWHERE),
            (DELTA, b"function_call") => Action::Enter(FUNCTION_CALL, slot::NOWHERE),
            (ENTRY, b"index") => Action::Take(slot::INDEX),
            (ENTRY, b"id") => Action::Take(slot::ID),
            (ENTRY, b"type") => Action::Take(slot::KIND),
            (ENTRY, b"function") => Action::Enter(FUNCTION, slot::NOWHERE),
            (ENTRY, b"custom") => Action::Enter(FUNCTION, slot::EXECUTION),
            (FUNCTION | FUNCTION_CALL, b"name") => Action::Take(slot::NAME),
            (FUNCTION | FUNCTION_CALL, b"arguments" | b"input") => Action::Take(slot::ARGUMENTS),
            (TOP | ERROR, b"message") => Action::Take(slot::ERROR_MESSAGE),
            (ERROR, b"code") => Action::Take(slot::ERROR_CODE),
            (ERROR, b"type") => Action::Take(slot::ERROR_TYPE),
            _ => Action::Skip,
        }
    }

    #[inline(always)]
    fn record(context: u8) -> Record {
        match context {
            CHOICE => Record::Choice,
            ENTRY | FUNCTION_CALL => Record::Entry,
            _ => Record::Not,
        }
    }
}

/// Tells the assembler what an event says.
pub fn apply(event: &Event, bytes: &[u8], name: &[u8], calls: &mut Calls, scratch: &mut Vec<u8>) {
    let mut from = 0;
    for (at, record) in event.records.iter().enumerate() {
        if record.context != CHOICE {
            continue;
        }
        let choice = index_of(record.values[slot::CHOICE], bytes);
        choose(choice, &event.records[from..at], bytes, calls, scratch);
        let word = record.values[slot::FINISH];
        if word.is_text() {
            let word = text_of(word, bytes);
            calls.end_choice(choice, &word, stop_of(&word));
        }
        from = at + 1;
    }
    let nothing_else = event.values[slot::LIST].kind == Type::Absent;
    note_error(calls, event, bytes, name == b"error" && nothing_else);
}

/// Takes the entries of one choice.
fn choose(
    choice: Index,
    entries: &[Recorded],
    bytes: &[u8],
    calls: &mut Calls,
    scratch: &mut Vec<u8>,
) {
    let is_nameless = |record: &&Recorded| {
        let known = [slot::INDEX, slot::ID, slot::NAME].map(|slot| record.values[slot]);
        known[0].kind != Type::Number
            && !known[1].is_text()
            && known[1].kind != Type::Number
            && !known[2].is_text()
    };
    let several = 1 < entries.iter().filter(is_nameless).count();
    let mut nth = 0;
    for record in entries {
        let nameless = if record.context == FUNCTION_CALL {
            Nameless::Only
        } else if several && is_nameless(&record) {
            nth += 1;
            Nameless::Nth(nth - 1)
        } else {
            Nameless::Last
        };
        let values = &record.values;
        let is_custom = values[slot::EXECUTION].kind == Type::Object
            || values[slot::KIND].bytes(bytes) == b"custom";
        let entry = Entry {
            index: index_of(values[slot::INDEX], bytes),
            id: text_of(values[slot::ID], bytes),
            item_id: (&[][..]).into(),
            name: text_of(values[slot::NAME], bytes),
            kind: if is_custom { b"custom" } else { b"" },
            arguments: arguments_of(values[slot::ARGUMENTS], bytes),
        };
        calls.chat_entry(choice, &entry, nameless, scratch);
    }
}
