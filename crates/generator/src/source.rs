// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator with its packets and its outbox: all that one with an allocator
//! needs besides a clock, wires and a socket.
//!
//! Useful invariant: samples are packed in [`Source::pump`] and nowhere on the
//! way of a trigger or an edge, so that neither waits for the allocator. Call it
//! when there is time, and before the window of open triggers is full.

use alloc::{boxed::Box, string::ToString, vec};
use core::ops::{Deref, DerefMut};
use irqscope_wire::{Command, GeneratorHello, Message, Refusal, Reply, Status};

use crate::pairing::Match;
use crate::slot::Slot;
use crate::{Generator, Outbox, Packer};

/// A generator with the messages that it has for a host.
#[derive(Clone, Debug)]
pub struct Source {
    hello: GeneratorHello,
    generator: Generator<Box<[Slot]>>,
    packer: Packer,
    /// The messages that wait for a host.
    pub outbox: Outbox,
}

/// A source does all that its generator does; the methods of [`Source`] itself are those
/// that packets have a part in.
impl Deref for Source {
    type Target = Generator<Box<[Slot]>>;

    fn deref(&self) -> &Self::Target {
        &self.generator
    }
}

impl DerefMut for Source {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.generator
    }
}

impl Source {
    /// Makes a source; `window` is how many triggers may be open at once, `room` how many messages
    /// may wait. `armed_delay` as in [`Generator::new`].
    pub fn new(hello: GeneratorHello, window: usize, room: usize, armed_delay: u64) -> Self {
        let slots = vec![Slot::EMPTY; window.max(1)].into_boxed_slice();
        let GeneratorHello { lines, limits, tick, .. } = hello;
        let generator = Generator::new(slots, lines, limits, tick, armed_delay);
        let hello = GeneratorHello { limits: *generator.limits(), ..hello };
        Self { hello, generator, packer: Packer::default(), outbox: Outbox::new(room) }
    }

    /// Does as [`Generator::with_hardware_grid`].
    #[must_use]
    pub fn with_hardware_grid(mut self, high_step: u64) -> Self {
        self.generator = self.generator.with_hardware_grid(high_step);
        self
    }

    /// Returns the hello.
    pub fn hello(&self) -> &GeneratorHello {
        &self.hello
    }

    /// Returns the hello as the message that a connection begins with.
    pub fn hello_message(&self) -> Message {
        Message::GeneratorHello(self.hello.clone())
    }

    /// Returns the first frames of a connection. The status has any change until now.
    pub fn greeting(&mut self) -> [Message; 2] {
        self.generator.take_changed();
        [self.hello_message(), Message::Status(self.generator.status())]
    }

    /// Does what a host's frame `to` asks for, and answers it.
    pub fn command(&mut self, to: u64, command: Command, now: u64) {
        let result = self.set(command, now);
        self.reply(Some(to), result);
        self.pump();
    }

    /// Executes a command without a reply: settings given beforehand.
    ///
    /// # Errors
    /// As [`Generator::command`].
    pub fn set(&mut self, command: impl Into<Command>, now: u64) -> Result<Status, Refusal> {
        // A new run begins with nothing open: what is final is packed before.
        self.pump();
        self.generator.command(command, now)
    }

    /// Replies to a command; `to` is the number of its frame.
    pub fn reply(&mut self, to: Option<u64>, result: Result<Status, Refusal>) {
        self.outbox.push(Message::Reply(Reply { to, result }));
    }

    /// Takes responses as [`Generator::responses`] does, and keeps the extra edges for the next
    /// packet.
    pub fn responses(&mut self, line: u8, count: u32, number: u32, at: u64) {
        let extra = self.generator.responses(line, count, number, at);
        (0..extra).for_each(|_| self.packer.extra(&self.generator, line, at));
    }

    /// Takes an edge as [`Generator::edge`] does, and keeps an extra edge for the next packet.
    pub fn edge(&mut self, line: u8, at: u64) {
        if self.generator.edge(line, at) == Some(Match::Extra) {
            self.packer.extra(&self.generator, line, at);
        }
    }

    /// Takes a change as [`Generator::line_changed`] does, and keeps an extra edge for the next
    /// packet.
    pub fn line_changed(&mut self, line: u8, high: bool, at: u64) {
        if self.generator.line_changed(line, high, at) == Some(Match::Extra) {
            self.packer.extra(&self.generator, line, at);
        }
    }

    /// Reports that the generator cannot work at all.
    pub fn fail(&mut self, what: &str, remedy: &str) {
        let (what, remedy) = (what.to_string(), remedy.to_string());
        self.outbox.push(Message::Failed(irqscope_wire::Failure { what, remedy, invalid: false }));
    }

    /// Packs the samples that are final, and reports a change of the state.
    pub fn pump(&mut self) {
        self.packer.pump(&mut self.generator, &mut self.outbox);
    }
}
