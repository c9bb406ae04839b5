//! What may come next.

use super::{Grammar, KEY};

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
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
    #[inline]
    pub fn in_string(grammar: &mut Grammar, key: bool) -> Self {
        grammar.flags = grammar.flags & !KEY | if key { KEY } else { 0 };
        Self::InString
    }

    /// Whether a value is due, with or without other possibilities.
    #[inline]
    pub fn before_value(self) -> bool {
        matches!(
            self,
            Self::BeforeValue | Self::BeforeFirstItem | Self::BeforeItem
        )
    }

    /// Where a value is due, and nothing else.
    #[inline]
    pub fn value_due(grammar: &Grammar) -> Self {
        if grammar.depth == 0 || grammar.in_object() {
            Self::BeforeValue
        } else {
            Self::BeforeItem
        }
    }

    /// Where a value has just ended.
    #[inline]
    pub fn behind_value(grammar: &Grammar) -> Self {
        if grammar.in_object() {
            Self::AfterMember
        } else if grammar.depth == 0 {
            Self::AfterValue
        } else {
            Self::AfterItem
        }
    }
}

/// The states by number, and again, so that any stored byte names one.
pub const STATES: [State; 32] = {
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

const _: () = {
    let mut number = 0;
    while number <= State::InExponent as usize {
        assert!(STATES[number] as usize == number, "the states by number");
        number += 1;
    }
};
