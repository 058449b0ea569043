// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Delayed locking, where the kernel has it: set as the plan says, and its figures as data.
//! kernel/delayed-locking/README.md says what each file in debugfs holds.

use std::fs;
use std::path::{Path, PathBuf};

use irqscope_wire::{
    DelayedLocking, DelayedTask, HOLD_BINS, LockCount, LockMode, LockSite, LockTotals, Message,
};
use nix::mount::{MsFlags, mount};

use crate::error::{Error, Result};
use crate::sink::Sink;

/// The place of debugfs below the root.
pub const DEBUGFS: &str = "sys/kernel/debug";
const DIR: &str = "delayed_locking";

/// Sites in one message: a hundred bytes of names and forty numbers each.
const BATCH: usize = 64;

/// The technique while a case runs; switched off again when dropped.
#[derive(Debug)]
pub struct Locks {
    dir: PathBuf,
}

impl Locks {
    /// Sets what the plan asks for, from figures of zero. Nothing is to be set where
    /// the technique is to be off and the kernel has none.
    pub fn set(root: &Path, wish: Option<&DelayedLocking>) -> Result<Option<Locks>> {
        let Some(wish) = wish else { return Ok(None) };
        let dir = root.join(DEBUGFS).join(DIR);
        if !dir.is_dir() {
            mount_debugfs(root);
        }
        if !dir.is_dir() {
            return if wish.mode == LockMode::Off {
                Ok(None)
            } else {
                Err(Error::NoDelayedLocking)
            };
        }
        let locks = Locks { dir };
        locks.write("mode", LockMode::Off.name())?;
        locks.write("policy", wish.policy.name())?;
        locks.write("max_refusals", &wish.max_refusals.to_string())?;
        locks.write("short_period", wish.short_period.name())?;
        locks.write("reset", "1")?;
        locks.write("mode", wish.mode.name())?;
        Ok(Some(locks))
    }

    /// Switches it off, so that all figures are of one instant, and sends them.
    pub fn finish(&self, sink: &mut Sink) -> Result<()> {
        self.write("mode", LockMode::Off.name())?;
        let sites = sites(&self.read("sites")?, &self.read("histogram")?)?;
        for some in sites.chunks(BATCH) {
            sink.send(Message::LockSites(some.to_vec()))?;
        }
        sink.send(Message::Locks(LockTotals {
            decisions: self.read("decisions")?.decisions()?,
            tasks: self.read("tasks")?.rows(task)?,
            safe_period_ns: self.read("safe_period")?.first_number()?,
        }))
    }

    fn write(&self, name: &str, value: &str) -> Result<()> {
        let path = self.dir.join(name);
        let write = fs::write(&path, value);
        write.map_err(|source| Error::LockSetting { path, value: value.into(), source })
    }

    fn read(&self, name: &str) -> Result<File> {
        let path = self.dir.join(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(File { path, text }),
            Err(source) => Err(Error::Read { path, source }),
        }
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        let _ = self.write("mode", LockMode::Off.name());
    }
}

/// Mounts debugfs. Where it is mounted already, or may not be, the directory shows it.
pub fn mount_debugfs(root: &Path) {
    let place = &root.join(DEBUGFS);
    if fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none()) {
        let _ = mount(Some("debugfs"), place, Some("debugfs"), MsFlags::empty(), None::<&str>);
    }
}

/// One of the files, with its name for errors.
struct File {
    path: PathBuf,
    text: String,
}

type Row<'a> = std::iter::Peekable<std::str::Split<'a, char>>;

impl File {
    /// Parses one thing per line below the header.
    fn rows<T>(&self, parse: impl Fn(&mut Row<'_>) -> Option<T>) -> Result<Vec<T>> {
        let row =
            |line: &str| parse(&mut line.split('\t').peekable()).ok_or_else(|| self.odd(line));
        self.text.lines().skip(1).map(row).collect()
    }

    /// Parses `name value` per line.
    fn decisions(&self) -> Result<Vec<LockCount>> {
        let count = |line: &str| {
            let (name, value) = line.split_once(' ')?;
            Some(LockCount { name: name.into(), value: value.trim().parse().ok()? })
        };
        self.text.lines().map(|line| count(line).ok_or_else(|| self.odd(line))).collect()
    }

    fn first_number(&self) -> Result<u64> {
        let first = self.text.split_whitespace().next();
        first.and_then(|word| word.parse().ok()).ok_or_else(|| self.odd(&self.text))
    }

    fn odd(&self, line: &str) -> Error {
        Error::Unreadable { path: self.path.clone(), text: line.trim().into() }
    }
}

/// Joins both files: they have the same rows.
fn sites(sites: &File, histogram: &File) -> Result<Vec<LockSite>> {
    let mut all = sites.rows(site)?;
    let bins = histogram.rows(bins)?;
    if bins.len() != all.len() {
        let text = format!("{} sites, {} histograms", all.len(), bins.len());
        return Err(Error::Unreadable { path: histogram.path.clone(), text });
    }
    for (site, bins) in all.iter_mut().zip(bins) {
        site.histogram = bins;
    }
    Ok(all)
}

fn site(row: &mut Row<'_>) -> Option<LockSite> {
    Some(LockSite {
        module: text(row)?,
        file: text(row)?,
        line: number(row)?,
        function: text(row)?,
        kind: text(row)?,
        count: number(row)?,
        max_ns: number(row)?,
        average_ns: number(row)?,
        last_ns: number(row)?,
        total_ns: number(row)?,
        refused: number(row)?,
        forced: number(row)?,
        cannot_wait: number(row)?,
        delay_ns: number(row)?,
        delay_max_ns: number(row)?,
        histogram: Vec::new(),
    })
}

/// Parses the bins behind module, file, line and function.
fn bins(row: &mut Row<'_>) -> Option<Vec<u64>> {
    let bins: Vec<u64> = row.skip(4).map(|word| word.parse().ok()).collect::<Option<_>>()?;
    (bins.len() == HOLD_BINS).then_some(bins)
}

fn task(row: &mut Row<'_>) -> Option<DelayedTask> {
    let pid = number(row)?;
    let _tgid: u32 = number(row)?;
    Some(DelayedTask {
        pid,
        name: text(row)?,
        refused: number(row)?,
        forced: number(row)?,
        delays: number(row)?,
        delay_ns: number(row)?,
        delay_max_ns: number(row)?,
    })
}

fn text(row: &mut Row<'_>) -> Option<String> {
    row.next().map(str::to_owned)
}

fn number<T: std::str::FromStr>(row: &mut Row<'_>) -> Option<T> {
    row.next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Decoder, LockPolicy, ShortPeriod};

