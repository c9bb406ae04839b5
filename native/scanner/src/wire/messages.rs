//! Messages: blocks that begin, grow and end, and a stop reason behind them.
//!
//! ```text
//! {"type":"message_start","message":{"id":…,"content":[],"stop_reason":null}}
//! {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":…,"name":…,"input":{}}}
//! {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":…}}
//! {"type":"content_block_stop","index":1}
//! {"type":"message_delta","delta":{"stop_reason":"tool_use"}}
//! {"type":"message_stop"}
//! ```
//!
//! Blocks that the server runs itself stream the same deltas and are no calls. A body is the
//! message by itself. What is not named here is passed over.
#![allow(
    clippy::inline_always,
    reason = "what runs inside a vector backend has to be inlined into it"
)]

use super::values::{arguments_of, index_of, kind_of, note_error, text_of};
use crate::calls::{Arguments, Calls, Entry, Index, stop_of};
use crate::fields::{Action, Event, Fields, Record, Recorded, Type, slot};
use alloc::vec::Vec;

const TOP: u8 = 0;
const MESSAGE: u8 = 1;
const BLOCK: u8 = 2;
const DELTA: u8 = 3;
const ERROR: u8 = 4;

/// The fields of a message's events, or of a whole one.
pub struct Messages;

impl Fields for Messages {
    const FRAGMENT: usize = slot::FRAGMENT;

    #[inline(always)]
    fn action(context: u8, key: &[u8]) -> Action {
        match (context, key) {
            (TOP, b"type") => Action::Take(slot::TYPE),
            (TOP, b"index") => Action::Take(slot::TOP_INDEX),
            (TOP, b"delta") => Action::Enter(DELTA, slot::NOWHERE),
            (TOP, b"message") => Action::Enter(MESSAGE, slot::ERROR_MESSAGE),
            (TOP, b"content_block") => Action::Enter(BLOCK, slot::NOWHERE),
            (TOP, b"error") => Action::Enter(ERROR, slot::ERROR),
            (TOP | MESSAGE, b"content") => Action::Each(BLOCK, slot::LIST),
            (TOP | MESSAGE, b"id") => Action::Take(slot::MESSAGE_ID),
            (TOP | MESSAGE | DELTA, b"stop_reason") => Action::Take(slot::STOP),
            (DELTA, b"type") => Action::Take(slot::DELTA_TYPE),
            (DELTA, b"partial_json") => Action::Take(slot::FRAGMENT),
            (BLOCK, b"type") => Action::Take(slot::KIND),
            (BLOCK, b"id") => Action::Take(slot::ID),
            (BLOCK, b"name") => Action::Take(slot::NAME),
            (BLOCK, b"input") => Action::Take(slot::ARGUMENTS),
            (ERROR, b"type") => Action::Take(slot::ERROR_TYPE),
            (ERROR, b"message") => Action::Take(slot::ERROR_MESSAGE),
            (ERROR, b"code") => Action::Take(slot::ERROR_CODE),
            _ => Action::Skip,
        }
    }

    #[inline(always)]
    fn record(context: u8) -> Record {
        if context == BLOCK {
            Record::Entry
        } else {
            Record::Not
        }
    }
}

/// Tells the assembler what an event says.
pub fn apply(event: &Event, bytes: &[u8], name: &[u8], calls: &mut Calls, scratch: &mut Vec<u8>) {
    let values = &event.values;
    let kind = kind_of(event, bytes, name);
    let kind = &kind[..];
    let index = index_of(values[slot::TOP_INDEX], bytes);
    match kind {
        b"message_start" | b"message" => {
            calls.begin_message(&text_of(values[slot::MESSAGE_ID], bytes));
            for record in &event.records {
                begin(
                    record,
                    Index::Usable(record.position),
                    true,
                    bytes,
                    calls,
                    scratch,
                );
            }
            end(event, bytes, calls);
        }
        b"content_block_start" => {
            for record in &event.records {
                begin(record, index, false, bytes, calls, scratch);
            }
        }
        b"content_block_delta" => {
            let of_text = values[slot::DELTA_TYPE];
            if of_text.kind == Type::Absent || of_text.bytes(bytes) == b"input_json_delta" {
                let fragment = arguments_of(values[slot::FRAGMENT], bytes);
                if !matches!(fragment, Arguments::Absent) {
                    calls.block_fragment(index, fragment, scratch);
                }
            }
        }
        b"content_block_stop" => calls.end_block(index),
        b"message_delta" => end(event, bytes, calls),
        b"message_stop" => {
            end(event, bytes, calls);
            calls.end_response();
        }
        b"error" => {
            note_error(calls, event, bytes, true);
        }
        _ => {
            note_error(calls, event, bytes, false);
        }
    }
}

fn begin(
    record: &Recorded,
    index: Index,
    whole: bool,
    bytes: &[u8],
    calls: &mut Calls,
    scratch: &mut Vec<u8>,
) {
    let values = &record.values;
    if values[slot::KIND].bytes(bytes) != b"tool_use" {
        if !whole {
            calls.begin_other_block(index);
        }
        return;
    }
    let entry = Entry {
        index,
        id: text_of(values[slot::ID], bytes),
        item_id: (&[][..]).into(),
        name: text_of(values[slot::NAME], bytes),
        kind: b"",
        arguments: arguments_of(values[slot::ARGUMENTS], bytes),
    };
    calls.begin_block(&entry, whole, scratch);
}

fn end(event: &Event, bytes: &[u8], calls: &mut Calls) {
    let word = event.values[slot::STOP];
    if word.is_text() {
        let word = text_of(word, bytes);
        let stop = stop_of(&word);
        calls.end_choice(Index::Usable(0), &word, stop);
    }
}
