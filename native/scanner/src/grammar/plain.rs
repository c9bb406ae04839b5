//! The quick way through what most of a text is: value after value and key after key, as long as
//! nothing is cut off, escaped in an unusual way, or wrong.
//!
//! It knows no errors and keeps no state of its own. Where something else stands than it looks for,
//! it stops in the state that is due there, and [`super::run`] takes the next step.
//!
//! It is quick because where it goes on seldom depends on a byte that was read, and mostly on which
//! way it took: a processor foresees the way, and need not wait for the byte. So what could be a sum is
//! a branch here. How long a string or number is cannot be foreseen, and comes from a mask.
//!
//! INVARIANT: it passes what the states would pass, and leaves the grammar as they would.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use super::masks::{Strings, Whites};
use super::number::plain_number;
use super::observer::Observer;
use super::state::State;
use super::word::{literal_length, stand_at};
use super::{DEPTH_MAX, Grammar};
use crate::skip::Backend;

/// A pass from `index` on, where a value is due. At the top it has to be a container.
pub struct Plain<'a, 'b, B, O> {
    pub grammar: &'a mut Grammar,
    pub strings: &'a mut Strings<'b, B>,
    pub whites: &'a mut Whites<'b, B>,
    pub bytes: &'b [u8],
    pub index: usize,
    pub observer: &'a mut O,
}

impl<B: Backend, O: Observer> Plain<'_, '_, B, O> {
    /// Where it stopped, and the state there: [`State::AfterValue`] is behind the outermost container.
    #[inline(always)]
    #[allow(
        clippy::too_many_lines,
        reason = "one loop, whose parts lead to each other"
    )]
    pub fn run(self, backend: B) -> (usize, State) {
        let Self {
            grammar,
            strings,
            whites,
            bytes,
            mut index,
            observer,
        } = self;

        /// The next byte that is not white space, or the given state.
        macro_rules! token {
            ($state:expr) => {{
                let Some(&byte) = bytes.get(index) else {
                    return (index, $state);
                };
                if b' ' < byte {
                    byte
                } else {
                    // One space, as after a colon or comma, is by far the most frequent case.
                    if byte == b' ' && bytes.get(index + 1).is_some_and(|&next| b' ' < next) {
                        index += 1;
                    } else {
                        index = whites.end(index);
                    }
                    let Some(&byte) = bytes.get(index) else {
                        return (index, $state);
                    };
                    byte
                }
            }};
        }
        /// Closes a container.
        macro_rules! close {
            () => {{
                index += 1;
                grammar.pop();
                observer.closes(index);
                if grammar.depth == 0 {
                    return (index, State::AfterValue);
                }
            }};
        }
        /// Reads a value that is no container and begins with this byte.
        macro_rules! scalar {
            ($byte:expr) => {
                if $byte == b'"' {
                    index += 1;
                    observer.string_begins(index);
                    index = strings.end(index);
                    if bytes.get(index) != Some(&b'"') {
                        return (index, State::in_string(grammar, false));
                    }
                    observer.string_ends(backend, bytes, index, false);
                    index += 1;
                } else if matches!($byte, b'-' | b'0'..=b'9') {
                    let Some(end) = plain_number(backend, bytes, index) else {
                        return (index, State::value_due(grammar));
                    };
                    observer.number(bytes, index, end);
                    index = end;
                } else {
                    let Some(length) = literal_length(bytes, index) else {
                        return (index, State::value_due(grammar));
                    };
                    index += length;
                }
            };
        }

        'value: loop {
            let mut key = false;
            match token!(State::value_due(grammar)) {
                b'{' if grammar.depth < DEPTH_MAX => {
                    index += 1;
                    grammar.push(true);
                    observer.opens(true);
                    match token!(State::BeforeFirstKey) {
                        b'"' => key = true,
                        b'}' => close!(),
                        _ => return (index, State::BeforeFirstKey),
                    }
                }
                b'[' if grammar.depth < DEPTH_MAX => {
                    index += 1;
                    grammar.push(false);
                    observer.opens(false);
                    match token!(State::BeforeFirstItem) {
                        b']' => close!(),
                        byte if begins_value(byte) => continue 'value,
                        _ => return (index, State::BeforeFirstItem),
                    }
                }
                byte => scalar!(byte),
            }
            'next: loop {
                if key {
                    key = false;
                } else if grammar.in_object() {
                    match token!(State::AfterMember) {
                        b',' => {
                            observer.next_member(index);
                            index += 1;
                            if token!(State::BeforeKey) != b'"' {
                                return (index, State::BeforeKey);
                            }
                        }
                        b'}' => {
                            close!();
                            continue 'next;
                        }
                        _ => return (index, State::AfterMember),
                    }
                } else {
                    match token!(State::AfterItem) {
                        b',' => {
                            observer.next_item();
                            index += 1;
                            continue 'value;
                        }
                        b']' => {
                            close!();
                            continue 'next;
                        }
                        _ => return (index, State::AfterItem),
                    }
                }
                // Most members have a plain value, and the next one follows at once.
                loop {
                    index += 1;
                    observer.string_begins(index);
                    index = strings.end(index);
                    if stand_at(bytes, index, *b"\":") {
                        observer.string_ends(backend, bytes, index, true);
                        index += 2;
                    } else {
                        if bytes.get(index) != Some(&b'"') {
                            return (index, State::in_string(grammar, true));
                        }
                        observer.string_ends(backend, bytes, index, true);
                        index += 1;
                        if token!(State::AfterKey) != b':' {
                            return (index, State::AfterKey);
                        }
                        index += 1;
                    }
                    match token!(State::BeforeValue) {
                        b'{' | b'[' => continue 'value,
                        byte => scalar!(byte),
                    }
                    if !stand_at(bytes, index, *b",\"") {
                        continue 'next;
                    }
                    observer.next_member(index);
                    index += 1;
                }
            }
        }
    }
}

/// Whether a value can begin with a byte.
#[inline(always)]
pub fn begins_value(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'-' | b'0'..=b'9' | b'{' | b'[' | b't' | b'f' | b'n'
    )
}
