// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The settings of a generator, in nanoseconds and millihertz.

use irqscope_wire::{Burst, Command, Cycles, Pacing, Polarity, Shape};
use serde::Deserialize;

use super::DeskError;
use super::generator::{Differs, GeneratorState, JitterNs};

/// Each may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub period_ns: Option<u64>,
    pub frequency_millihertz: Option<u64>,
    pub duty_per_mille: Option<u16>,
    pub packet: Option<u16>,
    pub count: Option<u64>,
    pub jitter: Option<JitterNs>,
    pub burst: Option<Burst>,
    pub seed: Option<u64>,
    pub pacing: Option<Pacing>,
    pub patience_ns: Option<u64>,
    pub shape: Option<Shape>,
    pub polarity: Option<Polarity>,
}

impl Settings {
    /// Returns the commands in an order in which each can be done.
    pub fn commands(&self, generator: &GeneratorState) -> Result<Vec<Command>, DeskError> {
        let ticks = |ns| generator.hello.tick.cycles(ns);
        let jitter = |it: JitterNs| Command::Jitter { kind: it.kind, amount: ticks(it.amount_ns) };
        let burst =
            |it: Burst| Command::Burst { triggers: it.triggers, interval: ticks(it.interval_ns) };
        let all = [
            self.period(generator)?.map(Command::Period),
            self.duty_per_mille.map(Command::Duty),
            self.packet.map(Command::Packet),
            self.count.map(Command::Count),
            self.jitter.map(jitter),
            self.burst.map(burst),
            self.shape.map(Command::Shape),
            self.polarity.map(Command::Polarity),
            self.seed.map(Command::Seed),
            self.pacing.map(Command::Pacing),
            self.patience_ns.map(|ns| Command::Patience(ticks(ns))),
        ];
        let commands: Vec<Command> = all.into_iter().flatten().collect();
        match commands.is_empty() {
            true => Err(DeskError::Wrong("no setting is named".into())),
            false => Ok(commands),
        }
    }

    fn period(&self, generator: &GeneratorState) -> Result<Option<Cycles>, DeskError> {
        let wrong = |text: &str| DeskError::Wrong(text.to_owned());
        match (self.period_ns, self.frequency_millihertz) {
            (Some(_), Some(_)) => {
                Err(wrong("period_ns and frequency_millihertz say the same: name one of them"))
            }
            (Some(ns), None) => Ok(Some(generator.hello.tick.cycles(ns))),
            (None, Some(millihertz)) => {
                let period = generator.hello.period_of(millihertz);
                period.map(Some).ok_or_else(|| wrong("frequency_millihertz 0 is out of range"))
            }
            (None, None) => Ok(None),
        }
    }

    /// Returns the settings of which the generator made something else.
    pub fn differs(&self, generator: &GeneratorState) -> Vec<Differs> {
        let set = &generator.status.settings;
        let pairs = [
            ("period_ns", self.period_ns, set.period_ns),
            ("frequency_millihertz", self.frequency_millihertz, set.frequency_millihertz),
            ("duty_per_mille", self.duty_per_mille.map(u64::from), set.duty_per_mille.into()),
            ("packet", self.packet.map(u64::from), set.packet.into()),
            ("count", self.count, set.count),
            ("jitter", self.jitter.map(|it| it.amount_ns), set.jitter.amount_ns),
            ("burst", self.burst.map(|it| it.interval_ns), set.burst.interval_ns),
            ("seed", self.seed, set.seed),
            ("patience_ns", self.patience_ns, set.patience_ns),
        ];
        let differs = |(setting, asked, set): (&'static str, Option<u64>, u64)| {
            let asked = asked.filter(|asked| *asked != set)?;
            Some(Differs { setting, asked, set })
        };
        pairs.into_iter().filter_map(differs).collect()
    }
}
