// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Facts about the target, as the kernel reports them.

use std::fs;
use std::path::Path;

use irqscope_quantity::CpuList;
use irqscope_wire::{Started, Tick};
use nix::sys::time::TimeValLike;
use nix::sys::utsname::uname;
use nix::time::{ClockId, clock_getres};

use crate::loads::Loads;

const UNKNOWN: &str = "unknown";

/// Facts about the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// `uname -r`.
    pub kernel: String,
    /// The preemption model.
    pub preemption: String,
    /// `uname -m`.
    pub machine: String,
    /// The kernel's command line.
    pub cmdline: String,
    /// The clocksource.
    pub clocksource: String,
    /// The CPU's model.
    pub cpu_model: String,
    /// The CPUs online.
    pub online: Vec<u32>,
    /// Of the CPU under test; `none` where nothing scales its frequency.
    pub governor: String,
    /// Ticks per second (`CONFIG_HZ`).
    pub timer_hz: Option<u32>,
}

impl Facts {
    /// Makes the case's message of them; without stages.
    pub fn started(self, tick: Tick, loads: &Loads) -> Started {
        Started {
            kernel: self.kernel,
            preemption: self.preemption,
            machine: self.machine,
            cmdline: self.cmdline,
            clocksource: self.clocksource,
            cpu_model: self.cpu_model,
            cpus: self.online.len() as u32,
            governor: self.governor,
            stages: Vec::new(),
            unavailable: Vec::new(),
            tick,
            timer_hz: self.timer_hz,
            inject_cpu: None,
            absent_loads: loads.absent().iter().map(|load| load.to_string()).collect(),
        }
    }
}

/// Gathers the facts; `cpu` is the one under test.
pub fn gather(root: &Path, cpu: u32) -> Facts {
    let line = |path: String| read_line(&root.join(path));
    let Names { kernel, version, machine } = names();
    let clocksources = "sys/devices/system/clocksource/clocksource0";
    Facts {
        kernel,
        preemption: preemption(root, &version),
        machine,
        cmdline: line("proc/cmdline".into()).unwrap_or_default(),
        clocksource: line(format!("{clocksources}/current_clocksource"))
            .unwrap_or_else(|| UNKNOWN.into()),
        cpu_model: cpu_model(root).unwrap_or_else(|| UNKNOWN.into()),
        online: line("sys/devices/system/cpu/online".into())
            .and_then(|list| parse_cpus(&list))
            .unwrap_or_else(crate::scheduling::allowed),
        governor: governor(root, cpu),
        timer_hz: timer_hz(),
    }
}

/// Returns the governor of a CPU's frequency; `none` where nothing scales it.
pub fn governor(root: &Path, cpu: u32) -> String {
    let path = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
    read_line(&root.join(path)).unwrap_or_else(|| "none".into())
}

/// A kernel's names of itself.
pub struct Names {
    /// `uname -r`.
    pub kernel: String,
    /// `uname -v`.
    pub version: String,
    /// `uname -m`.
    pub machine: String,
}

/// Asks the kernel for its names.
pub fn names() -> Names {
    let text = |field: &std::ffi::OsStr| field.to_string_lossy().into_owned();
    match uname() {
        Ok(name) => Names {
            kernel: text(name.release()),
            version: text(name.version()),
            machine: text(name.machine()),
        },
        Err(_) => Names { kernel: UNKNOWN.into(), version: String::new(), machine: UNKNOWN.into() },
    }
}

/// Returns the preemption model. The kernel's version names it; a dynamic one says in debugfs which
/// it has chosen.
pub fn preemption(root: &Path, version: &str) -> String {
    let model = version.split_whitespace().find(|word| word.starts_with("PREEMPT"));
    let modes = fs::read_to_string(root.join("sys/kernel/debug/sched/preempt")).unwrap_or_default();
    let chosen = modes.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    match (model, chosen) {
        (Some(model), Some((chosen, _))) => format!("{model} ({chosen})"),
        (Some(model), None) => model.into(),
        (None, _) => "voluntary or none".into(),
    }
}

