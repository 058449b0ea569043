// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From samples to figures: order statistics, histograms, and the check that
//! every trigger is accounted for. Each figure names its method.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod bench;
mod bursts;
mod causes;
mod cmdline;
mod compare;
mod counted;
mod derive;
mod distribution;
mod error;
mod figures;
mod gate;
mod histogram;
mod identity;
mod isolate;
mod latest;
mod live;
mod locks;
mod observer;
mod ordered;
mod outside;
mod path;
mod phases;
mod replications;
mod scope;
mod scratch;
mod seeds;
mod statistics;
mod summary;
mod sweep;
mod tail;
mod validity;
mod worst;

pub use bench::{Overflow, SeriesSummary, Timeline, Unavailable};
pub use bursts::{Ahead, Burst, BurstPlace, BurstStage, Bursts, Handed, Merge};
pub use causes::{
    Above, Cause, CauseKind, CauseRow, CauseRows, Explained, Explanation, HeldUp, LeftOut,
    PartFigures, Ranked, ResponsePart, ResponseParts, Segment, Share, Truth, TruthRow, Wrong,
    culprit, culprits, explain, ranking,
};
pub use compare::{
    Ask, COMPARISON_VERSION, CompareError, Comparison, INTERVAL_METHOD, LEVEL, Limits,
    MAXIMUM_METHOD, ManifestDifference, MeasuredCase, Series as Measured, SeriesComparison,
    SeriesName, Shift, TEST_METHOD, Test, TooShort, WINDOWS, differ, differences, pairs,
};
pub use counted::{Ascending, Both, Counted, Counter, Pair};
pub use derive::{derive, derive_figures, explanations};
pub use distribution::{Distribution, Parts};
pub use error::AnalysisError;
pub use figures::{CaseFigures, Course, SeriesFigures};
pub use gate::{
    Allow, Allowance, Changed, GateError, HeldAgainst, Verdict, hold, hold_against, hold_all,
    hold_all_against, hold_own, may_be_held,
};
pub use histogram::{Apart, Axis, Histogram};
pub use identity::Recount;
pub use isolate::{Asked, DisturbanceCause, Isolation};
pub use latest::{LATEST, LateResponse, latest};
pub use live::{
    BINS, Bins, Capture, CountedBy, Drawn, Flag, Frames, INTERVALS, LIVE_QUANTILE_METHOD,
    LatencyCourse, LiveAccount, LiveCase, LiveFigures, LiveLines, LiveSeries, Other, Points,
    RECENT, Reason, Thresholds, WORST, Wanted, Worst, WorstSample, drawn, flags, worst_samples,
};
pub use locks::{Collision, HoldTimes, LockSource, Locks, Manager};
pub use observer::{ObserverEffect, overheads};
pub use ordered::Ordered;
pub use outside::{EdgeOffset, OutsideAccount};
pub use path::{
    At, CallTree, CasePath, ComparedPaths, Difference, FunctionCount, FunctionDifference, Node,
    PathCheck, PathError, PathSample, ShownPath,
};
pub use replications::SEEDS_METHOD;
pub use scope::{
    Align, Band, Change, Density, Form, Later, LineEdges, Look, Persistence, Search, Slope,
    ViewLines, Wave, Waves, search,
};
pub use seeds::{OverSeeds, SeedsSummary, StageSeeds};
pub use statistics::{QUANTILE_METHOD, Statistics, quantile};
pub use summary::{CaseSummary, ExecutionSummary, StageSummary, Summary, VERSION, check};
pub use sweep::{Knee, Point, Series, Sweep, VERSION as SWEEP_VERSION};
pub use tail::{Refusal, ReturnLevel, SeriesTail, TAIL_METHOD, Tail, TailAsk, TailError, tails};
pub use validity::{Violation, Warning};
pub use worst::{WorstInstant, WorstSearch};

/// A result with this crate's error.
pub type Result<T, E = AnalysisError> = std::result::Result<T, E>;
