// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several ascending sequences of pairs as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

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
    /// Puts the first pair of each source among the heads.
    fn begin(&mut self) -> Result<()> {
        for (source, pairs) in self.sources.iter_mut().enumerate() {
            self.heads.extend(pairs.next().transpose()?.map(|pair| Reverse((pair, source))));
        }
        self.begun = true;
        Ok(())
    }

    /// Takes the least head, whose source's next pair takes its place.
    fn pop(&mut self) -> Result<Option<Pair>> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((pair, source)) = *head;
        match self.sources[source].next().transpose()? {
            Some(next) => head.0.0 = next,
            None => drop(PeekMut::pop(head)),
        }
        Ok(Some(pair))
    }

    fn step(&mut self) -> Result<Option<Pair>> {
        if !self.begun {
            self.begin()?;
        }
        let Some((value, mut count)) = self.pop()? else { return Ok(None) };
        while self.heads.peek().is_some_and(|Reverse(((next, _), _))| *next == value)
            && let Some((_, more)) = self.pop()?
        {
            count = count.saturating_add(more);
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
