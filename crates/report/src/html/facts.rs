// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The facts of a measurement: its settings, its machine, and the method of its figures.

use irqscope_analysis::{CaseSummary, SeedsSummary, Summary, Sweep};
use irqscope_run::{CaseManifest, Manifest};
use irqscope_wire::{Benchmark, JitterKind, Policy, Scheduling, Setting, Stage, StagePlan, Unit};
use maud::{Markup, html};

use irqscope_quantity::{exact, grouped, hertz, percent};

type Fact = (&'static str, fn(&CaseManifest) -> Option<String>);

/// Lists what was asked for. A fact that is the same in every case is written once.
pub fn measured(manifest: &Manifest, summary: &Summary) -> Markup {
    const FACTS: [Fact; 15] = [
        ("benchmarks", benchmarks),
        ("stages", |case| Some(names(&case.asked()?.stages))),
        ("trigger", |case| Some(trigger(case.asked()?))),
        ("period", period),
        ("pacing", |case| Some(case.asked()?.pacing.to_string())),
        ("mode", |case| Some(case.asked()?.mode.to_string())),
        ("line", |case| Some(case.asked()?.line.to_string())),
        ("views", |case| Some(views(case.asked()?))),
        ("CPU", |case| Some(case.plan.as_ref()?.cpu.to_string())),
        ("triggers", |case| Some(grouped(case.asked()?.count))),
        ("loads", |case| Some(loads(case))),
        ("user", |case| Some(scheduling(case.asked()?.user))),
        ("kthread", |case| Some(scheduling(case.asked()?.kthread))),
        ("thread", |case| Some(scheduling(case.asked()?.thread))),
        ("inserted delay", |case| delay(case.asked()?)),
    ];
    let mut names: Vec<&str> = manifest.cases.iter().map(name).collect();
    names.dedup();
    html! {
        dl {
            dt { "cases" } dd { (names.join(", ")) }
            @if let Some(seeds) = seeds(summary) { dt { "seeds" } dd { (seeds) } }
            @if let Some(sweep) = Sweep::of(summary) { dt { "frequencies" } dd { (frequencies(&sweep)) } }
            // An imported run does not say what else was asked for.
            @let known = if manifest.rig == "import" { 1 } else { FACTS.len() };
            @for fact in &FACTS[..known] { (told(&manifest.cases, *fact)) }
            @for (stage, cases) in absent(manifest, summary) {
                dt { (stage) } dd { "is not offered by the kernel of " (cases.join(", ")) }
            }
        }
    }
}

/// Returns stages that were asked for and that a kernel does not have, with its cases.
fn absent<'a>(manifest: &Manifest, summary: &'a Summary) -> Vec<(Stage, Vec<&'a str>)> {
    let is_absent = |stage: &Stage, (plan, case): &(&CaseManifest, &'a CaseSummary)| {
        let asked = plan.asked().is_some_and(|asked| asked.stages.contains(stage));
        asked && !case.stages.is_empty() && !case.stages.iter().any(|one| one.stage == *stage)
    };
    let of = |stage: &Stage| {
        let cases = manifest.cases.iter().zip(&summary.cases);
        let cases = cases.filter(|both| is_absent(stage, both)).map(|(_, case)| &*case.case);
        (*stage, cases.collect::<Vec<_>>())
    };
    Stage::ALL.iter().map(of).filter(|(_, cases)| !cases.is_empty()).collect()
}

