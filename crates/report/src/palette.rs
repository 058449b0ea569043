// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Colours and words of the stages, in one place.
//!
//! Okabe and Ito's colour-blind safe set, without the black and the yellow
//! that vanish on one ground or the other, and Paul Tol's "muted" for the
//! rest. Relatives share a hue: blue straight from the interrupt, green
//! tasklets, orange workqueues, purple threads.

use irqscope_wire::{BenchmarkKind, Stage};

/// Returns a stage's colour, the same in every figure and on the page.
pub const fn stage_colour(stage: Stage) -> &'static str {
    match stage {
        Stage::Irq => "#0072b2",
        Stage::Softirq => "#56b4e9",
        Stage::TaskletHi => "#009e73",
        Stage::Tasklet => "#44aa99",
        Stage::WorkBh => "#a6611a",
        Stage::WorkHi => "#d55e00",
        Stage::Work => "#e69f00",
        Stage::WorkUnbound => "#999933",
        Stage::Thread => "#aa4499",
        Stage::Kthread => "#cc79a7",
        Stage::User => "#882255",
    }
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
    }
}

/// Says what exactly is measured.
pub const fn stage_text(stage: Stage) -> &'static str {
    match stage {
        Stage::Irq => "the hard interrupt handler",
        Stage::Softirq => "a function run straight from the IRQ_POLL softirq",
        Stage::TaskletHi => "a high-priority tasklet",
        Stage::Tasklet => "a tasklet",
        Stage::WorkBh => "a work item on the bottom-half workqueue (system_bh_wq)",
        Stage::WorkHi => "a work item on the high-priority workqueue (system_highpri_wq)",
        Stage::Work => "a work item on the ordinary workqueue (system_wq)",
        Stage::WorkUnbound => "a work item on the unbound workqueue (system_unbound_wq)",
        Stage::Thread => "the threaded half of the interrupt handler",
        Stage::Kthread => "a kernel thread that the handler wakes",
        Stage::User => "a user thread that blocks in read()",
    }
}

/// Returns the colours of cases where they are overlaid; they repeat after eight.
pub const fn case_colour(index: usize) -> &'static str {
    const COLOURS: [&str; 8] =
        ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#999933", "#882255"];
    COLOURS[index % COLOURS.len()]
}
