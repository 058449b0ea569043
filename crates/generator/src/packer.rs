// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Final samples into packets. A packet that was begun has a place in the
//! outbox; without a place none is begun and samples are dropped, counted.

use alloc::vec::Vec;
use irqscope_wire::{Answer, Cycles, ExtraEdge, Message, OutsideSample, Packet, RunState, Shape};

use crate::slot::Slot;
use crate::{Generator, Outbox};

/// Collects final samples into packets.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    samples: Vec<OutsideSample>,
    extras: Vec<ExtraEdge>,
}

impl Packer {
    /// Notes an edge that answered nothing. A packet lists as many as it has
    /// answers; the generator has counted it in any case.
    pub fn extra<S: AsRef<[Slot]> + AsMut<[Slot]>>(
        &mut self,
        generator: &Generator<S>,
        line: u8,
        at: u64,
    ) {
        let most = usize::from(generator.settings().packet) * generator.lines();
        if self.extras.len() < most {
            self.extras.push(ExtraEdge { line, at: Cycles(at) });
        }
    }

    /// Moves whatever is final from the generator to the outbox.
    pub fn pump<S: AsRef<[Slot]> + AsMut<[Slot]>>(
        &mut self,
        generator: &mut Generator<S>,
        outbox: &mut Outbox,
    ) {
        let changed = generator.take_changed();
        while self.pack(generator, outbox) {}
        let over = generator.state() == RunState::Done;
        if over && !(self.samples.is_empty() && self.extras.is_empty()) {
            self.send(generator, outbox);
        }
        if changed {
            outbox.push(Message::Status(generator.status()));
        }
    }

    fn pack<S: AsRef<[Slot]> + AsMut<[Slot]>>(
        &mut self,
        generator: &mut Generator<S>,
        outbox: &mut Outbox,
    ) -> bool {
        if self.samples.is_empty() && !outbox.has_room() {
            return generator.discard();
        }
        let Some(slot) = generator.take() else { return false };
        let shape = generator.settings().shape;
        self.samples.push(sample(&slot, generator.lines(), shape));
        if self.samples.len() >= usize::from(generator.settings().packet) {
            self.send(generator, outbox);
        }
        true
    }

    fn send<S: AsRef<[Slot]> + AsMut<[Slot]>>(
        &mut self,
        generator: &Generator<S>,
        outbox: &mut Outbox,
    ) {
        let status = generator.status();
        outbox.push(Message::Packet(Packet {
            run: status.run,
            samples: core::mem::take(&mut self.samples),
            extras: core::mem::take(&mut self.extras),
            totals: status.totals,
        }));
    }
}

fn sample(slot: &Slot, lines: usize, shape: Shape) -> OutsideSample {
    let width = |width: &u64| (*width > 0).then_some(Cycles(*width));
    OutsideSample {
        seq: slot.seq,
        trigger: Cycles(slot.at),
        answers: slot.answers[..lines]
            .iter()
            .map(|answer| answer.unwrap_or(Answer::Missing))
            .collect(),
        extra: slot.extra,
        widths: match shape {
            Shape::Toggle => Vec::new(),
            Shape::Pulse => slot.widths[..lines].iter().map(width).collect(),
        },
        window: slot.window,
    }
}
