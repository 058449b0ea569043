// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The search: first each load alone, then changes of what was good.
//!
//! The best mixture of each set of loads is kept, so that a set which delays in its own way is not lost
//! to better ones before its sizes and its phase were tried (an archive of elites by kind: Mouret and
//! Clune, 2015).

use std::collections::{BTreeMap, HashMap};

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::mixture::Mixture;
use crate::source::Pool;

/// Sets of loads whose best mixtures are changed.
const ELITES: usize = 24;

/// Changes that are tried to find a mixture that was not measured yet.
const TRIES: usize = 100;

/// The outcome of a mixture's measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The longest latency, ns, and the number of the trigger that had it.
    Late(u64, u64),
    /// It could not be measured, because of this.
    Failed(String),
}

impl Outcome {
    /// Returns the longest latency, ns; 0 where nothing was measured.
    pub fn latency(&self) -> u64 {
        match self {
            Self::Late(latency, _) => *latency,
            Self::Failed(_) => 0,
        }
    }
}

/// Measured mixtures, and the choice of the next ones.
#[derive(Debug)]
pub struct Search {
    pool: Pool,
    random: Xoshiro256PlusPlus,
    /// Loads that were not measured alone yet.
    alone: Vec<usize>,
    known: HashMap<Mixture, Outcome>,
    /// By set of loads, the longest latency and its mixture.
    elites: BTreeMap<Vec<usize>, (u64, Mixture)>,
}

impl Search {
    /// Begins a search over the loads of a pool. `seed`: of its choices.
    pub fn new(pool: Pool, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut alone: Vec<usize> = (0..pool.sources.len()).collect();
        alone.shuffle(&mut random);
        Self { pool, random, alone, known: HashMap::new(), elites: BTreeMap::new() }
    }

    /// Returns the loads.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Returns up to `size` mixtures that were not measured yet; none where nothing new is found.
    pub fn batch(&mut self, size: usize) -> Vec<Mixture> {
        let mut batch: Vec<Mixture> = Vec::new();
        while batch.len() < size {
            let Some(next) = self.next(&batch) else { break };
            batch.push(next);
        }
        batch
    }

    /// Takes what a mixture gave.
    pub fn learn(&mut self, mixture: Mixture, outcome: Outcome) {
        let latency = outcome.latency();
        if latency > 0 {
            let elite = self.elites.entry(mixture.sources()).or_insert((0, mixture.clone()));
            if elite.0 < latency {
                *elite = (latency, mixture.clone());
            }
        }
        self.known.insert(mixture, outcome);
    }

    /// Returns the mixture with the longest latency, ns, and the trigger that had it.
    pub fn best(&self) -> Option<(&Mixture, u64, u64)> {
        let (_, mixture) = self.elites.values().max()?;
        match self.known.get(mixture)? {
            Outcome::Late(latency, seq) => Some((mixture, *latency, *seq)),
            Outcome::Failed(_) => None,
        }
    }

    /// Returns how many mixtures were measured, and how many of them could not be.
    pub fn measured(&self) -> (usize, usize) {
        let failed = self.known.values().filter(|one| matches!(one, Outcome::Failed(_)));
        (self.known.len(), failed.count())
    }

    /// Returns the loads that could not be measured alone, with the reasons.
    pub fn failed(&self) -> Vec<(String, &str)> {
        let mut failed: Vec<_> = (self.known.iter())
            .filter_map(|(mixture, outcome)| match (outcome, &mixture.parts[..]) {
                (Outcome::Failed(why), [one]) => {
                    Some((self.pool.sources[one.source].name(), why.as_str()))
                }
                _ => None,
            })
            .collect();
        failed.sort();
        failed.dedup_by(|one, other| one.0 == other.0);
        failed
    }

    fn next(&mut self, batch: &[Mixture]) -> Option<Mixture> {
        if let Some(source) = self.alone.pop() {
            return Some(Mixture::of(&self.pool, source));
        }
        let mut elites: Vec<&(u64, Mixture)> = self.elites.values().collect();
        elites.sort_by(|one, other| other.cmp(one));
        elites.truncate(ELITES);
        if elites.is_empty() {
            return None;
        }
        let good: Vec<usize> = elites.iter().flat_map(|elite| elite.1.sources()).collect();
        for _ in 0..TRIES {
            // The better one of two is chosen, as in a tournament.
            let mut choose = || {
                let (one, other) = (0..elites.len(), 0..elites.len());
                let at = self.random.random_range(one).min(self.random.random_range(other));
                elites[at].1.clone()
            };
            let (parent, other) = (choose(), choose());
            let child = match self.random.random_bool(0.25) {
                true => parent.crossed(&other, &mut self.random),
                false => parent.mutated(&self.pool, &good, &mut self.random),
            };
            if !self.known.contains_key(&child) && !batch.contains(&child) {
                return Some(child);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives latencies with a trap: one load is long alone, two others are longer, but only together
    /// and when large.
    fn landscape(mixture: &Mixture, pool: &Pool) -> Outcome {
        let named = |name| {
            let is = |part: &&crate::Part| pool.sources[part.source].name() == name;
            mixture.parts.iter().find(is).map_or(0, |part| u64::from(part.count))
        };
        let (fork, pipe, vm) =
            (named("stress-ng:fork"), named("stress-ng:pipe"), named("stress-ng:vm"));
        Outcome::Late(100 + 300 * vm.min(1) + 50 * fork + 40 * fork * pipe + mixture.seed % 7, 3)
    }

    fn searched(seed: u64, candidates: usize) -> (Mixture, u64, Search) {
        let mut pool = Pool::new([], []);
        // Forty loads: with all of them a pair that nothing hints at takes luck.
        let mut names: Vec<String> = pool.sources[..37].iter().map(|one| one.name()).collect();
        names.extend(["fork", "pipe", "vm"].map(|name| format!("stress-ng:{name}")));
        pool.keep(&names).unwrap();
        let mut search = Search::new(pool, seed);
        while search.measured().0 < candidates {
            for mixture in search.batch(16) {
                let outcome = landscape(&mixture, search.pool());
                search.learn(mixture, outcome);
            }
        }
        let (mixture, latency, _) = search.best().unwrap();
        (mixture.clone(), latency, search)
    }

    #[test]
    fn a_mixture_is_found_that_no_load_alone_hints_at() {
        for seed in 1..=5 {
            let (_, latency, _) = searched(seed, 3000);
            assert!(latency > 10_000, "seed {seed} found {latency}");
        }
    }

    #[test]
    fn the_same_seed_searches_in_the_same_way() {
        let (one, other) = (searched(3, 800), searched(3, 800));
        assert_eq!((one.0, one.1), (other.0, other.1));
    }

    #[test]
    fn what_cannot_be_measured_is_named_and_not_bred() {
        let mut pool = Pool::new(["exec", "copy"], []);
        pool.keep(&["exec".to_owned(), "copy".to_owned()]).unwrap();
        let mut search = Search::new(pool, 1);
        for mixture in search.batch(2) {
            let outcome = match mixture.parts[0].source {
                0 => Outcome::Failed("no program".to_owned()),
                _ => Outcome::Late(5, 0),
            };
            search.learn(mixture, outcome);
        }
        assert_eq!(search.failed(), [("exec".to_owned(), "no program")]);
        assert_eq!(search.best().map(|best| best.1), Some(5));
    }
}
