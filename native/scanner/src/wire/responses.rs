//! Responses: items that are added, grow and are done, and a snapshot of all at the end.
//!
//! ```text
//! {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":…,
//!   "call_id":…,"name":…,"arguments":""}}
//! {"type":"response.function_call_arguments.delta","item_id":…,"output_index":0,"delta":…}
//! {"type":"response.function_call_arguments.done","item_id":…,"output_index":0,"arguments":…}
//! {"type":"response.output_item.done","output_index":0,"item":{…,"status":"completed"}}
//! {"type":"response.completed","response":{"output":[…],"status":"completed"}}
//! ```
//!
//! The id to answer with is `call_id`; `item_id` in the other events is the item's own. Items that
//! the server runs itself are no calls. A body is the response by itself.
#![allow(
    clippy::inline_always,
    reason = "what runs inside a vector backend has to be inlined into it"
)]

use super::values::{arguments_of, index_of, kind_of, note_error, text_of};
use crate::calls::{Arguments, Calls, Entry, Index, stop_of};
use crate::decision::Stop;
use crate::fields::{Action, Event, Fields, Record, Recorded, Type, Value, slot};
use alloc::vec::Vec;

const TOP: u8 = 0;
const ITEM: u8 = 1;
const RESPONSE: u8 = 2;
const DETAILS: u8 = 3;
const ERROR: u8 = 4;

/// The fields of a response's events, or of a whole one.
pub struct Responses;

impl Fields for Responses {
    const FRAGMENT: usize = slot::FRAGMENT;

    #[inline(always)]
    fn action(context: u8, key: &[u8]) -> Action {
        match (context, key) {
            (TOP, b"type") => Action::Take(slot::TYPE),
            (TOP, b"object") => Action::Take(slot::OBJECT),
            (TOP, b"output_index") => Action::Take(slot::TOP_INDEX),
            (TOP, b"item_id") => Action::Take(slot::TOP_ITEM),
            (TOP, b"delta") => Action::Take(slot::FRAGMENT),
            (TOP, b"arguments" | b"input") => Action::Take(slot::TOP_TEXT),
            (TOP, b"item") => Action::Enter(ITEM, slot::NOWHERE),
            (TOP, b"response") => Action::Enter(RESPONSE, slot::NOWHERE),
            (TOP | RESPONSE, b"output") => Action::Each(ITEM, slot::LIST),
            (TOP | RESPONSE, b"status") => Action::Take(slot::STATE),
            (TOP | RESPONSE, b"incomplete_details") => Action::Enter(DETAILS, slot::NOWHERE),
            (TOP | RESPONSE, b"error") => Action::Enter(ERROR, slot::ERROR),
            (DETAILS, b"reason") => Action::Take(slot::STOP),
            (ITEM, b"type") => Action::Take(slot::KIND),
            (ITEM, b"id") => Action::Take(slot::ITEM_ID),
            (ITEM, b"call_id") => Action::Take(slot::ID),
            (ITEM, b"name") => Action::Take(slot::NAME),
            (ITEM, b"arguments" | b"input" | b"action" | b"actions" | b"operation") => {
                Action::Take(slot::ARGUMENTS)
            }
            (ITEM, b"status") => Action::Take(slot::STATUS),
            (ITEM, b"execution") => Action::Take(slot::EXECUTION),
            (TOP | ERROR, b"code") => Action::Take(slot::ERROR_CODE),
            (TOP | ERROR, b"message") => Action::Take(slot::ERROR_MESSAGE),
            (ERROR, b"type") => Action::Take(slot::ERROR_TYPE),
            _ => Action::Skip,
        }
    }

