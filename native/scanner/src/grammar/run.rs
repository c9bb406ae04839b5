//! One run of the automaton over a chunk.
//!
//! Here is every state, and what each does with the next byte. Where a value is due, [`super::plain`]
//! goes ahead as far as it can.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use super::masks::{Seen, Strings, Whites};
use super::number::{Number, number};
use super::observer::Observer;
use super::plain::{Plain, begins_value};
use super::state::State;
use super::{BAD_DIGIT, Failure, Grammar, Halt, KEY, LITERALS, SECOND_HALF, failure};
use crate::error::ErrorCode;
use crate::form::Form;
use crate::magnitude::Magnitude;
use crate::skip::{Backend, Scan};

pub struct Run<'a, O> {
    pub grammar: &'a mut Grammar,
    pub form: Form,
    pub bytes: &'a [u8],
    pub from: usize,
    pub seen: &'a mut Seen,
    pub observer: &'a mut O,
}

impl<O: Observer> Scan for Run<'_, O> {
    type Output = Halt;

    #[inline(always)]
    #[allow(
        clippy::too_many_lines,
        reason = "one automaton, with a few lines for each state"
    )]
    fn run<B: Backend>(self, backend: B) -> Halt {
        let Self {
            grammar,
            form,
            bytes,
            from,
            seen,
            observer,
        } = self;
        let mut index = from;
        let mut state = grammar.state();
        let mut strings = Strings::new(backend, bytes);
        let mut whites = Whites::new(backend, bytes);

        /// Ends the run; the next one begins in the given state.
        macro_rules! leave {
            ($halt:expr, $state:expr) => {{
                grammar.state = $state as u8;
                *seen = Seen {
                    newline: whites.newline,
                    wide: strings.wide != 0,
                };
                return $halt;
            }};
        }
        macro_rules! fail {
            ($index:expr, $code:ident, $state:expr) => {
                leave!(Halt::Failed(failure($index, ErrorCode::$code)), $state)
            };
        }
        /// The next byte, which the given state waits for.
        macro_rules! byte {
            ($state:expr) => {{
                let Some(&byte) = bytes.get(index) else {
                    leave!(Halt::End, $state)
                };
                byte
            }};
        }
        /// The next byte that is not white space.
        macro_rules! token {
            ($state:expr) => {{
                let mut byte = byte!($state);
                if byte <= b' ' {
                    // One space, as after a colon or comma, is by far the most frequent case.
                    if byte == b' ' {
                        index += 1;
                        byte = byte!($state);
                    }
                    if byte <= b' ' {
                        index = whites.end(index);
                        byte = byte!($state);
                    }
                }
                byte
            }};
        }
        macro_rules! number {
            () => {
                match number(&mut grammar.magnitude, bytes, index, &mut state) {
                    Number::More => leave!(Halt::End, state),
                    Number::Ended(end) => {
                        observer.number(bytes, index, end);
                        index = end;
                        state = State::behind_value(grammar);
                    }
                    Number::Failed(failed) => leave!(Halt::Failed(failed), state),
                }
            };
        }
        /// Closes a container; the run stops behind the outermost one.
        macro_rules! close {
            () => {{
                index += 1;
                grammar.pop();
                observer.closes(index);
                if grammar.depth == 0 {
                    leave!(Halt::Closed(index), State::AfterValue);
                }
                state = State::behind_value(grammar);
            }};
        }

        loop {
            if state.before_value() {
                let byte = token!(state);
                let inside = 0 < grammar.depth && begins_value(byte);
                if inside || matches!(byte, b'{' | b'[') {
                    (index, state) = (Plain {
                        grammar: &mut *grammar,
                        strings: &mut strings,
                        whites: &mut whites,
                        bytes,
                        index,
                        observer: &mut *observer,
                    })
                    .run(backend);
                    // Nothing but the end of the outermost container is left like that.
                    if state == State::AfterValue {
                        leave!(Halt::Closed(index), state);
                    }
                }
            }
            match state {
                State::BeforeValue | State::BeforeFirstItem | State::BeforeItem => {
                    match token!(state) {
                        b'"' => {
                            index += 1;
                            observer.string_begins(index);
                            state = State::in_string(grammar, false);
                        }
                        b'-' | b'0'..=b'9' => {
                            grammar.magnitude = Magnitude::NEW;
                            state = State::BeforeValue;
                            number!();
                        }
                        byte @ (b't' | b'f' | b'n') => {
                            grammar.literal = u8::from(byte == b'f') | u8::from(byte == b'n') << 1;
                            grammar.taken = 1;
                            index += 1;
                            state = State::InLiteral;
                        }
                        b'{' | b'[' => fail!(index, RecursionLimit, state),
                        b']' if state == State::BeforeFirstItem => close!(),
                        b']' if state == State::BeforeItem => fail!(index, TrailingComma, state),
                        _ => fail!(index, ExpectedValue, state),
                    }
                }
                State::BeforeFirstKey | State::BeforeKey => match token!(state) {
                    b'"' => {
                        index += 1;
                        observer.string_begins(index);
                        state = State::in_string(grammar, true);
                    }
                    b'}' if state == State::BeforeFirstKey => close!(),
                    b'}' => fail!(index, TrailingComma, state),
                    _ => fail!(index, KeyNotString, state),
                },
                State::AfterKey => {
                    if token!(state) != b':' {
                        fail!(index, ExpectedColon, state);
                    }
                    index += 1;
                    state = State::BeforeValue;
                }
                State::AfterItem => match token!(state) {
                    b',' => {
                        observer.next_item();
                        index += 1;
                        state = State::BeforeItem;
                    }
                    b']' => close!(),
                    _ => fail!(index, ExpectedCommaOrBracket, state),
                },
                State::AfterMember => match token!(state) {
                    b',' => {
                        observer.next_member(index);
                        index += 1;
                        state = State::BeforeKey;
                    }
                    b'}' => close!(),
                    _ => fail!(index, ExpectedCommaOrBrace, state),
                },
                State::AfterValue => {
                    token!(state);
                    fail!(index, TrailingCharacters, state);
                }
                State::InString => {
                    index = strings.end(index);
                    match byte!(state) {
                        b'"' => {
                            let key = grammar.flags & KEY != 0;
                            observer.string_ends(backend, bytes, index, key);
                            index += 1;
                            if key {
                                state = State::AfterKey;
                            } else if grammar.depth == 0 {
                                leave!(Halt::Closed(index), State::AfterValue);
                            } else {
                                state = State::behind_value(grammar);
                            }
                        }
                        b'\\' => {
                            index += 1;
                            state = State::InEscape;
                        }
                        _ => fail!(index, ControlCharacter, state),
                    }
                }
                State::InEscape => {
                    match byte!(state) {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                            state = State::InString;
                        }
                        b'u' => {
                            observer.unicode_escape();
                            grammar.flags &= !(SECOND_HALF | BAD_DIGIT);
                            grammar.taken = 0;
                            grammar.hex = 0;
                            state = State::InHex;
                        }
                        _ => fail!(index, InvalidEscape, state),
                    }
                    index += 1;
                }
                State::InHex => {
                    let mut within = 0;
                    while grammar.taken < 4 {
                        let byte = byte!(state);
                        // Four bytes of UTF-8 are taken, whatever they are a part of.
                        within = 3 - grammar.taken;
                        grammar.taken += form.width(byte);
                        index += 1;
                        if byte == b'\n' && grammar.taken < 4 {
                            // Wrong, but the error names the fourth byte, on another line.
                            whites.newline = true;
                        }
                        match hex_digit(byte) {
                            Some(digit) => grammar.hex = grammar.hex << 4 | digit,
                            None => grammar.flags |= BAD_DIGIT,
                        }
                    }
                    let second = grammar.flags & SECOND_HALF != 0;
                    let low = (0xDC00..=0xDFFF).contains(&grammar.hex);
                    if grammar.flags & BAD_DIGIT != 0 {
                        let failed = Failure {
                            within,
                            ..failure(index - 1, ErrorCode::InvalidEscape)
                        };
                        leave!(Halt::Failed(failed), state);
                    }
                    if second != low {
                        fail!(index - 1, LoneSurrogate, state);
                    }
                    state = if (0xD800..=0xDBFF).contains(&grammar.hex) {
                        State::AfterHighHalf
                    } else {
                        State::InString
                    };
                }
                State::AfterHighHalf => {
                    if byte!(state) != b'\\' {
                        fail!(index, UnexpectedEndOfHexEscape, state);
                    }
                    index += 1;
                    state = State::InLowEscape;
                }
                State::InLowEscape => {
                    if byte!(state) != b'u' {
                        fail!(index, UnexpectedEndOfHexEscape, state);
                    }
                    index += 1;
                    grammar.flags = grammar.flags & !BAD_DIGIT | SECOND_HALF;
                    grammar.taken = 0;
                    grammar.hex = 0;
                    state = State::InHex;
                }
                State::InLiteral => {
                    let word = LITERALS[usize::from(grammar.literal & 3)];
                    while let Some(&letter) = word.get(usize::from(grammar.taken)) {
                        if byte!(state) != letter {
                            fail!(index, ExpectedIdent, state);
                        }
                        index += 1;
                        grammar.taken += 1;
                    }
                    state = State::behind_value(grammar);
                }
                State::AfterMinus
                | State::AfterZero
                | State::InInteger
                | State::AfterPoint
                | State::InFraction
                | State::AfterExponent
                | State::AfterExponentSign
                | State::InExponent => {
                    number!();
                }
            }
        }
    }
}

fn hex_digit(byte: u8) -> Option<u16> {
    match byte {
        b'0'..=b'9' => Some(u16::from(byte - b'0')),
        b'a'..=b'f' => Some(u16::from(byte - b'a' + 10)),
        b'A'..=b'F' => Some(u16::from(byte - b'A' + 10)),
        _ => None,
    }
}
