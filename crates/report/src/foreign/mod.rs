// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Formats of other programs. docs/formats.md says what each of them keeps and
//! what it cannot.

mod error;
mod export;
mod import;
pub mod metrics;

pub use error::ForeignError;
pub use export::{Export, ExportFormat, Submission, export};
pub use import::{Import, ImportFormat, import};
