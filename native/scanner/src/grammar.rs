//! The JSON automaton: follows the bytes of one value and says where it closes or fails.
//!
//! It accepts what serde_json 1.0.154 accepts as a `Value`, with its error codes at its positions.
//! One run takes a chunk, cut anywhere, from the state in which the last one ended; no byte is
//! read twice and nothing is kept but the state, one bit a level and what a number needs.
//!
//! INVARIANT: `stack` holds one bit for each of the `depth` open containers, the innermost lowest,
//! 1 for an object; `depth` is at most [`DEPTH_MAX`].
//!
//! Not checked here: UTF-8 (bytes from 0x80 up are plain inside strings and wrong elsewhere, so
//! both forms of a text are read alike).
//!
//! Shape: one loop over one `match` of the state. Each arm takes as many bytes as it can and
//! names the next state; the compiler turns those into direct jumps. Inside strings a mask of the
//! current block ([`Masks`]) stands for the bytes, so a short string costs a shift and a count.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use crate::error::ErrorCode;
use crate::form::Form;
use crate::magnitude::{Magnitude, SAFE_DIGITS};
use crate::skip::{BLOCK, Backend, Scan, StringStops, mask, with_backend};

/// Levels of nesting that are read; serde_json refuses the next one.
pub const DEPTH_MAX: u8 = 127;

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum State {
    /// A value: at the top, or after a colon.
    BeforeValue,
    /// A value or the end of the array, after `[`.
    BeforeFirstItem,
    /// A value, after a comma in an array.
    BeforeItem,
    /// A key or the end of the object, after `{`.
    BeforeFirstKey,
    /// A key, after a comma in an object.
    BeforeKey,
    /// A colon.
    AfterKey,
    /// A comma or `]`.
    AfterItem,
    /// A comma or `}`.
    AfterMember,
    /// White space: the value is whole.
    AfterValue,
    /// The rest of `true`, `false` or `null`.
    InLiteral,
    /// Plain bytes of a string, an escape or its end.
    InString,
    /// The byte after a backslash.
    InEscape,
    /// The four digits after `\u`.
    InHex,
    /// The backslash of a pair's second half.
    AfterHighHalf,
    /// The `u` of a pair's second half.
    InLowEscape,
    /// A digit, after a minus.
    AfterMinus,
    /// Anything but a digit, after a leading zero.
    AfterZero,
    /// Digits, a point or an exponent.
    InInteger,
    /// A digit, after the point.
    AfterPoint,
    /// Digits or an exponent.
    InFraction,
    /// A sign or digit, after `e`.
    AfterExponent,
    /// A digit, after the exponent's sign.
    AfterExponentSign,
    /// Digits.
    InExponent,
}

impl State {
    /// Notes whether the open string is a key, for a later run.
    #[inline(always)]
    fn in_string(grammar: &mut Grammar, key: bool) -> Self {
        grammar.flags = grammar.flags & !KEY | if key { KEY } else { 0 };
        Self::InString
    }

    /// Whether a value is due, with or without other possibilities.
    #[inline(always)]
    fn before_value(self) -> bool {
        matches!(
            self,
            Self::BeforeValue | Self::BeforeFirstItem | Self::BeforeItem
        )
    }
}

