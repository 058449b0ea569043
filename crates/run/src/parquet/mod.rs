// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples for DuckDB, Polars and pandas.

mod bench;
mod columns;
mod interference;
mod samples;
mod table;

pub use bench::BenchWriter;
pub use interference::{InterferenceRow, InterferenceWriter};
pub use samples::SamplesWriter;
