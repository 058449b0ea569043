// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From samples to figures: order statistics, histograms, and the check that
//! every trigger is accounted for. Each figure names its method.
#![forbid(unsafe_code)]

mod derive;
mod distribution;
mod error;
mod histogram;
mod identity;
mod observer;
mod outside;
mod statistics;
mod summary;
mod sweep;
mod validity;

pub use derive::{derive, distributions};
pub use distribution::Distribution;
pub use error::AnalysisError;
pub use histogram::{Axis, Histogram};
pub use identity::Recount;
pub use observer::ObserverEffect;
pub use outside::{EdgeOffset, OutsideAccount};
pub use statistics::{QUANTILE_METHOD, Statistics, quantile};
pub use summary::{CaseSummary, StageSummary, Summary, VERSION, check};
pub use sweep::{Knee, Point, Series, Sweep, VERSION as SWEEP_VERSION};
pub use validity::{Violation, Warning};

pub type Result<T, E = AnalysisError> = std::result::Result<T, E>;
