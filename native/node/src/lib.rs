//! The scanner as a Node-API addon: converts, calls and converts. No rule lives here.
//!
//! A scanner's state stands in a slot of a slab, an `ArrayBuffer` that JavaScript owns. So the
//! garbage collector frees it, also inside a long synchronous loop, where finalizers do not run.
//! A call names the slab and the slot and gets the verdict back as one small number; what else
//! there is to know is written into a buffer of numbers when somebody asks.

mod raw;
mod streams;
mod wire;

use argspan_scanner::{Decision, ErrorCode, ScanError, Scanner, Span, Stop, Verdict, decode};
use napi_sys::{napi_callback_info, napi_env, napi_value};
use raw::{Answer, Call, Exports, TEXT_UNITS_MAX, enter};

/// Where each number stands in the buffer of facts; `src/native.ts` names them too.
mod fact {
    pub const SPAN_START: usize = 0;
    pub const SPAN_END: usize = 1;
    pub const TEXT_START: usize = 2;
    pub const TEXT_END: usize = 3;
    pub const ERROR_CODE: usize = 4;
    pub const ERROR_OFFSET: usize = 5;
    pub const ERROR_LINE: usize = 6;
    pub const ERROR_COLUMN: usize = 7;
    pub const BYTES: usize = 8;
    pub const OBJECT_START: usize = 9;
    pub const INVALID_AT: usize = 10;
    pub const LIMIT: usize = 11;
    pub const CALL: usize = 12;
    pub const CHOICE: usize = 13;
    pub const INDEX: usize = 14;
    pub const WIRE_INDEX: usize = 15;
    pub const FLAGS: usize = 16;
    pub const COUNT: usize = 17;
}

/// The verdict and its companions in one number: `src/native.ts` takes them apart.
fn state_of(scanner: &Scanner) -> u32 {
    scanner.verdict() as u32
        | u32::from(scanner.in_string()) << 2
        | u32::from(scanner.is_over_limit()) << 3
        | u32::from(scanner.depth()) << 8
}

/// The decision's enumerations in one number.
fn summary_of(decision: &Decision, scanner: &Scanner) -> u32 {
    decision.verdict as u32
        | decision.repair.map_or(0, |repair| repair as u32 + 1) << 2
        | decision.kind.map_or(0, |kind| kind as u32) << 5
        | u32::from(decision.cut) << 8
        | u32::from(scanner.has_lone_half()) << 9
}

/// Offsets fit a double exactly up to 2^53 bytes, which is more than anybody can feed.
#[allow(clippy::cast_precision_loss, reason = "see above")]
fn double(number: u64) -> f64 {
    number as f64
}

fn write(facts: &mut [f64], at: usize, number: f64) {
    if let Some(fact) = facts.get_mut(at) {
        *fact = number;
    }
}

fn write_span(facts: &mut [f64], span: Option<Span>) {
    write(
        facts,
        fact::SPAN_START,
        span.map_or(-1.0, |span| double(span.start)),
    );
    write(
        facts,
        fact::SPAN_END,
        span.map_or(-1.0, |span| double(span.end)),
    );
}

fn write_error(facts: &mut [f64], error: Option<ScanError>) {
    write(
        facts,
        fact::ERROR_CODE,
        error.map_or(0.0, |error| f64::from(error.code as u8)),
    );
    if let Some(error) = error {
        write(facts, fact::ERROR_OFFSET, double(error.offset));
        write(facts, fact::ERROR_LINE, double(error.line));
        write(facts, fact::ERROR_COLUMN, double(error.column));
    }
}

fn write_decision(facts: &mut [f64], decision: &Decision, scanner: &Scanner) {
    write_span(facts, decision.span);
    write(facts, fact::TEXT_START, double(decision.text.start));
    write(facts, fact::TEXT_END, double(decision.text.end));
    write_error(facts, decision.error);
    write(
        facts,
        fact::INVALID_AT,
        scanner.invalid_at().map_or(-1.0, double),
    );
}

fn stop_of(number: f64) -> Stop {
    if number == 1.0 {
        Stop::Length
    } else if number == 2.0 {
        Stop::Interrupted
    } else {
        Stop::Finished
    }
}

/// A limit in bytes; infinity is none.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
fn limit_of(number: f64) -> u64 {
    number as u64
}

/// `open(slab, slot, bytesMax)`: a new scanner in the slot.
fn open(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner()?;
    *scanner = Scanner::new(limit_of(call.number(2)?));
    call.answer_small(0)
}

/// `feedText(slab, slot, text)`: the state behind it.
fn feed_text(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner()?;
    scanner.feed_utf16(call.text(2)?);
    call.answer_small(state_of(scanner))
}

/// `feedBytes(slab, slot, bytes)`: the state behind them.
fn feed_bytes(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner()?;
    scanner.feed(call.bytes(2)?);
    call.answer_small(state_of(scanner))
}

/// `state(slab, slot)`: the state as it is.
fn state(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner()?;
    call.answer_small(state_of(scanner))
}

