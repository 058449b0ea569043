// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run made up through the public API, for tests of what is derived from it.
#![allow(dead_code)] // each test file uses a part
#![allow(clippy::unwrap_used)] // test code, though not inside a #[test]

pub mod generator;

use std::path::Path;

use irqscope_run::{CaseManifest, Host, LogWriter, ManifestDraft, RunDir, Source};
use irqscope_wire::{
    Counters, Cycles, Frame, Hello, Jitter, JitterKind, Load, Message, Nanoseconds, Note, Outcome,
    PROTOCOL, Plan, Response, Sample, Seq, Severity, Stage, StageCost, StagePlan, Started,
    SystemState, Tick, encode,
};

/// The twin's: one instruction is 2 ns.
pub const TICK: Tick = Tick { femtoseconds: 2_000_000 };

pub fn plan(case: &str, stages: &[Stage], count: u64) -> Plan {
    let state = case.split('/').nth(1).unwrap_or("idle");
    let loads = if state == "idle" { vec![] } else { vec![Load::Exec, Load::Copy] };
    let asked = StagePlan {
        stages: stages.to_vec(),
        count,
        jitter: Jitter { kind: JitterKind::Uniform, ns: 500_000 },
        seed: 1,
        timeout_ms: 1000,
        ..StagePlan::default()
    };
    Plan {
        case: case.into(),
        state: SystemState::of(state, loads),
        tick: Some(TICK),
        instruction: Some(TICK),
        ..Plan::of_stages(asked)
    }
}

pub fn started(kernel: &str, stages: &[Stage]) -> Started {
    Started {
        kernel: kernel.into(),
        preemption: "PREEMPT_DYNAMIC (voluntary)".into(),
        machine: "x86_64".into(),
        cmdline: "console=ttyS0 quiet panic=-1".into(),
        clocksource: "tsc".into(),
        cpu_model: "QEMU Virtual CPU version 2.5+".into(),
        cpus: 1,
        governor: String::new(),
        stages: stages.to_vec(),
        unavailable: vec![],
        tick: TICK,
        timer_hz: None,
        inject_cpu: None,
        absent_loads: vec![],
    }
}

pub fn draft(plans: &[Plan]) -> ManifestDraft {
    let kernel = |plan: &Plan| plan.case.split('/').next().unwrap_or_default().to_owned();
    ManifestDraft {
        tool_version: "0.1.0".into(),
        scenario: "demo".into(),
        scenario_toml: "version = 1\nrig = \"twin\"\n".into(),
        overrides: Vec::new(),
        limits: Vec::new(),
        rig: "twin".into(),
        args: vec!["irqscope".into(), "run".into(), "demo".into()],
        host: Host { os: "Debian GNU/Linux 12".into(), cpus: 2, ..Host::default() },
        cases: plans.iter().map(|p| CaseManifest::new(&kernel(p), p.clone())).collect(),
    }
}

/// The target's messages, numbered.
pub struct Sender {
    log: LogWriter,
    case: u16,
    number: u64,
}

impl Sender {
    pub fn new(run: &RunDir, case: u16) -> Self {
        Self { log: run.log(), case, number: 0 }
    }

    pub fn send(&mut self, message: Message) {
        let frame = Frame { number: self.number, message };
        self.number += 1;
        self.log.append(self.case, Source::Target, &encode(&frame).unwrap()).unwrap();
    }

    /// Loses a frame, as if on the way.
    pub fn lose(&mut self) {
        self.number += 1;
    }

    pub fn open(&mut self, kernel: &str, stages: &[Stage]) {
        self.send(Message::Hello(Hello {
            protocol: PROTOCOL,
            kind: "target".into(),
            tool_version: "0.1.0".into(),
            proof: None,
        }));
        self.send(Message::Started(started(kernel, stages)));
        let cost = |(place, stage): (usize, &Stage)| StageCost {
            stage: *stage,
            cycles: Cycles(20 + place as u64),
        };
        self.send(Message::Cost(stages.iter().enumerate().map(cost).collect()));
    }

    pub fn warn(&mut self, text: &str) {
        self.send(Message::Note(Note { severity: Severity::Warning, text: text.into() }));
    }
}

pub fn sample(seq: u64, responses: Vec<Response>) -> Sample {
    let trigger_ns = Nanoseconds(1_000_000 * (seq as i64 + 1));
    Sample { seq: Seq(seq), trigger_cycles: Cycles(500_000 * (seq + 1)), trigger_ns, responses }
}

pub fn answered(stage: Stage, latency: i64, interrupts: u16) -> Response {
    Response { stage, outcome: Outcome::Answered { latency, cpu: 0, interrupts, executed: None } }
}

/// A generator of numbers that is the same everywhere (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns cycles with a body, a shoulder and, in one of `rare`, a tail.
    pub fn latency(&mut self, base: f64, spread: f64, rare: u64) -> i64 {
        let body = base + spread * (self.unit() + self.unit() + self.unit()) / 3.0;
        let shoulder = if self.next().is_multiple_of(9) { spread * 2.5 * self.unit() } else { 0.0 };
        let tail =
            if self.next().is_multiple_of(rare) { base * 4.0 / (self.unit() + 0.05) } else { 0.0 };
        (body + shoulder + tail) as i64
    }
}

