// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The search for the load under which a response is latest: an evolutionary search over mixtures of
//! loads, their arguments, their number and the phase of the triggers, and the reduction of what it
//! found to the least that is still as late.
//!
//! Nothing is measured here: a function that is given measures mixtures, and the same answers and
//! the same seed lead to the same search.

mod archive;
mod mixture;
mod search;
mod shrink;
mod source;

pub use archive::{Culprit, HeldUp};
pub use mixture::{Mixture, Part};
pub use search::{Late, Outcome, Search};
pub use shrink::shrunk;
pub use source::{Pool, Source};
