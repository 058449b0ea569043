// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bytes that are nearly right, for the parsers' property tests, which
//! `make fuzz` runs for longer.
//!
//! proptest and not a coverage-guided fuzzer: those need a nightly compiler or a build of its own,
//! while these run with every `cargo test`, on any machine, and shrink what they find. The corpus
//! and the checksums, which coverage would have to discover, are given to them instead: every
//! message is in [`corpus`], and [`framed`] makes damage arrive behind the checksum, where it is
//! the content's decoder that has to bear it.

use std::sync::LazyLock;

use irqscope_wire::{
    Answer, Async, BenchEnd, BenchSample, BenchSamples, BenchValues, Benchmark, Beyond,
    Calibration, Called, Changes, Class, Clock, Command, Context, Counters, Cycles, DelayedTask,
    Disturbance, Disturbances, Event, Explained, ExtraEdge, Failure, Fault, FaultKind, Frame,
    GeneratorHello, GeneratorKind, Gtod, HOLD_BINS, Hello, InterruptLine, Inversion, Isolate,
    JitterKind, Limits, Load, LoadWork, LockCount, LockSite, LockTotals, Loopback, Mark, Message,
    Nanoseconds, Note, OtherEvents, Outcome, OutsideSample, PROTOCOL, Pacing, Packet, Path,
    PathEnd, PathEvent, Picture, Plan, Polarity, Priority, RanThread, Range, Refusal, Reply,
    Response, Role, Run, RunState, Sample, Sched, Section, SectionKind, Sections, Sender, Seq,
    SeriesCount, Setting, Settings, Severity, Shape, Spin, Stage, StageCost, StageThread, StartAt,
    Started, Status, Symbol, ThreadFact, ThreadPolicy, Tick, Totals, Turn, Turns, ValueCount,
    Values, Watch, WatchedLatency, WatchedPart, Way, What,
};
use proptest::prelude::*;
use proptest::sample::Index;

/// One thing done to some bytes.
#[derive(Clone, Debug)]
pub enum Edit {
    Set(Index, u8),
    Flip(Index, u8),
    /// Another number in place of the one that may be here.
    Number(Index, u64),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
    Cut(Index),
}

pub fn edits(most: usize) -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<Index>;
    // Ends of ranges, of integers, of zigzag.
    let sharp = prop::sample::select(vec![0, 1, 0x7f, 0x80, 0xfe, 0xff]);
    let ends = prop::sample::select(vec![0, 1, 1 << 31, 1 << 32, 1 << 62, 1 << 63, u64::MAX]);
    let number = (ends, 0u64..3).prop_map(|(end, below)| end.wrapping_sub(below));
    let edit = prop_oneof![
        3 => (at(), sharp).prop_map(|(at, byte)| Edit::Set(at, byte)),
        3 => (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        2 => (at(), 0..8u32).prop_map(|(at, bit)| Edit::Flip(at, 1 << bit)),
        1 => (at(), prop::collection::vec(any::<u8>(), 1..12)).prop_map(|(at, b)| Edit::Insert(at, b)),
        3 => (at(), number).prop_map(|(at, number)| Edit::Number(at, number)),
        1 => (at(), 1..40usize).prop_map(|(at, length)| Edit::Remove(at, length)),
        1 => (at(), 1..40usize).prop_map(|(at, length)| Edit::Repeat(at, length)),
        1 => at().prop_map(Edit::Cut),
    ];
    prop::collection::vec(edit, 0..most)
}

pub fn apply(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for edit in edits {
        let place = |at: &Index| at.index(bytes.len() + 1);
        match edit {
            Edit::Set(at, byte) | Edit::Flip(at, byte) => {
                let at = place(at);
                if let Some(old) = bytes.get_mut(at) {
                    *old = if matches!(edit, Edit::Set(..)) { *byte } else { *old ^ byte };
                }
            }
            Edit::Number(at, number) => {
                let at = place(at);
                let continued = bytes[at..].iter().take_while(|byte| **byte & 0x80 != 0).count();
                let end = bytes.len().min(at + continued + 1);
                bytes.splice(at..end, varint(*number));
            }
            Edit::Insert(at, more) => {
                let at = place(at);
                bytes.splice(at..at, more.iter().copied());
            }
            Edit::Remove(at, length) => {
                let (at, end) = (place(at), bytes.len());
                bytes.drain(at..end.min(at + length));
            }
            Edit::Repeat(at, length) => {
                let at = place(at);
                let piece = bytes[at..bytes.len().min(at + length)].to_vec();
                bytes.splice(at..at, piece);
            }
            Edit::Cut(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}

/// Encodes as postcard does: seven bits a byte, the lowest first.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

const CHECKSUM: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// Makes a frame's content, whatever it is, with the right checksum and framing.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let checksum = CHECKSUM.checksum(body);
    let mut encoded = cobs::encode_vec(&[body, &checksum.to_le_bytes()].concat());
    encoded.push(0);
    encoded
}

/// Returns what [`framed`] takes.
pub fn body(frame: &Frame) -> Vec<u8> {
    postcard::to_allocvec(frame).unwrap()
}

fn numbered(messages: impl IntoIterator<Item = Message>) -> Vec<Frame> {
    messages.into_iter().zip(0..).map(|(message, number)| Frame { number, message }).collect()
}

/// Returns every message once, and those of a generator with all their variants.
pub fn corpus() -> &'static [Frame] {
    static CORPUS: LazyLock<Vec<Frame>> = LazyLock::new(|| {
        let commands = commands().map(Message::Command).collect();
        numbered([target(), benchmarks(), generator(), commands].concat())
    });
    &CORPUS
}

/// Returns the content of one of the corpus' frames.
pub fn body_in_corpus(which: Index) -> &'static [u8] {
    static BODIES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| corpus().iter().map(body).collect());
    &BODIES[which.index(BODIES.len())]
}

