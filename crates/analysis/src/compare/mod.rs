// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Is this kernel better than that one? docs/comparing.md says how it is found out,
//! and how right it is.

mod case;
mod comparison;
mod differ;
mod differences;
mod error;
mod exceedances;
mod interval;
mod matching;
mod maximum;
mod series;
mod shift;

pub use case::{MeasuredCase, pairs};
pub(crate) use comparison::is_exact;
pub use comparison::{Ask, Comparison, LEVEL, SeriesComparison, VERSION as COMPARISON_VERSION};
pub use differ::{TEST_METHOD, Test, TooShort, differ};
pub use differences::{ManifestDifference, differences};
pub use error::CompareError;
pub use interval::INTERVAL_METHOD;
pub(crate) use interval::Interval;
pub(crate) use matching::matching;
pub use maximum::{MAXIMUM_METHOD, WINDOWS};
pub use series::{Series, SeriesName};
pub use shift::{Limits, Shift};
