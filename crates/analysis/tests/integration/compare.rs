// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs made up, of which it is known what differs and what a gate must say.

use std::path::Path;

use crate::synthetic::{Random, Sender, answered, draft, plan, sample, started};
use irqscope_analysis::{
    Allowance, AnalysisError, Ask, CompareError, Comparison, MeasuredCase, hold, hold_against,
    pairs,
};
use irqscope_quantity::Limit;
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;
use irqscope_wire::{
    Counters, Message, Outcome, Plan, Response, Stage, Started, SystemState, Tick,
};

const STAGES: [Stage; 2] = [Stage::Irq, Stage::User];
const QUANTILES: [Quantile; 3] = [Quantile::P50, Quantile::P99, Quantile::MAX];

/// Makes a run of one case, real time unless `twin`; each 100th user response is missing where
/// there are `missing` ones.
fn case(plan: Plan, target: Started, scale: f64, missing: bool) -> MeasuredCase {
    let parent = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(parent.path().join("run"), &draft(&[plan])).unwrap();
    let mut sender = Sender::new(&run, 0);
    sender.send(Message::Started(target));
    let mut random = Random(9);
    let one = |seq: u64| {
        let mut latency = |base: f64| (random.latency(base, 500.0, 300) as f64 * scale) as i64;
        let irq = answered(Stage::Irq, latency(1_000.0), 0);
        let user = match missing && seq % 100 == 7 {
            true => Response { stage: Stage::User, outcome: Outcome::Missing },
            false => answered(Stage::User, latency(9_000.0), 0),
        };
        sample(seq, vec![irq, user])
    };
    let count = 4_000;
    sender.send(Message::Samples((0..count).map(one).collect()));
    let missing = if missing { count / 100 } else { 0 };
    let (triggers, complete) = (count, count - missing);
    sender.send(Message::Finished(Counters { triggers, complete, missing, ..Counters::default() }));
    let cases = run.manifest().cases.clone();
    run.finish(cases).unwrap();
    load(run.path())
}

fn load(path: &Path) -> MeasuredCase {
    MeasuredCase::load(&RunDir::open(path).unwrap(), None).unwrap().remove(0)
}

fn real(name: &str) -> Plan {
    Plan {
        instruction: None,
        tick: Some(Tick { femtoseconds: 1_000_000 }),
        ..plan(name, &STAGES, 4_000)
    }
}

fn compare(base: &MeasuredCase, other: &MeasuredCase) -> Result<Comparison, AnalysisError> {
    Comparison::of(base, other, &Ask { names: &[], view: None, quantiles: &QUANTILES })
}

#[test]
fn ten_per_cent_more_are_found_and_nothing_is_found_where_nothing_is() {
    let base = case(real("6.1/idle"), started("6.1", &STAGES), 1.0, false);
    let other = case(real("6.1/idle"), started("6.1", &STAGES), 1.1, false);
    let comparison = compare(&base, &other).unwrap();
    assert!(!comparison.exact && comparison.differences.is_empty(), "{:?}", comparison.differences);
    assert_eq!(comparison.series.len(), 2);
    for series in &comparison.series {
        assert!(series.test.unwrap().p < 0.01 && !series.identical);
        let median = series.shifts[0].interval.unwrap();
        let [low, high] = median.percent.unwrap();
        assert!(
            low < 10.0 && 10.0 < high && !(median.low_ns..=median.high_ns).contains(&0.0),
            "{median:?}"
        );
    }
    let same = compare(&base, &base).unwrap();
    assert!(same.series.iter().all(|one| one.identical && one.test.unwrap().p > 0.5));
    let mut shifts = same.series.iter().map(|one| one.shifts[0].interval.unwrap());
    assert!(shifts.all(|shift| (shift.low_ns..=shift.high_ns).contains(&0.0)));
}

#[test]
fn the_twin_is_exact_and_never_compared_with_real_time() {
    let twin = case(plan("6.1/idle", &STAGES, 4_000), started("6.1", &STAGES), 1.0, false);
    let longer = case(plan("6.1-rt/idle", &STAGES, 4_000), started("6.1-rt", &STAGES), 2.0, false);
    let comparison = compare(&twin, &longer).unwrap();
    assert!(comparison.exact && comparison.interval_method.is_none());
    let shift = &comparison.series[0].shifts[0];
    assert_eq!((shift.interval, comparison.series[0].test), (None, None));
    assert!((shift.percent.unwrap() - 100.0).abs() < 0.5);
    assert_eq!(comparison.differences.len(), 1, "{:?}", comparison.differences);
    let real = case(real("6.1/idle"), started("6.1", &STAGES), 1.0, false);
    let refused = compare(&real, &twin);
    assert!(matches!(refused, Err(AnalysisError::Compare(CompareError::OtherClock { .. }))));
}

