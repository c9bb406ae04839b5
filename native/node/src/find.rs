//! The exports of finders: a text in pieces, the status behind each, and at the end what was found.

use argspan_scanner::{Ambiguity, ErrorCode, Finder, Flaw, Found, FoundCall};

use crate::raw::{Answer, Call};
use crate::slab::Held;
use crate::{Facts, double, fact};

/// What was found, as `src/gate/find.ts` reads it.
mod kind {
    pub const CALL: u32 = 0;
    pub const NOTHING: u32 = 1;
    pub const REASONING: u32 = 2;
    pub const AMBIGUOUS: u32 = 3;
    pub const TRUNCATED: u32 = 4;
    pub const MALFORMED: u32 = 5;
    pub const NOT_A_CALL: u32 = 6;
    pub const TOO_LARGE: u32 = 7;
    pub const REASONED: u32 = 8;
}

impl Held for Finder {
    fn memory(&self) -> usize {
        Self::memory(self)
    }
}

/// Tells the garbage collector what has changed, where it is much.
fn report(call: &mut Call<'_>) {
    if let Some(change) = call.finders().report() {
        call.adjust_memory(change);
    }
}

/// `openFinder(lengthMax)`: a new finder; its number. No text of JavaScript's is as long as a limit
/// that does not fit.
pub fn open(call: &mut Call<'_>) -> Answer {
    let length_max = call.count(0)?;
    let number = call.finders().add(Finder::new(length_max));
    report(call);
    call.small(u32::try_from(number).ok()?)
}

/// `nameFinder(finder, name)`: adds the name of a tool.
pub fn name(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let (name, finders) = call.text_and_finders(1)?;
    finders.with(number, |finder| finder.add_name(name))?;
    call.nothing()
}

/// `feedFinder(finder, text)`: the status behind it.
pub fn feed(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let (text, finders) = call.text_and_finders(1)?;
    let status = finders.with(number, |finder| finder.feed(text))?;
    report(call);
    call.small(status as u32)
}

/// `finishFinder(finder, facts)`: what was found if the text ends here.
pub fn finish(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    let facts = call.numbers::<{ fact::COUNT }>(1)?;
    call.finders().with(number, |finder| {
        write_found(facts, finder.finish());
    })?;
    call.nothing()
}

fn write_found(facts: &mut Facts, found: Found<'_>) {
    let mut code = None::<ErrorCode>;
    let mut which = None::<Ambiguity>;
    let kind = match found {
        Found::Call(call) => {
            facts[fact::SPAN_START] = double(call.start);
            facts[fact::SPAN_END] = double(call.end);
            kind::CALL
        }
        Found::Nothing(error) => {
            code = error;
            kind::NOTHING
        }
        Found::Reasoning => kind::REASONING,
        Found::Reasoned => kind::REASONED,
        Found::Ambiguous(ambiguity) => {
            which = Some(ambiguity);
            kind::AMBIGUOUS
        }
        Found::Truncated(error) => {
            code = Some(error);
            kind::TRUNCATED
        }
        Found::Malformed(Flaw::Syntax(error)) => {
            code = Some(error);
            kind::MALFORMED
        }
        Found::Malformed(Flaw::NotACall) => kind::NOT_A_CALL,
        Found::Malformed(Flaw::TooLarge) => kind::TOO_LARGE,
    };
    facts[fact::SUMMARY] = f64::from(kind);
    facts[fact::ERROR_CODE] = code.map_or(0.0, |code| f64::from(code as u8));
    facts[fact::FLAGS] = which.map_or(0.0, |which| f64::from(which as u8));
}

/// `foundName(finder)` and `foundArguments(finder)`: the texts of the call that was found.
pub fn found_name(call: &mut Call<'_>) -> Answer {
    found(call, |found| &found.name)
}

pub fn found_arguments(call: &mut Call<'_>) -> Answer {
    found(call, |found| &found.arguments)
}

fn found(call: &mut Call<'_>, which: fn(&FoundCall) -> &Vec<u16>) -> Answer {
    let number = call.count(0)?;
    let text = call
        .finders()
        .with(number, |finder| match finder.finish() {
            Found::Call(found) => Some(which(found).clone()),
            _ => None,
        })??;
    call.utf16(&text)
}

/// `closeFinder(finder)`: frees it.
pub fn close(call: &mut Call<'_>) -> Answer {
    let number = call.count(0)?;
    call.finders().remove(number);
    report(call);
    call.nothing()
}
