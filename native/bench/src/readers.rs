//! Those who read: argspan's scanner and its rivals, each at its best setting for one question, is
//! this text JSON, with no value wanted.

use argspan_scanner::{Repair, check};
use serde::de::IgnoredAny;
use simd_json::{Buffers, Tape};

/// Reads a whole text.
pub trait Reader {
    /// What a table calls it.
    fn name(&self) -> &'static str;

    /// Whether it accepts the text.
    fn read(&mut self, text: &[u8]) -> bool;

    /// Does what has to be done before each reading and is not a part of it; its time is taken off.
    fn prepare(&mut self, _text: &[u8]) {}

    /// Whether there is such work.
    fn prepares(&self) -> bool {
        false
    }
}

/// All of them; argspan is the first.
pub fn readers() -> Vec<Box<dyn Reader>> {
    vec![
        Box::new(Argspan),
        Box::new(SonicRs),
        Box::new(SimdJson::default()),
        Box::new(SerdeJson),
        Box::new(SerdeJsonUtf8),
    ]
}

/// Decides by the rule, checks UTF-8, and says where the object is.
struct Argspan;

impl Reader for Argspan {
    fn name(&self) -> &'static str {
        "argspan"
    }

    fn read(&mut self, text: &[u8]) -> bool {
        let decision = check(text);
        decision.repair == Some(Repair::None)
            && decision
                .span
                .is_some_and(|span| span.start == 0 && span.end == text.len() as u64)
    }
}

struct SonicRs;

impl Reader for SonicRs {
    fn name(&self) -> &'static str {
        "sonic-rs"
    }

    fn read(&mut self, text: &[u8]) -> bool {
        sonic_rs::from_slice::<IgnoredAny>(text).is_ok()
    }
}

/// Its tape is the least that it builds. It writes into the text, so each reading starts with a copy.
#[derive(Default)]
struct SimdJson {
    copy: Vec<u8>,
    buffers: Buffers,
    tape: Option<Tape<'static>>,
}

impl Reader for SimdJson {
    fn name(&self) -> &'static str {
        "simd-json"
    }

    fn read(&mut self, text: &[u8]) -> bool {
        self.prepare(text);
        let mut tape = self.tape.take().unwrap_or_else(Tape::null).reset();
        let read = simd_json::fill_tape(&mut self.copy, &mut self.buffers, &mut tape).is_ok();
        self.tape = Some(tape.reset());
        read
    }

    fn prepare(&mut self, text: &[u8]) {
        self.copy.clear();
        self.copy.extend_from_slice(text);
    }

    fn prepares(&self) -> bool {
        true
    }
}

struct SerdeJson;

impl Reader for SerdeJson {
    fn name(&self) -> &'static str {
        "serde_json"
    }

    fn read(&mut self, text: &[u8]) -> bool {
        serde_json::from_slice::<IgnoredAny>(text).is_ok()
    }
}

/// serde_json skips strings without looking at their UTF-8; this is what looking costs.
struct SerdeJsonUtf8;

impl Reader for SerdeJsonUtf8 {
    fn name(&self) -> &'static str {
        "serde_json + UTF-8"
    }

    fn read(&mut self, text: &[u8]) -> bool {
        str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
    }
}