    const SITES: &str = "module\tfile\tline\tfunction\tkind\tcount\tmax_ns\taverage_ns\tlast_ns\ttotal_ns\trefused\tforced\tcannot_wait\tdelay_ns\tdelay_max_ns\n\
        vmlinux\tnet/ipv4/tcp.c\t1300\ttcp_sendmsg\tbh\t3\t900\t300\t20\t1000\t2\t1\t0\t5000\t4000\n";

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(DEBUGFS).join(DIR);
        fs::create_dir_all(&dir).unwrap();
        let bins = ["1"; HOLD_BINS].join("\t");
        let histogram = format!("header\nvmlinux\tnet/ipv4/tcp.c\t1300\ttcp_sendmsg\t{bins}\n");
        for (name, text) in [
            ("sites", SITES),
            ("histogram", &histogram),
            ("decisions", "entered 7\nrefused 2\n"),
            ("tasks", "header\n12\t12\tirqscope load\t2\t1\t1\t5000\t4000\n"),
            ("safe_period", "900\tnet/ipv4/tcp.c:1300\ttcp_sendmsg\n"),
        ] {
            fs::write(dir.join(name), text).unwrap();
        }
        root
    }

    fn content(root: &tempfile::TempDir, name: &str) -> String {
        fs::read_to_string(root.path().join(DEBUGFS).join(DIR).join(name)).unwrap()
    }

    #[test]
    fn settings_are_written_and_taken_back() {
        let root = tree();
        let wish = DelayedLocking {
            mode: LockMode::On,
            policy: LockPolicy::Average,
            max_refusals: 7,
            short_period: ShortPeriod::Refuse,
        };
        let locks = Locks::set(root.path(), Some(&wish)).unwrap();
        let written = ["mode", "policy", "max_refusals", "short_period", "reset"];
        assert_eq!(written.map(|name| content(&root, name)), ["on", "average", "7", "refuse", "1"]);
        drop(locks);
        assert_eq!(content(&root, "mode"), "off");
    }

    #[test]
    fn figures_are_sent_as_data() {
        let root = tree();
        let locks = Locks::set(root.path(), Some(&DelayedLocking::default())).unwrap().unwrap();
        let mut sink = Sink::memory();
        locks.finish(&mut sink).unwrap();
        assert_eq!(content(&root, "mode"), "off", "frozen before it was read");
        let mut messages = Vec::new();
        Decoder::default().push(&sink.take(), |_, frame| messages.push(frame.unwrap().message));
        let [Message::LockSites(sites), Message::Locks(totals)] = &messages[..] else {
            panic!("{messages:?}")
        };
        let [site] = &sites[..] else { panic!("{sites:?}") };
        assert_eq!((site.function.as_str(), site.line, site.count), ("tcp_sendmsg", 1300, 3));
        assert_eq!((site.delay_max_ns, site.histogram.len()), (4000, HOLD_BINS));
        assert_eq!(totals.decisions[1], LockCount { name: "refused".into(), value: 2 });
        assert_eq!((totals.tasks[0].name.as_str(), totals.tasks[0].delays), ("irqscope load", 1));
        assert_eq!(totals.safe_period_ns, 900);
    }

    #[test]
    fn a_kernel_without_it_can_only_have_it_off() {
        let root = tempfile::tempdir().unwrap();
        let off = DelayedLocking { mode: LockMode::Off, ..DelayedLocking::default() };
        assert!(Locks::set(root.path(), Some(&off)).unwrap().is_none());
        let error = Locks::set(root.path(), Some(&DelayedLocking::default())).unwrap_err();
        assert!(matches!(error, Error::NoDelayedLocking), "{error}");
    }

    #[test]
    fn a_row_that_is_not_understood_is_shown() {
        let path = PathBuf::from("sites");
        let file = File { path, text: "header\nvmlinux\tx.c\tnone\n".into() };
        let error = file.rows(site).unwrap_err().to_string();
        assert!(error.contains("vmlinux\tx.c\tnone"), "{error}");
    }
}
