// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope cache`: what is kept because it is slow to make.

use std::time::{Duration, SystemTime};

use irqscope_quantity::{Column, aligned};
use irqscope_rig::{CacheEntry, cache_entries, cache_root};

use super::Done;
use crate::cli::Cache;
use crate::exit::{Exit, Trouble};

const DAY: Duration = Duration::from_secs(24 * 3600);

pub fn cache(command: Cache) -> Done {
    match command {
        Cache::List => list(),
        Cache::Clean { names, unused, all } => clean(&names, unused, all),
    }
}

fn list() -> Done {
    let (entries, now) = (cache_entries()?, SystemTime::now());
    let row = |entry: &CacheEntry| {
        let days = age(entry, now).as_secs() / DAY.as_secs();
        [entry.name.clone(), size(entry.bytes), format!("used {days} days ago")]
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    print!("{}", aligned(&rows, &[Column::Words, Column::Numbers, Column::Words]));
    println!("{} in {}", size(total(&entries)), cache_root()?.display());
    Ok(Exit::Fine)
}

fn clean(names: &[String], unused: Option<u64>, all: bool) -> Done {
    let (entries, now) = (cache_entries()?, SystemTime::now());
    if let Some(unknown) = names.iter().find(|name| !entries.iter().any(|it| is_named(it, name))) {
        let what = format!("the cache has no {unknown}; irqscope cache list names what it has");
        return Err(Trouble::new(Exit::Usage, what));
    }
    let is_old = |entry: &CacheEntry| {
        unused.is_some_and(|days| age(entry, now).as_secs() / DAY.as_secs() >= days)
    };
    let is_chosen = |entry: &&CacheEntry| {
        all || is_old(entry) || names.iter().any(|name| is_named(entry, name))
    };
    let chosen: Vec<_> = entries.iter().filter(is_chosen).cloned().collect();
    for entry in &chosen {
        entry.remove()?;
        println!("removed {}", entry.name);
    }
    println!("{} of room", size(total(&chosen)));
    Ok(Exit::Fine)
}

/// Returns whether an entry is the one, or of the kind, of this name.
fn is_named(entry: &CacheEntry, name: &str) -> bool {
    let kind = entry.name.split('/').next().unwrap_or_default();
    entry.name == name || kind == name
}

/// Returns how long an entry has not been used; a clock that was set back makes it new.
fn age(entry: &CacheEntry, now: SystemTime) -> Duration {
    now.duration_since(entry.used).unwrap_or_default()
}

fn total(entries: &[CacheEntry]) -> u64 {
    entries.iter().map(|entry| entry.bytes).sum()
}

/// Formats a size in megabytes.
pub(super) fn size(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_named_by_itself_and_by_its_kind() {
        let used = SystemTime::UNIX_EPOCH;
        let name = "kernels/6.1".to_owned();
        let entry = CacheEntry { name, path: "/x".into(), bytes: 1, used };
        assert!(is_named(&entry, "kernels/6.1") && is_named(&entry, "kernels"));
        assert!(!is_named(&entry, "kernels/6.12") && !is_named(&entry, "kernel"));
    }

    #[test]
    fn sizes_have_one_decimal() {
        assert_eq!(
            (size(0), size(1_950_000), size(741_000_000)),
            ("0.0 MB".into(), "1.9 MB".into(), "741.0 MB".into())
        );
    }
}
