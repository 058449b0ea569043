// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second reading: samples into a run's log, as frames that a target could
//! have sent.

use irqscope_run::{CaseManifest, Host, LogWriter, ManifestDraft, RunDir};
use irqscope_wire::{
    BenchEnd, BenchSample, BenchSamples, BenchValues, Benchmark, Beyond, Counters, Frame, Hello,
    Message, Nanoseconds, Note, PROTOCOL, Plan, Seq, SeriesCount, Severity, Started, SystemState,
    Tick, ValueCount, Values, Work, encode,
};

use super::benchmark::benchmark;
use super::sink::{Head, SeriesHead, Sink, Survey, Surveyed};
use super::{Import, Source};
use crate::foreign::ForeignError;
use crate::foreign::error::Place;

/// Samples of one frame, as the agent sends them.
const BATCH: usize = 512;

/// A case that is to be written.
struct Case {
    plan: Plan,
    kernel: String,
    /// Of each benchmark of the plan, its series.
    series: Vec<Vec<SeriesCount>>,
}

/// Where a series of a file goes.
#[derive(Clone, Copy)]
struct Goal {
    case: usize,
    benchmark: usize,
}

pub fn write(
    what: &Import<'_>,
    surveyed: Vec<(Source<'_>, Head, Survey)>,
) -> Result<RunDir, ForeignError> {
    let mut cases: Vec<Case> = Vec::new();
    let mut files = Vec::new();
    for (source, head, survey) in &surveyed {
        let first = cases.len();
        let mut goals = Vec::new();
        for one in &survey.series {
            goals.push(place(&mut cases, first, source, head, survey, one)?);
        }
        files.push((first, goals));
    }
    let run = RunDir::create(what.out, &draft(what, &cases))?;
    let filled = fill(what, &surveyed, run, &cases, &files);
    if filled.is_err() {
        // A run directory that is there is a run that can be used.
        let _ = std::fs::remove_dir_all(what.out);
    }
    filled
}

/// Writes what each file holds into the log; `files` have the first case of each, and where its
/// series go.
fn fill(
    what: &Import<'_>,
    surveyed: &[(Source<'_>, Head, Survey)],
    mut run: RunDir,
    cases: &[Case],
    files: &[(usize, Vec<Goal>)],
) -> Result<RunDir, ForeignError> {
    let log = run.log();
    let mut senders: Vec<Sender> =
        (0..).take(cases.len()).map(|case| Sender::new(&log, case)).collect();
    for (number, ((source, head, survey), (first, goals))) in surveyed.iter().zip(files).enumerate()
    {
        let end = files.get(number + 1).map_or(cases.len(), |(first, _)| *first);
        for case in *first..end {
            senders[case].open(what, &cases[case], source, head)?;
        }
        let batches =
            survey.series.iter().zip(goals).map(|(one, goal)| Batch::new(&one.head, *goal));
        let mut writer = Writer { senders: &mut senders, batches: batches.collect() };
        source.read(&mut writer)?;
        writer.flush_all()?;
        for case in *first..end {
            senders[case].close(&cases[case])?;
        }
    }
    let manifests = run.manifest().cases.clone();
    run.finish(manifests)?;
    Ok(run)
}

/// Finds or makes the case and the benchmark of a series.
fn place(
    cases: &mut Vec<Case>,
    first: usize,
    source: &Source<'_>,
    head: &Head,
    survey: &Survey,
    one: &Surveyed,
) -> Result<Goal, ForeignError> {
    let kernel = head.release.clone().unwrap_or_else(|| head.tool.to_owned());
    let name = match &one.head.case {
        Some(name) => name.clone(),
        None => format!("{kernel}/{}", survey.case_of(&one.head)),
    };
    let wrong = |why: String| ForeignError::wrong(source.path, Place::End, why);
    let case = match cases.iter().position(|case| case.plan.case == name) {
        Some(case) if case >= first => case,
        Some(_) => return Err(wrong(format!("an earlier file has the case {name} too"))),
        None => {
            cases.push(Case::new(name, kernel, head));
            cases.len() - 1
        }
    };
    let rounds = one.taken.saturating_add(one.dropped);
    let benchmark = benchmark(&one.head, rounds).map_err(wrong)?;
    let count = SeriesCount {
        series: one.head.name.clone(),
        taken: one.taken,
        skipped: 0,
        dropped: one.dropped,
    };
    Ok(Goal { case, benchmark: cases[case].add(benchmark, count).map_err(wrong)? })
}

impl Case {
    fn new(name: String, kernel: String, head: &Head) -> Self {
        let state = name.split_once('/').map_or("", |(_, state)| state);
        let plan = Plan {
            state: SystemState::of(state, Vec::new()),
            case: name,
            tick: head.resolution_ns.map(|ns| Tick { femtoseconds: ns.saturating_mul(1_000_000) }),
            ..Plan::of_benchmarks(Vec::new())
        };
        Self { plan, kernel, series: Vec::new() }
    }

    /// Adds a series; those of one benchmark have as many rounds each.
    fn add(&mut self, benchmark: Benchmark, count: SeriesCount) -> Result<usize, String> {
        let is_other = |known: &SeriesCount| known.series != count.series;
        let known = self.plan.benchmarks().iter().zip(&self.series);
        let fits = known.enumerate().find_map(|(place, (known, series))| {
            (*known == benchmark && series.iter().all(is_other)).then_some(place)
        });
        if let Some(place) = fits {
            self.series[place].push(count);
            return Ok(place);
        }
        let name = (benchmark.kind(), benchmark.variant());
        let mut same = self.plan.benchmarks().iter().zip(&self.series);
        if same.any(|(one, series)| {
            (one.kind(), one.variant()) == name && !series.iter().all(is_other)
        }) {
            return Err(format!("has two series {} {} {}", name.0, name.1, count.series));
        }
        if let Work::Benchmarks(all) = &mut self.plan.work {
            all.push(benchmark);
        }
        self.series.push(vec![count]);
        Ok(self.series.len() - 1)
    }
}

fn draft(what: &Import<'_>, cases: &[Case]) -> ManifestDraft {
    ManifestDraft {
        tool_version: what.tool_version.to_owned(),
        scenario: "import".into(),
        scenario_toml: String::new(),
        limits: Vec::new(),
        overrides: Vec::new(),
        rig: "import".into(),
        args: what.args.clone(),
        host: Host::current(),
        cases: cases
            .iter()
            .map(|case| CaseManifest::new(&case.kernel, case.plan.clone()))
            .collect(),
    }
}

/// The samples of one case until now.
struct Sender {
    log: LogWriter,
    case: u16,
    number: u64,
}

impl Sender {
    fn new(log: &LogWriter, case: u16) -> Self {
        Self { log: log.clone(), case, number: 0 }
    }

    fn send(&mut self, message: Message) -> Result<(), ForeignError> {
        let frame = Frame { number: self.number, message };
        self.number += 1;
        let unwritable = |error: irqscope_wire::FrameError| ForeignError::Unwritable {
            format: "the run's log",
            why: error.to_string(),
        };
        let encoded = encode(&frame).map_err(unwritable)?;
        let source = irqscope_run::Source::Target;
        Ok(self.log.append(self.case, source, &encoded)?)
    }

    fn open(
        &mut self,
        what: &Import<'_>,
        case: &Case,
        source: &Source<'_>,
        head: &Head,
    ) -> Result<(), ForeignError> {
        self.send(Message::Hello(Hello {
            protocol: PROTOCOL,
            kind: "import".into(),
            tool_version: what.tool_version.to_owned(),
            proof: None,
        }))?;
        self.send(Message::Plan(case.plan.clone().into()))?;
        if let Some(started) = started(case, head) {
            self.send(Message::Started(started))?;
        }
        let origin = format!("imported from {} ({})", source.path.display(), head.tool);
        let infos = std::iter::once(&origin).chain(&head.notes).map(|text| (Severity::Info, text));
        let warnings = head.warnings.iter().map(|text| (Severity::Warning, text));
        for (severity, text) in infos.chain(warnings) {
            self.send(Message::Note(Note { severity, text: text.clone() }))?;
        }
        Ok(())
    }

    fn close(&mut self, case: &Case) -> Result<(), ForeignError> {
        for (benchmark, series) in (0u16..).zip(&case.series) {
            let class = case.plan.benchmarks()[usize::from(benchmark)].class();
            let series = series.clone();
            self.send(Message::BenchEnd(BenchEnd { benchmark, class, series, unavailable: None }))?;
        }
        self.send(Message::Finished(Counters::default()))
    }
}

/// Returns the target's facts, only where the file says what was measured; what it does not say is
/// empty.
fn started(case: &Case, head: &Head) -> Option<Started> {
    Some(Started {
        kernel: head.release.clone()?,
        preemption: String::new(),
        machine: head.machine.clone().unwrap_or_default(),
        cmdline: String::new(),
        clocksource: String::new(),
        cpu_model: String::new(),
        cpus: 0,
        governor: String::new(),
        stages: Vec::new(),
        unavailable: Vec::new(),
        tick: case.plan.tick.unwrap_or(Tick { femtoseconds: 1_000_000 }),
        timer_hz: None,
        inject_cpu: None,
        absent_loads: Vec::new(),
    })
}

/// Samples of one series that were not yet sent.
struct Batch {
    goal: Goal,
    series: String,
    cpu: Option<u16>,
    first: u64,
    timed: bool,
    samples: Vec<(i64, i64)>,
    bins: Vec<ValueCount>,
}

impl Batch {
    fn new(head: &SeriesHead, goal: Goal) -> Self {
        let (series, cpu) = (head.name.clone(), head.cpu);
        let (samples, bins) = (Vec::new(), Vec::new());
        Self { goal, series, cpu, first: 0, timed: false, samples, bins }
    }

    /// Returns whether a sample continues the batch.
    fn takes(&self, seq: u64, timed: bool) -> bool {
        let next = self.first.wrapping_add(self.samples.len() as u64);
        self.samples.len() < BATCH && timed == self.timed && seq == next
    }

    fn messages(&mut self) -> Vec<Message> {
        let benchmark = u16::try_from(self.goal.benchmark).unwrap_or(u16::MAX);
        let mut messages = Vec::new();
        let samples = std::mem::take(&mut self.samples);
        let (cpu, first) = (self.cpu, Seq(self.first));
        let values = |values| {
            let series = self.series.clone();
            Message::BenchValues(BenchValues { benchmark, series, cpu, values })
        };
        if !samples.is_empty() && self.timed {
            let one = |(at, value)| BenchSample { at: Nanoseconds(at), value: Nanoseconds(value) };
            let samples = samples.into_iter().map(one).collect();
            let series = self.series.clone();
            let batch = BenchSamples { benchmark, series, cpu, first, samples };
            messages.push(Message::BenchSamples(batch));
        } else if !samples.is_empty() {
            let all = samples.into_iter().map(|(_, value)| Nanoseconds(value)).collect();
            messages.push(values(Values::InOrder { first, values: all }));
        }
        if !self.bins.is_empty() {
            messages.push(values(Values::Counted(self.bins.clone())));
            self.bins.clear();
        }
        messages
    }
}

struct Writer<'a> {
    senders: &'a mut [Sender],
    batches: Vec<Batch>,
}

impl Writer<'_> {
    fn flush(&mut self, series: usize) -> Result<(), ForeignError> {
        let batch = &mut self.batches[series];
        let sender = &mut self.senders[batch.goal.case];
        batch.messages().into_iter().try_for_each(|message| sender.send(message))
    }

    fn flush_all(&mut self) -> Result<(), ForeignError> {
        (0..self.batches.len()).try_for_each(|series| self.flush(series))
    }
}

/// Series that the first reading did not see belong to a file that has grown since; they are passed
/// over, and the counts in the run show it.
impl Sink for Writer<'_> {
    fn series(&mut self, _: SeriesHead) {}

    fn sample(
        &mut self,
        series: usize,
        seq: u64,
        at: Option<i64>,
        value: i64,
    ) -> Result<(), ForeignError> {
        let Some(batch) = self.batches.get(series) else { return Ok(()) };
        if !batch.takes(seq, at.is_some()) {
            self.flush(series)?;
            let batch = &mut self.batches[series];
            (batch.first, batch.timed) = (seq, at.is_some());
        }
        self.batches[series].samples.push((at.unwrap_or(0), value));
        Ok(())
    }

    fn bin(&mut self, series: usize, value: i64, count: u64) -> Result<(), ForeignError> {
        let Some(batch) = self.batches.get_mut(series) else { return Ok(()) };
        batch.bins.push(ValueCount { value: Nanoseconds(value), count });
        if batch.bins.len() >= BATCH { self.flush(series) } else { Ok(()) }
    }

    fn beyond(&mut self, series: usize, beyond: Beyond) -> Result<(), ForeignError> {
        let Some(batch) = self.batches.get(series).filter(|_| beyond.count > 0) else {
            return Ok(());
        };
        let values = BenchValues {
            benchmark: u16::try_from(batch.goal.benchmark).unwrap_or(u16::MAX),
            series: batch.series.clone(),
            cpu: batch.cpu,
            values: Values::Beyond(beyond),
        };
        self.senders[batch.goal.case].send(Message::BenchValues(values))
    }

    fn correct(&mut self, _: usize, _: Option<irqscope_wire::Class>, _: Option<u64>) {}
}
