// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The first screen of a run: an answer in words, then a table that fits a terminal.
//!
//! No figure is derived here: rows hold what the summary has.

mod answer;
mod axis;
mod comparison;
mod field;
mod isolate;
mod line;
mod rows;
mod table;
mod watch;

pub use answer::{About, answer};
pub(crate) use answer::{Facts, summed};
pub use axis::{ByAxis, axes, axis_screen, by_axis};
pub use field::Field;
pub use isolate::isolation_screen;
pub(crate) use isolate::{disturbance_rate, disturbed_share};
pub use line::Line;
pub use table::{Choice, below, csv, narrow};
pub(crate) use table::{PageRow, known, page_rows};
pub use watch::watch_screen;

/// The width where none is known: of a pipe, a file and the smallest terminal.
pub const SCREEN_WIDTH: usize = 80;
