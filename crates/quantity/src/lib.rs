// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quantities as people write and read them: on the command line, in scenarios and in
//! every output. `read` has the three that can be asked for, `print` what figures look
//! like, `columns` how they stand below each other, `quantile` what is asked of many values.
//!
//! A text means the same wherever it is read. A number without a unit is refused, because
//! programs of this kind have taken it for microseconds, nanoseconds and hertz.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod columns;
mod cpus;
mod excerpt;
mod limit;
mod print;
mod quantile;
mod read;

pub use columns::{Column, aligned};
pub use cpus::{CpuList, NoCpuList};
pub use excerpt::{EXCERPT, excerpt, shortened};
pub use limit::{Limit, LimitError};
pub use print::{Unit, alone, change, exact, grouped, hertz, hertz_exact, percent, seconds};
pub use quantile::Quantile;
pub use read::{Frequency, QuantityError, Share, Span};
