//! The ways in which a text fails, with serde_json's words for them.
//!
//! The numbers are part of the interface to the addon and the names part of the public API:
//! new codes take the next free number, none is ever reused. The first nineteen are the codes
//! that serde_json 1.0.154 can give for a `Value`; the rest are the decision rule's own.

use core::fmt;

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $text:literal;)*) => {
        /// Why a text is not acceptable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum ErrorCode { $($(#[$doc])* $variant = $number,)* }

        impl ErrorCode {
            /// Every code, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The code with this number.
            #[must_use]
            pub const fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }

            /// The stable kebab-case name, as `ScanError.code` shows it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What went wrong, without the position: serde_json's own words where it has any.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

error_codes! {
    /// The text ends inside an array.
    EofList = 1, "eof-list", "EOF while parsing a list";
    /// The text ends inside an object.
    EofObject = 2, "eof-object", "EOF while parsing an object";
    /// The text ends inside a string.
    EofString = 3, "eof-string", "EOF while parsing a string";
    /// The text ends where a value is due, or inside a literal or number.
    EofValue = 4, "eof-value", "EOF while parsing a value";
    /// A key is not followed by a colon.
    ExpectedColon = 5, "expected-colon", "expected `:`";
    /// An array's item is followed by neither a comma nor the end of the array.
    ExpectedCommaOrBracket = 6, "expected-comma-or-bracket", "expected `,` or `]`";
    /// An object's member is followed by neither a comma nor the end of the object.
    ExpectedCommaOrBrace = 7, "expected-comma-or-brace", "expected `,` or `}`";
    /// A literal other than `true`, `false` and `null`.
    ExpectedIdent = 8, "expected-ident", "expected ident";
    /// No value begins here.
    ExpectedValue = 9, "expected-value", "expected value";
    /// A backslash with no escape after it, or a `\u` without four hexadecimal digits.
    InvalidEscape = 10, "invalid-escape", "invalid escape";
    /// A number that is not one of JSON's.
    InvalidNumber = 11, "invalid-number", "invalid number";
    /// A number beyond the largest finite double.
    NumberOutOfRange = 12, "number-out-of-range", "number out of range";
    /// A raw control character inside a string.
    ControlCharacter = 13, "control-character",
        "control character (\\u0000-\\u001F) found while parsing a string";
    /// A member begins with something other than a string.
    KeyNotString = 14, "key-not-string", "key must be a string";
    /// Half of a surrogate pair.
    LoneSurrogate = 15, "lone-surrogate", "lone leading surrogate in hex escape";
    /// A comma before the end of an array or object.
    TrailingComma = 16, "trailing-comma", "trailing comma";
    /// Something after the value.
    TrailingCharacters = 17, "trailing-characters", "trailing characters";
    /// The first half of a surrogate pair without a second escape after it.
    UnexpectedEndOfHexEscape = 18, "unexpected-end-of-hex-escape", "unexpected end of hex escape";
    /// More than 127 levels of nesting.
    RecursionLimit = 19, "recursion-limit", "recursion limit exceeded";
    /// A whole JSON value that is neither an object nor a string.
    NotObject = 20, "not-object", "expected a JSON object";
    /// A whole JSON string that does not hold an object.
    StringWithoutObject = 21, "string-without-object", "expected a JSON object, got a string";
    /// The bytes end inside a UTF-8 sequence.
    EofUtf8 = 22, "eof-utf8", "the text ended inside a character";
    /// The bytes are not UTF-8.
    InvalidUtf8 = 23, "invalid-utf8", "invalid sequence";
    /// The text is longer than its limit.
    TooLarge = 24, "too-large", "too large";
}

/// Why and where: a value, made when somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanError {
    /// What is wrong.
    pub code: ErrorCode,
    /// Where, in the units of the first fragment, from the start of what was fed: the byte that
    /// is wrong, or for an end of text the end of the trimmed text.
    pub offset: u64,
    /// The line, from 1, as serde_json counts it in the trimmed text; 0 where there is none.
    pub line: u64,
    /// The column in bytes, as serde_json counts it; 0 with line 0 where there is none.
    pub column: u64,
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.text())?;
        if self.line == 0 {
            return Ok(());
        }
        write!(f, " at line {} column {}", self.line, self.column)
    }
}
