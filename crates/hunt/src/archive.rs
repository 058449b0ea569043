// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mixtures that are worth a change.
//!
//! The best mixture of each set of loads is kept, so that a set which delays in its own way is not lost
//! to better ones before its sizes and its phase were tried (archives of elites by kind: Mouret and
//! Clune, 2015). Likewise the best one of each kernel function is kept that held a response up, or
//! called what did: half of the changes begin at such a function, however short it held, as fuzzers begin at
//! inputs that have reached new code.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mixture::Mixture;
use crate::search::Late;

/// Sets of loads whose best mixtures are changed.
const SETS: usize = 24;

/// Part of the changes that begin at a function's best mixture.
const OF_FUNCTIONS: f64 = 0.5;

/// The cause that held a response up the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldUp {
    /// Its name, by which culprits are listed.
    pub name: String,
    /// Its name with all that is known of it.
    pub whole: String,
    /// The functions that it speaks of.
    pub functions: Vec<String>,
    /// The latency, ns.
    pub latency: u64,
}

/// A cause of late responses, and the mixture in which it took longest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The response.
    pub longest: HeldUp,
    /// The mixture in which it came.
    pub mixture: Mixture,
}

/// A mixture and its longest latency of a kind, ns.
type Elite = (u64, Mixture);

/// The best mixtures by kind.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    sets: BTreeMap<Vec<usize>, Elite>,
    functions: BTreeMap<String, Elite>,
    /// By name without numbers.
    culprits: BTreeMap<String, Culprit>,
}

impl Archive {
    /// Keeps a mixture where it is better than the one that is kept.
    pub fn add(&mut self, mixture: &Mixture, late: &Late) {
        keep(&mut self.sets, mixture.sources(), late.latency, mixture);
        for held in &late.held_up {
            for function in &held.functions {
                keep(&mut self.functions, function.clone(), held.latency, mixture);
            }
            let name = unnumbered(&held.name);
            let known = self.culprits.get(&name);
            if known.is_none_or(|known| known.longest.latency < held.latency) {
                let culprit = Culprit { longest: held.clone(), mixture: mixture.clone() };
                self.culprits.insert(name, culprit);
            }
        }
    }

    /// Returns the mixture with the longest latency.
    pub fn best(&self) -> Option<&Mixture> {
        self.sets.values().max().map(|(_, mixture)| mixture)
    }

    /// Returns how many functions have held responses up.
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Returns the culprits, that of the longest latency first.
    pub fn culprits(&self) -> Vec<&Culprit> {
        let mut all: Vec<&Culprit> = self.culprits.values().collect();
        all.sort_by_key(|culprit| Reverse(culprit.longest.latency));
        all
    }

    /// Returns the best mixtures of the best sets, the best first.
    pub fn best_sets(&self) -> Vec<&Mixture> {
        let mut sets: Vec<&Elite> = self.sets.values().collect();
        sets.sort_by(|one, other| other.cmp(one));
        sets.truncate(SETS);
        sets.into_iter().map(|(_, mixture)| mixture).collect()
    }

    /// Returns what changes begin at; `None` where nothing was measured.
    pub fn parents(&self) -> Option<Parents<'_>> {
        let sets = self.best_sets();
        let good = sets.iter().flat_map(|mixture| mixture.sources()).collect();
        let functions = self.functions.values().map(|(_, mixture)| mixture).collect();
        (!sets.is_empty()).then_some(Parents { sets, functions, good })
    }
}

fn keep<K: Ord>(kept: &mut BTreeMap<K, Elite>, key: K, latency: u64, mixture: &Mixture) {
    let best = kept.entry(key).or_insert_with(|| (latency, mixture.clone()));
    if best.0 < latency {
        *best = (latency, mixture.clone());
    }
}

/// Returns a name without its numbers: those of kernel workers and of a load's processes differ from time
/// to time.
fn unnumbered(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// Mixtures that may be changed.
pub(crate) struct Parents<'a> {
    /// The best of each set of loads, the best set first.
    sets: Vec<&'a Mixture>,
    functions: Vec<&'a Mixture>,
    good: Vec<usize>,
}

impl Parents<'_> {
    /// Chooses one: any function's, or the better one of two sets', as in a tournament.
    pub fn choose(&self, random: &mut Xoshiro256PlusPlus) -> &Mixture {
        if !self.functions.is_empty() && random.random_bool(OF_FUNCTIONS) {
            return self.functions[random.random_range(0..self.functions.len())];
        }
        let (one, other) = (0..self.sets.len(), 0..self.sets.len());
        self.sets[random.random_range(one).min(random.random_range(other))]
    }

    /// Returns the loads that have shown that they delay.
    pub fn good(&self) -> &[usize] {
        &self.good
    }
}
