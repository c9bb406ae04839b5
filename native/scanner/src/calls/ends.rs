//! How calls, choices and responses end (guarantee 7).
//!
//! | what the wire said | a call is finished |
//! |---|---|
//! | a normal end | unless its text is cut off by rule 4 |
//! | no normal end, but the call's own end or a later call | where its text is one whole JSON value |
//! | nothing, or an error | never |
//!
//! A text that is empty is finished by a normal end alone.

use super::notes::is_news;
use super::{Calls, Index, Note};
use crate::decision::{Kind, Stop};

impl Calls {
    /// A call is over. `signal` is how its choice ended.
    pub(super) fn finish(&mut self, number: usize, signal: Stop) {
        if self.all.get(number).is_none_or(|call| call.ended) {
            return;
        }
        self.use_spare(number);
        let superseded = self.is_superseded(number);
        let word_known = !self.word(number).is_empty();
        let call = &mut self.all[number];
        call.text.settle();
        let own_end = (superseded && call.is_function() || call.closed) && !call.cut;
        let normal = signal == Stop::Finished && !call.cut;
        let unfinished = if signal == Stop::Finished {
            Stop::Interrupted
        } else {
            signal
        };
        let blank = call.text.is_blank();
        (call.finished, call.stop) = if !call.is_function() {
            if normal || own_end {
                (true, Stop::Finished)
            } else {
                (false, unfinished)
            }
        } else if blank {
            if normal && !self.orphaned {
                (true, Stop::Finished)
            } else {
                (false, unfinished)
            }
        } else if normal || self.options.by_text {
            let kind = call.text.decide(Stop::Finished).kind;
            (kind != Some(Kind::Truncated), Stop::Finished)
        } else if own_end && call.text.is_whole() {
            (true, Stop::Finished)
        } else {
            (false, unfinished)
        };
        call.word_known = word_known;
        self.start(number);
        let call = &mut self.all[number];
        let verdict = call.verdict();
        if call.is_function() && is_news(call.announced, verdict) {
            self.announce(number, verdict);
        }
        self.all[number].ended = true;
        self.queue.push(Note::Finish(number));
    }

    /// Whether a call is one at all: some servers send places without anything in them.
    pub(super) fn is_call(&self, number: usize) -> bool {
        self.get(number).is_some_and(|call| {
            let nothing = call.id.is_empty() && call.name.is_empty() && call.text.length() == 0;
            call.started || !nothing
        })
    }

    /// Whether a later call of its choice is one: a place without anything in it ends no call.
    fn is_superseded(&self, number: usize) -> bool {
        let call = &self.all[number];
        let keys = self
            .choices
            .get(call.place)
            .map_or(&[][..], |choice| &choice.keys);
        let later = keys.get(call.index as usize + 1..).unwrap_or_default();
        // Up to the next one, which all of the choice's calls together go through once.
        later.iter().any(|key| self.is_call(key.call))
    }

    fn finish_choice(&mut self, place: usize, signal: Stop) {
        for index in 0..self.choices[place].keys.len() {
            let number = self.choices[place].keys[index].call;
            if self.is_call(number) {
                self.finish(number, signal);
            }
        }
    }

    /// A choice has ended, and this is the wire's word for why; the first one counts.
    pub fn end_choice(&mut self, choice: Index, word: &[u8], stop: Stop) {
        self.act();
        let choice = self.usable(choice).unwrap_or(0);
        let Some(place) = self.choice_place(choice) else {
            return;
        };
        let known = &mut self.choices[place];
        if known.stop.is_some() {
            return;
        }
        let stop = if self.errored && stop == Stop::Finished {
            Stop::Interrupted
        } else {
            stop
        };
        known.stop = Some(stop);
        known.word = word[..word.len().min(self.options.name_bytes_max)].to_vec();
        self.finish_choice(place, stop);
    }

    /// The response has ended as it should: choices that have not ended end normally.
    pub fn end_response(&mut self) {
        self.act();
        if self.errored {
            return;
        }
        for place in 0..self.choices.len() {
            if self.choices[place].stop.is_none() {
                self.choices[place].stop = Some(Stop::Finished);
                self.finish_choice(place, Stop::Finished);
            }
        }
    }

    /// The stream has ended: what is open stays unfinished.
    pub fn flush(&mut self) {
        for number in 0..self.all.len() {
            if !self.is_call(number) {
                continue;
            }
            let stop = self.choices[self.all[number].place].stop;
            self.finish(number, stop.unwrap_or(Stop::Interrupted));
        }
    }
}

/// Whether a stop reason is a normal end, the output limit, or something else.
pub fn stop_of(word: &[u8]) -> Stop {
    match word {
        b"length" | b"max_tokens" | b"model_context_window_exceeded" | b"max_output_tokens" => {
            Stop::Length
        }
        b"content_filter"
        | b"refusal"
        | b"pause_turn"
        | b"compaction"
        | b"error"
        | b"failed"
        | b"incomplete"
        | b"cancelled"
        | b"canceled"
        | b"abort"
        | b"aborted"
        | b"safety"
        | b"max_messages"
        | b"steered"
        | b"insufficient_system_resource" => Stop::Interrupted,
        _ => Stop::Finished,
    }
}
