// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plan of one case, from the host to the target: everything that decides a measurement, and
//! nothing else.

use alloc::{format, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{
    Benchmark, Burst, Compensate, DelayedLocking, Execution, Faults, Outside, OwnLoad, Shape,
    Stage, Sysctl, Tick, Trigger, View,
};

named! {
    /// Where responses are shown.
    Line, "line", {
        /// Nowhere but in the record.
        Record = "record",
        /// One pin of the parallel port per stage.
        Parport = "parport",
        /// One word per stage in memory that a virtual machine shares.
        Ivshmem = "ivshmem",
        /// One word per stage in memory that another CPU watches.
        Memory = "memory",
        /// One GPIO line per stage.
        Gpio = "gpio",
    }
}

named! {
    /// Which stages one trigger asks.
    Mode, "mode", {
        /// All of them.
        Together = "together",
        /// Stage `irq` and one other, each in turn.
        Isolated = "isolated",
    }
}

named! {
    /// Whether a trigger waits for the answers to the one before.
    Pacing, "pacing", {
        /// Never: a slow answer is merged with the next, and counted.
        Open = "open",
        /// A point of the time grid is skipped while a sample is open.
        Closed = "closed",
    }
}

named! {
    JitterKind, "jitter", {
        None = "none",
        Uniform = "uniform",
        Exponential = "exponential",
    }
}

/// The random part of the period. `ns` is the width (uniform) or the mean (exponential).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jitter {
    /// The distribution.
    pub kind: JitterKind,
    /// Its amount.
    pub ns: u64,
}

named! {
    Policy, "scheduling policy", {
        Other = "other",
        Fifo = "fifo",
        Rr = "rr",
    }
}

/// A scheduling policy with its real-time priority (0 for `other`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduling {
    /// The policy.
    pub policy: Policy,
    /// The priority of a real-time policy, else 0.
    pub priority: u8,
}

named! {
    /// Background work of one kind on the target.
    Load, "load", {
        /// One process that never sleeps.
        Busy = "busy",
        /// 256 processes that never sleep.
        Busy256 = "busy256",
        /// A stream over loopback TCP.
        Tcp = "tcp",
        /// Copying a file again and again.
        Copy = "copy",
        /// fork and exec without pause.
        Exec = "exec",
        /// One process that never sleeps, of real-time priority.
        Hog = "hog",
        /// Mapping, touching and unmapping memory.
        Memory = "memory",
        /// The scheduler benchmark, where it is installed.
        Hackbench = "hackbench",
        /// stress-ng's mixed stressors, where it is installed.
        StressNg = "stress-ng",
        /// Making, listing and removing many small files.
        Files = "files",
        /// A stream over TCP to a guest's other network card.
        Network = "network",
    }
}

/// A named set of loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemState {
    /// The state's name.
    pub name: String,
    /// The loads that run in it.
    pub loads: Vec<Load>,
    /// Policy and priority of load `hog`; none: [`HOG`].
    #[serde(default)]
    pub hog: Option<Scheduling>,
    /// Loads that the scenario brings; they run beside the others.
    #[serde(default)]
    pub own: Vec<OwnLoad>,
}

impl SystemState {
    /// Makes a state of these loads.
    pub fn of(name: impl Into<String>, loads: Vec<Load>) -> Self {
        Self { name: name.into(), loads, hog: None, own: Vec::new() }
    }

    /// Returns whether nothing runs in it.
    pub fn is_idle(&self) -> bool {
        self.loads.is_empty() && self.own.is_empty()
    }

    /// Returns the names of all its loads.
    pub fn load_names(&self) -> Vec<&str> {
        let own = self.own.iter().map(|load| load.name.as_str());
        self.loads.iter().map(|load| load.name()).chain(own).collect()
    }

    /// Returns the loads that are started with a real-time priority, by name.
    pub fn urgent_loads(&self) -> Vec<(&str, Scheduling)> {
        let hog = self.loads.contains(&Load::Hog);
        let hog = hog.then(|| (Load::Hog.name(), self.hog.unwrap_or(HOG)));
        let own = self.own.iter().filter_map(|load| Some((load.name.as_str(), load.scheduling?)));
        let all = hog.into_iter().chain(own);
        all.filter(|(_, scheduling)| scheduling.policy != Policy::Other).collect()
    }
}

/// Above all that is not real-time, below the interrupt threads of an RT kernel.
pub const HOG: Scheduling = Scheduling { policy: Policy::Fifo, priority: 40 };

/// A delay of known length in front of one stage's stamp; test builds of the
/// driver only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delay {
    /// The stage.
    pub stage: Stage,
    /// Even, because the loop has two instructions.
    pub instructions: u32,
}

/// The end of the name of a case that is measured from outside only; the name before it is that of
/// the case it is compared with.
pub const OUTSIDE_ONLY: &str = "/outside";

/// The end of the name of a case that differs from the one before it by its events only.
pub const EXPLAINED: &str = "/explained";

