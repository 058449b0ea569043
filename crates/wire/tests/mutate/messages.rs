// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each message of the protocol, with content in every field.

use irqscope_wire::{
    Answer, Async, BenchEnd, BenchSample, BenchSamples, BenchValues, Benchmark, Beyond,
    Calibration, Called, Changes, Class, Clock, Command, Context, Counters, Cycles, DelayedTask,
    Disturbance, Disturbances, Event, Explained, ExtraEdge, Failure, Fault, FaultKind,
    GeneratorHello, GeneratorKind, Gtod, HOLD_BINS, Hello, InterruptLine, Inversion, Isolate,
    JitterKind, Limits, Load, LoadWork, LockCount, LockSite, LockTotals, Loopback, Mark, Message,
    Nanoseconds, Note, OtherEvents, Outcome, OutsideSample, PROTOCOL, Pacing, Packet, Path,
    PathEnd, PathEvent, Picture, Plan, Polarity, Priority, RanThread, Range, Refusal, Reply,
    Response, Role, Run, RunState, Sample, Sched, Section, SectionKind, Sections, Sender, Seq,
    SeriesCount, Setting, Settings, Severity, Shape, Spin, Stage, StageCost, StageThread, StartAt,
    Started, Status, Symbol, ThreadFact, ThreadPolicy, Tick, Totals, Turn, Turns, ValueCount,
    Values, Watch, WatchedLatency, WatchedPart, Way, What,
};

pub fn limits() -> Limits {
    let any = Range { lowest: 1, highest: 1 << 40 };
    Limits {
        period: any,
        period_step: 3,
        pulse: 100,
        jitter_amount: Range { lowest: 0, highest: 1 << 30 },
        timeout: any,
        sees_arming: true,
        calibrates: true,
        ..Limits::USUAL
    }
}

pub fn generator_hello() -> GeneratorHello {
    GeneratorHello {
        protocol: PROTOCOL,
        kind: GeneratorKind::Board,
        tool_version: "0.1.0".into(),
        tick: Tick { femtoseconds: 6_666_667 },
        lines: 8,
        limits: limits(),
        challenge: Some([9; 16]),
    }
}

pub(super) fn hello_of(kind: &str) -> Hello {
    Hello {
        protocol: PROTOCOL,
        kind: kind.into(),
        tool_version: "0.1.0".into(),
        proof: Some([7; 32]),
    }
}

pub(super) fn started() -> Started {
    Started {
        kernel: "6.1.0-49-rt-amd64".into(),
        preemption: "PREEMPT_RT".into(),
        machine: "x86_64".into(),
        cmdline: "console=ttyS0".into(),
        clocksource: "tsc".into(),
        cpu_model: "any".into(),
        cpus: 2,
        governor: String::new(),
        stages: vec![Stage::Irq, Stage::User],
        unavailable: vec![Stage::WorkBh],
        tick: Tick { femtoseconds: 333_333 },
        timer_hz: Some(250),
        inject_cpu: Some(1),
        absent_loads: vec!["stress-ng".into()],
    }
}

pub(super) fn a_status() -> Status {
    let settings = Settings {
        high: Cycles(37_500),
        jitter: JitterKind::Exponential,
        jitter_amount: Cycles(999),
        seed: u64::MAX,
        timeout: Cycles(1 << 33),
        burst: 16,
        interval: Cycles(9_000),
        shape: Shape::Pulse,
        polarity: Polarity::Falling,
        lines: 2,
        ..Settings::initial(&limits(), generator_hello().tick)
    };
    let totals = Totals { triggers: 9, complete: 8, open: 1, ..Totals::default() };
    Status { run: 3, state: RunState::Running, settings, totals, now: Cycles(1 << 34) }
}

pub(super) fn target() -> Vec<Message> {
    let answered = Outcome::Answered { latency: -3, cpu: 1, interrupts: 300, executed: None };
    let outcomes = [answered, Outcome::Coalesced, Outcome::Missing];
    let sample = Sample {
        seq: Seq(7),
        trigger_cycles: Cycles(1 << 40),
        trigger_ns: Nanoseconds(-1),
        responses: outcomes.map(|outcome| Response { stage: Stage::Softirq, outcome }).to_vec(),
    };
    vec![
        Message::Hello(hello_of("target")),
        Message::Plan(Plan { case: "6.1/idle".into(), ..Plan::default() }.into()),
        Message::Started(started()),
        Message::Cost(vec![StageCost { stage: Stage::Irq, cycles: Cycles(40) }]),
        Message::Samples(vec![sample; 3]),
        Message::Note(Note { severity: Severity::Warning, text: "wörth knowing".into() }),
        Message::Finished(Counters { triggers: 3, complete: 3, ..Counters::default() }),
        Message::Failed(Failure { what: "it".into(), remedy: "mend it".into(), invalid: true }),
        Message::Symbols(vec![Symbol { address: u64::MAX, name: "f [module]".into() }; 2]),
        Message::Events(events()),
        Message::OtherEvents(OtherEvents { cpu: 3, events: events() }),
        Message::Explained(Explained {
            event_cost: 165,
            lost: 2,
            lacking: vec!["irq_disable".into()],
            threads: vec![StageThread { stage: Stage::User, pid: 80 }],
            softirq_threads: vec![14, 21],
        }),
        Message::Truth(
            [FaultKind::IrqsOff, FaultKind::PageFaults]
                .map(|kind| Fault { kind, begin: Cycles(1 << 40), end: Cycles((1 << 40) + 1000) })
                .to_vec(),
        ),
        Message::LockSites(vec![lock_site(); 2]),
        Message::Locks(LockTotals {
            decisions: vec![LockCount { name: "refused".into(), value: 7 }],
            tasks: vec![DelayedTask {
                pid: 12,
                name: "irqscope load".into(),
                refused: 7,
                forced: 1,
                delays: 3,
                delay_ns: 90_000,
                delay_max_ns: 40_000,
            }],
            safe_period_ns: 700_000,
        }),
        Message::Work(vec![LoadWork { benchmark: 0, load: Load::Tcp, units: 1 << 30, ns: 9 }]),
    ]
}

