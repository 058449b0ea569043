// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The search: first each load alone, then changes of what was good or new; after that, without a record of what
//! held responses up, the best mixtures once more and changes of what was good.

use std::collections::HashMap;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::archive::{Archive, Culprit, HeldUp};
use crate::mixture::Mixture;
use crate::source::Pool;

/// Changes that are tried to find a mixture that was not measured yet.
const TRIES: usize = 100;

/// The outcome of a mixture's measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was measured.
    Late(Late),
    /// It could not be measured, because of this.
    Failed(String),
}

/// The late responses of a mixture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Late {
    /// The latency by which mixtures are compared, ns: the longest, or the Nth longest.
    pub latency: u64,
    /// The number of the trigger that had it.
    pub seq: u64,
    /// Responses that were measured.
    pub answered: usize,
    /// How many of them took longer than half of `latency`.
    pub long: usize,
    /// The longest latency after `latency`, ns; 0 if there is none.
    pub next: u64,
    /// The longest latency of each culprit.
    pub held_up: Vec<HeldUp>,
}

/// Measured mixtures, and the choice of the next ones.
#[derive(Debug)]
pub struct Search {
    pool: Pool,
    random: Xoshiro256PlusPlus,
    /// Mixtures that come before all changes, the next one last.
    pending: Vec<Mixture>,
    known: HashMap<Mixture, Outcome>,
    archive: Archive,
}

impl Search {
    /// Begins a search over the loads of a pool. `seed`: of its choices.
    pub fn new(pool: Pool, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sources = 0..pool.sources.len();
        let mut pending: Vec<Mixture> = sources.map(|source| Mixture::of(&pool, source)).collect();
        pending.shuffle(&mut random);
        Self { pool, random, pending, known: HashMap::new(), archive: Archive::default() }
    }

    /// Begins a search that measures the best mixtures of this one first, in another way, and goes on
    /// from them.
    pub fn confirmation(&self) -> Self {
        let mut pending: Vec<Mixture> = self.archive.best_sets().into_iter().cloned().collect();
        pending.reverse();
        let (pool, random) = (self.pool.clone(), self.random.clone());
        Self { pool, random, pending, known: HashMap::new(), archive: Archive::default() }
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
        if let Outcome::Late(late) = &outcome {
            self.archive.add(&mixture, late);
        }
        self.known.insert(mixture, outcome);
    }

    /// Returns the mixture with the longest latency and its responses.
    pub fn best(&self) -> Option<(&Mixture, &Late)> {
        let mixture = self.archive.best()?;
        match self.known.get(mixture)? {
            Outcome::Late(late) => Some((mixture, late)),
            Outcome::Failed(_) => None,
        }
    }

    /// Returns how many functions have held responses up, or called what did.
    pub fn functions(&self) -> usize {
        self.archive.functions()
    }