/// Lists where it was measured.
pub fn environment(manifest: &Manifest) -> Markup {
    const FACTS: [Fact; 9] = [
        ("kernel", |case| Some(case.target.as_ref()?.kernel.clone())),
        ("preemption", |case| Some(case.target.as_ref()?.preemption.clone())),
        ("machine", |case| Some(case.target.as_ref()?.machine.clone())),
        ("CPU model", |case| Some(case.target.as_ref()?.cpu_model.clone())),
        ("CPUs", |case| Some(case.target.as_ref()?.cpus.to_string())),
        ("clocksource", |case| Some(case.target.as_ref()?.clocksource.clone())),
        ("governor", |case| Some(case.target.as_ref()?.governor.clone())),
        ("tick", |case| Some(tick(case.target.as_ref()?.tick.femtoseconds))),
        ("command line", |case| Some(case.target.as_ref()?.cmdline.clone())),
    ];
    let host = &manifest.host;
    html! {
        h3 { "Target" }
        dl { @for fact in FACTS { (told(&manifest.cases, fact)) } }
        h3 { "Host" }
        dl {
            dt { "system" } dd { (host.os) ", Linux " (host.kernel) ", " (host.machine) }
            dt { "CPU" } dd { (host.cpu_model) ", " (host.cpus) " CPUs" }
            @for (tool, version) in &host.tools { dt { (tool) } dd { (version) } }
            dt { "command" } dd { code { (manifest.args.join(" ")) } }
        }
    }
}

pub fn method(manifest: &Manifest, summary: &Summary, is_intspect: bool) -> Markup {
    html! {
        ul {
            @if let Some(seeds) = summary.seeds.first() {
                li { "Figures over seeds are the " (seeds.method) "; the pictures show the samples of all seeds of a case together." }
            }
            li { "Quantiles are " (summary.quantile_method) ", over every answered trigger; the standard deviation is the sample's." }
            @if Sweep::of(summary).is_some() {
                li { "The knee is the highest frequency at which, and at all steps below which, every trigger had a response of its own: none merged with another's, none missing, no interrupt lost, nothing in doubt. It lies between that step and the next." }
                li { "Beyond its knee a stage's figures are those of the triggers that it did answer." }
                li { "One period: an answer above this line comes when the next trigger is out already." }
            } @else if !is_intspect {
                li { "Histograms have two logarithmic axes and every response: nothing is cut off. Dashed lines are quantiles and the maximum, a red one is a limit that the scenario sets." }
                li { "A colour is a case, in every picture." }
            } @else {
                li { "The dashed red lines are the 5 % and 95 % quantiles: nine tenths of all answers lie between them." }
                li { "IRQ: answers that another interrupt hit on their CPU; they are set apart from the bars and part of all statistics." }
                li { "OOB: answers beyond the axis, which all cases of a stage share. None is dropped: their values are listed." }
            }
            li { "Every sample is in " code { "samples.parquet" } ", every frame as it was received in " code { "run.log" } "." }
            li { "Digest over all samples: " code.digest { (summary.digest) } }
        }
        details { summary { "The scenario" } pre tabindex="0" { (manifest.scenario_toml) } }
    }
}

/// Returns a case's name: a step of a sweep goes by the name of the case that is swept, and one of
/// several seeds by that of the case with any.
fn name(case: &CaseManifest) -> &str {
    case.step_of.as_deref().or(case.seed_of.as_deref()).unwrap_or(&case.case)
}