#[test]
fn what_was_not_measured_alike_is_named() {
    let base = case(real("6.1/idle"), started("6.1", &STAGES), 1.0, false);
    let target = Started {
        governor: "powersave".into(),
        cmdline: "quiet console=ttyS0 panic=-1 nohz_full=1".into(),
        ..started("6.1", &[Stage::User])
    };
    let state = SystemState::of("load", vec![irqscope_wire::Load::Tcp]);
    let slower = real("6.1/load").with_stages(|asked| asked.period_ns = 500_000);
    let plan = Plan { state, ..slower };
    let other = case(plan, target, 1.0, false);
    let told = compare(&base, &other).unwrap().differences;
    let told: Vec<(&str, &str, &str)> = told
        .iter()
        .filter(|one| one.matters)
        .map(|one| (one.what, one.base.as_str(), one.other.as_str()))
        .collect();
    let expected = [
        ("frequency governor", "", "powersave"),
        ("load", "none", "tcp"),
        ("stages", "irq, user", "user"),
        ("period", "1000000 ns", "500000 ns"),
        ("kernel command line", "", "nohz_full=1"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn responses_that_never_came_are_later_than_every_limit() {
    let whole = case(real("6.1/idle"), started("6.1", &STAGES), 1.0, false);
    let holed = case(real("6.1/idle"), started("6.1", &STAGES), 1.0, true);
    let limit = |quantile| Limit { name: "user".into(), limit_ns: 1_000_000_000, quantile };
    let passed = |case: &MeasuredCase, quantile| hold(case, &limit(quantile)).unwrap()[0].passed;
    assert!(passed(&whole, Quantile::MAX) && passed(&holed, Quantile::per_mille(980)));
    assert!(!passed(&holed, Quantile::per_mille(995)) && !passed(&holed, Quantile::MAX));
    let nothing = Limit { name: "work".into(), ..limit(Quantile::P50) };
    let verdict = hold(&whole, &nothing).unwrap().remove(0);
    assert!(!verdict.passed && verdict.found.contains("was not measured"));
    assert!(compare(&whole, &holed).unwrap().series[1].lacks_responses());
}

#[test]
fn a_quantile_of_too_few_samples_is_no_figure_and_no_pass() {
    let one = case(real("6.1/idle"), started("6.1", &STAGES), 1.0, false);
    let quantiles = [Quantile::P99, Quantile::P99_9, Quantile::MAX];
    let limit = |quantile| Limit { name: "user".into(), limit_ns: 1_000_000_000, quantile };
    let verdict = |quantile| hold(&one, &limit(quantile)).unwrap().remove(0);
    assert_eq!(quantiles.map(|one| verdict(one).passed), [true, false, true]);
    let found = verdict(Quantile::P99_9).found;
    assert_eq!(found, "too few samples: p99.9 takes 10,000, and there are 4,000; hold max instead");
    let ask = Ask { names: &[], view: None, quantiles: &quantiles };
    let shifts = Comparison::of(&one, &one, &ask).unwrap().series.remove(0).shifts;
    let known = shifts.iter().map(|shift| (shift.base_ns.is_some(), shift.needed));
    assert_eq!(known.collect::<Vec<_>>(), [(true, None), (false, Some(10_000)), (true, None)]);
    let allowance = Allowance { ask, percent: 5.0, strict: false };
    let verdicts = hold_against(&one, &one, &allowance).unwrap();
    let failed: Vec<&str> =
        verdicts.iter().filter(|one| !one.passed).map(|one| &*one.found).collect();
    assert_eq!(failed, ["too few samples for p99.9; it takes about 10,000 samples"; 2]);
}

#[test]
fn cases_are_paired_by_name_or_one_with_all() {
    let named = |name: &str| {
        let mut one = case(real(name), started("6.1", &STAGES), 1.0, false);
        one.case.case = name.into();
        one
    };
    let (idle, load, other) = (named("6.1/idle"), named("6.1/load"), named("6.12/idle"));
    let both = [idle.clone(), load.clone()];
    assert_eq!(pairs(&both, &[load, other.clone()]).unwrap().len(), 1);
    assert_eq!(pairs(&both, std::slice::from_ref(&other)).unwrap().len(), 2);
    let others = [other.clone(), other];
    assert!(matches!(pairs(&both, &others), Err(CompareError::NoCommonCase { .. })));
}
