//! From the values of an event to what they say to the assembler.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::calls::{Arguments, Calls, Index};
use crate::fields::{Event, Type, Value, slot};
use crate::unescape::unescape;

/// Indexes from here on are none that a server means.
const INDEX_END: u32 = 1 << 16;

/// A string's or number's text.
pub fn text_of(value: Value, event: &[u8]) -> Cow<'_, [u8]> {
    match value.kind {
        Type::Text | Type::Number => Cow::Borrowed(value.bytes(event)),
        Type::Escaped => {
            let mut text = Vec::new();
            let mut high = 0;
            unescape(value.bytes(event), &mut high, &mut text);
            if high != 0 {
                text.extend_from_slice("\u{FFFD}".as_bytes());
            }
            Cow::Owned(text)
        }
        Type::Absent | Type::Null | Type::False | Type::True | Type::Array | Type::Object => {
            Cow::Borrowed(&[])
        }
    }
}

/// A number as an index.
pub fn index_of(value: Value, event: &[u8]) -> Index {
    if value.kind != Type::Number {
        return Index::Absent;
    }
    let digits = value.bytes(event);
    let mut index = 0_u32;
    for &digit in digits {
        if !digit.is_ascii_digit() || INDEX_END <= index {
            return Index::Bad;
        }
        index = index * 10 + u32::from(digit - b'0');
    }
    if index < INDEX_END {
        Index::Usable(index)
    } else {
        Index::Bad
    }
}

/// Arguments in whichever form they came.
pub fn arguments_of(value: Value, event: &[u8]) -> Arguments<'_> {
    match value.kind {
        Type::Absent | Type::Null => Arguments::Absent,
        Type::Text => Arguments::Text(value.bytes(event), false),
        Type::Escaped => Arguments::Text(value.bytes(event), true),
        Type::False | Type::True | Type::Number | Type::Array | Type::Object => {
            Arguments::Source(value.bytes(event))
        }
    }
}

/// Notes an event's own error, where it has one: `error` as text or object, or at its top.
pub fn note_error(calls: &mut Calls, event: &Event, bytes: &[u8], at_top: bool) -> bool {
    let error = event.values[slot::ERROR];
    if !at_top && !error.is_truthy(bytes) {
        return false;
    }
    let text = |slot: usize| text_of(event.values[slot], bytes);
    let message = if error.is_text() {
        text_of(error, bytes)
    } else {
        text(slot::ERROR_MESSAGE)
    };
    calls.wire_error(&text(slot::ERROR_CODE), &text(slot::ERROR_TYPE), &message);
    true
}

/// What kind of event it is: its own word for it counts more than its name.
pub fn kind_of<'a>(event: &Event, bytes: &'a [u8], name: &'a [u8]) -> Cow<'a, [u8]> {
    let kind = text_of(event.values[slot::TYPE], bytes);
    if kind.is_empty() {
        Cow::Borrowed(name)
    } else {
        kind
    }
}