    /// Returns the culprits that were met, that of the longest latency first.
    pub fn culprits(&self) -> Vec<&Culprit> {
        self.archive.culprits()
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
        if let Some(mixture) = self.pending.pop() {
            return Some(mixture);
        }
        let parents = self.archive.parents()?;
        for _ in 0..TRIES {
            let parent = parents.choose(&mut self.random).clone();
            let child = match self.random.random_bool(0.25) {
                true => parent.crossed(parents.choose(&mut self.random), &mut self.random),
                false => parent.mutated(&self.pool, parents.good(), &mut self.random),
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

    /// Returns the number of a stressor's instances in a mixture.
    fn instances(mixture: &Mixture, pool: &Pool, name: &str) -> u64 {
        let is =
            |part: &&crate::Part| pool.sources[part.source].name() == format!("stress-ng:{name}");
        mixture.parts.iter().find(is).map_or(0, |part| u64::from(part.count))
    }

    /// Gives latencies with a trap: one load is long alone, two others are longer, but only together
    /// and when large.
    fn together(mixture: &Mixture, pool: &Pool) -> Late {
        let [fork, pipe, vm] = ["fork", "pipe", "vm"].map(|name| instances(mixture, pool, name));
        let latency = 100 + 300 * vm.min(1) + 50 * fork + 40 * fork * pipe + mixture.seed % 7;
        Late { latency, seq: 3, ..Late::default() }
    }

    /// Gives a load that is shorter than all others until eight of it run with three others; it
    /// holds up in a way of its own.
    fn hidden(mixture: &Mixture, pool: &Pool) -> Late {
        let pipe = instances(mixture, pool, "pipe");
        let alone = pipe > 0 && mixture.parts.len() == 1;
        let latency = match (pipe, mixture.parts.len()) {
            (8.., 4) => 5000,
            _ if alone => 10,
            _ => 1000 + mixture.seed % 7 + mixture.parts[0].source as u64,
        };
        let held = |name: &str, functions: &[&str], latency| HeldUp {
            name: format!("not preempted: {name}"),
            whole: format!("not preempted: {name} (nice 0, in {})", functions.join(" < ")),
            functions: functions.iter().map(|name| (*name).to_owned()).collect(),
            latency,
        };
        let thread = format!("copy{}", mixture.seed);
        let mut held_up = vec![held(&thread, &["copy_page", "vfs_write"], latency)];
        if pipe > 0 {
            held_up.push(held("pipe", &["pipe_write", "vfs_write"], 10 + pipe));
        }
        Late { latency, seq: 3, held_up, ..Late::default() }
    }

    fn searched(
        landscape: impl Fn(&Mixture, &Pool) -> Late,
        seed: u64,
        candidates: usize,
    ) -> (Mixture, u64, Search) {
        let mut pool = Pool::new([], []);
        // Forty loads: with all of them a pair that nothing hints at takes luck.
        let mut names: Vec<String> = pool.sources[..37].iter().map(|one| one.name()).collect();
        names.extend(["fork", "pipe", "vm"].map(|name| format!("stress-ng:{name}")));
        pool.keep(&names).unwrap();
        let mut search = Search::new(pool, seed);
        while search.measured().0 < candidates {
            for mixture in search.batch(16) {
                let late = landscape(&mixture, search.pool());
                search.learn(mixture, Outcome::Late(late));
            }
        }
        let (mixture, late) = search.best().unwrap();
        (mixture.clone(), late.latency, search)
    }

    #[test]
    fn a_mixture_is_found_that_no_load_alone_hints_at() {
        for seed in 1..=5 {
            let (_, latency, _) = searched(together, seed, 3000);
            assert!(latency > 10_000, "seed {seed} found {latency}");
        }
    }

    #[test]
    fn a_function_leads_to_what_latencies_do_not_hint_at() {
        let blind =
            |mixture: &Mixture, pool: &Pool| Late { held_up: Vec::new(), ..hidden(mixture, pool) };
        let found = |landscape: &dyn Fn(&Mixture, &Pool) -> Late| {
            (1..=10).filter(|seed| searched(landscape, *seed, 500).1 == 5000).count()
        };
        let (guided, unguided) = (found(&hidden), found(&blind));
        assert!(guided >= unguided + 5, "{guided} of 10 with functions, {unguided} without");
        let (_, _, search) = searched(hidden, 1, 200);
        let names = search.culprits().into_iter().map(|one| one.longest.name.clone());
        let names: Vec<String> = names.collect();
        assert!(
            matches!(&names[..], [copy, pipe] if copy.contains("copy") && pipe.contains("pipe"))
        );
        assert_eq!(search.functions(), 3);
    }

    #[test]
    fn the_best_sets_are_measured_once_more() {
        let (_, _, explored) = searched(hidden, 1, 400);
        let mut search = explored.confirmation();
        let batch = search.batch(16);
        assert_eq!(batch.first(), explored.best().map(|(mixture, _)| mixture));
        for mixture in batch {
            // Nothing was recorded this time, which took a tenth of the latency.
            let late = hidden(&mixture, search.pool());
            let latency = late.latency * 9 / 10;
            search.learn(mixture, Outcome::Late(Late { latency, held_up: Vec::new(), ..late }));
        }
        assert_eq!(search.functions(), 0);
        let best = |search: &Search| search.best().map(|(_, late)| late.latency);
        assert_eq!(best(&search), best(&explored).map(|latency| latency * 9 / 10));
        assert!(search.batch(100).len() == 100, "it does not go on from them");
    }

    #[test]
    fn the_same_seed_searches_in_the_same_way() {
        for landscape in [together, hidden] {
            let (one, other) = (searched(landscape, 3, 800), searched(landscape, 3, 800));
            assert_eq!((one.0, one.1), (other.0, other.1));
        }
    }

    #[test]
    fn what_cannot_be_measured_is_named_and_not_bred() {
        let mut pool = Pool::new(["exec", "copy"], []);
        pool.keep(&["exec".to_owned(), "copy".to_owned()]).unwrap();
        let mut search = Search::new(pool, 1);
        for mixture in search.batch(2) {
            let outcome = match mixture.parts[0].source {
                0 => Outcome::Failed("no program".to_owned()),
                _ => Outcome::Late(Late { latency: 5, ..Late::default() }),
            };
            search.learn(mixture, outcome);
        }
        assert_eq!(search.failed(), [("exec".to_owned(), "no program")]);
        assert_eq!(search.best().map(|best| best.1.latency), Some(5));
    }
}