fn lock_site() -> LockSite {
    LockSite {
        module: "vmlinux".into(),
        file: "net/core/sock.c".into(),
        line: 3_441,
        function: "lock_sock_nested".into(),
        kind: "bh".into(),
        count: 5,
        max_ns: 700,
        total_ns: 1_000,
        histogram: vec![1; HOLD_BINS],
        ..LockSite::default()
    }
}

fn events() -> Vec<Event> {
    let event = |what| Event {
        at: Cycles(1 << 41),
        order: u32::MAX,
        pid: 80,
        priority: Priority(20),
        context: Context(Context::IRQ),
        what,
    };
    let switch = What::Switch { next: 5, priority: Priority(121), preempted: true };
    let smi = What::Smi { count: 1 };
    let triggered = What::Triggered { seq: 7, interrupted: u64::MAX };
    let called = What::CallbackEntry { by: Called::IrqWork, function: u64::MAX };
    let ends = [What::CallbackExit(Called::Rcu), What::PageFault, What::PageFaultEnd];
    let calls = [What::CallOthers { function: u64::MAX }, What::CallOthersEnd];
    let events = [triggered, switch, What::Named("kworker".into()), smi, called];
    events.into_iter().chain(ends).chain(calls).map(event).collect()
}

/// Returns the messages of a target where no stage is asked.
pub(super) fn benchmarks() -> Vec<Message> {
    let benchmarks = vec![
        Benchmark::Gtod(Gtod { clock: Clock::Counter, ..Gtod::default() }),
        Benchmark::Sched(Sched { cpus: vec![0, 1], ..Sched::default() }),
        Benchmark::Async(Async { from_cpu: Some(1), ..Async::default() }),
        Benchmark::Inversion(Inversion::default()),
        Benchmark::Spin(Spin::default()),
        Benchmark::Watch(Watch { until: Some("/bin/app:f".into()), ..Watch::default() }),
        Benchmark::Isolate(Isolate { cpus: vec![1, 3], ..Isolate::default() }),
    ];
    let class = Class::Deadline { runtime_ns: 1 << 20 };
    let sample = BenchSample { at: Nanoseconds(1 << 50), value: Nanoseconds(-7) };
    let samples = |benchmark, series: &str| {
        let (series, samples) = (series.into(), vec![sample; 3]);
        let (cpu, first) = (Some(1), Seq(1 << 33));
        Message::BenchSamples(BenchSamples { benchmark, series, cpu, first, samples })
    };
    let count = SeriesCount { series: "wait".into(), taken: 3, skipped: 1 << 40, dropped: 0 };
    let end = |benchmark, unavailable: Option<&str>| {
        let (series, unavailable) = (vec![count.clone(); 2], unavailable.map(String::from));
        Message::BenchEnd(BenchEnd { benchmark, class, series, unavailable })
    };
    let values = |values| {
        let (benchmark, series, cpu) = (1, "cpu0".into(), Some(1));
        Message::BenchValues(BenchValues { benchmark, series, cpu, values })
    };
    let bin = ValueCount { value: Nanoseconds(1 << 30), count: 1 << 40 };
    let thread = ThreadFact {
        pid: 24,
        name: "irq/24-ähci".into(),
        role: Role::Interrupt,
        policy: ThreadPolicy::Fifo,
        priority: 50,
        cpus: vec![0, 1, 5],
    };
    let line = InterruptLine {
        line: "24".into(),
        name: "ahci".into(),
        count: 1 << 40,
        threads: vec![24],
        cpus: vec![0],
    };
    let picture = Picture {
        kernel: "6.1.0-49-rt-amd64".into(),
        preemption: "PREEMPT_RT".into(),
        real_time: true,
        threaded_interrupts: true,
        priority_inheritance: true,
        throttled_us: Some(950_000),
        isolated_cpus: vec![3],
        threads: vec![thread; 2],
        interrupts: vec![line],
        advice: vec!["mend it".into()],
    };
    let beyond = Beyond { from: Nanoseconds(9), greatest: Some(Nanoseconds(1 << 40)), count: 3 };
    let part = WatchedPart { cpu: 1, ns: 1 << 40, what: "softirq net_rx".into(), own: true };
    let watched = WatchedLatency {
        benchmark: 5,
        series: "on-cpu app".into(),
        at: Nanoseconds(1 << 50),
        value: Nanoseconds(1 << 41),
        parts: vec![part; 2],
    };
    let case = "6.1/idle".into();
    vec![
        Message::Plan(Plan { case, ..Plan::of_benchmarks(benchmarks) }.into()),
        samples(1, "cpu0"),
        samples(3, "wait"),
        samples(3, "c-locks"),
        end(1, None),
        end(3, Some("no reason")),
        Message::Picture(picture),
        values(Values::InOrder { first: Seq(3), values: vec![Nanoseconds(5); 2] }),
        values(Values::Counted(vec![bin; 3])),
        values(Values::Beyond(beyond)),
        Message::Watched(vec![watched; 2]),
    ]
}

