// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What people look at: a table for the terminal, report.html, and its figures
//! as SVG and PNG.
#![forbid(unsafe_code)]

mod error;
mod figure;
mod html;
mod palette;
mod png;
mod svg;
mod sweep;
mod table;
mod units;
mod write;

pub use error::ReportError;
pub use palette::{case_colour, stage_colour, stage_text};
pub use table::table;
pub use write::{write_all, write_html};

pub type Result<T, E = ReportError> = std::result::Result<T, E>;
