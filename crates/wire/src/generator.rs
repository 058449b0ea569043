// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The messages between a generator and its host; see docs/protocol.md.
//!
//! All times are ticks of the generator's own clock, whose length is in its hello. A period in
//! ticks is what the hardware does, exactly; a frequency is not (3 ms has none in whole
//! millihertz), so the host converts it once ([`GeneratorHello::period_of`]).

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{Account, Changes, Cycles, Limits, Nanoseconds, Refusal, Seq, Settings, Tick};

named! {
    /// The kinds of generators.
    GeneratorKind, "generator", {
        /// A plugin in QEMU, on the virtual clock.
        Twin = "twin",
        /// A process on the host behind a virtual machine's doorbell.
        Vm = "vm",
        /// A CPU of the target that the scheduler does not use.
        Cpu = "cpu",
        /// A board with wires.
        Board = "board",
    }
}

named! {
    /// When the first trigger of a run is due.
    StartAt, "start", {
        /// One period from now.
        Now = "now",
        /// A fixed delay after the target has let its interrupt through.
        Armed = "armed",
    }
}

named! {
    /// Where a run is.
    RunState, "run state", {
        /// No run since the generator was made.
        Idle = "idle",
        /// Waits for the target to let its interrupt through.
        Waiting = "waiting",
        Running = "running",
        /// All triggers were sent; the last ones may still be answered.
        Draining = "draining",
        /// Every trigger is accounted for.
        Done = "done",
    }
}

/// A number that a generator draws for one connection.
pub type Challenge = [u8; 16];

/// The generator's first frame on every connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratorHello {
    /// The protocol's version.
    pub protocol: u16,
    /// The kind of generator.
    pub kind: GeneratorKind,
    /// Its program's version.
    pub tool_version: String,
    /// The unit of all times in this stream.
    pub tick: Tick,
    /// Response lines, numbered from 0.
    pub lines: u8,
    /// The limits of its settings.
    pub limits: Limits,
    /// Where it has a secret: only a host that proves to know it is served.
    pub challenge: Option<Challenge>,
}

/// The slowest trigger that every generator offers, in millihertz.
pub const SLOWEST_MILLIHERTZ: u64 = 16_000;

impl GeneratorHello {
    /// Returns the period nearest to a frequency; none for a frequency of 0.
    pub fn period_of(&self, millihertz: u64) -> Option<Cycles> {
        let tick = u128::from(self.tick.femtoseconds);
        let divisor = tick.checked_mul(u128::from(millihertz)).filter(|divisor| *divisor > 0)?;
        // 10^15 fs in a second, 10^3 mHz in a hertz.
        let ticks = (1_000_000_000_000_000_000u128 + divisor / 2) / divisor;
        Some(Cycles(u64::try_from(ticks).unwrap_or(u64::MAX)))
    }

    /// Converts an instant or a span to nanoseconds.
    pub fn nanoseconds(&self, span: Cycles) -> Nanoseconds {
        self.tick.nanoseconds(i64::try_from(span.0).unwrap_or(i64::MAX))
    }
}

/// The commands of a host. Each is answered by one [`Reply`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Changes settings, all of them or none.
    Set(Changes),
    /// Starts a run.
    Start(StartAt),
    /// Ends a run; triggers in flight are waited for. Fine if there is none.
    Stop,
    /// Asks for the status.
    Status,
    /// Measures the way from the trigger to every line that it is wired to. No run
    /// is active before and none after; a [`Calibration`] says what was found.
    Calibrate,
}

impl From<Changes> for Command {
    fn from(changes: Changes) -> Self {
        Self::Set(changes)
    }
}

/// The answer to the command in the host's frame `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// None: what was refused was no frame, so it had no number.
    pub to: Option<u64>,
    /// The status after the command, or why it was refused.
    pub result: Result<Status, Refusal>,
}

/// Where a generator is and what is really set. Sent as a reply, whenever the
/// state changes, and to keep an idle connection alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Runs are counted from 1; 0 before the first.
    pub run: u32,
    /// The state of the run.
    pub state: RunState,
    /// The settings in force.
    pub settings: Settings,
    /// The totals of the run.
    pub totals: Totals,
    /// The generator's own clock: in a reply as the command was done, else at the
    /// last thing that it did.
    pub now: Cycles,
}

/// A generator's measurements of itself, with its trigger wired to its own lines. Sent after the
/// hello by a generator that has any, and after [`Command::Calibrate`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// By line; None: the trigger did not come there.
    pub lines: Vec<Option<Loopback>>,
}

