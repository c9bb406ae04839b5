//! Decides whether a number lies beyond the largest finite double, digit by digit.
//!
//! A double is infinite from 2^1024 - 2^970 on: the middle between the largest finite one and the
//! next, which rounds up because ties go to even. So the significant digits are compared with
//! those of that limit as they come, and beside them stands the number's decimal exponent:
//! constant state, whatever the number of digits. The value itself is never computed.
//!
//! INVARIANT: `compared` digits have been equal to the limit's while `order` is equal.
//!
//! The syntax is not checked here: `grammar` hands over the bytes of one well-formed number.

/// 2^1024 - 2^970 in full.
const LIMIT: &[u8; 309] = b"17976931348623158079372897140530341507993413271003782693617377898044\
496829276475094664901797758720709633028641669288791094655554785194040263065748867150582068190890\
200070838367627385484581771153176447573027006985557136695962284291481986083493647529271907416844\
4365510704342711559699508093042880177904174497792";

/// The exponent that the limit has when written as 0.179….
const LIMIT_SCALE: i64 = 309;

/// The largest exponent that serde_json reads; a larger one is an error at its last digit.
const EXPONENT_MAX: u32 = i32::MAX.cast_unsigned();

/// Integer digits that no number without an exponent can be out of range with.
pub const SAFE_DIGITS: usize = 308;

const IN_FRACTION: u8 = 1;
const IN_EXPONENT: u8 = 1 << 1;
const SIGNIFICANT: u8 = 1 << 2;
const EXPONENT_NEGATIVE: u8 = 1 << 3;
/// The exponent has a plus or digits without a sign: nothing can make it negative any more.
const EXPONENT_POSITIVE: u8 = 1 << 4;
const ABOVE: u8 = 1 << 5;
const BELOW: u8 = 1 << 6;
const STARTED: u8 = 1 << 7;

/// What is known of one number so far. All zero bits is a number not begun; every bit pattern is
/// a valid value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Magnitude {
    /// The number is 0.d1d2d3… times ten to this, before its exponent is applied.
    scale: i64,
    exponent: u32,
    compared: u16,
    flags: u8,
}

impl Magnitude {
    pub const NEW: Self = Self {
        scale: 0,
        exponent: 0,
        compared: 0,
        flags: 0,
    };

    fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether the number's first bytes came with an earlier chunk.
    #[inline]
    pub fn started(self) -> bool {
        self.has(STARTED)
    }

    /// Takes the number's next bytes. Answers the index of the digit at which the exponent
    /// becomes too large to read, where it does.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        self.flags |= STARTED;
        for (index, &byte) in bytes.iter().enumerate() {
            match byte {
                b'0'..=b'9' if self.digit(byte) => return Some(index),
                b'.' => self.flags |= IN_FRACTION,
                b'e' | b'E' => self.flags |= IN_EXPONENT,
                b'-' if self.has(IN_EXPONENT) => self.flags |= EXPONENT_NEGATIVE,
                b'+' => self.flags |= EXPONENT_POSITIVE,
                // The number's own sign.
                _ => {}
            }
        }
        None
    }

    /// Takes one digit; true where it makes the exponent too large to read.
    fn digit(&mut self, byte: u8) -> bool {
        if self.has(IN_EXPONENT) {
            if !self.has(EXPONENT_NEGATIVE) {
                self.flags |= EXPONENT_POSITIVE;
            }
            let exponent = self
                .exponent
                .saturating_mul(10)
                .saturating_add(u32::from(byte - b'0'));
            self.exponent = exponent.min(EXPONENT_MAX);
            return exponent > EXPONENT_MAX
                && self.has(SIGNIFICANT)
                && !self.has(EXPONENT_NEGATIVE);
        }
        if byte == b'0' && !self.has(SIGNIFICANT) {
            if self.has(IN_FRACTION) {
                self.scale = self.scale.saturating_sub(1);
            }
            return false;
        }
        self.flags |= SIGNIFICANT;
        if !self.has(IN_FRACTION) {
            self.scale = self.scale.saturating_add(1);
        }
        self.compare(byte);
        false
    }

    fn compare(&mut self, byte: u8) {
        if self.has(ABOVE | BELOW) {
            return;
        }
        match LIMIT.get(usize::from(self.compared)) {
            Some(&digit) if byte == digit => self.compared += 1,
            Some(&digit) => self.flags |= if digit < byte { ABOVE } else { BELOW },
            None if byte != b'0' => self.flags |= ABOVE,
            None => {}
        }
    }

    /// Whether the number, if it ends here, is out of range.
    pub fn out_of_range(self) -> bool {
        if !self.has(SIGNIFICANT) {
            return false;
        }
        let exponent = i64::from(self.exponent);
        let scale = if self.has(EXPONENT_NEGATIVE) {
            self.scale.saturating_sub(exponent)
        } else {
            self.scale.saturating_add(exponent)
        };
        // Equal so far with digits of the limit left over means smaller: its last digit is not 0.
        let reaches =
            self.has(ABOVE) || !self.has(BELOW) && usize::from(self.compared) == LIMIT.len();
        LIMIT_SCALE < scale || scale == LIMIT_SCALE && reaches
    }

    /// Whether the number is out of range and every continuation of it is: a positive exponent
    /// can only grow, while digits before it can still be undone by a negative one.
    pub fn doomed(self) -> bool {
        self.has(EXPONENT_POSITIVE) && self.out_of_range()
    }
}

