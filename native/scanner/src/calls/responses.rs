//! Responses: items by their place, else by an id, and what the end says of them.
//!
//! Of one item's texts the latest kind counts that is not empty: the done item's, the one that is
//! called whole, the fragments, the item's as it was added.

use alloc::vec::Vec;

use super::identity::digest;
use super::{Arguments, Calls, Continued, Effect, Entry, Index};
use crate::decision::{Kind, Stop};

impl Calls {
    pub(super) fn find_item(&self, index: Option<u32>, ids: [&[u8]; 2]) -> Option<usize> {
        if index.is_some() {
            let item = self.latest(0, |key| key.wire_index == index);
            if item.is_some() {
                return item;
            }
        }
        ids.into_iter().filter(|id| !id.is_empty()).find_map(|id| {
            let wanted = digest(id);
            self.latest(0, |key| key.id == wanted || key.item_id == wanted)
                .filter(|&number| {
                    let call = &self.all[number];
                    call.id == id || call.item_id == id
                })
        })
    }

    /// An item begins, or is `done`: then it holds its whole arguments. `cut`: the wire says that
    /// it is incomplete.
    pub fn item(&mut self, entry: &Entry<'_>, done: bool, cut: bool, scratch: &mut Vec<u8>) {
        self.act();
        let index = self.usable(entry.index);
        let found = self
            .find_item(index, [&entry.id, &entry.item_id])
            .filter(|&number| {
                // Another item in the same place is another call.
                let call = &self.all[number];
                let differs = |known: &[u8], id: &[u8]| !known.is_empty() && known != id;
                done || entry.id.is_empty()
                    || !differs(&call.id, &entry.id)
                    || !differs(&call.item_id, &entry.item_id)
            });
        let Some(number) = found.or_else(|| self.add(0, index, entry.kind)) else {
            return;
        };
        self.identify(number, entry);
        if !done {
            self.keep_spare(number, entry.arguments);
            self.note_progress(number, false);
            return;
        }
        self.replace(number, entry.arguments, scratch);
        self.use_spare(number);
        self.note_progress(number, false);
        self.close_item(number, cut);
    }

    pub(super) fn close_item(&mut self, number: usize, cut: bool) {
        let call = &mut self.all[number];
        if call.ended {
            return;
        }
        call.closed = true;
        call.cut |= cut;
        if call.cut {
            return;
        }
        call.text.settle();
        let blank = call.text.is_blank();
        let truncated = call.text.decide(Stop::Finished).kind == Some(Kind::Truncated);
        if !call.is_function() || !blank && !truncated {
            self.finish(number, Stop::Finished);
        }
    }

    /// A part of an item's arguments, or all of them.
    pub fn item_text(
        &mut self,
        index: Index,
        id: &[u8],
        arguments: Arguments<'_>,
        whole: bool,
        scratch: &mut Vec<u8>,
    ) {
        let alone = self.act();
        let index = self.usable(index);
        let latest = if index.is_none() {
            self.all.len().checked_sub(1)
        } else {
            None
        };
        let found = self.find_item(index, [id, &[]]);
        let Some(number) = found.or(latest).or_else(|| self.block(None)) else {
            self.orphan(arguments);
            return;
        };
        if whole {
            self.replace(number, arguments, scratch);
        } else {
            self.push(number, arguments, scratch);
            if alone {
                self.effect = Effect::Continued(Continued {
                    call: number,
                    needs_text: false,
                });
            }
        }
        self.note_progress(number, false);
    }

    /// An item of the response as it is at its end: adds what was never seen, erases nothing.
    /// `nth`: how many items that are calls stand before it.
    pub fn snapshot_item(
        &mut self,
        entry: &Entry<'_>,
        position: u32,
        nth: u32,
        cut: bool,
        scratch: &mut Vec<u8>,
    ) {
        self.act();
        let found = self
            .find_item(None, [&entry.id, &entry.item_id])
            .or_else(|| self.latest(0, |key| key.wire_index == Some(position)))
            .or_else(|| {
                let number = nth as usize;
                let call = self.all.get(number)?;
                let same = call.wire_index.is_none() && call.name == *entry.name;
                same.then_some(number)
            });
        if let Some(number) = found {
            if self.all[number].text.length() == 0 && self.all[number].spare.is_empty() {
                self.push(number, entry.arguments, scratch);
                self.note_progress(number, false);
            }
            return;
        }
        let Some(number) = self.add(0, Some(position), entry.kind) else {
            return;
        };
        self.identify(number, entry);
        self.push(number, entry.arguments, scratch);
        self.note_progress(number, false);
        self.all[number].cut = cut;
    }
}
