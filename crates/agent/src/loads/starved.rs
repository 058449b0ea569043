// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An agent that its own loads of real-time priority leave no time, or nothing that it waits for in
//! the kernel.
//!
//! Where grace periods of RCU end in threads (CONFIG_RCU_BOOST) and timers expire in one (PREEMPT_RT), a loop of
//! their priority keeps them from running for good: real-time throttling stops all, and the loop goes on first. All
//! that waits for a grace period or for a timer then waits for ever: an agent that loads a module, or that sleeps. Only
//! the loads' supervisor can find that out and end it, as a real-time thread, whose own sleep expires in the interrupt.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use irqscope_wire::{Policy, Scheduling, SystemState};
use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::unistd::Pid;

use crate::stat::Stat;

/// From one look to the next. Nothing that an agent does takes the kernel that long.
pub const INTERVAL: Duration = Duration::from_secs(15);

/// The timer is due as much earlier than the look. Throttled threads are stopped for a second at most.
const MARGIN: Duration = Duration::from_secs(2);

/// The highest priority of real-time threads, `sched_get_priority_max(2)`.
const HIGHEST: u8 = 99;

/// Functions of the kernel that are named at most.
const FUNCTIONS: usize = 4;

/// Returns a priority above those with which a state's loads are started; none where nothing is above them, or they
/// are ordinary ones. An ordinary process has what real-time throttling leaves it.
pub fn priority(state: &SystemState) -> Option<Scheduling> {
    let priorities = state.urgent_loads().into_iter().map(|(_, scheduling)| scheduling.priority);
    let above = priorities.max().filter(|priority| *priority < HIGHEST)? + 1;
    Some(Scheduling { policy: Policy::Fifo, priority: above })
}

/// Returns the names of the loads that can starve others: bundled ones of real-time priority, and the
/// scenario's own, whose commands may give themselves a priority.
pub fn suspects(state: &SystemState) -> Vec<String> {
    let own = state.own.iter().map(|load| load.name.as_str());
    let mut names: Vec<&str> = state.urgent_loads().into_iter().map(|(name, _)| name).collect();
    if names.is_empty() {
        names.extend(own);
    }
    names.into_iter().map(str::to_owned).collect()
}

/// A process's share of the CPU until now.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Progress {
    /// As /proc has it: `R`, `D`, `S` and more.
    state: char,
    /// Of the CPU, in the kernel's ticks.
    ticks: u64,
    switches: u64,
}

/// The agent, as its loads' supervisor sees it.
pub struct Agent {
    /// Its directory below /proc.
    directory: PathBuf,
    last: Option<Progress>,
    /// Expires before the next look where ordinary threads' timers do; none on a kernel without it.
    timer: Option<TimerFd>,
}

