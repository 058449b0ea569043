// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A set of values as different values with how often each came, in ascending order: as exact as
//! the values themselves, and as small as they are alike. Values that do not fit into memory lie in
//! a file.

mod counter;
mod merged;
mod store;

use irqscope_quantity::Quantile;
use irqscope_wire::Beyond;
use std::path::Path;

pub use counter::Counter;

use crate::Result;
use merged::merge;
use store::Store;

/// One value and how often it came.
pub type Pair = (i64, u64);

/// Values, each with how often it came.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    count: u64,
    min: Option<i64>,
    max: Option<i64>,
    beyond: Option<Beyond>,
    store: Store,
}

impl Counted {
    /// Counts values in any order; those that do not fit into memory go to a file in `dir`.
    ///
    /// # Errors
    /// The disk's.
    pub fn of(values: impl IntoIterator<Item = i64>, dir: &Path) -> Result<Self> {
        let mut counter = Counter::new(dir);
        values.into_iter().try_for_each(|value| counter.add(value, 1))?;
        counter.finish()
    }

    /// Adds values of which only their number and their bounds are known: they are greater than
    /// all others.
    #[must_use]
    pub fn and_beyond(self, beyond: Option<Beyond>) -> Self {
        Self { beyond: beyond.filter(|beyond| beyond.count > 0), ..self }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Joins these and the other ones.
    pub(crate) fn together(self, other: Self, dir: &Path) -> Result<Self> {
        if other.is_empty() {
            return Ok(self);
        }
        let beyond = self.beyond.or(other.beyond);
        let mut counter = Counter::new(dir);
        let mut added = Ok(());
        Both(&self, &other).each(&mut |value, count| {
            if added.is_ok() {
                added = counter.add(value, count);
            }
        })?;
        added.and_then(|()| counter.finish()).map(|all| all.and_beyond(beyond))
    }
}

/// Values in ascending order, each with how often it came.
pub trait Ascending {
    /// Returns how many values there are, those that are alike included.
    fn count(&self) -> u64;

    /// Returns the least value.
    fn min(&self) -> Option<i64>;

    /// Returns the greatest value; none as well where it lies beyond a histogram that did not keep
    /// it.
    fn max(&self) -> Option<i64>;

    /// Returns what lies beyond the values that are known. They count, and are not passed on.
    fn beyond(&self) -> Option<Beyond> {
        None
    }

    /// Passes every different value on, ascending.
    ///
    /// # Errors
    /// The disk's, where a file holds them.
    fn each(&self, take: &mut dyn FnMut(i64, u64)) -> Result<()>;

    /// Returns the values of these ranks, which ascend and count from 1; none for ranks beyond the
    /// last.
    ///
    /// # Errors
    /// The disk's.
    fn at_ranks<const N: usize>(&self, ranks: [u64; N]) -> Result<[Option<i64>; N]>
    where
        Self: Sized,
    {
        debug_assert!(ranks.is_sorted());
        let (mut found, mut next, mut passed) = ([None; N], 0, 0u64);
        self.each(&mut |value, count| {
            passed = passed.saturating_add(count);
            while next < N && ranks[next] <= passed {
                found[next] = Some(value);
                next += 1;
            }
        })?;
        Ok(found)
    }

    /// Returns quantiles, which ascend; none for those that there are too few values for, or that
    /// lie beyond a histogram.
    ///
    /// # Errors
    /// The disk's.
    fn quantiles<const N: usize>(&self, asked: [Quantile; N]) -> Result<[Option<i64>; N]>
    where
        Self: Sized,
    {
        let count = self.count();
        let mut found = self.at_ranks(asked.map(|quantile| quantile.rank(count)))?;
        for (value, quantile) in found.iter_mut().zip(asked) {
            let known = if quantile == Quantile::MAX { self.max() } else { *value };
            *value = known.filter(|_| quantile.is_known_of(count));
        }
        Ok(found)
    }

    /// Returns a quantile; none of too few values, or beyond a histogram.
    ///
    /// # Errors
    /// The disk's.
    fn quantile(&self, quantile: Quantile) -> Result<Option<i64>>
    where
        Self: Sized,
    {
        self.quantiles([quantile]).map(|[value]| value)
    }

