// SPDX-License-Identifier: Apache-2.0 OR MIT
//! 95 % intervals hold the truth in 93 to 97 of 100 simulations, and the test raises
//! no more false alarms than its level, whatever samples are like. `make bench`
//! prints the same of more samples and farther quantiles.

use crate::simulated::coverage::{SCALE, alarms, coverage, series};
use crate::simulated::{Process, random};
use irqscope_analysis::{Shift, differ};
use irqscope_quantity::Quantile;

const SIMULATIONS: u32 = 1_000;

/// Checks p50, p90, p99 and the maximum of a window.
fn holds_the_truth(process: Process, samples: usize) {
    holds_the_truth_of(process, [samples; 2]);
}

fn holds_the_truth_of(process: Process, samples: [usize; 2]) {
    let rates = coverage(process, samples, SIMULATIONS, &[500, 900, 990, 1000]);
    println!("{}: {rates:?}", process.name());
    for rate in rates {
        assert!((93.0..=97.0).contains(&rate.held) && rate.known == 100.0, "{rate:?}");
    }
}

#[test]
fn independent_samples() {
    holds_the_truth(Process::Independent, 20_000);
}

/// The maximum of more samples is larger, and no difference between their processes.
#[test]
fn more_samples_of_one_side_than_of_the_other() {
    holds_the_truth_of(Process::Independent, [5_000, 40_000]);
    holds_the_truth_of(Process::HeavyTail, [30_000, 20_000]);
    holds_the_truth_of(Process::Autoregressive(0.9), [100_000, 20_000]);
}

#[test]
fn samples_that_depend_on_the_one_before() {
    holds_the_truth(Process::Autoregressive(0.9), 20_000);
}

#[test]
fn samples_that_depend_on_many_before() {
    holds_the_truth(Process::Autoregressive(0.95), 20_000);
}

#[test]
fn samples_that_are_late_in_bursts() {
    // Of 30,000 samples 30 bursts hold those beyond p99.
    holds_the_truth(Process::Bursts, 30_000);
}

#[test]
fn samples_with_a_heavy_tail() {
    holds_the_truth(Process::HeavyTail, 20_000);
}

#[test]
fn samples_in_small_steps() {
    holds_the_truth(Process::Ties(10), 20_000);
}

/// An interval cannot be shorter than a step: it holds the truth more often.
#[test]
fn samples_in_steps_as_large_as_the_difference() {
    for rate in coverage(Process::Ties(1_000), [5_000; 2], 400, &[500, 900, 990]) {
        assert!(rate.held >= 93.0, "{rate:?}");
    }
}

fn raises_no_false_alarm(process: Process) {
    let rate = alarms(process, 3_000, SIMULATIONS, 1.0);
    println!("{}: {rate} %", process.name());
    assert!(rate <= 5.0, "{}: {rate} %", process.name());
}

#[test]
fn no_false_alarm_of_independent_samples() {
    raises_no_false_alarm(Process::Independent);
    raises_no_false_alarm(Process::HeavyTail);
    raises_no_false_alarm(Process::Ties(1_000));
}

#[test]
fn no_false_alarm_of_samples_that_depend_on_others() {
    raises_no_false_alarm(Process::Autoregressive(0.9));
    raises_no_false_alarm(Process::Autoregressive(0.95));
    raises_no_false_alarm(Process::Bursts);
}

#[test]
fn what_differs_is_found() {
    assert!(alarms(Process::Independent, 3_000, 100, SCALE) > 99.0);
    assert!(alarms(Process::Autoregressive(0.9), 10_000, 100, SCALE) > 90.0);
}

#[test]
fn too_few_samples_are_told_with_how_many_it_takes() {
    let mut random = random(4);
    let mut short = |n| series(Process::Autoregressive(0.95).series(&mut random, n, 1.0));
    let (base, other) = (short(2_000), short(2_000));
    let far = Shift::estimated(&base, &other, Quantile::P99_9, 0.95).unwrap().unwrap();
    assert!(far.interval.is_none() && far.needed.is_some_and(|needed| needed > 4_000), "{far:?}");
    let (base, other) = (short(100), short(100));
    assert!(differ(&base, &other).unwrap().is_err_and(|short| short.needed > 100));
    assert_eq!(Shift::estimated(&base, &series(vec![]), Quantile::P50, 0.95).unwrap(), None);
}

#[test]
fn extremes_neither_overflow_nor_panic() {
    let edge = series([i64::MIN, -1, 0, 1, i64::MAX].repeat(200));
    let shift = Shift::estimated(&edge, &edge, Quantile::P50, 0.95).unwrap().unwrap();
    assert_eq!((shift.difference_ns, shift.percent), (Some(0), None));
    let (least, most) = (series(vec![i64::MIN; 500]), series(vec![i64::MAX; 500]));
    let shift = Shift::estimated(&least, &most, Quantile::MAX, 0.95).unwrap().unwrap();
    assert_eq!(shift.difference_ns, Some(i64::MAX));
    assert!(differ(&least, &most).unwrap().is_ok_and(|test| test.p < 0.05));
    assert!(differ(&least, &least).unwrap().is_ok_and(|test| test.p == 1.0));
}
