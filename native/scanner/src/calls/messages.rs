//! Messages: blocks by their index, which begin anew with another message.

use alloc::vec::Vec;

use super::arguments::compact;
use super::{Arguments, Calls, Continued, Effect, Entry, Index};
use crate::decision::Stop;

/// Open blocks of other kinds that are remembered.
const BLOCKS_MAX: usize = 1024;

impl Calls {
    /// A message begins; another one than before has its own block indexes.
    pub fn begin_message(&mut self, id: &[u8]) {
        self.act();
        if !self.message_id.is_empty() && self.message_id != id {
            self.message += 1;
            self.other_blocks.clear();
        }
        self.message_id = id[..id.len().min(self.options.name_bytes_max)].to_vec();
    }

    pub(super) fn block(&self, index: Option<u32>) -> Option<usize> {
        let message = self.message;
        if index.is_some() {
            let block = self.latest(0, |key| key.wire_index == index);
            if block.is_some_and(|block| self.all[block].message == message) {
                return block;
            }
        }
        let mut open = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, call)| call.message == message && !call.closed && !call.ended);
        match (open.next(), open.next()) {
            (Some((number, _)), None) => Some(number),
            _ => None,
        }
    }

    /// A block that holds a call begins. `whole`: it has all its arguments.
    pub fn begin_block(&mut self, entry: &Entry<'_>, whole: bool, scratch: &mut Vec<u8>) {
        self.act();
        let index = self.usable(entry.index);
        let message = self.message;
        let repeated = if entry.id.is_empty() {
            None
        } else {
            self.latest_with_id(0, &entry.id, |key| key.wire_index == index)
                .filter(|&number| self.all[number].message == message)
        };
        let Some(number) = repeated.or_else(|| self.add(0, index, entry.kind)) else {
            return;
        };
        self.identify(number, entry);
        if whole {
            self.push(number, entry.arguments, scratch);
        } else if !is_placeholder(entry.arguments) {
            self.keep_spare(number, entry.arguments);
        }
        self.start(number);
        self.note_progress(number, false);
    }

    /// A block begins that holds no call.
    pub fn begin_other_block(&mut self, index: Index) {
        self.act();
        if let Some(index) = self.usable(index)
            && !self.other_blocks.contains(&index)
        {
            if BLOCKS_MAX <= self.other_blocks.len() {
                self.other_blocks.remove(0);
            }
            self.other_blocks.push(index);
        }
    }

    /// A part of a block's arguments.
    pub fn block_fragment(
        &mut self,
        index: Index,
        arguments: Arguments<'_>,
        scratch: &mut Vec<u8>,
    ) {
        let index = self.usable(index);
        if index.is_some_and(|index| self.other_blocks.contains(&index)) {
            return;
        }
        let alone = self.act();
        let Some(number) = self.block(index) else {
            self.orphan(arguments);
            return;
        };
        self.push(number, arguments, scratch);
        self.note_progress(number, false);
        if alone {
            self.effect = Effect::Continued(Continued {
                call: number,
                needs_text: false,
            });
        }
    }

    /// A fragment belongs to no call: whose text is empty may have lost it.
    pub(super) fn orphan(&mut self, arguments: Arguments<'_>) {
        if let Arguments::Text([_, ..], _) | Arguments::Source(_) = arguments {
            self.orphaned = true;
        }
    }

    /// A block ends.
    pub fn end_block(&mut self, index: Index) {
        self.act();
        let index = self.usable(index);
        if let Some(index) = index
            && let Some(place) = self.other_blocks.iter().position(|&other| other == index)
        {
            self.other_blocks.swap_remove(place);
            return;
        }
        let Some(number) = self.block(index) else {
            return;
        };
        self.all[number].closed = true;
        self.use_spare(number);
        self.note_progress(number, false);
        let call = &self.all[number];
        if !call.is_function() || call.text.is_whole() {
            self.finish(number, Stop::Interrupted);
        }
    }
}

/// Whether arguments are the empty object that stands for those that will come.
fn is_placeholder(arguments: Arguments<'_>) -> bool {
    match arguments {
        Arguments::Absent => true,
        Arguments::Text(text, _) => text.is_empty() || text == b"{}",
        Arguments::Source(text) => compact(text) == b"{}",
    }
}