    /// Returns how many values are greater than each of these limits, which ascend.
    ///
    /// # Errors
    /// The disk's.
    fn greater_than(&self, limits: &[f64]) -> Result<Vec<u64>>
    where
        Self: Sized,
    {
        let (mut passed, mut greater) = (0u64, Vec::with_capacity(limits.len()));
        self.each(&mut |value, count| {
            while limits.get(greater.len()).is_some_and(|limit| *limit < value as f64) {
                greater.push(self.count() - passed);
            }
            passed = passed.saturating_add(count);
        })?;
        greater.resize(limits.len(), 0);
        Ok(greater)
    }
}

impl Ascending for Counted {
    fn count(&self) -> u64 {
        self.count.saturating_add(self.beyond.map_or(0, |beyond| beyond.count))
    }

    fn beyond(&self) -> Option<Beyond> {
        self.beyond
    }

    fn min(&self) -> Option<i64> {
        self.min
    }

    fn max(&self) -> Option<i64> {
        self.beyond.map_or(self.max, |beyond| beyond.greatest.map(|greatest| greatest.0))
    }

    fn each(&self, take: &mut dyn FnMut(i64, u64)) -> Result<()> {
        self.store.pairs().try_for_each(|pair| pair.map(|(value, count)| take(value, count)))
    }
}

/// Two sets as if they were one.
#[derive(Clone, Copy, Debug)]
pub struct Both<'a>(pub &'a Counted, pub &'a Counted);

impl Ascending for Both<'_> {
    fn count(&self) -> u64 {
        self.0.count().saturating_add(self.1.count())
    }

    fn min(&self) -> Option<i64> {
        [self.0.min, self.1.min].into_iter().flatten().min()
    }

    fn max(&self) -> Option<i64> {
        match self.beyond() {
            Some(beyond) => beyond.greatest.map(|greatest| greatest.0),
            None => self.0.max.max(self.1.max),
        }
    }

    fn beyond(&self) -> Option<Beyond> {
        self.0.beyond.or(self.1.beyond)
    }

    fn each(&self, take: &mut dyn FnMut(i64, u64)) -> Result<()> {
        let sources = vec![self.0.store.pairs(), self.1.store.pairs()];
        merge(sources).try_for_each(|pair| pair.map(|(value, count)| take(value, count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn listed(counted: &Counted) -> Vec<i64> {
        let mut all = Vec::new();
        counted.each(&mut |value, count| all.extend((0..count).map(|_| value))).unwrap();
        all
    }

    #[test]
    fn more_than_fits_into_memory_is_exact_too() {
        let dir = tempfile::tempdir().unwrap();
        let value = |n: i64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15u64.cast_signed()) >> 40;
        let mut expected: Vec<i64> = (0..900_000).map(value).collect();
        let mut counter = Counter::with_room(dir.path(), 1_000, 10_000);
        expected.iter().for_each(|value| counter.add(*value, 1).unwrap());
        let counted = counter.finish().unwrap();
        expected.sort_unstable();
        assert!(counted.store.is_file(), "else this tests nothing");
        assert_eq!(listed(&counted), expected);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the file has no name");
    }

    #[test]
    fn ranks_that_are_not_there_have_no_value() {
        let counted = Counted::of([5, 5, 7], Path::new("/nonexistent")).unwrap();
        assert_eq!(counted.at_ranks([1, 2, 3, 4]).unwrap(), [Some(5), Some(5), Some(7), None]);
    }

    proptest! {
        #[test]
        fn it_has_what_was_put_in(
            values in prop::collection::vec(prop_oneof![-20i64..20, any::<i64>()], 0..400),
            cut in 0usize..400,
            room in 1usize..50,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let (one, other) = values.split_at(cut.min(values.len()));
            let of = |values: &[i64]| {
                let mut counter = Counter::with_room(dir.path(), room, 2 * room);
                values.iter().for_each(|value| counter.add(*value, 1).unwrap());
                counter.finish().unwrap()
            };
            let (one, other) = (of(one), of(other));
            let mut both = Vec::new();
            let together = Both(&one, &other);
            together.each(&mut |value, count| both.extend((0..count).map(|_| value))).unwrap();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            prop_assert_eq!(together.count(), values.len() as u64);
            prop_assert_eq!((together.min(), together.max()), (sorted.first().copied(), sorted.last().copied()));
            let limits = [-21.0, -3.0, 0.5, 7.0];
            let greater = limits.map(|limit| sorted.iter().filter(|v| **v as f64 > limit).count() as u64);
            prop_assert_eq!(together.greater_than(&limits).unwrap(), greater);
            prop_assert_eq!(both, sorted);
        }
    }
}