impl Agent {
    /// Looks after a process.
    pub fn new(root: &Path, pid: Pid) -> Self {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags).ok();
        let agent = Self { directory: root.join(format!("proc/{pid}")), last: None, timer };
        agent.set_timer();
        agent
    }

    fn set_timer(&self) {
        let due = Expiration::OneShot(TimeSpec::from_duration(INTERVAL - MARGIN));
        let set = |timer: &TimerFd| timer.set(due, TimerSetTimeFlags::empty());
        let _ = self.timer.as_ref().map(set);
    }

    /// Returns whether the timer that was set at the last look has not expired.
    fn is_overdue(&self) -> bool {
        self.timer.as_ref().is_some_and(|timer| timer.wait() == Err(Errno::EAGAIN))
    }

    /// Returns what the process does if it is as it was an interval ago, in the words of an error: it waits
    /// for the CPU, in the kernel, or sleeps where no timer expires.
    pub fn starved(&mut self) -> Option<String> {
        let (now, overdue) = (self.progress(), self.is_overdue());
        self.set_timer();
        let stands = now.is_some() && now == self.last;
        self.last = now;
        let state = self.last.as_ref().filter(|_| stands)?.state;
        let seconds = INTERVAL.as_secs();
        match state {
            'R' => Some(format!("it left the agent no time for {seconds} s")),
            'D' => {
                let functions = self.functions();
                Some(format!("it kept the agent waiting in the kernel for {seconds} s{functions}"))
            }
            _ => overdue.then(|| format!("it kept timers from expiring for {seconds} s")),
        }
    }

    fn progress(&self) -> Option<Progress> {
        let read = |name| fs::read_to_string(self.directory.join(name)).ok();
        let line = read("stat")?;
        let stat = Stat::parse(&line)?;
        let state = stat.field(3)?;
        let ticks = stat.field::<u64>(14)? + stat.field::<u64>(15)?;
        let status = read("status")?;
        let counts = status.lines().filter_map(|line| line.split_once("ctxt_switches:"));
        let switches = counts.filter_map(|(_, count)| count.trim().parse::<u64>().ok()).sum();
        Some(Progress { state, ticks, switches })
    }

    /// Returns the innermost functions that it waits in, if this kernel shows them.
    fn functions(&self) -> String {
        let stack = fs::read_to_string(self.directory.join("stack")).unwrap_or_default();
        // Lines such as `[<0>] synchronize_rcu+0x12e/0x180`.
        let names = stack.lines().filter_map(|line| line.split_whitespace().nth(1));
        let names = names.map(|name| name.split('+').next().unwrap_or(name));
        let named: Vec<&str> = names.take(FUNCTIONS).collect();
        if named.is_empty() { String::new() } else { format!(", in {}", named.join(" of ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{AtEnd, HOG, Load, LoadCpu, OwnLoad};

    /// Writes a process of a made-up /proc, in a state with these counts.
    fn set(root: &Path, state: char, ticks: u64, switches: u64) {
        let directory = root.join("proc/7");
        fs::create_dir_all(&directory).unwrap();
        let stat =
            format!("7 (a) b) {state} 1 1 1 0 -1 4194560 9 0 0 0 {ticks} 3 0 0 20 0 1 0 4\n");
        fs::write(directory.join("stat"), stat).unwrap();
        let status = format!(
            "Name:\ta\nvoluntary_ctxt_switches:\t{switches}\nnonvoluntary_ctxt_switches:\t2\n"
        );
        fs::write(directory.join("status"), status).unwrap();
        let stack = "[<0>] __wait_rcu_gp+0x12e/0x180\n[<0>] synchronize_rcu+0x0/0x10 [mod]\n";
        fs::write(directory.join("stack"), stack).unwrap();
    }

    #[test]
    fn a_process_that_waits_in_the_kernel_from_look_to_look_is_starved() {
        let root = tempfile::tempdir().unwrap();
        let mut agent = Agent::new(root.path(), Pid::from_raw(7));
        assert_eq!(agent.starved(), None, "there is none");
        set(root.path(), 'D', 5, 9);
        assert_eq!(agent.starved(), None, "it may go on soon");
        let said = agent.starved().unwrap();
        assert!(said.ends_with("for 15 s, in __wait_rcu_gp of synchronize_rcu"), "{said}");
        set(root.path(), 'D', 5, 10);
        assert_eq!(agent.starved(), None, "it went on meanwhile");
        set(root.path(), 'R', 5, 10);
        assert_eq!(agent.starved(), None);
        assert_eq!(agent.starved().unwrap(), "it left the agent no time for 15 s");
        set(root.path(), 'R', 6, 10);
        assert_eq!(agent.starved(), None, "it runs");
    }

    #[test]
    fn a_process_that_sleeps_is_starved_where_no_timer_expires() {
        let root = tempfile::tempdir().unwrap();
        let mut agent = Agent::new(root.path(), Pid::from_raw(7));
        set(root.path(), 'S', 5, 9);
        assert_eq!(agent.starved(), None);
        assert!(agent.is_overdue(), "these looks are no interval apart");
        assert_eq!(agent.starved().unwrap(), "it kept timers from expiring for 15 s");
        let soon = Expiration::OneShot(TimeSpec::from_duration(Duration::from_nanos(1)));
        let timer = agent.timer.as_ref().unwrap();
        timer.set(soon, TimerSetTimeFlags::empty()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(agent.starved(), None, "it may have nothing to do");
    }

    #[test]
    fn loads_of_real_time_priority_come_first_and_then_all_commands() {
        let mut state = SystemState::of("full", vec![Load::Copy]);
        assert_eq!((suspects(&state), priority(&state)), (vec![], None));
        let own = |name: &str, scheduling| OwnLoad {
            name: name.into(),
            command: Vec::new(),
            environment: Vec::new(),
            count: 1,
            cpu: LoadCpu::Any,
            scheduling,
            user: None,
            at_end: AtEnd::Fail,
            peer: false,
            has_root: false,
        };
        state.own = vec![own("a", None)];
        assert_eq!((suspects(&state), priority(&state)), (vec!["a".into()], None));
        state.own.push(own("b", Some(Scheduling { policy: Policy::Rr, priority: 7 })));
        state.loads.push(Load::Hog);
        assert_eq!(suspects(&state), ["hog", "b"]);
        let above = Scheduling { policy: Policy::Fifo, priority: HOG.priority + 1 };
        assert_eq!(priority(&state), Some(above));
        state.hog = Some(Scheduling { policy: Policy::Fifo, priority: 99 });
        assert_eq!(priority(&state), None);
    }
}
