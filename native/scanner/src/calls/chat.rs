//! Chat completions: which call an entry of a delta belongs to.
//!
//! By its id first, then by its index, then by its name; without any of these it continues the call
//! that was touched last. What makes a new call instead is in [`Calls::chat_entry`]'s `route`.

use alloc::vec::Vec;

use super::arguments::compact;
use super::{Arguments, Call, Calls, Continued, Effect, Entry, Index, Nameless};
use crate::unescape::unescape;

impl Calls {
    /// An entry of a choice's delta.
    pub fn chat_entry(
        &mut self,
        choice: Index,
        entry: &Entry<'_>,
        nameless: Nameless,
        scratch: &mut Vec<u8>,
    ) {
        let alone = self.act();
        let choice = self.usable(choice).unwrap_or(0);
        let index = self.usable(entry.index);
        let Some(number) = self.route(choice, index, entry, nameless) else {
            return;
        };
        let call = &mut self.all[number];
        let known = &mut self.choices[call.place];
        known.touched = Some(number);
        if nameless == Nameless::Only {
            known.only = Some(number);
        }
        if let Some(key) = known.keys.get_mut(call.index as usize)
            && key.wire_index.is_none()
        {
            key.wire_index = index;
            if !call.ended {
                call.wire_index = index;
            }
        }
        self.identify(number, entry);
        self.push(number, entry.arguments, scratch);
        self.note_progress(number, true);
        let anonymous = entry.id.is_empty() && entry.name.is_empty();
        if alone && anonymous && index.is_some() {
            self.effect = Effect::Continued(Continued {
                call: number,
                needs_text: true,
            });
        }
    }

    /// The call that an entry belongs to, which may be a new one.
    pub(super) fn route(
        &mut self,
        choice: u32,
        index: Option<u32>,
        entry: &Entry<'_>,
        nameless: Nameless,
    ) -> Option<usize> {
        let (id, name) = (&entry.id[..], &entry.name[..]);
        if nameless == Nameless::Only {
            return self
                .choice_place(choice)
                .and_then(|place| self.choices[place].only)
                .or_else(|| self.add(choice, index, entry.kind));
        }
        let known = if id.is_empty() {
            None
        } else {
            self.latest_with_id(choice, id, |key| key.wire_index == index)
                .or_else(|| self.latest_with_id(choice, id, |_| true))
        };
        if let Some(number) = known {
            let known_index = self.key(number).and_then(|key| key.wire_index);
            let call = &self.all[number];
            let renamed = !name.is_empty() && !call.name.is_empty() && call.name != name;
            let moved = !name.is_empty()
                && index.is_some()
                && known_index.is_some_and(|known| index != Some(known));
            let new = renamed && call.text.is_whole() || moved && call.is_whole_or_blank();
            return if new {
                self.add(choice, index, entry.kind)
            } else {
                Some(number)
            };
        }
        if index.is_some() {
            let Some(number) = self.latest(choice, |key| key.wire_index == index) else {
                return self.add(choice, index, entry.kind);
            };
            let call = &self.all[number];
            let other_id = !id.is_empty() && !call.id.is_empty() && !name.is_empty();
            let new = if other_id {
                call.is_whole_or_blank()
            } else {
                id.is_empty() && !name.is_empty() && begins_anew(call, entry)
            };
            return if new {
                self.add(choice, index, entry.kind)
            } else {
                Some(number)
            };
        }
        let any = self.has_calls(choice);
        if !id.is_empty() && (!name.is_empty() || !any) {
            return self.add(choice, None, entry.kind);
        }
        if !name.is_empty() {
            let unnamed = || {
                self.latest(choice, |key| {
                    let call = &self.all[key.call];
                    call.name.is_empty() && !call.ended
                })
            };
            return (self.unnamed != 0)
                .then(unnamed)
                .flatten()
                .or_else(|| self.add(choice, None, entry.kind));
        }
        if let Nameless::Nth(nth) = nameless {
            let nth = self.keys(choice).get(nth);
            if let Some(key) = nth {
                return Some(key.call);
            }
        }
        if any {
            return self
                .choice_place(choice)
                .and_then(|place| self.choices[place].touched);
        }
        self.add(choice, None, entry.kind)
    }
}

/// Whether an entry that names its call begins another one at the same index.
fn begins_anew(call: &Call, entry: &Entry<'_>) -> bool {
    let opens = match entry.arguments {
        Arguments::Absent => false,
        Arguments::Text(text, _) | Arguments::Source(text) => {
            matches!(text.first(), Some(b'{' | b'['))
        }
    };
    if !opens || !call.text.is_whole() {
        return false;
    }
    let mut decoded = Vec::new();
    match entry.arguments {
        Arguments::Absent => {}
        Arguments::Text(content, _) => unescape(content, &mut 0, &mut decoded),
        Arguments::Source(text) => decoded = compact(text),
    }
    !(call.name == *entry.name && call.text.says(&decoded))
}