/// Formats `6.1/idle: 1, 2, 3`.
fn seeds(summary: &Summary) -> Option<String> {
    let of = |one: &SeedsSummary| {
        let seeds: Vec<String> = one.seeds.iter().map(u64::to_string).collect();
        format!("{}: {}", one.case, seeds.join(", "))
    };
    let all: Vec<String> = summary.seeds.iter().map(of).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn frequencies(sweep: &Sweep) -> String {
    let mut steps: Vec<f64> =
        sweep.series.iter().flat_map(|one| &one.points).map(|point| point.frequency_hz).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    steps.into_iter().map(hertz).collect::<Vec<_>>().join(", ")
}

fn told(cases: &[CaseManifest], (fact_name, fact): Fact) -> Markup {
    let mut told: Vec<(&str, Option<String>)> =
        cases.iter().map(|case| (name(case), fact(case))).collect();
    told.dedup();
    let same = told.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let known = told.iter().filter(|(_, text)| text.as_ref().is_some_and(|text| !text.is_empty()));
    let shown = known.take(if same { 1 } else { usize::MAX }).collect::<Vec<_>>();
    html! {
        @if !shown.is_empty() {
            dt { (fact_name) }
            @for (case, text) in shown {
                dd { @if !same { span.muted { (case) ": " } } (text.as_deref().unwrap_or_default()) }
            }
        }
    }
}

/// Formats `gtod monotonic (100,000), sched fifo 80 (1,000 every 5 ms)`.
fn benchmarks(case: &CaseManifest) -> Option<String> {
    let plan = case.plan.as_ref().filter(|plan| !plan.needs_driver())?;
    let one = |benchmark: &Benchmark| {
        let name = format!("{} {}", benchmark.kind(), benchmark.variant());
        let rounds = benchmark.rounds().map(grouped);
        let period = benchmark
            .period_ns()
            .filter(|period| *period > 0)
            .map(|period| format!("every {}", exact(period)));
        let settings = [rounds, period].into_iter().flatten().collect::<Vec<_>>().join(" ");
        if settings.is_empty() { name } else { format!("{name} ({settings})") }
    };
    Some(plan.benchmarks().iter().map(one).collect::<Vec<_>>().join(", "))
}

fn names(stages: &[Stage]) -> String {
    stages.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", ")
}

fn trigger(plan: &StagePlan) -> String {
    let (trigger, facts) = (plan.trigger, plan.trigger.facts());
    match facts.uses_irq {
        true => format!("{trigger} on IRQ {}", plan.irq),
        false => format!("{trigger} ({})", facts.text),
    }
}

/// Formats the period. A swept one is no fact; only the jitter's share of it is.
fn period(case: &CaseManifest) -> Option<String> {
    let plan = case.asked()?;
    let [period, jitter] = [plan.period_ns, plan.jitter.ns].map(exact);
    let share = plan.jitter.ns as f64 / plan.period_ns.max(1) as f64 * 100.0;
    match (plan.jitter.kind, &case.step_of) {
        (JitterKind::None, None) => Some(period),
        (JitterKind::None, Some(_)) => None,
        (kind, None) => {
            let seed = case.seed_of.is_none().then(|| format!(", seed {}", plan.seed));
            let seed = seed.unwrap_or_default();
            Some(format!("{period} plus {kind} jitter of {jitter}{seed}"))
        }
        (kind, Some(_)) => {
            Some(format!("swept, plus {kind} jitter of {share:.0} % of it, seed {}", plan.seed))
        }
    }
}

fn views(plan: &StagePlan) -> String {
    let outside = plan.outside.map(|outside| {
        let value = |(setting, raw): (Setting, u64)| match setting.unit() {
            Unit::Ticks => format!("{setting} {}", exact(raw)),
            Unit::PerMille => format!("{setting} {}", percent(raw)),
            unit => format!("{setting} {} {}", setting.text_of(raw), unit.name()).trim_end().into(),
        };
        let settings: Vec<String> = outside.settings.iter().map(value).collect();
        format!("outside ({})", settings.join(", "))
    });
    let inside = plan.inside.map(|_| "inside".to_owned());
    outside.into_iter().chain(inside).collect::<Vec<_>>().join(" and ")
}

fn loads(case: &CaseManifest) -> String {
    let loads = case.state.load_names();
    if loads.is_empty() { "none".into() } else { loads.join(", ") }
}

fn scheduling(scheduling: Scheduling) -> String {
    match scheduling.policy {
        Policy::Other => "SCHED_OTHER".into(),
        policy => format!("SCHED_{} {}", policy.name().to_uppercase(), scheduling.priority),
    }
}

fn delay(plan: &StagePlan) -> Option<String> {
    let delay = plan.delay?;
    Some(format!("{} instructions before {}", grouped(u64::from(delay.instructions)), delay.stage))
}

fn tick(femtoseconds: u64) -> String {
    format!("{} ns", femtoseconds as f64 / 1e6)
}
