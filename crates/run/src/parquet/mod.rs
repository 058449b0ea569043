// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples for DuckDB, Polars and pandas, and some of them back for those who look at one trigger.

mod bench;
mod columns;
mod interference;
mod read;
mod samples;
mod table;

pub use bench::BenchWriter;
pub use interference::{InterferenceReader, InterferenceRow, InterferenceWriter, SegmentRow};
pub use samples::{SamplesReader, SamplesWriter};