/// The states by number, and again, so that any stored byte names one.
const STATES: [State; 32] = {
    use State::{
        AfterExponent, AfterExponentSign, AfterHighHalf, AfterItem, AfterKey, AfterMember,
        AfterMinus, AfterPoint, AfterValue, AfterZero, BeforeFirstItem, BeforeFirstKey, BeforeItem,
        BeforeKey, BeforeValue, InEscape, InExponent, InFraction, InHex, InInteger, InLiteral,
        InLowEscape, InString,
    };
    [
        BeforeValue,
        BeforeFirstItem,
        BeforeItem,
        BeforeFirstKey,
        BeforeKey,
        AfterKey,
        AfterItem,
        AfterMember,
        AfterValue,
        InLiteral,
        InString,
        InEscape,
        InHex,
        AfterHighHalf,
        InLowEscape,
        AfterMinus,
        AfterZero,
        InInteger,
        AfterPoint,
        InFraction,
        AfterExponent,
        AfterExponentSign,
        InExponent,
        BeforeValue,
        BeforeValue,
        BeforeValue,
        BeforeValue,
        BeforeValue,
        BeforeValue,
        BeforeValue,
        BeforeValue,
        BeforeValue,
    ]
};

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The chunk is used up.
    End,
    /// The top value, a container or string, closed just before this index; run on from there.
    Closed(usize),
    /// A byte cannot be; the state is still the one that refused it.
    Failed(Failure),
}

/// Where and why a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The index of the byte. For a number out of range it is the index just behind the byte that
    /// the error names, which may have been the last of an earlier chunk.
    pub index: usize,
    /// How many bytes of UTF-8 into what stands at the index the error lies.
    pub within: u8,
    pub code: ErrorCode,
}

/// The newlines that one run has passed: they can only stand between tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Newlines {
    pub count: u64,
    /// The index behind the last one; 0 where there was none.
    pub behind: usize,
}

const KEY: u8 = 1;
const SECOND_HALF: u8 = 1 << 1;
const BAD_DIGIT: u8 = 1 << 2;

const TRUE: u8 = 0;
const FALSE: u8 = 1;

/// The literals by number, and again, so that any stored number names one.
const LITERALS: [&[u8]; 4] = [b"true", b"false", b"null", b"null"];

/// The automaton's state between chunks. All zero bits is the state before the first byte; every
/// bit pattern is a valid value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Grammar {
    stack: [u64; 2],
    magnitude: Magnitude,
    /// The code units that `\u` has given so far.
    hex: u16,
    state: u8,
    depth: u8,
    /// About the string that is open.
    flags: u8,
    /// Digits of `\u`, or letters of a literal, that have been read.
    taken: u8,
    /// Which literal.
    literal: u8,
}

impl Grammar {
    pub const NEW: Self = Self {
        stack: [0; 2],
        magnitude: Magnitude::NEW,
        hex: 0,
        state: 0,
        depth: 0,
        flags: 0,
        taken: 0,
        literal: 0,
    };

    fn state(&self) -> State {
        STATES[usize::from(self.state & 31)]
    }

    /// Whether nothing but white space was read.
    pub fn untouched(&self) -> bool {
        self.depth == 0 && self.state() == State::BeforeValue
    }

    /// Open containers.
    pub fn depth(&self) -> u8 {
        self.depth.min(DEPTH_MAX)
    }

    /// Whether the innermost container is an object.
    fn in_object(&self) -> bool {
        self.stack[0] & 1 == 1
    }

    fn push(&mut self, object: bool) {
        let [low, high] = self.stack;
        self.stack = [low << 1 | u64::from(object), high << 1 | low >> 63];
    }

    fn pop(&mut self) {
        let [low, high] = self.stack;
        self.stack = [low >> 1 | high << 63, high >> 1];
    }

    /// Whether the next byte belongs to a string or key.
    pub fn in_string(&self) -> bool {
        use State::{AfterHighHalf, InEscape, InHex, InLowEscape, InString};
        matches!(
            self.state(),
            InString | InEscape | InHex | AfterHighHalf | InLowEscape
        )
    }

    /// Whether the next character may be one that JSON has no use for outside of strings.
    pub fn takes_any_character(&self) -> bool {
        self.state() == State::InString
    }

    /// Whether no continuation can avoid an error, though its byte has not come yet.
    pub fn doomed(&self) -> bool {
        match self.state() {
            State::InHex => self.hex_doomed(),
            State::AfterExponentSign | State::InExponent => self.magnitude.doomed(),
            _ => false,
        }
    }

