//! What the caller is told: starts, verdicts, errors. Each is told once, and a start before all else.

use alloc::vec::Vec;

use super::{Broken, Calls, ERROR_BYTES_MAX, Judged, Note, Range};
use crate::scanner::Verdict;

impl Calls {
    pub(super) fn keep_text(&mut self, text: &[u8]) -> Range {
        let start = self.texts.len();
        let end = text.len().min(ERROR_BYTES_MAX);
        self.texts.extend_from_slice(&text[..end]);
        (start, self.texts.len())
    }

    /// Notes a limit that was broken, or bytes that cannot be read.
    pub fn limit_error(&mut self, code: &str, message: &str) {
        self.act();
        let code = Some(self.keep_text(code.as_bytes()));
        let message = self.keep_text(message.as_bytes());
        self.queue.push(Note::Error {
            code,
            kind: None,
            message,
        });
    }

    pub(super) fn tell_once(&mut self, limit: u8, code: &str, message: &str) {
        if self.told & limit == 0 {
            self.told |= limit;
            self.limit_error(code, message);
        }
    }

    /// The wire's own error: nothing that is open now can end normally any more.
    pub fn wire_error(&mut self, code: &[u8], kind: &[u8], message: &[u8]) {
        self.errored = true;
        self.act();
        let code = (!code.is_empty()).then(|| self.keep_text(code));
        let kind = (!kind.is_empty()).then(|| self.keep_text(kind));
        let message = self.keep_text(message);
        self.queue.push(Note::Error {
            code,
            kind,
            message,
        });
    }

    /// Whether the wire has sent an error.
    #[must_use]
    pub fn has_errored(&self) -> bool {
        self.errored
    }

    /// An event was dropped: what it would have said to the open calls is not known.
    pub fn lose_event(&mut self) {
        self.limit_error(
            "event-too-large",
            "an event was larger than the limit, and was dropped",
        );
        for call in self.all.iter_mut().filter(|call| !call.ended) {
            call.cut = true;
        }
    }

    pub(super) fn start(&mut self, number: usize) {
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.started {
            return;
        }
        call.started = true;
        // The caller may look after the whole chunk: what it sees must not depend on where that ends.
        call.id_was_missing = call.id.is_empty();
        call.name_was_missing = call.name.is_empty();
        self.queue.push(Note::Start(number));
        if !call.held.is_empty() {
            let start = self.texts.len();
            self.texts.extend_from_slice(&call.held);
            call.held = Vec::new();
            let range = (start, self.texts.len());
            self.queue.push(Note::Fragment(number, range));
        }
    }

    /// Notes what has become of a call that was just touched.
    pub(super) fn note_progress(&mut self, number: usize, needs_text: bool) {
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.ended {
            return;
        }
        let known = || !call.name.is_empty() && !call.id.is_empty();
        let starts = !call.started && known() && !(needs_text && call.text.length() == 0);
        if call.is_function() {
            let verdict = call.verdict();
            if is_news(call.announced, verdict) {
                self.start(number);
                self.announce(number, verdict);
                return;
            }
        }
        if starts {
            self.start(number);
        }
    }

    pub(super) fn announce(&mut self, number: usize, verdict: Verdict) {
        let limit = self.get(number).map_or(0, |call| self.limit(call));
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        call.announced = verdict;
        call.text.catch_up();
        let decision = call.decide();
        let scanner = call.text.scanner();
        let malformed = verdict == Verdict::Malformed;
        let judged = Judged {
            verdict,
            span: if malformed {
                None
            } else {
                scanner.span().or(decision.span)
            },
            error: if call.broken == Broken::No {
                scanner.error().filter(|_| malformed)
            } else {
                decision.error
            },
            invalid_at: scanner.invalid_at(),
            limit,
        };
        self.queue.push(Note::Verdict(number, judged));
    }
}

/// Whether a verdict says more than the one that was announced last.
pub(super) fn is_news(announced: Verdict, verdict: Verdict) -> bool {
    match verdict {
        Verdict::Empty | Verdict::Incomplete => false,
        Verdict::Complete => announced == Verdict::Empty,
        Verdict::Malformed => announced != Verdict::Malformed,
    }
}
