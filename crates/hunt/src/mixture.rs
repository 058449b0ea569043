// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A mixture of loads, how it is changed, and the scenario that it is.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use toml::{Table, Value};

use crate::source::{Pool, Source, with_values};

/// Parts that a mixture has at the most.
const PARTS: usize = 4;

/// How many of a load can run at the same time.
const COUNTS: [u16; 5] = [1, 2, 4, 8, 16];

/// Debian's package of the stressors.
const PACKAGE: &str = "stress-ng/bookworm";

/// The user that stressors run as, and that makes system calls. It may not set priorities, so that they can delay a real-time
/// thread only by what the kernel does for them.
const USER: &str = "65534";

/// Loads that run at the same time, and the triggers that come meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mixture {
    /// The loads.
    pub parts: Vec<Part>,
    /// The seed of the triggers' jitter: their phase.
    pub seed: u64,
}

/// A load of a mixture.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// Its place in the pool.
    pub source: usize,
    /// How many of it run.
    pub count: u16,
    /// By option of its size, the chosen value; none: stress-ng's own, or the first of an argument.
    pub sizes: Vec<Option<usize>>,
}

impl Part {
    /// Makes a single load of stress-ng's own size.
    pub fn new(pool: &Pool, source: usize) -> Self {
        Self { source, count: 1, sizes: vec![None; pool.sources[source].sizes().len()] }
    }
}

impl Mixture {
    /// Makes a mixture of one load.
    pub fn of(pool: &Pool, source: usize) -> Self {
        Self { parts: vec![Part::new(pool, source)], seed: 1 }
    }

    /// Returns the loads' places in the pool, each once.
    pub fn sources(&self) -> Vec<usize> {
        let mut sources: Vec<usize> = self.parts.iter().map(|part| part.source).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// Returns a mixture that differs in one to three places.
    pub fn mutated(&self, pool: &Pool, good: &[usize], random: &mut Xoshiro256PlusPlus) -> Self {
        let mut child = self.clone();
        for _ in 0..random.random_range(1..=3) {
            child.change(pool, good, random);
        }
        child
    }

    /// Returns a mixture with parts of both.
    pub fn crossed(&self, other: &Self, random: &mut Xoshiro256PlusPlus) -> Self {
        let mut parts: Vec<Part> = self.parts.iter().chain(&other.parts).cloned().collect();
        parts.sort();
        parts.dedup_by_key(|part| part.source);
        while parts.len() > PARTS {
            parts.remove(random.random_range(0..parts.len()));
        }
        Self { parts, seed: self.seed }
    }

    fn change(&mut self, pool: &Pool, good: &[usize], random: &mut Xoshiro256PlusPlus) {
        let at = random.random_range(0..self.parts.len());
        match random.random_range(0..10) {
            0..3 => self.seed = random.random_range(1..1 << 20),
            3..5 => self.parts[at].count = COUNTS[random.random_range(0..COUNTS.len())],
            5..7 => self.parts[at].resize(pool, random),
            7 if self.parts.len() > 1 => _ = self.parts.remove(at),
            _ => {
                // Half of what comes in has shown that it delays.
                let source = match good {
                    [_, ..] if random.random_bool(0.5) => good[random.random_range(0..good.len())],
                    _ => random.random_range(0..pool.sources.len()),
                };
                let known = self.parts.iter().any(|part| part.source == source);
                match self.parts.len() < PARTS && !known {
                    true => self.parts.push(Part::new(pool, source)),
                    false => self.parts[at].resize(pool, random),
                }
            }
        }
    }

    /// Returns the scenario of this mixture: one of `base`, which has neither states nor loads, with
    /// `count` triggers.
    pub fn scenario(&self, pool: &Pool, base: &Table, count: u64, about: &str) -> String {
        let mut base = base.clone();
        base.insert("about".into(), about.into());
        base.insert("states".into(), Value::Array(vec!["hunted".into()]));
        if let Some(Value::Table(trigger)) = base.get_mut("trigger") {
            trigger.insert("seed".into(), Value::Integer(self.seed.cast_signed()));
            trigger.insert("count".into(), Value::Integer(count.cast_signed()));
        }
        let mut names = Vec::new();
        let mut loads = Table::new();
        for (index, part) in self.parts.iter().enumerate() {
            let name = match &pool.sources[part.source] {
                Source::Bundled(name) | Source::Own(name, _) => name.clone(),
                Source::Stressor { .. } | Source::Calls { .. } => format!("part{}", index + 1),
            };
            if let Some(load) = part.load(pool) {
                loads.insert(name.clone(), Value::Table(load));
            }
            names.push(Value::String(name));
        }
        let state = Table::from_iter([("loads".to_owned(), Value::Array(names))]);
        let mut lines = lines(&base);
        lines += &format!("state.hunted = {}\n", Value::Table(state));
        for (name, load) in loads {
            lines += &format!("load.{name} = {load}\n");
        }
        lines
    }
}

impl Part {
    fn resize(&mut self, pool: &Pool, random: &mut Xoshiro256PlusPlus) {
        let sizes = pool.sources[self.source].sizes();
        if sizes.is_empty() {
            self.count = COUNTS[random.random_range(0..COUNTS.len())];
            return;
        }
        let option = random.random_range(0..sizes.len());
        self.sizes[option] = Some(random.random_range(0..sizes[option].values.len()));
    }

