// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tails of known distributions are found, and where there is none that can be found the reason is
//! given.

use crate::simulated::coverage::series;
use crate::simulated::tails::{KNOWN, Known, draw, simulate};
use crate::simulated::{Process, random, uniform};
use irqscope_analysis::{Measured, Refusal, Tail};

const N: usize = 20_000;

fn is_found(name: &str, tolerance: f64) {
    let known: Known = *KNOWN.iter().find(|known| known.name == name).unwrap();
    let found = simulate(known, N, 40);
    println!("{name}: {found:?}");
    assert!((found.shape - known.shape).abs() <= tolerance, "{name}: {found:?}");
    assert!((found.ratio - 1.0).abs() < 0.1, "{name}: {found:?}");
    assert!(found.held >= 95.0 && found.refused <= 20.0, "{name}: {found:?}");
}

#[test]
fn exponential() {
    is_found("exponential", 0.05);
}

#[test]
fn pareto() {
    is_found("Pareto, index 4", 0.08);
}

#[test]
fn uniform_ends_where_it_ends() {
    is_found("uniform", 0.05);
}

/// Its limit is exponential, and reached slowly.
#[test]
fn weibull() {
    is_found("Weibull, 0.7", 0.15);
}

fn refusal(series: &Measured) -> Refusal {
    Tail::of(series, &[1e5]).unwrap().unwrap_err()
}

#[test]
fn clusters_count_once() {
    let bursts = series(Process::Bursts.series(&mut random(5), 60_000, 1.0));
    match Tail::of(&bursts, &[6e5]).unwrap() {
        Ok(tail) => assert!(tail.peaks < tail.exceedances && tail.extremal_index < 0.8, "{tail:?}"),
        Err(refusal) => assert!(matches!(refusal, Refusal::NoFit { .. }), "{refusal}"),
    }
    let one = series(
        (0..20_000)
            .map(|n| if (5_000..5_200).contains(&n) { 90_000 + n } else { n % 97 })
            .collect(),
    );
    assert!(matches!(refusal(&one), Refusal::Uneven { .. }));
}

#[test]
fn what_the_data_do_not_support_is_refused_with_a_reason() {
    let mut random = random(6);
    assert!(matches!(refusal(&series(vec![5; 900])), Refusal::FewSamples { samples: 900 }));
    let all_alike = series(vec![5; 5_000]);
    assert!(matches!(refusal(&all_alike), Refusal::FewPeaks { peaks: 0 }));
    let exponential = draw(KNOWN[0], N, &mut random);
    let unanswered = Measured { without: 3, ..series(exponential.clone()) };
    assert!(matches!(refusal(&unanswered), Refusal::Unanswered { without: 3 }));
    // A clock of 10 µs.
    let coarse = exponential.iter().map(|ns| ns / 10_000 * 10_000).collect();
    assert!(matches!(refusal(&series(coarse)), Refusal::Coarse { .. } | Refusal::FewPeaks { .. }));
    // Something else began in the middle.
    let places = (0i64..).zip(&exponential);
    let late = places.map(|(n, ns)| if n > 15_000 { ns * 3 } else { *ns }).collect();
    assert!(matches!(refusal(&series(late)), Refusal::Uneven { p } if p < 0.01));
    // So heavy that it has no mean.
    let heavy = (0..N).map(|_| (1e4 * uniform(&mut random).powf(-1.5)).round() as i64).collect();
    assert!(matches!(refusal(&series(heavy)), Refusal::NoMean { shape } if shape > 1.0));
    // Of two kinds: one in 600 has a culprit that takes 100 µs, the others have none.
    let two = exponential.iter().map(|ns| {
        let late = uniform(&mut random) < 1.0 / 600.0;
        if late { 100_000 + ns / 20 } else { *ns }
    });
    assert!(matches!(refusal(&series(two.collect())), Refusal::NoFit { p } if p <= 0.05));
}
