//! Follows a model's tool-call arguments as they stream: is this acceptable, where is the object,
//! and if not, what is wrong.
//!
//! [`Scanner`] takes bytes or UTF-16, cut anywhere, and knows a [`Verdict`] after each fragment
//! and the whole [`Decision`] whenever asked. It never goes back to an earlier fragment, allocates
//! nothing, and its state is a few hundred bytes whatever the length of the text.
//!
//! | file | decides |
//! |---|---|
//! | `whole` | a text that is there at once |
//! | `scanner` | fragments: whole characters, limits, the verdict |
//! | `chunk`, `readings` | the three readings of one text |
//! | `grammar` | JSON |
//! | `magnitude` | whether a number is a finite double |
//! | `unescape` | what a string's content says |
//! | `fence`, `white` | what stands around an object |
//! | `findings` | what was accepted but deserves a look |
//! | `leak` | whether a value holds reasoning |
//! | `find` | which call a model wrote as text |
//! | `repair` | what opt-in repairs make of a text that is malformed |
//! | `decision`, `error` | the outcome, and serde_json's words for it |
//! | `sse` | where an event begins and ends |
//! | `fields`, `json` | which fields an event has |
//! | `template` | whether an event says what the last one said |
//! | `wire` | what they mean in each wire format |
//! | `calls` | which call a fragment belongs to, and when a call is finished |
//! | `text` | how a call's fragments become one text |
//! | `form`, `utf8`, `utf16` | in which form text is read, and encodings |
//! | `skip` | which bytes matter: the vector kernels, and all `unsafe` code |
//!
//! ```
//! use argspan_scanner::{Repair, Scanner, Stop, Verdict};
//!
//! let mut scanner = Scanner::new(u64::MAX);
//! scanner.feed(b"Let me look: {\"path\": \"a");
//! assert_eq!(scanner.verdict(), Verdict::Incomplete);
//! scanner.feed(b"bc\"}");
//! assert_eq!(scanner.decide(Stop::Finished).repair, Some(Repair::Prose));
//! ```
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod calls;
mod chunk;
mod decision;
mod error;
mod fence;
mod fields;
mod find;
mod findings;
mod form;
mod grammar;
mod json;
mod leak;
mod magnitude;
mod readings;
mod repair;
mod scanner;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod skip;
#[cfg(not(feature = "internals"))]
mod skip;
mod sse;
mod template;
mod text;
mod unescape;
mod utf16;
mod utf8;
mod white;
mod whole;
mod wire;

pub use calls::{Call, Calls, Judged, Note, Options};
pub use decision::{Decision, Kind, Stop};
pub use error::{ErrorCode, ScanError};
pub use find::{Ambiguity, Call as FoundCall, Finder, Flaw, Found, Status};
pub use findings::{Inspector, wanted};
pub use grammar::DEPTH_MAX;
pub use readings::{Repair, Span};
pub use repair::{Repaired, repair, repairs};
pub use scanner::{Scanner, Verdict};
pub use text::{Assembly, Keep, Text};
pub use utf16::decode;
pub use whole::{check, is_object, is_short_object_utf16};
pub use wire::{Format, Scratch, Stream};
