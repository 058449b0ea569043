// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator with its packets and its outbox: all that one with an allocator
//! needs besides a clock, wires and a socket.
//!
//! Useful invariant: samples are packed in [`Source::pump`] and nowhere on the
//! way of a trigger or an edge, so that neither waits for the allocator. Call it
//! when there is time, and before the window of open triggers is full.

use alloc::{boxed::Box, string::ToString, vec};
use irqscope_wire::{
    Command, GeneratorHello, Message, Refusal, Reply, RunState, Seq, Settings, Status,
};

use crate::pairing::{Seen, Slot};
use crate::{Act, Generator, Outbox, Packer};

/// A generator with the messages that it has for a host.
#[derive(Clone, Debug)]
pub struct Source {
    hello: GeneratorHello,
    generator: Generator<Box<[Slot]>>,
    packer: Packer,
    /// The messages that wait for a host.
    pub outbox: Outbox,
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

    /// Forwards to [`Generator::ahead`].
    #[must_use]
    pub fn ahead(mut self, high_step: u64) -> Self {
        self.generator = self.generator.ahead(high_step);
        self
    }

    /// Returns the hello.
    pub fn hello(&self) -> Message {
        Message::GeneratorHello(self.hello.clone())
    }

    /// Returns what the hello says.
    pub fn facts(&self) -> &GeneratorHello {
        &self.hello
    }

    /// Returns the first frames of a connection. The status has any change until now.
    pub fn greeting(&mut self) -> [Message; 2] {
        self.generator.take_changed();
        [self.hello(), Message::Status(self.generator.status())]
    }

    /// Returns the status.
    pub fn status(&self) -> Status {
        self.generator.status()
    }

    /// Forwards to [`Generator::clock`].
    pub fn clock(&mut self, now: u64) {
        self.generator.clock(now);
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        self.generator.settings()
    }

    /// Returns the state of the run.
    pub fn state(&self) -> RunState {
        self.generator.state()
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

    /// Forwards to [`Generator::armed`].
    pub fn armed(&mut self, now: u64) {
        self.generator.armed(now);
    }

    /// Forwards to [`Generator::disarmed`].
    pub fn disarmed(&mut self) {
        self.generator.disarmed();
    }

    /// Forwards to [`Generator::due`].
    pub fn due(&self) -> Option<u64> {
        self.generator.due()
    }

    /// Forwards to [`Generator::tick`], and packs what has become final.
    pub fn tick(&mut self, now: u64) -> Act {
        self.generator.tick(now)
    }

    /// Forwards to [`Generator::made`].
    pub fn made(&mut self, at: u64) -> Seq {
        self.generator.made(at)
    }

    /// Forwards to [`Generator::awaited`].
    pub fn awaited(&mut self, line: u8) -> Option<Seq> {
        self.generator.awaited(line)
    }

    /// Forwards to [`Generator::exact`].
    pub fn exact(&mut self, line: u8, seq: Seq) {
        self.generator.exact(line, seq);
    }

    /// Forwards to [`Generator::unmade`].
    pub fn unmade(&mut self) {
        self.generator.unmade();
    }

    /// Forwards to [`Generator::skipped`].
    pub fn skipped(&mut self, points: u64) {
        self.generator.skipped(points);
    }

    /// Forwards to [`Generator::open`].
    pub fn open(&self) -> u64 {
        self.generator.open()
    }

    /// Forwards to [`Generator::lost`].
    pub fn lost(&mut self) {
        self.generator.lost();
    }

    /// Forwards to [`Generator::raised`].
    pub fn raised(&mut self, at: u64) {
        self.generator.raised(at);
    }

    /// Forwards to [`Generator::merged`].
    pub fn merged(&mut self) {
        self.generator.merged();
    }

    /// Forwards to [`Generator::numbered`].
    pub fn numbered(&mut self, at: u64, number: u32) {
        self.generator.numbered(at, number);
    }

    /// Forwards to [`Generator::dropped`].
    pub fn dropped(&mut self) {
        self.generator.dropped();
    }

    /// Forwards to [`Generator::responses`].
    pub fn responses(&mut self, line: u8, count: u32, number: u32, at: u64) {
        let extra = self.generator.responses(line, count, number, at);
        (0..extra).for_each(|_| self.packer.extra(&self.generator, line, at));
    }

    /// Forwards to [`Generator::edge`].
    pub fn edge(&mut self, line: u8, at: u64) {
        if self.generator.edge(line, at) == Some(Seen::Extra) {
            self.packer.extra(&self.generator, line, at);
        }
    }

    /// Forwards to [`Generator::changed`].
    pub fn changed(&mut self, line: u8, high: bool, at: u64) {
        if self.generator.changed(line, high, at) == Some(Seen::Extra) {
            self.packer.extra(&self.generator, line, at);
        }
    }

    /// Forwards to [`Generator::coalesced`].
    pub fn coalesced(&mut self, line: u8, seq: Seq) -> bool {
        self.generator.coalesced(line, seq)
    }

    /// Ends the clock.
    pub fn finish(&mut self) {
        self.generator.finish();
    }

    /// Returns whether a trigger is out whose answers are not all there.
    pub fn waits(&self) -> bool {
        self.generator.waits()
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