    /// Returns the table of a load that is not the tool's own.
    fn load(&self, pool: &Pool) -> Option<Table> {
        match &pool.sources[self.source] {
            Source::Bundled(_) => None,
            Source::Own(_, table) => {
                let mut table = table.clone();
                if self.count > 1 {
                    table.insert("count".into(), Value::Integer(self.count.into()));
                }
                Some(table)
            }
            Source::Stressor { name, sizes } => {
                let mut command = format!("stress-ng --temp-path /tmp --{name} {}", self.count);
                for (size, chosen) in sizes.iter().zip(&self.sizes) {
                    if let Some(chosen) = chosen {
                        command += &format!(" {} {}", size.option, size.values[*chosen]);
                    }
                }
                Some(Table::from_iter([
                    ("command".to_owned(), command.into()),
                    ("packages".to_owned(), Value::Array(vec![PACKAGE.into()])),
                    ("user".to_owned(), USER.into()),
                    ("at-end".to_owned(), "restart".into()),
                ]))
            }
            Source::Calls { calls, sizes, .. } => {
                let calls = with_values(calls, sizes, &self.sizes).into_iter().map(Value::from);
                let mut table = Table::from_iter([
                    ("calls".to_owned(), Value::Array(calls.collect())),
                    ("user".to_owned(), USER.into()),
                ]);
                if self.count > 1 {
                    table.insert("count".into(), Value::Integer(self.count.into()));
                }
                Some(table)
            }
        }
    }
}

/// Writes a table with one line for each of its keys.
fn lines(table: &Table) -> String {
    table.iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    fn pool() -> Pool {
        let own = ("logger".to_owned(), Table::from_iter([("command".to_owned(), "./log".into())]));
        Pool::new(["exec"], [own])
    }

    fn base() -> Table {
        "version = 1\nkernels = [\"6.1\"]\n[trigger]\nkind = \"line\"".parse().unwrap()
    }

    #[test]
    fn a_mixture_is_a_scenario_of_few_lines() {
        let pool = pool();
        let place = |name: &str| pool.sources.iter().position(|one| one.name() == name).unwrap();
        let mut vm = Part::new(&pool, place("stress-ng:vm"));
        (vm.count, vm.sizes[0]) = (4, Some(2));
        let mut mprotect = Part::new(&pool, place("call:mprotect"));
        (mprotect.count, mprotect.sizes[0]) = (2, Some(1));
        let parts = vec![Part::new(&pool, 0), Part::new(&pool, 1), vm, mprotect];
        let text = Mixture { parts, seed: 7 }.scenario(&pool, &base(), 200, "found");
        assert!(text.lines().count() <= 20, "{text}");
        let table: Table = text.parse().unwrap();
        assert_eq!(table["state"]["hunted"]["loads"].as_array().unwrap().len(), 4);
        assert_eq!(
            table["load"]["part3"]["command"].as_str(),
            Some("stress-ng --temp-path /tmp --vm 4 --vm-bytes 8M")
        );
        assert_eq!(table["load"]["logger"]["command"].as_str(), Some("./log"));
        let part = &table["load"]["part4"];
        assert_eq!(part["calls"][1].as_str(), Some("mprotect(r0, 1M, PROT_READ)"));
        assert_eq!(part["count"].as_integer(), Some(2));
        assert_eq!(table["trigger"]["seed"].as_integer(), Some(7));
    }

    #[test]
    fn changes_keep_a_mixture_whole() {
        let pool = pool();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut mixture = Mixture::of(&pool, 0);
        for _ in 0..2000 {
            let other = mixture.mutated(&pool, &[1, 2], &mut random);
            mixture = mixture.mutated(&pool, &[], &mut random).crossed(&other, &mut random);
            assert!((1..=PARTS).contains(&mixture.parts.len()));
            assert_eq!(mixture.sources().len(), mixture.parts.len(), "a load is there twice");
            mixture.scenario(&pool, &base(), 1, "").parse::<Table>().unwrap();
        }
    }
}