    fn hex_doomed(&self) -> bool {
        if self.flags & BAD_DIGIT != 0 {
            return true;
        }
        let second = self.flags & SECOND_HALF != 0;
        match self.taken {
            1 => second && self.hex != 0xD,
            // DC to DF is a second half, which must and may only come second.
            2 => second != (0xDC..=0xDF).contains(&self.hex),
            3 => second != (0xDC0..=0xDFF).contains(&self.hex),
            _ => false,
        }
    }

    /// What serde_json says if the text ends here; `None` where the value is whole.
    pub fn end(&self) -> Option<ErrorCode> {
        use State::{
            AfterExponent, AfterExponentSign, AfterHighHalf, AfterItem, AfterKey, AfterMember,
            AfterMinus, AfterPoint, AfterValue, AfterZero, BeforeFirstItem, BeforeFirstKey,
            BeforeItem, BeforeKey, BeforeValue, InEscape, InExponent, InFraction, InHex, InInteger,
            InLiteral, InLowEscape, InString,
        };
        match self.state() {
            BeforeFirstItem | AfterItem => Some(ErrorCode::EofList),
            BeforeFirstKey | AfterKey | AfterMember => Some(ErrorCode::EofObject),
            InString | InEscape | InHex | AfterHighHalf | InLowEscape => Some(ErrorCode::EofString),
            BeforeValue | BeforeItem | BeforeKey | InLiteral | AfterMinus | AfterPoint
            | AfterExponent | AfterExponentSign => Some(ErrorCode::EofValue),
            AfterZero | InInteger | InFraction | InExponent => {
                if self.magnitude.out_of_range() {
                    Some(ErrorCode::NumberOutOfRange)
                } else if self.depth == 0 {
                    None
                } else if self.in_object() {
                    Some(ErrorCode::EofObject)
                } else {
                    Some(ErrorCode::EofList)
                }
            }
            AfterValue => None,
        }
    }

    /// Reads a chunk from index `from` on.
    pub fn run(&mut self, form: Form, bytes: &[u8], from: usize, newlines: &mut Newlines) -> Stop {
        with_backend(Run {
            grammar: self,
            form,
            bytes,
            from,
            newlines,
            observer: &mut Unobserved,
        })
    }

    /// Reads a text that is one chunk, and tells an observer what stands in it.
    pub fn observe(&mut self, form: Form, bytes: &[u8], observer: &mut impl Observer) -> Stop {
        with_backend(Run {
            grammar: self,
            form,
            bytes,
            from: 0,
            newlines: &mut Newlines::default(),
            observer,
        })
    }
}

/// Is told what a run passes. It is told of things as they end, so what it sees of a text that
/// fails is what stands before the failure.
pub trait Observer {
    /// A string or key begins behind the quote.
    #[inline(always)]
    fn string_begins(&mut self, _start: usize) {}
    /// The open string or key has a `\u` in it.
    #[inline(always)]
    fn unicode_escape(&mut self) {}
    /// It ends: at this index stands its closing quote.
    #[inline(always)]
    fn string_ends<B: Backend>(&mut self, _backend: B, _bytes: &[u8], _end: usize, _key: bool) {}
    /// A number stands here.
    #[inline(always)]
    fn number(&mut self, _bytes: &[u8], _start: usize, _end: usize) {}
    /// An array, or an object, opens.
    #[inline(always)]
    fn opens(&mut self, _object: bool) {}
    /// The innermost container closes.
    #[inline(always)]
    fn closes(&mut self) {}
    /// A comma in an array.
    #[inline(always)]
    fn next_item(&mut self) {}
}

/// Nobody looks, and nothing of the above is left in the compiled run.
struct Unobserved;

impl Observer for Unobserved {}

/// The masks of the blocks that were last asked for.
struct Masks<'a, B> {
    backend: B,
    bytes: &'a [u8],
    string_block: usize,
    string_stops: u64,
    white_block: usize,
    non_white: u64,
    newlines: u64,
}

