//! Which call is meant: by its choice, its index on the wire, its ids and its name.
//!
//! INVARIANT: an id that is known is never overwritten, and a name only grows while no text has come.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Broken, Call, Calls, Choice, Entry, Index, Key, limit};
use crate::decision::Stop;
use crate::scanner::Verdict;
use crate::text::Text;

impl Calls {
    /// Adds a call; its number, or none where there are too many.
    pub(super) fn add(
        &mut self,
        choice: u32,
        wire_index: Option<u32>,
        kind: &[u8],
    ) -> Option<usize> {
        let place = self.choice_place(choice);
        if self.options.calls_max <= self.all.len() {
            if let Some(place) = place {
                self.choices[place].touched = None;
            }
            self.tell_once(
                limit::CALLS,
                "too-many-calls",
                "there were more calls than the limit",
            );
            return None;
        }
        let place = place.unwrap_or_else(|| {
            if self.choices.is_empty() {
                self.choices.reserve_exact(1);
            }
            self.choices.push(Choice {
                keys: Vec::with_capacity(1),
                only: None,
                touched: None,
                word: Vec::new(),
                stop: None,
            });
            let place = self.choices.len() - 1;
            self.places.insert(choice, place);
            place
        });
        let number = self.all.len();
        let known = &mut self.choices[place];
        let call = Call {
            choice,
            index: u32::try_from(known.keys.len()).unwrap_or(u32::MAX),
            wire_index,
            id: Vec::new(),
            name: Vec::new(),
            kind: kind.to_vec(),
            text: Text::new(self.options.argument_bytes_max, self.options.keep),
            finished: false,
            stop: Stop::Finished,
            word_known: false,
            id_was_missing: false,
            name_was_missing: false,
            place,
            item_id: Vec::new(),
            spare: Vec::new(),
            held: Vec::new(),
            message: self.message,
            announced: Verdict::Empty,
            broken: Broken::No,
            started: false,
            closed: false,
            cut: false,
            ended: false,
        };
        known.touched = Some(number);
        known.keys.push(Key {
            call: number,
            wire_index,
            id: 0,
            item_id: 0,
        });
        if self.all.len() == self.all.capacity() {
            self.all.reserve_exact(self.all.len().max(1));
        }
        self.all.push(Box::new(call));
        self.unnamed += 1;
        self.memory += size_of::<Call>();
        Some(number)
    }

    pub(super) fn choice_place(&self, choice: u32) -> Option<usize> {
        self.places.get(&choice).copied()
    }

    /// The keys of a choice's calls.
    pub(super) fn keys(&self, choice: u32) -> &[Key] {
        self.choice_place(choice)
            .map_or(&[], |place| &self.choices[place].keys)
    }

    /// A call's key.
    pub(super) fn key(&mut self, call: usize) -> Option<&mut Key> {
        let Call { place, index, .. } = **self.all.get(call)?;
        let choice = self.choices.get_mut(place)?;
        choice.keys.get_mut(index as usize)
    }

    /// The latest call of a choice that answers to the description.
    pub(super) fn latest(&self, choice: u32, wanted: impl Fn(&Key) -> bool) -> Option<usize> {
        let key = self.keys(choice).iter().rfind(|key| wanted(key))?;
        Some(key.call)
    }

    /// The latest call of a choice with this id that answers to the description.
    pub(super) fn latest_with_id(
        &self,
        choice: u32,
        id: &[u8],
        wanted: impl Fn(&Key) -> bool,
    ) -> Option<usize> {
        let digest = digest(id);
        self.latest(choice, |key| key.id == digest && wanted(key))
            .filter(|&number| self.all[number].id == id)
    }

    pub(super) fn has_calls(&self, choice: u32) -> bool {
        self.choice_place(choice).is_some()
    }

    pub(super) fn usable(&mut self, index: Index) -> Option<u32> {
        match index {
            Index::Usable(index) => Some(index),
            Index::Absent => None,
            Index::Bad => {
                self.tell_once(limit::INDEX, "bad-index", "an index was no usable number");
                None
            }
        }
    }

    pub(super) fn clipped<'a>(&mut self, call: usize, text: &'a [u8]) -> &'a [u8] {
        if text.len() <= self.options.name_bytes_max {
            return text;
        }
        self.all[call].broken = Broken::Name;
        self.tell_once(
            limit::NAME,
            "name-too-large",
            "a name or id was longer than the limit",
        );
        &text[..self.options.name_bytes_max]
    }

    /// Takes note of ids and name, where they are new.
    pub(super) fn identify(&mut self, call: usize, entry: &Entry<'_>) {
        if self.all[call].ended {
            return;
        }
        if !entry.id.is_empty() && self.all[call].id.is_empty() {
            let id = self.clipped(call, &entry.id);
            self.all[call].id = id.to_vec();
            if let Some(key) = self.key(call) {
                key.id = digest(id);
            }
        }
        if !entry.item_id.is_empty() && self.all[call].item_id.is_empty() {
            let id = self.clipped(call, &entry.item_id);
            self.all[call].item_id = id.to_vec();
            if let Some(key) = self.key(call) {
                key.item_id = digest(id);
            }
        }
        if entry.name.is_empty() || self.all[call].name == *entry.name {
            return;
        }
        let known = &self.all[call];
        if known.name.is_empty() {
            let name = self.clipped(call, &entry.name);
            self.all[call].name = name.to_vec();
            self.unnamed -= 1;
        } else if known.text.length() == 0 && !known.started {
            let mut name = known.name.clone();
            name.extend_from_slice(&entry.name);
            let name = self.clipped(call, &name).to_vec();
            self.all[call].name = name;
        }
    }
}

/// A digest (FNV-1a) that tells most ids apart; the ids themselves are compared after it.
pub(super) fn digest(id: &[u8]) -> u64 {
    if id.is_empty() {
        return 0;
    }
    id.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}
