//! The scanner as a Node-API addon: converts, calls and converts. No rule lives here.
//!
//! A scanner is an `ArrayBuffer` that JavaScript owns. So the garbage collector frees it, also
//! inside a long synchronous loop, where finalizers do not run. Feeding it answers with the verdict
//! and its companions in one small number; what else there is to know is written into a buffer of
//! numbers, the facts, when somebody asks. The same buffer holds what a decision depends on: a
//! number in memory costs less to hand over than one that is an argument.

mod find;
mod raw;
mod slab;
mod streams;
mod wire;

use argspan_scanner::{
    Decision, ErrorCode, ScanError, Scanner, Span, Stop, Verdict, decode, is_object,
    is_short_object_utf16, repair,
};
use napi_sys::{napi_callback_info, napi_env, napi_value};
use raw::{Answer, Call, Exports, TEXT_UNITS_MAX, enter};

/// Where each number stands in the buffer of facts; `src/native.ts` names them too.
mod fact {
    /// What JavaScript writes before a call.
    pub const STOP: usize = 0;
    pub const BYTES_MAX: usize = 1;
    /// What the call writes.
    pub const SUMMARY: usize = 2;
    pub const SPAN_START: usize = 3;
    pub const SPAN_END: usize = 4;
    pub const TEXT_START: usize = 5;
    pub const TEXT_END: usize = 6;
    pub const ERROR_CODE: usize = 7;
    pub const ERROR_OFFSET: usize = 8;
    pub const ERROR_LINE: usize = 9;
    pub const ERROR_COLUMN: usize = 10;
    pub const BYTES: usize = 11;
    pub const OBJECT_START: usize = 12;
    pub const INVALID_AT: usize = 13;
    /// And of wire streams.
    pub const LIMIT: usize = 14;
    pub const CALL: usize = 15;
    pub const CHOICE: usize = 16;
    pub const INDEX: usize = 17;
    pub const WIRE_INDEX: usize = 18;
    pub const FLAGS: usize = 19;
    /// The repairs that are allowed, before a call; those that were needed, behind it.
    pub const REPAIRS: usize = 20;
    pub const COUNT: usize = 21;
}

/// How much text JavaScript may hold back while a scanner is calm; `src/scanner.ts` holds back less.
const CALM_BYTES: u64 = 1 << 12;

/// The verdict and its companions in one number: `src/native.ts` takes them apart.
fn state_of(scanner: &Scanner) -> u32 {
    scanner.verdict() as u32
        | u32::from(scanner.in_string()) << 2
        | u32::from(scanner.is_over_limit()) << 3
        | u32::from(scanner.is_calm(CALM_BYTES)) << 4
        | u32::from(scanner.depth()) << 8
}

/// The decision's enumerations in one number, and whether half a surrogate pair stands in the text.
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

/// The buffer of facts.
type Facts = [f64; fact::COUNT];

fn write_span(facts: &mut Facts, span: Option<Span>) {
    facts[fact::SPAN_START] = span.map_or(-1.0, |span| double(span.start));
    facts[fact::SPAN_END] = span.map_or(-1.0, |span| double(span.end));
}

fn write_error(facts: &mut Facts, error: Option<ScanError>) {
    facts[fact::ERROR_CODE] = error.map_or(0.0, |error| f64::from(error.code as u8));
    if let Some(error) = error {
        facts[fact::ERROR_OFFSET] = double(error.offset);
        facts[fact::ERROR_LINE] = double(error.line);
        facts[fact::ERROR_COLUMN] = double(error.column);
    }
}

fn write_text(facts: &mut Facts, text: Span, scanner: &Scanner) {
    facts[fact::TEXT_START] = double(text.start);
    facts[fact::TEXT_END] = double(text.end);
    facts[fact::INVALID_AT] = scanner.invalid_at().map_or(-1.0, double);
}

fn write_decision(facts: &mut Facts, scanner: &Scanner) {
    write_decided(facts, &scanner.decide(stop_of(facts[fact::STOP])), scanner);
}

