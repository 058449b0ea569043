// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How often the intervals of `tail` and `compare` hold on measured runs: a long run is cut into
//! pieces, and each piece has to say what the whole run shows.

use std::path::Path;

use irqscope_analysis::{LEVEL, Measured, MeasuredCase, SeriesName, Shift, Tail, differ};
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;

#[allow(dead_code, reason = "a benchmark takes a part of it")]
#[path = "../tests/simulated/mod.rs"]
mod simulated;

use simulated::coverage::series;

/// Values of a piece.
const PIECE: usize = 2_500;
/// A tail is asked for the level that is exceeded once in as many times a piece's values.
const FARTHER: usize = 10;
const PER_MILLE: [u32; 3] = [500, 900, 990];

/// A share, for printing.
#[derive(Default)]
struct Share {
    held: usize,
    of: usize,
}

impl Share {
    fn count(&mut self, held: bool) {
        self.held += usize::from(held);
        self.of += 1;
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.held, self.of)
    }
}

/// Prints the two tables, of each run that is named.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    if runs.is_empty() {
        println!("no run was named: scripts/bench measures one");
        return Ok(());
    }
    println!(
        "| case, stage | values | level once in {} | tail held it | clearly missed | refused | p50 held | p90 held | p99 held | false alarms |",
        PIECE * FARTHER
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for run in runs {
        let run = RunDir::open(Path::new(&run))?;
        for case in MeasuredCase::load(&run, None)? {
            for one in case.series.iter().filter(|one| one.name.is_in(case.main_view())) {
                row(&case, one)?;
            }
        }
    }
    Ok(())
}

fn row(case: &MeasuredCase, one: &Measured) -> Result<(), Box<dyn std::error::Error>> {
    let SeriesName::Stage { stage, .. } = one.name else { return Ok(()) };
    let mut values = Vec::new();
    one.values.each(|piece| values.extend_from_slice(piece))?;
    let pieces: Vec<Measured> =
        values.chunks_exact(PIECE).map(|piece| series(piece.to_vec())).collect();
    let samples = PIECE * FARTHER;
    let mut sorted = values.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let beyond = values.len() / samples;
    let at = |rank: usize| sorted.get(rank).copied().unwrap_or_default() as f64;
    let truth = at(beyond);
    // The number of values beyond the true level is Poisson's: this is how sure the run is of it.
    let spread = (1.96 * (beyond as f64).sqrt()).round() as usize;
    let unsure = at(beyond + spread)..=at(beyond.saturating_sub(spread));

    let (mut held, mut missed, mut refused) = <(Share, Share, Share)>::default();
    for piece in &pieces {
        let tail = Tail::of(piece, &[samples as f64])?;
        refused.count(tail.is_err());
        if let Some(level) = tail.ok().and_then(|tail| tail.levels.first().copied()) {
            let is_high_enough = level.high_ns.is_none_or(|high| truth <= high);
            held.count(level.low_ns <= truth && is_high_enough);
            let is_below = level.high_ns.is_some_and(|high| high < *unsure.start());
            missed.count(is_below || level.low_ns > *unsure.end());
        }
    }
    let mut differences = [(); 3].map(|()| Share::default());
    let mut alarms = Share::default();
    for (left, right) in pieces.iter().zip(pieces.iter().skip(pieces.len() / 2)) {
        for (share, quantile) in differences.iter_mut().zip(PER_MILLE) {
            let shift = Shift::estimated(left, right, Quantile::per_mille(quantile), LEVEL)?;
            if let Some(limits) = shift.and_then(|shift| shift.interval) {
                share.count((limits.low_ns..=limits.high_ns).contains(&0.0));
            }
        }
        alarms.count(differ(left, right)?.is_ok_and(|test| test.p <= 0.05));
    }
    let [p50, p90, p99] = differences;
    println!(
        "| {} {stage} | {} | {:.1} µs | {held} | {missed} | {refused} | {p50} | {p90} | {p99} | {alarms} |",
        case.case.case,
        values.len(),
        truth / 1e3,
    );
    Ok(())
}
