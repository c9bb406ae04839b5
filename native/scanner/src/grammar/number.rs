//! Follows one number, and judges whether it is in range.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use super::state::State;
use super::{Failure, failure};
use crate::error::ErrorCode;
use crate::magnitude::{Magnitude, SAFE_DIGITS};

/// The end of a number that begins at `start`, where it ends inside the chunk, is well formed and
/// plainly in range: no exponent, and not too many digits. Anything else is for [`number`].
#[inline(always)]
pub fn plain_number(bytes: &[u8], start: usize) -> Option<usize> {
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

pub enum Number {
    /// The chunk ended inside the number.
    More,
    /// The number ended just before this index, and is in range.
    Ended(usize),
    Failed(Failure),
}

/// Follows a number from index `start` on. `BeforeValue` as state is its first byte.
pub fn number(magnitude: &mut Magnitude, bytes: &[u8], start: usize, state: &mut State) -> Number {
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
