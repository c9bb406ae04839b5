//! What is added to a call's text, or takes its place.
//!
//! INVARIANT: nothing is added to a call that is over, nor beyond the limit of all texts.

use alloc::vec::Vec;

use super::{Arguments, Broken, Calls, Continued, Note, limit};
use crate::unescape::unescape;

impl Calls {
    /// Adds to a call's text.
    pub(super) fn push(&mut self, call: usize, arguments: Arguments<'_>, scratch: &mut Vec<u8>) {
        let source;
        let (content, escaped) = match arguments {
            Arguments::Absent => return,
            Arguments::Text(content, escaped) => (content, escaped),
            Arguments::Source(text) => {
                source = compact(text);
                (&source[..], false)
            }
        };
        self.push_content(call, content, escaped, scratch);
    }

    pub(super) fn push_content(
        &mut self,
        number: usize,
        content: &[u8],
        escaped: bool,
        scratch: &mut Vec<u8>,
    ) {
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.ended || content.is_empty() || call.broken == Broken::Total {
            return;
        }
        let bytes = content.len() as u64;
        if self.options.total_bytes_max < self.total.saturating_add(bytes) {
            call.broken = Broken::Total;
            self.tell_once(
                limit::TOTAL,
                "total-too-large",
                "all arguments together passed the limit",
            );
            return;
        }
        let before = call.text.kept_capacity();
        let decoded = call.text.push(content, escaped, scratch);
        self.total += decoded.len() as u64;
        self.memory += call.text.kept_capacity() - before;
        if self.options.fragments && !decoded.is_empty() {
            if call.started {
                let start = self.texts.len();
                self.texts.extend_from_slice(decoded);
                let range = (start, self.texts.len());
                self.queue.push(Note::Fragment(number, range));
            } else {
                call.held.extend_from_slice(decoded);
            }
        }
    }

    /// Replaces a call's text by one that the wire calls the whole.
    pub(super) fn replace(
        &mut self,
        number: usize,
        arguments: Arguments<'_>,
        scratch: &mut Vec<u8>,
    ) {
        let mut decoded = Vec::new();
        match arguments {
            Arguments::Absent => return,
            Arguments::Text(content, escaped) if escaped => {
                unescape(content, &mut 0, &mut decoded);
            }
            Arguments::Text(content, _) => decoded.extend_from_slice(content),
            Arguments::Source(text) => decoded = compact(text),
        }
        let Some(call) = self.all.get_mut(number) else {
            return;
        };
        if call.ended || decoded.is_empty() || call.text.says(&decoded) {
            return;
        }
        if call.text.length() == 0 {
            self.push_content(number, &decoded, false, scratch);
            return;
        }
        let before = call.text.kept_capacity();
        let length = call.text.length();
        self.total = self.total.saturating_sub(length);
        if self.options.total_bytes_max < self.total.saturating_add(decoded.len() as u64) {
            self.total += length;
            self.push_content(number, &decoded, false, scratch);
            return;
        }
        call.text.replace(&decoded, false, scratch);
        self.total += decoded.len() as u64;
        self.memory = (self.memory + call.text.kept_capacity()).saturating_sub(before);
    }

    /// Whole arguments count where nothing else came.
    pub(super) fn use_spare(&mut self, call: usize) {
        let spare = core::mem::take(&mut self.all[call].spare);
        self.memory = self.memory.saturating_sub(spare.capacity());
        if self.all[call].text.length() == 0 {
            self.push_content(call, &spare, false, &mut Vec::new());
        }
    }

    pub(super) fn keep_spare(&mut self, call: usize, arguments: Arguments<'_>) {
        let mut spare = Vec::new();
        match arguments {
            Arguments::Absent => return,
            Arguments::Text(content, _) => unescape(content, &mut 0, &mut spare),
            Arguments::Source(text) => spare = compact(text),
        }
        let call = &mut self.all[call];
        if call.text.length() == 0 && call.spare.is_empty() && !call.ended {
            self.memory += spare.capacity();
            call.spare = spare;
        }
    }

    /// The event that did the same as another, but for its fragment.
    pub fn continue_call(
        &mut self,
        continued: Continued,
        arguments: Arguments<'_>,
        scratch: &mut Vec<u8>,
    ) {
        if self.add_calmly(continued.call, arguments) {
            return;
        }
        self.push(continued.call, arguments, scratch);
        self.note_progress(continued.call, continued.needs_text);
    }

    /// Adds a fragment that changes nothing but the text, as most do. False where more than that
    /// has to be done; then nothing was.
    pub(super) fn add_calmly(&mut self, number: usize, arguments: Arguments<'_>) -> bool {
        let Arguments::Text(content, false) = arguments else {
            return false;
        };
        let Some(call) = self.all.get_mut(number) else {
            return false;
        };
        let total = self.total.saturating_add(content.len() as u64);
        let known = call.started && !call.ended && call.broken == Broken::No;
        let added = known
            && total <= self.options.total_bytes_max
            && !self.options.fragments
            && call.text.add_calmly(content);
        if added {
            self.total = total;
        }
        added
    }
}

/// A JSON text without the white space between its tokens.
pub(super) fn compact(source: &[u8]) -> Vec<u8> {
    let mut compact = Vec::with_capacity(source.len());
    let mut in_string = false;
    let mut escaped = false;
    for &byte in source {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            continue;
        } else {
            in_string = byte == b'"';
        }
        compact.push(byte);
    }
    compact
}
