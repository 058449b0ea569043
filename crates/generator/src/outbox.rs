// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages that wait to be written. Bounded: packets are begun only while
//! there is room, and the few messages besides are bounded by the commands
//! that caused them, of which none is read while there is no room.

use alloc::collections::VecDeque;
use irqscope_wire::{Frame, Message};

/// The messages that wait for a host, in their order.
#[derive(Clone, Debug)]
pub struct Outbox {
    waiting: VecDeque<Message>,
    room: usize,
    /// Frames that were given a number; see [`Outbox::next`].
    numbered: u64,
}

impl Outbox {
    /// Makes an outbox for `room` messages.
    pub fn new(room: usize) -> Self {
        Self { waiting: VecDeque::new(), room, numbered: 0 }
    }

    /// Returns whether another packet fits.
    pub fn has_room(&self) -> bool {
        self.waiting.len() < self.room
    }

    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a message, whether there is room or not.
    pub fn push(&mut self, message: Message) {
        self.waiting.push_back(message);
    }

    /// Hands over all that waits, and takes an empty queue for it.
    pub fn swap(&mut self, queue: &mut VecDeque<Message>) {
        core::mem::swap(&mut self.waiting, queue);
    }

    /// Drops queued replies: their requester has disconnected.
    pub fn forget_replies(&mut self) {
        self.waiting.retain(|message| !matches!(message, Message::Reply(_)));
    }

    /// Returns the next frame to be written. Its number is used up, whether it arrives or not: that
    /// is how a host sees what it missed.
    #[expect(clippy::should_implement_trait, reason = "it is a queue, not a sequence")]
    pub fn next(&mut self) -> Option<Frame> {
        let message = self.waiting.pop_front()?;
        Some(self.number(message))
    }

    /// Returns the message that waits longest; [`Outbox::number`] makes a frame of it when it is
    /// written.
    pub fn pop(&mut self) -> Option<Message> {
        self.waiting.pop_front()
    }

    /// Makes a frame that goes before all that waits: a hello.
    pub fn number(&mut self, message: Message) -> Frame {
        let number = self.numbered;
        self.numbered += 1;
        Frame { number, message }
    }
}
