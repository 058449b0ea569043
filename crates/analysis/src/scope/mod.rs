// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lines of a case: levels in the course of time, as an oscilloscope on them would have shown.
//!
//! * [`waves`]: samples become edges of lines;
//! * [`persistence`]: many sweeps on top of each other;
//! * [`lines`]: edges of some triggers, for a page;
//! * [`search`]: the trigger that is looked for.

mod lines;
mod persistence;
mod search;
mod waves;

pub use lines::{LineEdges, Look, ViewLines};
pub use persistence::{Align, Band, Density, Later, Persistence, Slope};
pub use search::{Search, search};
pub use waves::{Change, Form, Wave, Waves};
