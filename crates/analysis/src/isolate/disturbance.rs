// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A disturbance in words.

use super::Asked;

/// All that distinguishes one kind of disturbance from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Described {
    /// How the CPU was taken.
    pub entry: String,
    /// The acts of the kernel and of threads, in order.
    pub acts: Vec<String>,
    /// The code that asked for it.
    pub from: Option<Asked>,
}

impl Described {
    /// Returns whether it is known what was done.
    pub fn is_explained(&self) -> bool {
        !self.acts.is_empty()
    }
}