/// Returns a host's side of a conversation: hello, then commands.
pub fn conversation() -> &'static [Frame] {
    static CONVERSATION: LazyLock<Vec<Frame>> = LazyLock::new(|| {
        let hello = std::iter::once(Message::Hello(hello_of("host")));
        numbered(hello.chain(commands().map(Message::Command)))
    });
    &CONVERSATION
}

/// Returns a whole run of two stages, seen by a target and, where the flag says so, by a generator:
/// a reader of it gets to the end of every path.
pub fn run() -> Vec<(bool, Frame)> {
    let stages = vec![Stage::Irq, Stage::Softirq];
    let (count, tick) = (5, Tick { femtoseconds: 1_000_000 });
    let trigger = |seq: u64| (seq + 1) * 1_000_000;
    let answered = |latency| Outcome::Answered { latency, cpu: 0, interrupts: 1, executed: None };
    let inside = |seq| Sample {
        seq: Seq(seq),
        trigger_cycles: Cycles(trigger(seq) + 300),
        trigger_ns: Nanoseconds(trigger(seq) as i64 + 300),
        responses: stages
            .iter()
            .map(|stage| Response { stage: *stage, outcome: answered(700 + seq as i64) })
            .collect(),
    };
    let outside = |seq| OutsideSample {
        seq: Seq(seq),
        trigger: Cycles(trigger(seq)),
        answers: vec![Answer::Prompt(Cycles(1_010)); 2],
        widths: vec![Some(Cycles(70)), None],
        window: 0,
        extra: 0,
    };
    let all = |triggers| Totals {
        triggers,
        complete: triggers,
        edges: 2 * triggers,
        answers: 2 * triggers,
        ..Totals::default()
    };
    let status = |state, totals| Message::Status(Status { run: 1, state, totals, ..a_status() });
    let hello = GeneratorHello { lines: 2, tick, ..generator_hello() };
    let counters = Counters { triggers: count, complete: count, ..Counters::default() };
    let target = vec![
        Message::Hello(hello_of("target")),
        Message::Started(Started { stages: stages.clone(), tick, ..started() }),
        Message::Cost(vec![StageCost { stage: Stage::Irq, cycles: Cycles(40) }]),
        Message::Samples((0..2).map(inside).collect()),
        Message::Samples((2..count).map(inside).collect()),
        Message::Symbols(symbols()),
        Message::Finished(counters),
    ];
    let packet = |samples: std::ops::Range<u64>| {
        let totals = all(samples.end);
        let samples = samples.map(outside).collect();
        Message::Packet(Packet { run: 1, samples, extras: Vec::new(), totals })
    };
    let generator = vec![
        Message::GeneratorHello(hello),
        status(RunState::Running, Totals::default()),
        Message::Path(way(trigger(0), 1_010)),
        packet(0..3),
        packet(3..count),
        status(RunState::Done, all(count)),
    ];
    let of = |generator: bool, messages| {
        numbered(messages).into_iter().map(move |frame| (generator, frame))
    };
    of(false, target).chain(of(true, generator)).collect()
}

const CODE: i64 = -0x7f00_0000;
const FAULT: i64 = CODE + 0x1000;

fn symbols() -> Vec<Symbol> {
    let symbol =
        |address: i64, name: &str| Symbol { address: address.cast_unsigned(), name: name.into() };
    vec![symbol(CODE, "f"), symbol(FAULT, "asm_exc_page_fault")]
}

/// Makes the run's first sample: 505 instructions, of which one faults before.
fn way(trigger: u64, span: u64) -> Path {
    let run = |step, instructions| Run {
        step,
        instructions,
        bytes: 4 * instructions,
        broken_off: instructions == 200,
    };
    let runs =
        vec![run(CODE, 200), run(FAULT - (CODE + 800), 105), run(CODE + 796 - (FAULT + 420), 201)];
    let mark = |position, at, event| Mark { position, at: Cycles(at), event };
    let edge = |line| mark(506, trigger + span, PathEvent::Edge(line));
    let marks = vec![mark(0, trigger, PathEvent::Trigger(Seq(0))), edge(0), edge(1)];
    Path { stretch: 0, runs, marks, end: PathEnd::Complete }
}

/// Returns its frames as they would arrive, some of them damaged behind the checksum.
pub fn damaged_run(damage: &[(Index, Vec<Edit>)]) -> Vec<(bool, Vec<u8>)> {
    static BODIES: LazyLock<Vec<(bool, Vec<u8>)>> =
        LazyLock::new(|| run().iter().map(|(from, frame)| (*from, body(frame))).collect());
    let mut bodies = BODIES.clone();
    for (which, edits) in damage {
        let which = which.index(bodies.len());
        bodies[which].1 = apply(&bodies[which].1, edits);
    }
    bodies.into_iter().map(|(from, body)| (from, framed(&body))).collect()
}

/// Makes damage for [`damaged_run`].
pub fn damage() -> impl Strategy<Value = Vec<(Index, Vec<Edit>)>> {
    prop::collection::vec((any::<Index>(), edits(3)), 0..5)
}

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

fn hello_of(kind: &str) -> Hello {
    Hello {
        protocol: PROTOCOL,
        kind: kind.into(),
        tool_version: "0.1.0".into(),
        proof: Some([7; 32]),
    }
}

fn started() -> Started {
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

fn a_status() -> Status {
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

fn target() -> Vec<Message> {
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
fn benchmarks() -> Vec<Message> {
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

fn generator() -> Vec<Message> {
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

fn commands() -> impl Iterator<Item = Command> {
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
