//! One run of the automaton over a chunk.
//!
//! A hot loop goes from value to value in straight lines; what a chunk's end may have cut in two,
//! and what is rare, is a state that the outer loop takes up again.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use super::masks::Masks;
use super::number::{Number, number, plain_number};
use super::observer::Observer;
use super::state::State;
use super::{
    BAD_DIGIT, DEPTH_MAX, FALSE, Failure, Grammar, Halt, KEY, LITERALS, SECOND_HALF, TRUE, failure,
};
use crate::error::ErrorCode;
use crate::form::Form;
use crate::magnitude::Magnitude;
use crate::skip::{Backend, Scan};

pub struct Run<'a, O> {
    pub grammar: &'a mut Grammar,
    pub form: Form,
    pub bytes: &'a [u8],
    pub from: usize,
    /// Becomes true where a newline may have been passed.
    pub newline: &'a mut bool,
    pub observer: &'a mut O,
}

impl<O: Observer> Scan for Run<'_, O> {
    type Output = Halt;

    #[inline(always)]
    #[allow(
        clippy::too_many_lines,
        reason = "one automaton, whose states have to see each other"
    )]
    fn run<B: Backend>(self, backend: B) -> Halt {
        let Self {
            grammar,
            form,
            bytes,
            from,
            newline,
            observer,
        } = self;
        let mut index = from;
        let mut state = grammar.state();
        // Whether the innermost container is an object. The rest of the stack stays in memory,
        // where it is needed only when one opens or closes.
        let mut object = grammar.in_object();
        let mut depth = grammar.depth();
        let mut masks = Masks::new(backend, bytes, newline);

        /// Ends the run; the next one begins in the given state.
        macro_rules! leave {
            ($halt:expr, $state:expr) => {{
                grammar.state = $state as u8;
                grammar.depth = depth;
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
                    index += usize::from(byte == b' ');
                    byte = byte!($state);
                    if byte <= b' ' {
                        index = masks.white_end(index);
                        byte = byte!($state);
                    }
                }
                byte
            }};
        }
        /// Reads to behind the end of a string whose beginning has been read. What is rare in it is
        /// left to the states.
        macro_rules! string {
            ($resume:lifetime, $key:expr) => {
                loop {
                    index = masks.string_end(index);
                    match byte!(State::in_string(grammar, $key)) {
                        b'"' => {
                            observer.string_ends(backend, bytes, index, $key);
                            index += 1;
                            break;
                        }
                        // At a block's end, or no simple one.
                        b'\\' => match bytes.get(index + 1) {
                            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                                index += 2
                            }
                            _ => {
                                index += 1;
                                State::in_string(grammar, $key);
                                state = State::InEscape;
                                continue $resume;
                            }
                        },
                        _ => fail!(index, ControlCharacter, State::in_string(grammar, $key)),
                    }
                }
            };
        }
        /// Reads a key's colon.
        macro_rules! colon {
            () => {{
                if token!(State::AfterKey) != b':' {
                    fail!(index, ExpectedColon, State::AfterKey);
                }
                index += 1;
            }};
        }
        macro_rules! number {
            () => {
                match number(&mut grammar.magnitude, bytes, index, &mut state) {
                    Number::More => leave!(Halt::End, state),
                    Number::Ended(end) => {
                        observer.number(bytes, index, end);
                        index = end;
                    }
                    Number::Failed(failed) => leave!(Halt::Failed(failed), state),
                }
            };
        }
        macro_rules! open {
            ($object:literal) => {{
                if DEPTH_MAX <= depth {
                    fail!(index, RecursionLimit, state);
                }
                index += 1;
                depth += 1;
                grammar.push($object);
                object = $object;
                observer.opens($object);
            }};
        }
        /// Closes a container; the run stops behind the outermost one.
        macro_rules! close {
            () => {{
                index += 1;
                depth = depth.saturating_sub(1);
                grammar.pop();
                object = grammar.in_object();
                observer.closes(index);
                if depth == 0 {
                    leave!(Halt::Closed(index), State::AfterValue);
                }
            }};
        }

        'resume: loop {
            // What the last chunk ended in, or what is rare enough to come here. It ends where a
            // value is due, or behind one.
            let mut due = match state {
                State::BeforeValue | State::BeforeFirstItem | State::BeforeItem => true,
                State::AfterItem | State::AfterMember => false,
                State::BeforeFirstKey | State::BeforeKey => {
                    match token!(state) {
                        b'"' => index += 1,
                        b'}' if state == State::BeforeFirstKey => {
                            close!();
                            state = State::AfterMember;
                            continue 'resume;
                        }
                        b'}' => fail!(index, TrailingComma, state),
                        _ => fail!(index, KeyNotString, state),
                    }
                    observer.string_begins(index);
                    string!('resume, true);
                    colon!();
                    true
                }
                State::AfterKey => {
                    colon!();
                    true
                }
                State::AfterValue => {
                    token!(State::AfterValue);
                    fail!(index, TrailingCharacters, State::AfterValue);
                }
                State::InString => {
                    let key = grammar.flags & KEY != 0;
                    string!('resume, key);
                    if key {
                        colon!();
                    } else if depth == 0 {
                        leave!(Halt::Closed(index), State::AfterValue);
                    }
                    key
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
                    continue 'resume;
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
                            *masks.newline = true;
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
                    continue 'resume;
                }
                State::AfterHighHalf => {
                    if byte!(state) != b'\\' {
                        fail!(index, UnexpectedEndOfHexEscape, state);
                    }
                    index += 1;
                    state = State::InLowEscape;
                    continue 'resume;
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
                    continue 'resume;
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
                    false
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
                    false
                }
            };
            if due && !state.before_value() {
                state = State::BeforeValue;
            }

            // Value after value, as long as nothing is cut off and nothing is rare.
            loop {
                if due {
                    let byte = token!(state);
                    match byte {
                        b'"' => {
                            index += 1;
                            observer.string_begins(index);
                            string!('resume, false);
                            if depth == 0 {
                                leave!(Halt::Closed(index), State::AfterValue);
                            }
                        }
                        b'0'..=b'9' | b'-' => {
                            if let Some(end) = plain_number(backend, bytes, index) {
                                observer.number(bytes, index, end);
                                index = end;
                            } else {
                                grammar.magnitude = Magnitude::NEW;
                                state = State::BeforeValue;
                                number!();
                            }
                        }
                        b'{' => {
                            open!(true);
                            match token!(State::BeforeFirstKey) {
                                b'"' => {
                                    index += 1;
                                    observer.string_begins(index);
                                    string!('resume, true);
                                    colon!();
                                    state = State::BeforeValue;
                                    continue;
                                }
                                b'}' => close!(),
                                _ => fail!(index, KeyNotString, State::BeforeFirstKey),
                            }
                        }
                        b'[' => {
                            open!(false);
                            state = State::BeforeFirstItem;
                            continue;
                        }
                        b't' | b'f' | b'n' => {
                            let which = u8::from(byte == b'f') | u8::from(byte == b'n') << 1;
                            let Some(length) = literal_length(bytes, index, which) else {
                                index += 1;
                                grammar.literal = which;
                                grammar.taken = 1;
                                state = State::InLiteral;
                                continue 'resume;
                            };
                            index += length;
                        }
                        b']' if state == State::BeforeFirstItem => close!(),
                        b']' if state == State::BeforeItem => fail!(index, TrailingComma, state),
                        _ => fail!(index, ExpectedValue, state),
                    }
                }
                due = true;
                loop {
                    if depth == 0 {
                        state = State::AfterValue;
                        continue 'resume;
                    }
                    if object {
                        match token!(State::AfterMember) {
                            b',' => {
                                observer.next_member(index);
                                index += 1;
                                match token!(State::BeforeKey) {
                                    b'"' => index += 1,
                                    b'}' => fail!(index, TrailingComma, State::BeforeKey),
                                    _ => fail!(index, KeyNotString, State::BeforeKey),
                                }
                                observer.string_begins(index);
                                string!('resume, true);
                                colon!();
                                state = State::BeforeValue;
                                break;
                            }
                            b'}' => close!(),
                            _ => fail!(index, ExpectedCommaOrBrace, State::AfterMember),
                        }
                    } else {
                        match token!(State::AfterItem) {
                            b',' => {
                                index += 1;
                                observer.next_item();
                                state = State::BeforeItem;
                                break;
                            }
                            b']' => close!(),
                            _ => fail!(index, ExpectedCommaOrBracket, State::AfterItem),
                        }
                    }
                }
            }
        }
    }
}

/// The length of the literal that stands at `index`, where it is whole.
#[inline(always)]
fn literal_length(bytes: &[u8], index: usize, which: u8) -> Option<usize> {
    // Four letters each, compared as one number; of `false` those behind the first.
    let (skipped, letters) = match which {
        TRUE => (0, b"true"),
        FALSE => (1, b"alse"),
        _ => (0, b"null"),
    };
    let found = bytes.get(index + skipped..)?.first_chunk::<4>()?;
    (found == letters).then_some(skipped + 4)
}

fn hex_digit(byte: u8) -> Option<u16> {
    match byte {
        b'0'..=b'9' => Some(u16::from(byte - b'0')),
        b'a'..=b'f' => Some(u16::from(byte - b'a' + 10)),
        b'A'..=b'F' => Some(u16::from(byte - b'A' + 10)),
        _ => None,
    }
}