    #[inline(always)]
    fn record(context: u8) -> Record {
        if context == ITEM {
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
    let item_id = text_of(values[slot::TOP_ITEM], bytes);
    let mut text = |value: Value, whole| {
        let text = arguments_of(value, bytes);
        if !matches!(text, Arguments::Absent) {
            calls.item_text(index, &item_id, text, whole, scratch);
        }
    };
    match kind {
        b"response.function_call_arguments.delta" | b"response.custom_tool_call_input.delta" => {
            text(values[slot::FRAGMENT], false);
        }
        b"response.function_call_arguments.done" | b"response.custom_tool_call_input.done" => {
            text(values[slot::TOP_TEXT], true);
        }
        b"response.output_item.added" | b"response.output_item.done" => {
            let done = kind.ends_with(b"done");
            for record in &event.records {
                if let Some((entry, cut)) = item(record, index, bytes) {
                    calls.item(&entry, done, cut, scratch);
                }
            }
        }
        b"response.completed" => end(event, b"completed", bytes, calls, scratch),
        b"response.incomplete" => end(event, b"incomplete", bytes, calls, scratch),
        b"response.failed" => end(event, b"failed", bytes, calls, scratch),
        b"response.cancelled" => end(event, b"cancelled", bytes, calls, scratch),
        b"error" => {
            note_error(calls, event, bytes, true);
        }
        _ if values[slot::OBJECT].bytes(bytes) == b"response"
            || kind.is_empty() && values[slot::LIST].kind == Type::Array =>
        {
            let state = text_of(values[slot::STATE], bytes);
            let state = if state.is_empty() {
                b"completed"
            } else {
                &state[..]
            };
            end(event, state, bytes, calls, scratch);
        }
        _ if kind.is_empty() => {
            note_error(calls, event, bytes, false);
        }
        _ => {}
    }
}

/// The response is over: `state` says how.
fn end(event: &Event, state: &[u8], bytes: &[u8], calls: &mut Calls, scratch: &mut Vec<u8>) {
    let mut nth = 0;
    for record in &event.records {
        let position = Index::Usable(record.position);
        if let Some((entry, cut)) = item(record, position, bytes) {
            calls.snapshot_item(&entry, record.position, nth, cut, scratch);
            nth += 1;
        }
    }
    // An error that the wire has sent before comes here once more.
    if !calls.has_errored() {
        note_error(calls, event, bytes, false);
    }
    let reason = text_of(event.values[slot::STOP], bytes);
    let (word, stop) = match state {
        b"completed" => (state, Stop::Finished),
        b"incomplete" if !reason.is_empty() => match stop_of(&reason) {
            // Whatever the reason is, the response is incomplete.
            Stop::Finished => (&reason[..], Stop::Interrupted),
            stop => (&reason[..], stop),
        },
        b"queued" | b"in_progress" => return,
        _ => (state, Stop::Interrupted),
    };
    calls.end_choice(Index::Usable(0), word, stop);
}

/// What an item says of a call, and whether it was cut; none where it is no call for the client.
fn item<'a>(record: &Recorded, index: Index, bytes: &'a [u8]) -> Option<(Entry<'a>, bool)> {
    let values = &record.values;
    let kind = values[slot::KIND].bytes(bytes);
    let id = text_of(values[slot::ID], bytes);
    let kind: &[u8] = match kind {
        b"function_call" => b"",
        // Searches that one provider runs itself, though they look like the client's to run.
        b"custom_tool_call" if id.starts_with(b"xs_call_") => return None,
        b"custom_tool_call" => b"custom",
        b"tool_search_call" if values[slot::EXECUTION].bytes(bytes) == b"server" => return None,
        b"local_shell_call" | b"shell_call" | b"apply_patch_call" | b"computer_call"
        | b"tool_search_call" => kind.strip_suffix(b"_call")?,
        _ => return None,
    };
    let mut name = text_of(values[slot::NAME], bytes);
    if name.is_empty() && !kind.is_empty() {
        name = kind.into();
    }
    let entry = Entry {
        index,
        id,
        item_id: text_of(values[slot::ITEM_ID], bytes),
        name,
        kind,
        arguments: arguments_of(values[slot::ARGUMENTS], bytes),
    };
    Some((entry, values[slot::STATUS].bytes(bytes) == b"incomplete"))
}
