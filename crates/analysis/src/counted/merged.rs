// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several ascending sequences of pairs as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Pair;
use super::store::Pairs;
use crate::Result;

/// Merges pairs of all sources, ascending, those of one value made one. Ends with the first error.
pub fn merge(sources: Vec<Pairs<'_>>) -> Merged<'_> {
    Merged { sources, heads: BinaryHeap::new(), begun: false, failed: false }
}

pub struct Merged<'a> {
    sources: Vec<Pairs<'a>>,
    /// The next pair of each source.
    heads: BinaryHeap<Reverse<(Pair, usize)>>,
    begun: bool,
    failed: bool,
}

impl Merged<'_> {
    /// Puts the next pair of a source among the heads.
    fn refill(&mut self, source: usize) -> Result<()> {
        if let Some(pair) = self.sources[source].next().transpose()? {
            self.heads.push(Reverse((pair, source)));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Pair>> {
        if !self.begun {
            self.begun = true;
            (0..self.sources.len()).try_for_each(|source| self.refill(source))?;
        }
        let Some(Reverse(((value, mut count), source))) = self.heads.pop() else { return Ok(None) };
        self.refill(source)?;
        while let Some(Reverse(((same, more), source))) = self.heads.peek().copied()
            && same == value
        {
            self.heads.pop();
            count = count.saturating_add(more);
            self.refill(source)?;
        }
        Ok(Some((value, count)))
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = if self.failed { Ok(None) } else { self.step() };
        self.failed |= step.is_err();
        step.transpose()
    }
}