/// From the trigger at its own input to its own edge at a line's, in ticks. A target wired the same
/// way answers sooner than is measured by this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loopback {
    /// The median.
    pub offset: i64,
    /// The shortest.
    pub lowest: i64,
    /// The longest.
    pub highest: i64,
    /// How often it was measured.
    pub measurements: u32,
}

/// Samples and what came with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packet {
    /// The run's number.
    pub run: u32,
    /// In the order of their sequence numbers; a gap is a dropped sample.
    pub samples: Vec<OutsideSample>,
    /// Edges that answered nothing, since the packet before.
    pub extras: Vec<ExtraEdge>,
    /// As they are after the last of these samples.
    pub totals: Totals,
}

/// One trigger and what was seen on every line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideSample {
    /// The trigger's number.
    pub seq: Seq,
    /// The instant at which the interrupt line went up.
    pub trigger: Cycles,
    /// By line.
    pub answers: Vec<Answer>,
    /// Lines with an extra edge between this trigger and the next; bit n is
    /// line n.
    pub extra: u16,
    /// By line, how long its pulse was; empty where lines toggle.
    pub widths: Vec<Option<Cycles>>,
    /// Lines whose answer was measured by looking in every cycle; bit n is line n.
    /// The others were looked at more seldom, or the generator knows but one way.
    pub window: u16,
}

/// The answer of one line. A response's instant is the trigger's plus this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The edge came while no younger trigger was out: certain.
    Prompt(Cycles),
    /// A younger trigger was out already. The edge is given to the oldest
    /// trigger without one; if an edge was lost or merged, this is longer than
    /// the truth, and never shorter.
    Late(Cycles),
    /// No edge came in time.
    Missing,
    /// The target said that this response was merged with an earlier one.
    Coalesced,
    /// A younger trigger was out already, but the response itself named this one:
    /// certain.
    Named(Cycles),
    /// The trigger did not ask this line's stage: it was another one's turn.
    Unasked,
}

/// An edge on a line on which no trigger waited for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraEdge {
    /// The line.
    pub line: u8,
    /// Its instant.
    pub at: Cycles,
}

/// Counts since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Triggers that were sent.
    pub triggers: u64,
    /// Samples with an edge on every line.
    pub complete: u64,
    /// Samples that lack an edge on some line, for no known reason.
    pub missing: u64,
    /// Samples of which the target said that a line's answer was merged.
    pub coalesced: u64,
    /// Triggers whose sample was not kept: no memory was left for it, or the
    /// host did not read.
    pub dropped: u64,
    /// Triggers that are none of these yet.
    pub open: u64,
    /// Grid points without a trigger: a sample was open (closed pacing), or
    /// the generator was late.
    pub skipped: u64,
    /// Of lines that show pulses the rising ones.
    pub edges: u64,
    /// Edges that answered a trigger.
    pub answers: u64,
    /// Edges that did not; all are counted, even if not all fit a packet.
    pub extra: u64,
}

impl Totals {
    /// Returns whether every trigger and every edge is counted exactly once.
    pub fn identity_holds(&self) -> bool {
        Account::from(*self).holds() && self.answers.checked_add(self.extra) == Some(self.edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PROTOCOL;

    fn hello(femtoseconds: u64) -> GeneratorHello {
        GeneratorHello {
            protocol: PROTOCOL,
            kind: GeneratorKind::Board,
            tool_version: "0".into(),
            tick: Tick { femtoseconds },
            lines: 8,
            limits: Limits::USUAL,
            challenge: None,
        }
    }

    #[test]
    fn a_frequency_becomes_the_nearest_period() {
        assert_eq!(hello(1_000_000).period_of(1_000_000), Some(Cycles(1_000_000)));
        assert_eq!(hello(8_000_000).period_of(SLOWEST_MILLIHERTZ), Some(Cycles(7_812_500)));
        assert_eq!(hello(6_666_667).period_of(333_333), Some(Cycles(450_000)));
        assert_eq!(hello(1_000_000).period_of(0), None);
        assert_eq!(hello(1).period_of(1), Some(Cycles(1_000_000_000_000_000_000)));
    }

    #[test]
    fn the_identity_sees_a_trigger_counted_twice_and_an_edge_lost() {
        let good = Totals {
            triggers: 3,
            complete: 2,
            open: 1,
            edges: 5,
            answers: 4,
            extra: 1,
            ..Default::default()
        };
        assert!(good.identity_holds());
        assert!(!Totals { missing: 1, ..good }.identity_holds());
        assert!(!Totals { edges: 6, ..good }.identity_holds());
        assert!(!Totals { complete: u64::MAX, ..good }.identity_holds());
    }
}