impl<'a, B: Backend> Masks<'a, B> {
    #[inline(always)]
    fn new(backend: B, bytes: &'a [u8]) -> Self {
        Self {
            backend,
            bytes,
            string_block: usize::MAX,
            string_stops: 0,
            white_block: usize::MAX,
            non_white: 0,
            newlines: 0,
        }
    }

    /// The index of the first string stop at or after `index`, or the chunk's length.
    #[inline(always)]
    fn string_end(&mut self, mut index: usize) -> usize {
        loop {
            let block = index / BLOCK;
            if block != self.string_block {
                if self.bytes.len() <= index {
                    return index;
                }
                self.string_block = block;
                let rest = &self.bytes[block * BLOCK..];
                self.string_stops = mask(self.backend, rest, StringStops);
            }
            let ahead = self.string_stops >> (index % BLOCK);
            if ahead != 0 {
                return index + ahead.trailing_zeros() as usize;
            }
            index = (block + 1) * BLOCK;
        }
    }

    /// The index of the first byte at or after `index` that is not JSON white space, or the
    /// chunk's length. Counts the newlines it passes.
    #[inline(always)]
    fn white_end(&mut self, mut index: usize, passed: &mut Newlines) -> usize {
        loop {
            let block = index / BLOCK;
            if block != self.white_block {
                if self.bytes.len() <= index {
                    return index;
                }
                self.white_block = block;
                let rest = &self.bytes[block * BLOCK..];
                (self.non_white, self.newlines) = self.backend.white_masks(rest);
            }
            let ahead = self.non_white >> (index % BLOCK);
            // All bits below the first byte that is not white; all bits where there is none.
            let white = !ahead & ahead.wrapping_sub(1);
            let newlines = self.newlines >> (index % BLOCK) & white;
            if newlines != 0 {
                passed.count += u64::from(newlines.count_ones());
                passed.behind = index + 64 - newlines.leading_zeros() as usize;
            }
            if ahead != 0 {
                return index + ahead.trailing_zeros() as usize;
            }
            index = (block + 1) * BLOCK;
        }
    }
}

struct Run<'a, O> {
    grammar: &'a mut Grammar,
    form: Form,
    bytes: &'a [u8],
    from: usize,
    newlines: &'a mut Newlines,
    observer: &'a mut O,
}