/// The end of the name of a case that is measured with one of several seeds, before the seed; the name
/// before it is that of the case with any.
pub const SEED: &str = "/seed-";

/// The target's record of each trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inside {
    /// It records what else the CPU under test does, too.
    pub explain: bool,
    /// A stage's way with triggers that come while it is pending: only a record shows which run
    /// answered which trigger.
    pub compensate: Compensate,
}

impl Default for Inside {
    fn default() -> Self {
        Self { explain: false, compensate: Compensate::None }
    }
}

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

/// The triggers of one case, and the stages that answer them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagePlan {
    /// The stages to ask.
    pub stages: Vec<Stage>,
    /// The source of the interrupt.
    pub trigger: Trigger,
    /// Where responses are shown.
    pub line: Line,
    /// The interrupt line of `inject` and `line`.
    pub irq: u32,
    /// Together, or one at a time.
    pub mode: Mode,
    /// The triggers in a row that ask the same stage, in mode `isolated`.
    #[serde(default = "one")]
    pub turn_length: u32,
    /// Whether a trigger waits for the responses to the one before.
    pub pacing: Pacing,
    /// The distance of two points of the grid.
    pub period_ns: u64,
    /// Triggers to send.
    pub count: u64,
    /// Random time that is added to the period.
    pub jitter: Jitter,
    /// None: one trigger in a period.
    pub burst: Option<Burst>,
    /// The seed of everything random.
    pub seed: u64,
    /// How long a stage is waited for before it is called missing.
    pub timeout_ms: u32,
    /// Of stage `user`.
    pub user: Scheduling,
    /// Of stage `kthread`.
    pub kthread: Scheduling,
    /// Of stage `thread`.
    pub thread: Scheduling,
    /// A delay that is caused on purpose, for tests.
    pub delay: Option<Delay>,
    /// None: stages end with their first act, and lines toggle.
    pub execution: Option<Execution>,
    /// None: no generator watches from outside.
    pub outside: Option<Outside>,
    /// None: the target keeps no record of its own.
    pub inside: Option<Inside>,
    /// Culprits that a test asks for.
    pub faults: Option<Faults>,
}

/// Returns the length of turns in runs of programs that knew no other.
fn one() -> u32 {
    1
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

impl StagePlan {
    /// Returns whether samples of this view are taken.
    pub fn has_view(&self, view: View) -> bool {
        match view {
            View::Outside => self.outside.is_some(),
            View::Inside => self.inside.is_some(),
        }
    }

    /// Returns whether the target records what else the CPU under test does.
    pub fn explains(&self) -> bool {
        self.inside.is_some_and(|inside| inside.explain)
    }

    /// Returns a stage's way with triggers that come while it is pending.
    pub fn compensate(&self) -> Compensate {
        self.inside.unwrap_or_default().compensate
    }

    /// Returns whether it has no end of its own: a generator may be silent for as long as it likes.
    pub fn is_open_ended(&self) -> bool {
        self.count == Plan::OPEN_END && self.is_triggered_outside()
    }

    /// Returns whether a generator decides when triggers come; the target only counts them.
    pub fn is_triggered_outside(&self) -> bool {
        self.trigger == Trigger::Line || self.line == Line::Memory
    }

    /// Returns whether a spare CPU of the target is its generator.
    pub fn uses_spare_cpu(&self) -> bool {
        self.outside.is_some() && self.line == Line::Memory
    }

    /// Returns how its lines show responses: words in memory have no falling edge.
    pub fn shape(&self) -> Shape {
        let wires = !matches!(self.line, Line::Ivshmem | Line::Memory);
        if wires && self.execution.is_some() { Shape::Pulse } else { Shape::Toggle }
    }

    /// Leaves the driver's own timer, which triggers or injects, and the target's
    /// own record.
    pub fn remove_generator(&mut self) {
        if self.trigger == Trigger::Line {
            self.trigger = Trigger::Timer;
        }
        self.line = Line::Record;
        self.outside = None;
        self.inside.get_or_insert_default();
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

/// The stages where nothing else is said: every stage at once, by the driver's timer at 1 kHz.
impl Default for StagePlan {
    fn default() -> Self {
        let fifo = |priority| Scheduling { policy: Policy::Fifo, priority };
        Self {
            stages: Stage::ALL.to_vec(),
            trigger: Trigger::Timer,
            line: Line::Record,
            irq: 7, // a parallel port's ACK on a PC
            mode: Mode::Together,
            turn_length: 1,
            pacing: Pacing::Open,
            period_ns: 1_000_000,
            count: 1_000,
            jitter: Jitter { kind: JitterKind::None, ns: 0 },
            burst: None,
            seed: 0,
            timeout_ms: 10_000,
            user: fifo(80),
            kthread: fifo(50),
            thread: fifo(50),
            delay: None,
            execution: None,
            outside: None,
            inside: Some(Inside::default()),
            faults: None,
        }
    }
}