pub(super) fn generator() -> Vec<Message> {
    let status = a_status();
    let answers = [Answer::Prompt(Cycles(1234)), Answer::Late(Cycles(1 << 35))];
    let sample = OutsideSample {
        seq: Seq(1 << 20),
        trigger: Cycles(1 << 45),
        answers: [&answers[..], &[Answer::Missing, Answer::Coalesced, Answer::Named(Cycles(3))]]
            .concat(),
        extra: 0b1010,
        widths: vec![None, Some(Cycles(1 << 40))],
        window: 0b101,
    };
    let extras = vec![ExtraEdge { line: 3, at: Cycles(77) }];
    let loopback = Loopback { offset: 2, lowest: -1, highest: 1 << 33, measurements: 256 };
    let refusal = Refusal::OutOfRange { setting: Setting::Duty, asked: 0, lowest: 1, highest: 999 };
    let section = Section {
        kind: SectionKind::InterruptsOff,
        begin: 1 << 63,
        way: vec![7, 1 << 62],
        count: 2,
        total: 1 << 40,
        longest: 1 << 39,
        histogram: vec![0, 1, 1],
    };
    vec![
        Message::GeneratorHello(generator_hello()),
        Message::Reply(Reply { to: Some(4), result: Ok(status) }),
        Message::Reply(Reply { to: None, result: Err(refusal) }),
        Message::Packet(Packet { run: 3, samples: vec![sample; 4], extras, totals: status.totals }),
        Message::Status(status),
        Message::Path(a_path()),
        Message::Calibration(Calibration { lines: vec![Some(loopback), None] }),
        Message::Armed,
        Message::Sections(Sections { sections: vec![section], others: 3, longest_other: 9 }),
        Message::Disturbances(some_disturbances()),
        Message::Turns(some_turns()),
    ]
}

fn some_disturbances() -> Disturbances {
    let runs = a_path().runs;
    let thread = RanThread { name: "kwörker/1:0".into(), instructions: 1 << 33 };
    let sender = Sender { cpu: 3, thread: "bash".into(), way: 1 };
    let taken = Disturbance {
        at: 1 << 50,
        instructions: 1 << 40,
        halts: 2,
        way: 0,
        threads: vec![thread; 2],
        senders: vec![sender],
    };
    let ways = vec![Way { runs: runs.clone(), complete: true }, Way { runs, complete: false }];
    Disturbances {
        cpu: 1,
        looped: 1 << 45,
        elapsed_ns: 1 << 44,
        ways,
        taken: vec![taken; 2],
        ended: true,
    }
}

fn some_turns() -> Turns {
    let turn = |after, cpu| Turn { after, cpu };
    Turns { from: 1 << 40, turns: vec![turn(0, Some(1)), turn(1 << 33, None)], ended: true }
}

fn a_path() -> Path {
    let run = Run { step: -7, instructions: 3, bytes: 11, broken_off: true };
    let mark = |position, event| Mark { position, at: Cycles(1 << 40), event };
    let marks = vec![mark(0, PathEvent::Trigger(Seq(9))), mark(6, PathEvent::Edge(1))];
    Path { stretch: 2, runs: vec![run; 2], marks, end: PathEnd::Complete }
}

pub(super) fn commands() -> impl Iterator<Item = Command> {
    let none = Changes::default();
    [
        none.period(Cycles(30_000)).duty(500).packet(4).count(50).into(),
        none.jitter(JitterKind::Uniform).jitter_amount(Cycles(3_000)).seed(5).into(),
        none.pacing(Pacing::Open).timeout(Cycles(1 << 20)).into(),
        none.polarity(Polarity::Falling).lines(2).into(),
        Command::Calibrate,
        Command::Start(StartAt::Now),
        Command::Status,
        Command::Stop,
    ]
    .into_iter()
}