/// `describe(slab, slot, facts)`: what is known so far, in `facts`.
fn describe(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner()?;
    let facts = call.facts(2, fact::COUNT)?;
    write_span(facts, scanner.span());
    write_error(facts, scanner.error());
    let text = scanner.text();
    write(facts, fact::TEXT_START, double(text.start));
    write(facts, fact::TEXT_END, double(text.end));
    write(facts, fact::BYTES, double(scanner.bytes()));
    write(
        facts,
        fact::OBJECT_START,
        scanner.object_start().map_or(-1.0, double),
    );
    write(
        facts,
        fact::INVALID_AT,
        scanner.invalid_at().map_or(-1.0, double),
    );
    call.answer_small(state_of(scanner))
}

/// `decide(slab, slot, facts, stop)`: the decision's summary, the rest in `facts`.
fn decide(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner()?;
    let decision = scanner.decide(stop_of(call.number(3)?));
    write_decision(call.facts(2, fact::COUNT)?, &decision, scanner);
    call.answer_small(summary_of(&decision, scanner))
}

/// A whole text at once, which needs no slot.
fn check(
    call: &mut Call<'_>,
    feed: impl FnOnce(&mut Call<'_>, &mut Scanner) -> Option<()>,
) -> Answer {
    let mut scanner = Scanner::new(limit_of(call.number(2)?));
    feed(call, &mut scanner)?;
    let decision = scanner.decide(stop_of(call.number(3)?));
    let summary = summary_of(&decision, &scanner);
    write_decision(call.facts(1, fact::COUNT)?, &decision, &scanner);
    call.answer_small(summary)
}

/// `checkText(text, facts, bytesMax, stop)`: the decision's summary, the rest in `facts`.
fn check_text(call: &mut Call<'_>) -> Answer {
    check(call, |call, scanner| {
        scanner.feed_utf16(call.text(0)?);
        Some(())
    })
}

/// `checkBytes(bytes, facts, bytesMax, stop)`: the decision's summary, the rest in `facts`.
fn check_bytes(call: &mut Call<'_>) -> Answer {
    check(call, |call, scanner| {
        scanner.feed(call.bytes(0)?);
        Some(())
    })
}

/// `decodeBytes(bytes)`: the string that they are, or null where they are not UTF-8.
fn decode_bytes(call: &mut Call<'_>) -> Answer {
    let bytes = call.bytes(0)?;
    if bytes.is_ascii() {
        return call.answer_ascii(bytes);
    }
    let mut units = Vec::new();
    if units.try_reserve_exact(bytes.len()).is_err() || !decode(bytes, &mut units) {
        return call.answer_null();
    }
    call.answer_utf16(&units)
}

macro_rules! export {
    ($exports:expr, $($name:literal => $body:path),* $(,)?) => {
        $({
            unsafe extern "C" fn exported(env: napi_env, info: napi_callback_info) -> napi_value {
                // SAFETY: Node-API calls this, and `Exports::function` made it.
                unsafe { enter(env, info, $body) }
            }
            $exports.function($name, Some(exported));
        })*
    };
}

/// Called by Node once for each environment that loads the addon.
///
/// # Safety
///
/// To be called by Node-API only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_register_module_v1(env: napi_env, exports: napi_value) -> napi_value {
    #[cfg(target_env = "msvc")]
    // SAFETY: called before any other function of the interface; the library is the process.
    core::mem::forget(unsafe { napi_sys::setup() });
    // SAFETY: this is the registration.
    let made = unsafe { Exports::new(env, exports) };
    export!(made,
        c"open" => open,
        c"feedText" => feed_text,
        c"feedBytes" => feed_bytes,
        c"state" => state,
        c"describe" => describe,
        c"decide" => decide,
        c"checkText" => check_text,
        c"checkBytes" => check_bytes,
        c"decodeBytes" => decode_bytes,
        c"openStream" => wire::open,
        c"feedStream" => wire::feed,
        c"gather" => wire::gather,
        c"feedEvent" => wire::feed_event,
        c"feedBody" => wire::feed_body,
        c"feedBodyText" => wire::feed_body_text,
        c"flushStream" => wire::flush,
        c"nextNote" => wire::next_note,
        c"noteText" => wire::note_text,
        c"describeCall" => wire::describe_call,
        c"callText" => wire::call_text,
        c"closeStream" => wire::close,
    );
    made.number(c"scannerBytes", double(size_of::<Scanner>() as u64));
    made.number(c"textUnitsMax", double(TEXT_UNITS_MAX as u64));
    made.number(c"factCount", double(fact::COUNT as u64));
    // One code a line, in the order of the numbers from 1: its name, a tab, its text.
    let codes: Vec<String> = ErrorCode::ALL
        .iter()
        .map(|code| format!("{}\t{}", code.name(), code.text()))
        .collect();
    made.text(c"errorCodes", &codes.join("\n"));
    exports
}

const _: () = assert!(Verdict::Malformed as u32 == 3, "two bits hold a verdict");