fn write_decided(facts: &mut Facts, decision: &Decision, scanner: &Scanner) {
    facts[fact::SUMMARY] = f64::from(summary_of(decision, scanner));
    write_span(facts, decision.span);
    write_error(facts, decision.error);
    write_text(facts, decision.text, scanner);
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
fn stop_of(number: f64) -> Stop {
    match number as u8 {
        1 => Stop::Length,
        2 => Stop::Interrupted,
        _ => Stop::Finished,
    }
}

/// A limit; infinity is none.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
fn limit_of(number: f64) -> u64 {
    number as u64
}

/// `open(scanner, facts)`: a new scanner with the limit in `facts`.
fn open(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner(0)?;
    let facts = call.numbers::<{ fact::COUNT }>(1)?;
    scanner.restart(limit_of(facts[fact::BYTES_MAX]));
    call.nothing()
}

/// `feedText(scanner, text)`: the state behind it.
fn feed_text(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner(0)?;
    let (text, _) = call.text(1)?;
    scanner.feed_utf16(text);
    call.small(state_of(scanner))
}

/// `feedLatin1(scanner, text)`: the same for a text whose units are all below 0x100.
fn feed_latin1(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner(0)?;
    let (text, _) = call.latin1(1)?;
    scanner.feed_latin1(text);
    call.small(state_of(scanner))
}

/// `feedUnits(scanner, units)`: the state behind the units that a buffer holds behind their number.
fn feed_units(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner(0)?;
    scanner.feed_utf16(call.units(1)?);
    call.small(state_of(scanner))
}

/// `feedBytes(scanner, bytes)`: the state behind them.
fn feed_bytes(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner(0)?;
    scanner.feed(call.bytes(1)?);
    call.small(state_of(scanner))
}

/// `describe(scanner, facts)`: what is known so far.
fn describe(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner(0)?;
    let facts = call.numbers(1)?;
    write_span(facts, scanner.span());
    write_error(facts, scanner.error());
    write_text(facts, scanner.text(), scanner);
    facts[fact::BYTES] = double(scanner.bytes());
    facts[fact::OBJECT_START] = scanner.object_start().map_or(-1.0, double);
    call.nothing()
}

/// `decide(scanner, facts)`: the decision with the stop signal in `facts`.
fn decide(call: &mut Call<'_>) -> Answer {
    let scanner = call.scanner(0)?;
    write_decision(call.numbers(1)?, scanner);
    call.nothing()
}

/// `checkText(text)`: whether a text is an object and nothing else, not even white space.
fn check_text(call: &mut Call<'_>) -> Answer {
    let (text, scanner) = call.text(0)?;
    if is_short_object_utf16(text) {
        return call.truth(true);
    }
    scanner.restart(u64::MAX);
    scanner.feed_utf16(text);
    let plain = scanner.is_plain();
    call.truth(plain)
}

/// `checkLatin1(text)`: the same for a text whose units are all below 0x100.
fn check_latin1(call: &mut Call<'_>) -> Answer {
    let (text, scanner) = call.latin1(0)?;
    scanner.restart(u64::MAX);
    scanner.feed_latin1(text);
    let plain = scanner.is_plain();
    call.truth(plain)
}

/// `checkBytes(bytes)`: the same for bytes; nothing where they are none or not to be read.
fn check_bytes(call: &mut Call<'_>) -> Answer {
    // Those of a view that lost its memory are none, which is for TypeScript to tell apart.
    let Some(bytes) = call.bytes(0).filter(|bytes| !bytes.is_empty()) else {
        return call.nothing();
    };
    if is_object(bytes) {
        return call.truth(true);
    }
    let scanner = call.scratch();
    scanner.restart(u64::MAX);
    scanner.feed(bytes);
    let plain = scanner.is_plain();
    call.truth(plain)
}

/// `decideChecked(facts)`: the decision on the text for which a check has just answered `false`, with the
/// stop signal in `facts`.
fn decide_checked(call: &mut Call<'_>) -> Answer {
    let facts = call.numbers(0)?;
    write_decision(facts, call.scratch());
    call.nothing()
}

/// How many things were found, and -1 where the text is not one object and nothing else.
fn found(call: &mut Call<'_>, plain: bool) -> Answer {
    let count = u64::try_from(call.inspector().count()).ok();
    call.length(count.filter(|_| plain))
}

/// What to look for, in a number from JavaScript.
fn wanted_of(call: &Call<'_>) -> Option<u32> {
    u32::try_from(call.count(1)?).ok()
}

/// `inspectText(text, wanted)`: how many things are found in a text that is one object.
fn inspect_text(call: &mut Call<'_>) -> Answer {
    let wanted = wanted_of(call)?;
    let (text, inspector) = call.text_and_inspector(0)?;
    let plain = inspector.inspect_utf16(text, wanted);
    found(call, plain)
}

/// `inspectLatin1(text, wanted)`: the same for a text whose units are all below 0x100.
fn inspect_latin1(call: &mut Call<'_>) -> Answer {
    let wanted = wanted_of(call)?;
    let (text, inspector) = call.latin1_and_inspector(0)?;
    let plain = if text.is_ascii() {
        inspector.inspect(text, wanted)
    } else {
        let units: Vec<u16> = text.iter().map(|&unit| u16::from(unit)).collect();
        inspector.inspect_utf16(&units, wanted)
    };
    found(call, plain)
}

/// `inspectBytes(bytes, wanted)`: the same for bytes.
fn inspect_bytes(call: &mut Call<'_>) -> Answer {
    let wanted = wanted_of(call)?;
    let bytes = call.bytes(0)?;
    let plain = call.inspector().inspect(bytes, wanted);
    found(call, plain)
}

/// `findings()`: what was found last, as JSON.
fn findings(call: &mut Call<'_>) -> Answer {
    let json = call.inspector().json();
    call.ascii(json.as_bytes())
}

/// `decodeBytes(bytes)`: the string that they are, or null where they are not UTF-8 or too many for
/// a string.
fn decode_bytes(call: &mut Call<'_>) -> Answer {
    let bytes = call.bytes(0)?;
    if bytes.is_ascii() {
        return call.ascii(bytes).or_else(|| call.null());
    }
    let mut units = Vec::new();
    if units.try_reserve_exact(bytes.len()).is_err() || !decode(bytes, &mut units) {
        return call.null();
    }
    call.utf16(&units).or_else(|| call.null())
}

/// `repair(bytes, facts)`: the object that the repairs in `facts` make of a text, or null. Its span is
/// written in bytes, and where the text's would stand in units.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
fn repair_bytes(call: &mut Call<'_>) -> Answer {
    let bytes = call.bytes(0)?;
    let facts = call.numbers::<{ fact::COUNT }>(1)?;
    let Some(repaired) = repair(bytes, facts[fact::REPAIRS] as u32) else {
        return call.null();
    };
    facts[fact::REPAIRS] = f64::from(repaired.needed);
    facts[fact::SUMMARY] = f64::from(repaired.found as u32);
    write_span(facts, Some(repaired.span));
    facts[fact::TEXT_START] = double(repaired.span_utf16.start);
    facts[fact::TEXT_END] = double(repaired.span_utf16.end);
    if repaired.text.is_ascii() {
        return call.ascii(&repaired.text);
    }
    let mut units = Vec::new();
    if !decode(&repaired.text, &mut units) {
        return None;
    }
    call.utf16(&units)
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
        c"feedLatin1" => feed_latin1,
        c"feedUnits" => feed_units,
        c"feedBytes" => feed_bytes,
        c"describe" => describe,
        c"decide" => decide,
        c"checkText" => check_text,
        c"checkLatin1" => check_latin1,
        c"checkBytes" => check_bytes,
        c"decideChecked" => decide_checked,
        c"decodeBytes" => decode_bytes,
        c"inspectText" => inspect_text,
        c"inspectLatin1" => inspect_latin1,
        c"inspectBytes" => inspect_bytes,
        c"findings" => findings,
        c"repair" => repair_bytes,
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
        c"openFinder" => find::open,
        c"nameFinder" => find::name,
        c"feedFinder" => find::feed,
        c"finishFinder" => find::finish,
        c"foundName" => find::found_name,
        c"foundArguments" => find::found_arguments,
        c"closeFinder" => find::close,
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
