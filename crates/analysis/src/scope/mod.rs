// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lines of a case: levels in the course of time, as an oscilloscope on them would have shown.
//!
//! * [`waves`]: samples become edges of lines;
//! * [`persistence`]: many sweeps on top of each other.

mod persistence;
mod waves;

pub use persistence::{Align, Band, Density, Later, Persistence, Slope};
pub use waves::{Change, Wave, Waves};
