// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions of a CPU from a trigger to its last edge, one by one: only an emulated machine
//! can record them.
//!
//! The CPU's way is cut into **stretches**. A stretch begins with a trigger and
//! ends when no trigger waits for an answer, so that samples which overlap share
//! one. It is sent in as many messages as it needs.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::{Cycles, Seq};

/// A part of one stretch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// Which stretch, counted from 0.
    pub stretch: u64,
    /// The code, in the order of its execution.
    pub runs: Vec<Run>,
    /// In order of position.
    pub marks: Vec<Mark>,
    /// How it ended.
    pub end: PathEnd,
}

/// Instructions that follow one another in memory, executed one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// Where the first one lies, as the distance from the end of the run before
    /// or, in the first run of a stretch, from address 0.
    pub step: i64,
    /// Never 0.
    pub instructions: u32,
    /// All of them together.
    pub bytes: u32,
    /// The last instruction was left without a jump: it was not its block's
    /// last. It faulted and was not executed, or it was and an interrupt came.
    pub broken_off: bool,
}

/// Something that happened between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// How many instructions of the stretch's runs came before.
    pub position: u64,
    /// On the generator's clock.
    pub at: Cycles,
    /// The event.
    pub event: PathEvent,
}

/// An event on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathEvent {
    /// A trigger was raised.
    Trigger(Seq),
    /// A response line changed.
    Edge(u8),
}

/// The end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathEnd {
    /// More of this stretch follows.
    Continues,
    /// No trigger waits any more.
    Complete,
    /// It became longer than the generator keeps; the rest is lost.
    TooLong,
}
