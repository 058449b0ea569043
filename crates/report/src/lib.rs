// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Output for people: a table for the terminal, report.html, and its figures as SVG and PNG. And
//! what other programs read and write.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod account;
mod bench;
mod bursts;
mod cause_rows;
mod compare;
mod error;
mod explain;
mod figure;
mod figures;
pub mod foreign;
mod generator;
mod html;
mod locks;
mod palette;
mod path;
mod perfetto;
mod png;
pub mod reproduce;
mod response;
mod scope;
mod screen;
mod seeds;
mod subject;
mod svg;
mod sweep;
mod table;
mod tail;
mod verdicts;
mod write;

pub use bench::benchmark_text;
pub use bursts::bursts_table;
pub use cause_rows::cause_rows_table;
pub use compare::{Compared, comparison_table};
pub use error::ReportError;
pub use explain::{explanation_table, overhead_table, sample_timeline, truth_table};
pub use figure::Form;
pub use generator::{clock_text, offsets_text};
pub use locks::locks_text;
pub use palette::{benchmark_colour, case_colour, stage_colour, stage_text};
pub use path::{PATH_CAVEAT, check_line, difference_table, flame, path_table, path_title};
pub use perfetto::perfetto;
pub use scope::{SCOPE_TEXT_COLUMNS, ScopeView, scope_columns, scope_png, scope_svg, scope_text};
pub use screen::{
    About, ByAxis, Choice, Field, Line, SCREEN_WIDTH, answer, axes, axis_screen, below, by_axis,
    csv, isolation_screen, narrow, watch_screen,
};
pub use table::table;
pub use tail::tail_table;
pub use verdicts::{junit, tap};
pub use write::{Extras, write_all, write_comparisons, write_figures, write_html};

/// The result of whatever writes a report.
pub type Result<T, E = ReportError> = std::result::Result<T, E>;
