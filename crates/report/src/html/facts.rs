// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What was measured, where, and how the figures were made.

use irqscope_analysis::Summary;
use irqscope_run::{CaseManifest, Manifest};
use irqscope_wire::{JitterKind, Plan, Policy, Scheduling, Stage};
use maud::{Markup, html};

use crate::units::{exact, grouped};

type Fact = (&'static str, fn(&CaseManifest) -> Option<String>);

/// What was asked for. A fact that is the same in every case is told once.
pub fn measured(manifest: &Manifest, summary: &Summary) -> Markup {
    const FACTS: [Fact; 14] = [
        ("stages", |case| Some(names(&case.plan.as_ref()?.stages))),
        ("trigger", |case| Some(trigger(case.plan.as_ref()?))),
        ("period", |case| Some(period(case.plan.as_ref()?))),
        ("pacing", |case| Some(case.plan.as_ref()?.pacing.to_string())),
        ("mode", |case| Some(case.plan.as_ref()?.mode.to_string())),
        ("line", |case| Some(case.plan.as_ref()?.line.to_string())),
        ("views", |case| Some(views(case.plan.as_ref()?))),
        ("CPU", |case| Some(case.plan.as_ref()?.cpu.to_string())),
        ("triggers", |case| Some(grouped(case.plan.as_ref()?.count))),
        ("loads", |case| Some(loads(case))),
        ("user", |case| Some(scheduling(case.plan.as_ref()?.user))),
        ("kthread", |case| Some(scheduling(case.plan.as_ref()?.kthread))),
        ("thread", |case| Some(scheduling(case.plan.as_ref()?.thread))),
        ("inserted delay", |case| delay(case.plan.as_ref()?)),
    ];
    let names = summary.cases.iter().map(|case| case.case.as_str()).collect::<Vec<_>>();
    html! {
        dl {
            dt { "cases" } dd { (names.join(", ")) }
            @for fact in FACTS { (told(&manifest.cases, fact)) }
        }
    }
}

/// Where it was measured.
pub fn environment(manifest: &Manifest) -> Markup {
    const FACTS: [Fact; 8] = [
        ("kernel", |case| Some(case.target.as_ref()?.kernel.clone())),
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

pub fn method(manifest: &Manifest, summary: &Summary) -> Markup {
    html! {
        ul {
            li { "Quantiles are " (summary.quantile_method) ", over every answered trigger; the standard deviation is the sample's." }
            li { "The dashed red lines are the 5 % and 95 % quantiles: nine tenths of all answers lie between them." }
            li { "IRQ: answers that another interrupt hit on their CPU; they are set apart from the bars and part of all statistics." }
            li { "OOB: answers beyond the axis, which all cases of a stage share. None is dropped: their values are listed." }
            li { "Every sample is in " code { "samples.parquet" } ", every frame as it was received in " code { "run.log" } "." }
            li { "Digest over all samples: " code.digest { (summary.digest) } }
        }
        details { summary { "The scenario" } pre { (manifest.scenario_toml) } }
    }
}

fn told(cases: &[CaseManifest], (name, fact): Fact) -> Markup {
    let told: Vec<(&str, Option<String>)> =
        cases.iter().map(|case| (case.case.as_str(), fact(case))).collect();
    let same = told.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let known = told.iter().filter(|(_, text)| text.as_ref().is_some_and(|text| !text.is_empty()));
    let shown = known.take(if same { 1 } else { usize::MAX }).collect::<Vec<_>>();
    html! {
        @if !shown.is_empty() {
            dt { (name) }
            @for (case, text) in shown {
                dd { @if !same { span.muted { (case) ": " } } (text.as_deref().unwrap_or_default()) }
            }
        }
    }
}

fn names(stages: &[Stage]) -> String {
    stages.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", ")
}

fn trigger(plan: &Plan) -> String {
    match plan.trigger {
        irqscope_wire::Trigger::Timer => "timer (a hard hrtimer)".into(),
        other => format!("{other} on IRQ {}", plan.irq),
    }
}

fn period(plan: &Plan) -> String {
    let [period, jitter] = [plan.period_ns, plan.jitter.ns].map(exact);
    match plan.jitter.kind {
        JitterKind::None => period,
        kind => format!("{period} plus {kind} jitter of {jitter}, seed {}", plan.seed),
    }
}

fn views(plan: &Plan) -> String {
    let outside = plan.outside.map(|outside| {
        let duty = f64::from(outside.duty_per_mille) / 10.0;
        format!("outside ({duty} % duty, {} samples a packet)", outside.packet)
    });
    let inside = plan.inside.then(|| "inside".to_owned());
    outside.into_iter().chain(inside).collect::<Vec<_>>().join(" and ")
}

fn loads(case: &CaseManifest) -> String {
    let loads = case.state.loads.iter().map(|load| load.name()).collect::<Vec<_>>();
    if loads.is_empty() { "none".into() } else { loads.join(", ") }
}

fn scheduling(scheduling: Scheduling) -> String {
    match scheduling.policy {
        Policy::Other => "SCHED_OTHER".into(),
        policy => format!("SCHED_{} {}", policy.name().to_uppercase(), scheduling.priority),
    }
}

fn delay(plan: &Plan) -> Option<String> {
    let delay = plan.delay?;
    Some(format!("{} instructions before {}", grouped(u64::from(delay.instructions)), delay.stage))
}

fn tick(femtoseconds: u64) -> String {
    format!("{} ns", femtoseconds as f64 / 1e6)
}
