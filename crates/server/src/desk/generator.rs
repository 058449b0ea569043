// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A connected generator as people see it: times in nanoseconds.

use irqscope_rig::board::default_stages;
use irqscope_wire::{
    Burst, Cycles, GeneratorHello, GeneratorKind, Jitter, Pacing, Polarity, Range, RunState,
    Settings as Set, Shape, Stage, Status, Totals as Counted,
};
use serde::Serialize;

use super::DeskError;

#[derive(Clone, Debug, Serialize)]
pub struct GeneratorState {
    pub address: String,
    pub connected: bool,
    pub error: Option<String>,
    pub kind: GeneratorKind,
    pub tool_version: String,
    pub tick_femtoseconds: u64,
    pub lines: u8,
    pub default_stages: Vec<Stage>,
    pub limits: Limits,
    pub status: Now,
    #[serde(skip)]
    pub hello: GeneratorHello,
}

/// Pairs are the lowest and the highest, both allowed.
#[derive(Clone, Debug, Serialize)]
pub struct Limits {
    pub period_ns: [u64; 2],
    pub period_step_ns: f64,
    pub pulse_ns: u64,
    pub frequency_millihertz: [u64; 2],
    pub packet: [u64; 2],
    pub count: [u64; 2],
    pub jitter_ns: [u64; 2],
    pub patience_ns: [u64; 2],
    pub burst: [u64; 2],
    pub sees_pulses: bool,
    pub sees_arming: bool,
    pub inverts: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Now {
    pub run: u32,
    pub state: RunState,
    pub settings: Settings,
    pub totals: Counted,
    pub identity_holds: bool,
}

/// The settings that are really in force.
#[derive(Clone, Debug, Serialize)]
pub struct Settings {
    pub period_ns: u64,
    pub frequency_millihertz: u64,
    pub duty_per_mille: u16,
    pub high_ns: u64,
    pub packet: u16,
    pub count: u64,
    pub jitter: JitterNs,
    pub burst: Burst,
    pub seed: u64,
    pub pacing: Pacing,
    pub patience_ns: u64,
    pub shape: Shape,
    pub polarity: Polarity,
}

/// [`Jitter`] with its unit in the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JitterNs {
    pub kind: irqscope_wire::JitterKind,
    #[serde(default)]
    pub amount_ns: u64,
}

impl From<Jitter> for JitterNs {
    fn from(jitter: Jitter) -> Self {
        Self { kind: jitter.kind, amount_ns: jitter.ns }
    }
}

/// Where a setting is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differs {
    pub setting: &'static str,
    pub asked: u64,
    pub set: u64,
}

impl GeneratorState {
    pub fn new(address: &str, hello: &GeneratorHello, status: &Status) -> Self {
        Self {
            address: address.to_owned(),
            connected: true,
            error: None,
            kind: hello.kind,
            tool_version: hello.tool_version.clone(),
            tick_femtoseconds: hello.tick.femtoseconds,
            lines: hello.lines,
            default_stages: default_stages(status.settings.lines),
            limits: Limits::of(hello),
            status: Now::of(hello, status),
            hello: hello.clone(),
        }
    }

    pub fn learn(&mut self, status: &Status) {
        self.status = Now::of(&self.hello, status);
    }

    pub fn learn_totals(&mut self, totals: &Counted) {
        (self.status.totals, self.status.identity_holds) = (*totals, totals.identity_holds());
    }

    /// Checks that there are as many stages as lines, each once.
    pub fn check_stages(&self, stages: &[Stage]) -> Result<(), DeskError> {
        let mut known = stages.to_vec();
        known.sort_unstable();
        known.dedup();
        if known.len() == stages.len() && stages.len() == usize::from(self.lines) {
            return Ok(());
        }
        Err(DeskError::Wrong(format!(
            "the generator watches {} lines: name as many stages, each once; {} were named",
            self.lines,
            stages.len()
        )))
    }
}

impl Limits {
    fn of(hello: &GeneratorHello) -> Self {
        let limits = hello.limits;
        let pair = |range: Range| [range.lowest, range.highest];
        let times = |range: Range| pair(range).map(|ticks| ns(hello, Cycles(ticks)));
        let Range { lowest, highest } = limits.period;
        Self {
            period_ns: times(limits.period),
            period_step_ns: limits.period_step as f64 * hello.tick.femtoseconds as f64 / 1e6,
            pulse_ns: ns(hello, Cycles(limits.pulse)),
            frequency_millihertz: [highest, lowest].map(|period| millihertz(hello, Cycles(period))),
            packet: pair(limits.packet),
            count: pair(limits.count),
            jitter_ns: times(limits.jitter),
            patience_ns: times(limits.patience),
            burst: pair(limits.burst),
            sees_pulses: limits.sees_pulses,
            sees_arming: limits.sees_arming,
            inverts: limits.inverts,
        }
    }
}

impl Now {
    fn of(hello: &GeneratorHello, status: &Status) -> Self {
        let Status { run, state, settings, totals, .. } = *status;
        let settings = Settings::of(hello, &settings);
        Self { run, state, settings, totals, identity_holds: totals.identity_holds() }
    }
}

impl Settings {
    fn of(hello: &GeneratorHello, set: &Set) -> Self {
        Self {
            period_ns: ns(hello, set.period),
            frequency_millihertz: millihertz(hello, set.period),
            duty_per_mille: set.duty_per_mille,
            high_ns: ns(hello, set.high),
            packet: set.packet,
            count: set.count,
            jitter: JitterNs { kind: set.jitter, amount_ns: ns(hello, set.jitter_amount) },
            burst: Burst { triggers: set.burst, interval_ns: ns(hello, set.interval) },
            seed: set.seed,
            pacing: set.pacing,
            patience_ns: ns(hello, set.patience),
            shape: set.shape,
            polarity: set.polarity,
        }
    }
}

fn ns(hello: &GeneratorHello, ticks: Cycles) -> u64 {
    u64::try_from(hello.nanoseconds(ticks).0).unwrap_or(0)
}

/// Returns the triggers in a thousand seconds, to the nearest.
fn millihertz(hello: &GeneratorHello, period: Cycles) -> u64 {
    let femtoseconds = u128::from(period.0) * u128::from(hello.tick.femtoseconds);
    // 10^15 fs in a second, 10^3 mHz in a hertz.
    let millihertz = (1_000_000_000_000_000_000 + femtoseconds / 2) / femtoseconds.max(1);
    u64::try_from(millihertz).unwrap_or(u64::MAX)
}