#[cfg(test)]
mod tests {
    use super::Magnitude;
    use std::prelude::v1::*;

    #[track_caller]
    fn check(number: &str, out_of_range: bool) {
        for cut in 0..=number.len() {
            let mut magnitude = Magnitude::NEW;
            let overflow = magnitude.feed(&number.as_bytes()[..cut]).is_some()
                || magnitude.feed(&number.as_bytes()[cut..]).is_some();
            let judged = overflow || magnitude.out_of_range();
            assert_eq!(judged, out_of_range, "{number} cut at {cut}");
        }
        let infinite = number.parse::<f64>().is_ok_and(f64::is_infinite);
        assert_eq!(
            infinite, out_of_range,
            "the expectation for {number} is not what a double says"
        );
    }

    #[test]
    fn the_limit_itself_is_out_and_one_less_is_in() {
        let limit = core::str::from_utf8(super::LIMIT).unwrap();
        let below = format!("{}1", &limit[..308]);
        check(limit, true);
        check(&below, false);
        check(&format!("{limit}.0"), true);
        check(&format!("{below}.999"), false);
        check(&format!("0.{limit}e309"), true);
        check(&format!("0.000{limit}e312"), true);
        check(&format!("{limit}00e-2"), true);
        check(&format!("{below}99e-2"), false);
        check(&limit[..307], false);
    }

    #[test]
    fn digits_and_exponents_make_up_for_each_other() {
        check("1e308", false);
        check("1e309", true);
        check("-1e309", true);
        check("1.7976931348623157e308", false);
        check("1.7976931348623158e308", false);
        check("1.7976931348623159e308", true);
        check("0.1e310", true);
        check("0.01e310", false);
        check("10e308", true);
        check("1e+309", true);
        check("1e-400", false);
        check("0e999999", false);
        check("0.000e99999999999", false);
        check("1e99999999999", true);
        check("1e-99999999999", false);
        check(&"9".repeat(308), false);
        check(&"9".repeat(309), true);
        check(&format!("{}e-400", "9".repeat(400)), false);
        check(&format!("0.{}1e700", "0".repeat(400)), false);
        check(&format!("0.{}1e710", "0".repeat(400)), true);
    }

    #[test]
    fn a_number_is_doomed_only_when_no_continuation_can_save_it() {
        for (number, doomed) in [
            ("1e30", false),
            ("1e309", true),
            ("1e+309", true),
            ("1e", false),
            ("1e-309", false),
            ("0e309", false),
        ] {
            let mut magnitude = Magnitude::NEW;
            magnitude.feed(number.as_bytes());
            assert_eq!(magnitude.doomed(), doomed, "{number}");
        }
        let mut digits = Magnitude::NEW;
        digits.feed("9".repeat(400).as_bytes());
        assert!(digits.out_of_range() && !digits.doomed());
        digits.feed(b"e");
        assert!(!digits.doomed());
        digits.feed(b"+");
        assert!(digits.doomed());
    }
}