/// Makes two kernels, idle and loaded, with latencies as the twin shows them.
pub fn demo(path: &Path, count: u64) -> RunDir {
    let stages = [
        (Stage::Irq, 567.0),
        (Stage::Softirq, 2_792.0),
        (Stage::TaskletHi, 2_950.0),
        (Stage::Tasklet, 3_028.0),
        (Stage::WorkHi, 4_600.0),
        (Stage::Work, 4_905.0),
        (Stage::WorkUnbound, 5_600.0),
        (Stage::Thread, 4_100.0),
        (Stage::Kthread, 4_300.0),
        (Stage::User, 6_300.0),
    ];
    let names: Vec<Stage> = stages.iter().map(|(stage, _)| *stage).collect();
    let cases = ["6.1/idle", "6.1/load", "6.1-rt/idle", "6.1-rt/load"];
    let plans: Vec<Plan> = cases.iter().map(|case| plan(case, &names, count)).collect();
    let mut run = RunDir::create(path, &draft(&plans)).unwrap();
    let mut senders: Vec<Sender> = (0..4).map(|case| Sender::new(&run, case)).collect();
    for (sender, kernel) in senders.iter_mut().zip([
        "6.1.0-44-amd64",
        "6.1.0-44-amd64",
        "6.1.0-44-rt-amd64",
        "6.1.0-44-rt-amd64",
    ]) {
        sender.open(kernel, &names);
    }
    let mut random = Random(7);
    let mut totals = [Counters::default(); 4];
    for first in (0..count).step_by(64) {
        for (case, sender) in senders.iter_mut().enumerate() {
            let samples = (first..count.min(first + 64))
                .map(|seq| demo_sample(&mut random, case, seq, &stages, &mut totals[case]))
                .collect();
            sender.send(Message::Samples(samples));
        }
    }
    for (sender, counters) in senders.iter_mut().zip(totals) {
        sender.send(Message::Finished(counters));
    }
    run.finish(run.manifest().cases.clone()).unwrap();
    run
}

fn demo_sample(
    random: &mut Random,
    case: usize,
    seq: u64,
    stages: &[(Stage, f64)],
    counters: &mut Counters,
) -> Sample {
    let (loaded, rt) = (case % 2 == 1, case > 1);
    let hit = u16::from(random.next().is_multiple_of(if loaded { 25 } else { 400 }));
    let missing = case == 1 && random.next().is_multiple_of(1500);
    let responses = stages.iter().map(|(stage, base)| {
        let softirq = matches!(stage, Stage::Softirq | Stage::TaskletHi | Stage::Tasklet);
        let base = if rt && softirq { base + 4_500.0 } else { *base };
        let spread = if loaded { base * 0.9 } else { 60.0 };
        if missing && *stage == Stage::User {
            return Response { stage: *stage, outcome: Outcome::Missing };
        }
        let extra = if hit > 0 && *stage != Stage::Irq { 3_000 } else { 0 };
        let rare = if loaded { 300 } else { 3_000 };
        let hit = if *stage == Stage::Irq { 0 } else { hit };
        answered(*stage, random.latency(base, spread, rare) + extra, hit)
    });
    let sample = sample(seq, responses.collect());
    counters.triggers += 1;
    counters.missing += u64::from(missing);
    counters.complete += u64::from(!missing);
    sample
}

/// Makes a run as of the scenario `intspect`: each stage in turn, beside `irq`.
pub fn isolated(path: &Path, cases: u16, count: u64) -> RunDir {
    let stages = [Stage::Irq, Stage::Softirq, Stage::TaskletHi, Stage::Tasklet, Stage::Work];
    let name = |case: u16| format!("6.1-{case}/idle");
    let plans: Vec<Plan> = (0..cases).map(|case| plan(&name(case), &stages, count)).collect();
    let mut run = RunDir::create(path, &draft(&plans)).unwrap();
    for case in 0..cases {
        let mut sender = Sender::new(&run, case);
        sender.open("6.1.0", &stages);
        let mut random = Random(u64::from(case));
        for first in (0..count).step_by(64) {
            let one = |seq: u64| {
                let stage = stages[1 + (seq % 4) as usize];
                let [irq, later] = [567.0, 3000.0].map(|base| random.latency(base, 99.0, 500));
                sample(seq, vec![answered(Stage::Irq, irq, 0), answered(stage, later, 0)])
            };
            let samples = (first..count.min(first + 64)).map(one).collect();
            sender.send(Message::Samples(samples));
        }
        let counters = Counters { triggers: count, complete: count, ..Counters::default() };
        sender.send(Message::Finished(counters));
    }
    run.finish(run.manifest().cases.clone()).unwrap();
    run
}