impl<O: Observer> Scan for Run<'_, O> {
    type Output = Stop;

    #[inline(always)]
    #[allow(
        clippy::too_many_lines,
        reason = "one automaton, whose states have to see each other"
    )]
    fn run<B: Backend>(self, backend: B) -> Stop {
        let Self {
            grammar,
            form,
            bytes,
            from,
            newlines,
            observer,
        } = self;
        let mut index = from;
        let mut state = grammar.state();
        // Whether the innermost container is an object. The rest of the stack stays in memory,
        // where it is needed only when one opens or closes.
        let mut object = grammar.in_object();
        let mut depth = grammar.depth();
        let mut masks = Masks::new(backend, bytes);

        /// Ends the run; the next one begins in the given state.
        macro_rules! leave {
            ($stop:expr, $state:expr) => {{
                grammar.state = $state as u8;
                grammar.depth = depth;
                return $stop;
            }};
        }
        macro_rules! fail {
            ($index:expr, $code:ident, $state:expr) => {
                leave!(Stop::Failed(failure($index, ErrorCode::$code)), $state)
            };
        }
        /// The next byte, which the given state waits for.
        macro_rules! byte {
            ($state:expr) => {{
                let Some(&byte) = bytes.get(index) else {
                    leave!(Stop::End, $state)
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
                        index = masks.white_end(index, newlines);
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
                    Number::More => leave!(Stop::End, state),
                    Number::Ended(end) => {
                        observer.number(bytes, index, end);
                        index = end;
                    }
                    Number::Failed(failed) => leave!(Stop::Failed(failed), state),
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
                observer.closes();
                if depth == 0 {
                    leave!(Stop::Closed(index), State::AfterValue);
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
                        leave!(Stop::Closed(index), State::AfterValue);
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
                            newlines.count += 1;
                            newlines.behind = index;
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
                        leave!(Stop::Failed(failed), state);
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
                                leave!(Stop::Closed(index), State::AfterValue);
                            }
                        }
                        b'0'..=b'9' | b'-' => {
                            if let Some(end) = plain_number(bytes, index) {
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

/// The end of a number that begins at `start`, where it ends inside the chunk, is well formed and
/// plainly in range: no exponent, and not too many digits. Anything else is for [`number`].
#[inline(always)]
fn plain_number(bytes: &[u8], start: usize) -> Option<usize> {
    let first = start + usize::from(bytes.get(start) == Some(&b'-'));
    let point = skip_digits(bytes, first);
    let digits = point - first;
    if digits == 0 || SAFE_DIGITS < digits || 1 < digits && bytes.get(first) == Some(&b'0') {
        return None;
    }
    let mut end = point;
    if bytes.get(point) == Some(&b'.') {
        end = skip_digits(bytes, point + 1);
        if end == point + 1 {
            return None;
        }
    }
    match bytes.get(end) {
        None | Some(b'.' | b'e' | b'E') => None,
        Some(_) => Some(end),
    }
}

#[inline(always)]
fn skip_digits(bytes: &[u8], mut index: usize) -> usize {
    while let Some(b'0'..=b'9') = bytes.get(index) {
        index += 1;
    }
    index
}

enum Number {
    /// The chunk ended inside the number.
    More,
    /// The number ended just before this index, and is in range.
    Ended(usize),
    Failed(Failure),
}

/// Follows a number from index `start` on. `BeforeValue` as state is its first byte.
fn number(magnitude: &mut Magnitude, bytes: &[u8], start: usize, state: &mut State) -> Number {
    use State::{
        AfterExponent, AfterExponentSign, AfterMinus, AfterPoint, AfterZero, BeforeValue,
        InExponent, InFraction, InInteger,
    };
    let mut index = start;
    let mut now = *state;
    let ended = loop {
        let Some(&byte) = bytes.get(index) else {
            break false;
        };
        now = match (now, byte) {
            (BeforeValue, b'-') => AfterMinus,
            (BeforeValue | AfterMinus, b'0') => AfterZero,
            (BeforeValue | AfterMinus, b'1'..=b'9') | (InInteger, b'0'..=b'9') => InInteger,
            (AfterZero | InInteger, b'.') => AfterPoint,
            (AfterPoint | InFraction, b'0'..=b'9') => InFraction,
            (AfterZero | InInteger | InFraction, b'e' | b'E') => AfterExponent,
            (AfterExponent, b'+' | b'-') => AfterExponentSign,
            (AfterExponent | AfterExponentSign | InExponent, b'0'..=b'9') => InExponent,
            (InInteger | InFraction | InExponent, _) => break true,
            (AfterZero, _) if !byte.is_ascii_digit() => break true,
            _ => {
                *state = now;
                return Number::Failed(failure(index, ErrorCode::InvalidNumber));
            }
        };
        index += 1;
    };
    *state = now;
    let safe = index - start <= SAFE_DIGITS && now != InExponent;
    if ended && safe && !magnitude.started() {
        return Number::Ended(index);
    }
    if let Some(overflow) = magnitude.feed(&bytes[start..index]) {
        return Number::Failed(failure(start + overflow + 1, ErrorCode::NumberOutOfRange));
    }
    if !ended {
        return Number::More;
    }
    if magnitude.out_of_range() {
        return Number::Failed(failure(index, ErrorCode::NumberOutOfRange));
    }
    Number::Ended(index)
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

fn failure(index: usize, code: ErrorCode) -> Failure {
    Failure {
        index,
        within: 0,
        code,
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
