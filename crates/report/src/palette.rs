// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Colours and words of what is drawn. Those of the stages are in their table, in `irqscope-wire`.

use irqscope_wire::{BenchmarkKind, Stage};

/// Returns a stage's colour, the same in every figure and on the page.
pub const fn stage_colour(stage: Stage) -> &'static str {
    stage.facts().colour
}

/// Benchmarks stand apart from each other, never beside stages.
pub const fn benchmark_colour(kind: BenchmarkKind) -> &'static str {
    match kind {
        BenchmarkKind::Gtod => "#56b4e9",
        BenchmarkKind::Sched => "#882255",
        BenchmarkKind::Async => "#cc79a7",
        BenchmarkKind::Sleep => "#aa4499",
        BenchmarkKind::Inversion => "#d55e00",
        BenchmarkKind::Realfeel => "#0072b2",
        BenchmarkKind::Jitter => "#009e73",
        BenchmarkKind::Spin => "#999933",
        BenchmarkKind::Watch => "#117733",
        BenchmarkKind::Isolate => "#332288",
    }
}

/// Says what exactly is measured.
pub const fn stage_text(stage: Stage) -> &'static str {
    stage.facts().text
}

/// Returns the colours of cases where they are overlaid; they repeat after eight.
pub const fn case_colour(index: usize) -> &'static str {
    const COLOURS: [&str; 8] =
        ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#999933", "#882255"];
    COLOURS[index % COLOURS.len()]
}
