// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plan of one case, from the host to the target: everything that decides a measurement, and
//! nothing else.

use alloc::{format, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::{
    Benchmark, DelayedLocking, Inside, Line, Outside, Policy, StagePlan, Sysctl, SystemState, Tick,
    View,
};

/// The end of the name of a case that is measured from outside only; the name before it is that of
/// the case it is compared with.
pub const OUTSIDE_ONLY: &str = "/outside";

/// The end of the name of a case that differs from the one before it by its events only.
pub const EXPLAINED: &str = "/explained";

/// The end of the name of a case that is measured with one of several seeds, before the seed; the name
/// before it is that of the case with any.
pub const SEED: &str = "/seed-";

/// One case, complete: where and in which state it is measured, and what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// `kernel/state`, unique in its run; see also [`OUTSIDE_ONLY`] and [`SEED`].
    pub case: String,
    /// The CPU under test.
    pub cpu: u32,
    /// How long the loads run before the first trigger or benchmark.
    pub settle_ms: u32,
    /// The system state.
    pub state: SystemState,
    /// Idle states are left as they are; else the agent holds deep ones off
    /// while it measures.
    pub idle_states: bool,
    /// None: whatever the kernel has of it is left as it is.
    pub delayed_locking: Option<DelayedLocking>,
    /// Settings of the kernel that the agent makes, and takes back at the end.
    #[serde(default)]
    pub sysctls: Vec<Sysctl>,
    /// The tick of the target's counter, where it is known beforehand: the twin's, or
    /// an imported file's.
    pub tick: Option<Tick>,
    /// The virtual time that one instruction takes; the twin only.
    pub instruction: Option<Tick>,
    /// The work to measure.
    pub work: Work,
}

/// The work that is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a run has few plans, and most ask stages")]
pub enum Work {
    /// Stages of the kernel, which the driver asks.
    Stages(StagePlan),
    /// Benchmarks, in this order; the driver takes no part.
    Benchmarks(Vec<Benchmark>),
}

impl Plan {
    /// The most triggers that there can be. A plan with this many has no end of its
    /// own: the target answers until it is stopped, however long no trigger comes.
    pub const OPEN_END: u64 = 1 << 32;

    /// Makes a plan of these stages where nothing else is said.
    pub fn of_stages(stages: StagePlan) -> Self {
        Self { work: Work::Stages(stages), ..Self::default() }
    }

    /// Makes a plan of these benchmarks where nothing else is said.
    pub fn of_benchmarks(benchmarks: Vec<Benchmark>) -> Self {
        Self { work: Work::Benchmarks(benchmarks), ..Self::default() }
    }

    /// Returns the stages that are asked, if any are.
    pub fn stages(&self) -> Option<&StagePlan> {
        match &self.work {
            Work::Stages(stages) => Some(stages),
            Work::Benchmarks(_) => None,
        }
    }

    /// Returns the same, to be changed.
    pub fn stages_mut(&mut self) -> Option<&mut StagePlan> {
        match &mut self.work {
            Work::Stages(stages) => Some(stages),
            Work::Benchmarks(_) => None,
        }
    }

    /// Returns the benchmarks that are run; empty where stages are asked.
    pub fn benchmarks(&self) -> &[Benchmark] {
        match &self.work {
            Work::Stages(_) => &[],
            Work::Benchmarks(benchmarks) => benchmarks,
        }
    }

    /// Returns the same plan with its stages changed, if it has any.
    #[must_use]
    pub fn with_stages(&self, change: impl FnOnce(&mut StagePlan)) -> Self {
        let mut plan = self.clone();
        if let Some(stages) = plan.stages_mut() {
            change(stages);
        }
        plan
    }

    /// Returns whether stages are asked; else benchmarks are run.
    pub fn needs_driver(&self) -> bool {
        self.stages().is_some()
    }

    /// Returns whether samples of this view are taken.
    pub fn has_view(&self, view: View) -> bool {
        self.stages().is_some_and(|stages| stages.has_view(view))
    }

    /// Returns whether the target records what else the CPU under test does.
    pub fn explains(&self) -> bool {
        self.stages().is_some_and(StagePlan::explains)
    }

    /// Returns whether a loop is to have CPUs alone.
    pub fn isolates(&self) -> bool {
        self.benchmarks().iter().any(|one| matches!(one, Benchmark::Isolate(_)))
    }

    /// Returns the demands on a generator, where one watches.
    pub fn outside(&self) -> Option<Outside> {
        self.stages()?.outside
    }

    /// Returns where responses are shown.
    pub fn line(&self) -> Line {
        self.stages().map_or(Line::Record, |stages| stages.line)
    }

    /// Returns whether the target's counter and the generator's clock are the same one: the twin's
    /// virtual clock.
    pub fn shares_clock(&self) -> bool {
        self.instruction.is_some()
    }

    /// Returns whether any thread that is measured wants a real-time policy.
    pub fn uses_real_time(&self) -> bool {
        match &self.work {
            Work::Stages(stages) => [stages.user, stages.kthread, stages.thread]
                .iter()
                .any(|one| one.policy != Policy::Other),
            Work::Benchmarks(all) => all.iter().any(|one| one.class().is_real_time()),
        }
    }

    /// Returns how many samples it will have, as far as that is known beforehand.
    pub fn samples(&self) -> u64 {
        match &self.work {
            Work::Stages(stages) => stages.count,
            Work::Benchmarks(all) => {
                all.iter().fold(0, |sum, one| sum.saturating_add(one.samples()))
            }
        }
    }

    /// Returns whether a spare CPU of the target is its generator.
    pub fn uses_spare_cpu(&self) -> bool {
        self.stages().is_some_and(StagePlan::uses_spare_cpu)
    }

    /// Returns the same measurement from outside only, to show what the inside view costs.
    #[must_use]
    pub fn without_inside(&self) -> Self {
        let case = format!("{}{OUTSIDE_ONLY}", self.case);
        Self { case, ..self.with_stages(|stages| stages.inside = None) }
    }

    /// Returns the same measurement with events, to show what they cost.
    #[must_use]
    pub fn explained(&self) -> Self {
        let case = format!("{}{EXPLAINED}", self.case);
        let explain = |inside| Inside { explain: true, ..inside };
        Self { case, ..self.with_stages(|stages| stages.inside = stages.inside.map(explain)) }
    }

    /// Returns the same measurement with a seed of several, which its name says.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        let case = format!("{}{SEED}{seed}", self.case);
        Self { case, ..self.with_stages(|stages| stages.seed = seed) }
    }

    /// Returns the plan by the name that it has where there is one seed only.
    #[must_use]
    pub fn without_seed_in_name(&self) -> Self {
        let seed = self.stages().map(|stages| format!("{SEED}{}", stages.seed));
        let name = seed.and_then(|seed| self.case.strip_suffix(&seed)).unwrap_or(&self.case);
        Self { case: name.into(), ..self.clone() }
    }

    /// Returns the same measurement without a generator: the driver's own timer, which triggers or
    /// injects, and the target's own record.
    #[must_use]
    pub fn without_generator(&self) -> Self {
        self.with_stages(StagePlan::remove_generator)
    }
}

/// The plan where nothing else is said: the stages of the default [`StagePlan`], on an idle
/// machine.
impl Default for Plan {
    fn default() -> Self {
        Self {
            case: String::new(),
            cpu: 0,
            settle_ms: 100,
            state: SystemState::of("idle", Vec::new()),
            idle_states: false,
            delayed_locking: None,
            sysctls: Vec::new(),
            tick: None,
            instruction: None,
            work: Work::Stages(StagePlan::default()),
        }
    }
}
