//! Follows one number, and judges whether it is in range.
#![allow(
    clippy::inline_always,
    reason = "compiled once for each backend, into its code"
)]

use super::state::State;
use super::{Failure, failure};
use crate::error::ErrorCode;
use crate::magnitude::{Magnitude, SAFE_DIGITS};
use crate::skip::{Backend, LANE, Lane};

/// Digits of an exponent that a number of at most [`FEW_DIGITS`] before its point may have and be in
/// range: ten to the power of 99 + 200 is.
const EXPONENT_DIGITS: usize = 2;
const FEW_DIGITS: usize = 200;

/// The end of a number that begins at `start`, where it ends inside the chunk, is well formed and
/// plainly in range: not too many digits, and a short exponent. Anything else is for [`number`].
///
/// A lane is looked at as a whole: how many digits a number has is what no processor can foresee.
#[inline(always)]
pub fn plain_number<B: Backend>(backend: B, bytes: &[u8], start: usize) -> Option<usize> {
    let (lane, before) = lane_at(bytes, start)?;
    let minus = bytes.get(start) == Some(&b'-');
    let digits = u32::from(backend.digits_in_lane(lane)) >> before;
    let points = u32::from(backend.equal_in_lane(lane, b'.')) >> before;
    let length = (!(digits | points | u32::from(minus))).trailing_zeros();
    let end = start + length as usize;
    let points = points & !(u32::MAX << length);
    let first = start + usize::from(minus);
    let point = if points == 0 {
        end
    } else {
        start + points.trailing_zeros() as usize
    };
    let next = *bytes.get(end)?;
    let whole = point.wrapping_sub(first);
    if length as usize == LANE || LANE < whole {
        return long_number(backend, bytes, first);
    }
    let empty = whole == 0 || point + 1 == end;
    let twice = points & points.wrapping_sub(1) != 0;
    if empty || twice || 1 < whole && bytes.get(first) == Some(&b'0') {
        return None;
    }
    match next {
        b'e' | b'E' => plain_exponent(bytes, end + 1, whole),
        _ => Some(end),
    }
}

/// The lane that begins at `start`, or the last one, and how many of its bytes stand before.
#[inline(always)]
fn lane_at(bytes: &[u8], start: usize) -> Option<(&Lane, u32)> {
    let rest = bytes.get(start..)?;
    if let Some(lane) = rest.first_chunk() {
        return Some((lane, 0));
    }
    Some((bytes.last_chunk()?, u32::try_from(LANE - rest.len()).ok()?))
}

/// [`plain_number`] for more digits than a lane has. Out of line, because inlined it takes the registers
/// of what is frequent.
#[inline(never)]
fn long_number<B: Backend>(backend: B, bytes: &[u8], first: usize) -> Option<usize> {
    let point = digits_end(backend, bytes, first);
    let digits = point - first;
    if digits == 0 || SAFE_DIGITS < digits || 1 < digits && bytes.get(first) == Some(&b'0') {
        return None;
    }
    let mut end = point;
    if bytes.get(point) == Some(&b'.') {
        end = digits_end(backend, bytes, point + 1);
        if end == point + 1 {
            return None;
        }
    }
    match bytes.get(end) {
        None | Some(b'.') => None,
        Some(b'e' | b'E') => plain_exponent(bytes, end + 1, digits),
        Some(_) => Some(end),
    }
}

/// The same for an exponent, behind a number of so many digits before its point.
#[inline(never)]
fn plain_exponent(bytes: &[u8], start: usize, digits: usize) -> Option<usize> {
    let first = start + usize::from(matches!(bytes.get(start), Some(b'+' | b'-')));
    let rest = bytes.get(first..)?;
    let length = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let plain = (1..=EXPONENT_DIGITS).contains(&length) && digits <= FEW_DIGITS;
    // What may not follow a number is for `number` to refuse.
    let ended = !matches!(rest.get(length), Some(b'.' | b'e' | b'E'));
    (plain && ended).then_some(first + length)
}

/// The index of the first byte at or after `index` that is not a digit, or the chunk's length.
#[inline(always)]
fn digits_end<B: Backend>(backend: B, bytes: &[u8], mut index: usize) -> usize {
    while let Some(lane) = bytes.get(index..).and_then(<[u8]>::first_chunk::<LANE>) {
        let others = !backend.digits_in_lane(lane);
        if others != 0 {
            return index + others.trailing_zeros() as usize;
        }
        index += LANE;
    }
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