/// Returns how often the kernel ticks: the coarse clocks advance with each tick, and say so
/// (`posix_get_coarse_res()` in `kernel/time/posix-timers.c`).
fn timer_hz() -> Option<u32> {
    let tick = clock_getres(ClockId::CLOCK_MONOTONIC_COARSE).ok()?;
    let ns = u32::try_from(tick.num_nanoseconds()).ok().filter(|ns| *ns > 0)?;
    Some((1_000_000_000 + ns / 2) / ns)
}

/// Reads a file of one line.
pub fn read_line(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// Returns the CPU's model. x86 names it in /proc/cpuinfo; boards name themselves in their device
/// tree, as a C string.
fn cpu_model(root: &Path) -> Option<String> {
    let cpuinfo = fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
    let value = |line: &str| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    };
    let board = || read_line(&root.join("proc/device-tree/model"));
    cpuinfo.lines().find_map(value).or_else(board).map(|name| name.trim_matches('\0').into())
}

/// Parses a list: `0-2,5` becomes 0, 1, 2, 5.
pub fn parse_cpus(list: &str) -> Option<Vec<u32>> {
    list.parse().ok().map(|CpuList(cpus)| cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_pc_is_described_by_proc_and_sys() {
        let root = tree(&[
            ("proc/cmdline", "quiet isolcpus=1\n"),
            ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU: fast\nflags\t: tsc\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("sys/devices/system/cpu/online", "0-1,3\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
        ]);
        let facts = gather(root.path(), 1);
        assert_eq!(facts.cmdline, "quiet isolcpus=1");
        assert_eq!(facts.cpu_model, "Some CPU: fast");
        assert_eq!(facts.clocksource, "tsc");
        assert_eq!(facts.online, [0, 1, 3]);
        assert_eq!(facts.governor, "powersave");
        assert_eq!(gather(root.path(), 0).governor, "none");
    }

    #[test]
    fn a_board_is_named_by_its_device_tree() {
        let root = tree(&[("proc/device-tree/model", "Some Board Rev 1\0")]);
        assert_eq!(gather(root.path(), 0).cpu_model, "Some Board Rev 1");
    }

    #[test]
    fn the_model_of_preemption_is_named_as_the_kernel_names_it() {
        let root = tree(&[]);
        let model = |version: &str| preemption(root.path(), version);
        assert_eq!(model("#1 SMP PREEMPT_RT Debian 6.1"), "PREEMPT_RT");
        assert_eq!(model("#1 SMP Debian 5.10"), "voluntary or none");
        assert_eq!(model("#1 SMP PREEMPT_DYNAMIC"), "PREEMPT_DYNAMIC");
        let root = tree(&[("sys/kernel/debug/sched/preempt", "none (voluntary) full\n")]);
        let model = preemption(root.path(), "#1 SMP PREEMPT_DYNAMIC");
        assert_eq!(model, "PREEMPT_DYNAMIC (voluntary)");
    }

    #[test]
    fn an_empty_tree_is_unknown_but_no_error() {
        let root = tree(&[]);
        let facts = gather(root.path(), 0);
        assert_eq!((facts.cpu_model.as_str(), facts.governor.as_str()), (UNKNOWN, "none"));
        assert!(!facts.online.is_empty());
        // The values of CONFIG_HZ that the kernel's configuration offers.
        let hz = facts.timer_hz.unwrap();
        assert!(
            [24, 48, 64, 100, 128, 200, 250, 256, 300, 500, 1_000, 1_024].contains(&hz),
            "{hz}"
        );
    }

    #[test]
    fn a_list_of_cpus_is_read_or_refused() {
        assert_eq!(parse_cpus("0"), Some(vec![0]));
        assert_eq!(parse_cpus("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(parse_cpus("0-"), None);
        assert_eq!(parse_cpus(""), None);
    }
}
