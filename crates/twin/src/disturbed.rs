// SPDX-License-Identifier: GPL-2.0-or-later
//! The instructions of one CPU, in two parts: those of the loop that should have the CPU alone, and the
//! disturbances between them. Of the other CPUs the latest instructions are kept, for what they send.

use std::collections::VecDeque;

use irqscope_wire::{Disturbance, LOOP_PAGE, RanThread, Sender};

use crate::trace::Insn;
use crate::ways::{Cutter, Step, Stretch, Ways};

/// Runs of one way.
const LONGEST: usize = 1 << 13;
/// Runs that are kept of another CPU.
const HISTORY: usize = 1 << 10;
/// Interrupts that may wait for the disturbance that they begin.
const SENDERS: usize = 8;

/// A disturbance that has begun.
#[derive(Debug, Default)]
struct Open {
    at: u64,
    instructions: u64,
    halts: u32,
    stretches: Vec<Stretch>,
    whole: bool,
    threads: Vec<RanThread>,
    senders: Vec<Sender>,
}

/// A CPU while the loop is on it.
#[derive(Debug)]
pub struct Disturbed {
    page: u64,
    cutter: Cutter,
    executed: u64,
    /// Instructions of the loop.
    pub looped: u64,
    open: Option<Open>,
    /// Those that were not sent yet.
    pub taken: Vec<Disturbance>,
    senders: Vec<Sender>,
}

impl Disturbed {
    pub fn new(page: u64) -> Self {
        Self {
            page,
            cutter: Cutter::new(),
            executed: 0,
            looped: 0,
            open: None,
            taken: Vec::new(),
            senders: Vec::new(),
        }
    }

    /// Takes instructions of the loop that are about to be executed.
    pub fn loops(&mut self, instructions: u64, ways: &mut Ways) {
        if let Some(open) = self.open.take() {
            self.close(open, ways);
        }
        self.looped += instructions;
        self.executed += instructions;
        // The loop's own jumps are no concern.
        self.cutter = Cutter::new();
    }

    /// Takes an instruction that is about to be executed. Returns whether it begins a run of a
    /// disturbance.
    pub fn executes(&mut self, insn: Insn, ways: &mut Ways) -> bool {
        if insn.address() & !(LOOP_PAGE - 1) == self.page {
            self.loops(1, ways);
            return false;
        }
        let begins = self.open.is_none();
        let (at, senders) = (self.executed, &mut self.senders);
        let open = self.open.get_or_insert_with(|| Open {
            at,
            whole: true,
            senders: std::mem::take(senders),
            ..Open::default()
        });
        let step = self.cutter.step(insn);
        if let Step::Jump { faulted } = step
            && !begins
        {
            open.jump(faulted);
            self.executed -= u64::from(faulted);
        }
        let jumps = begins || matches!(step, Step::Jump { .. });
        open.take(insn, if begins { &Step::Jump { faulted: false } } else { &step });
        self.executed += 1;
        jumps
    }

    /// Takes note that the CPU is about to halt.
    pub fn halts(&mut self) {
        self.open.iter_mut().for_each(|open| open.halts += 1);
    }

    /// Takes the thread that is the current one from the run that has just begun on; none: the loop's
    /// own. `name` is asked for where it is another one than before.
    pub fn runs(&mut self, name: Option<String>) {
        if let Some(open) = &mut self.open {
            let name = name.unwrap_or_default();
            open.threads.push(RanThread { name, instructions: open.instructions - 1 });
        }
    }

    /// Takes an interrupt that another CPU sends here.
    pub fn sent(&mut self, sender: Sender) {
        if self.senders.len() < SENDERS && !self.senders.contains(&sender) {
            self.senders.push(sender);
        }
    }

    fn close(&mut self, open: Open, ways: &mut Ways) {
        let Open { at, instructions, halts, stretches, whole, threads, senders } = open;
        let way = ways.number(stretches.into_iter(), whole);
        let threads = lengths(threads, instructions);
        self.taken.push(Disturbance { at, instructions, halts, way, threads, senders });
    }
}

impl Open {
    fn jump(&mut self, faulted: bool) {
        if faulted {
            self.instructions -= 1;
        }
        if let Some(last) = self.stretches.last_mut().filter(|_| self.whole) {
            last.broken_off = faulted;
        }
    }

    fn take(&mut self, insn: Insn, step: &Step) {
        self.instructions += 1;
        self.whole &= !matches!(step, Step::Jump { .. }) || self.stretches.len() < LONGEST;
        if !self.whole {
            return;
        }
        match (step, self.stretches.last_mut()) {
            (Step::On, Some(last)) => last.extend(insn),
            (Step::Again, Some(last)) => last.instructions += 1,
            _ => self.stretches.push(Stretch::new(insn)),
        }
    }
}

/// Turns the instants from which threads were the current ones into how long they were; the loop's
/// own thread, without a name, is left out.
fn lengths(from: Vec<RanThread>, end: u64) -> Vec<RanThread> {
    let ends: Vec<u64> = from.iter().skip(1).map(|one| one.instructions).chain([end]).collect();
    let mut all: Vec<RanThread> = Vec::new();
    for (one, end) in from.into_iter().zip(ends) {
        let instructions = end - one.instructions;
        match all.iter_mut().find(|known| known.name == one.name) {
            Some(known) => known.instructions += instructions,
            None => all.push(RanThread { instructions, ..one }),
        }
    }
    all.retain(|one| !one.name.is_empty());
    all
}

/// The latest instructions of a CPU that is not under test.
#[derive(Debug)]
pub struct History {
    cutter: Cutter,
    stretches: VecDeque<Stretch>,
}

impl History {
    pub const fn new() -> Self {
        Self { cutter: Cutter::new(), stretches: VecDeque::new() }
    }

    /// Takes an instruction that is about to be executed.
    pub fn executes(&mut self, insn: Insn) {
        match (self.cutter.step(insn), self.stretches.back_mut()) {
            (Step::On, Some(last)) => last.extend(insn),
            (Step::Again, Some(last)) => last.instructions += 1,
            (step, last) => {
                if let (Step::Jump { faulted }, Some(last)) = (step, last) {
                    last.broken_off = faulted;
                }
                if self.stretches.len() == HISTORY {
                    self.stretches.pop_front();
                }
                self.stretches.push_back(Stretch::new(insn));
            }
        }
    }

    /// Returns the way up to here.
    pub fn way(&self, ways: &mut Ways) -> u32 {
        ways.number(self.stretches.iter().copied(), self.stretches.len() < HISTORY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 0x7f00_0000_3000;
    const CODE: u64 = 0xffff_ffff_8100_0000;

    fn insn(address: u64, ends: bool) -> Insn {
        Insn::new(CODE + address, 4, ends)
    }

    fn run(cpu: &mut Disturbed, ways: &mut Ways, steps: &[(u64, bool)]) {
        steps.iter().for_each(|(address, ends)| {
            cpu.executes(insn(*address, *ends), ways);
        });
    }

    #[test]
    fn what_is_executed_between_two_rounds_is_a_disturbance() {
        let (mut cpu, mut ways) = (Disturbed::new(PAGE), Ways::default());
        cpu.loops(500, &mut ways);
        run(&mut cpu, &mut ways, &[(0, false), (4, true), (100, true)]);
        cpu.halts();
        // The rest of a block of the loop.
        cpu.executes(Insn::new(PAGE + 40, 1, false), &mut ways);
        cpu.loops(500, &mut ways);
        let [one] = &cpu.taken[..] else { panic!("{:?}", cpu.taken) };
        assert_eq!((one.at, one.instructions, one.halts, one.way), (500, 3, 1, 0));
        assert_eq!((cpu.looped, cpu.executed), (1001, 1004));
        let runs: Vec<_> =
            ways.new[0].runs.iter().map(|run| (run.step, run.instructions)).collect();
        assert_eq!(runs, [(CODE.cast_signed(), 2), (92, 1)]);
    }

    #[test]
    fn the_same_way_has_one_number() {
        let (mut cpu, mut ways) = (Disturbed::new(PAGE), Ways::default());
        for way in [&[(0, true)], &[(8, true)], &[(0, true)]] {
            run(&mut cpu, &mut ways, way);
            cpu.loops(5, &mut ways);
        }
        let numbers: Vec<_> = cpu.taken.iter().map(|one| one.way).collect();
        assert_eq!((numbers, ways.new.len()), (vec![0, 1, 0], 2));
    }

    #[test]
    fn an_instruction_that_faults_counts_once() {
        let (mut cpu, mut ways) = (Disturbed::new(PAGE), Ways::default());
        run(&mut cpu, &mut ways, &[(0, true), (50, false), (90, true), (50, true)]);
        cpu.loops(1, &mut ways);
        assert_eq!(cpu.taken[0].instructions, 3);
        assert!(ways.new[0].runs[1].broken_off);
    }

    #[test]
    fn an_instruction_that_repeats_itself_is_one_run() {
        let (mut cpu, mut ways) = (Disturbed::new(PAGE), Ways::default());
        run(&mut cpu, &mut ways, &[(0, false), (4, true), (4, true), (4, true), (8, true)]);
        cpu.loops(1, &mut ways);
        assert_eq!(cpu.taken[0].instructions, 5);
        let runs: Vec<_> =
            ways.new[0].runs.iter().map(|run| (run.instructions, run.bytes)).collect();
        assert_eq!(runs, [(5, 12)]);
    }

    #[test]
    fn a_thread_has_the_instructions_from_its_switch_on() {
        let (mut cpu, mut ways) = (Disturbed::new(PAGE), Ways::default());
        let names = [None, Some("kworker/1:0"), None, Some("kworker/1:0"), None];
        for (place, name) in (0u64..).zip(names) {
            run(&mut cpu, &mut ways, &[(place * 64, false)]);
            cpu.runs(name.map(str::to_owned));
            run(&mut cpu, &mut ways, &[(place * 64 + 4, true)]);
        }
        cpu.loops(1, &mut ways);
        let worker = RanThread { name: "kworker/1:0".into(), instructions: 4 };
        assert_eq!(cpu.taken[0].threads, [worker]);
        assert_eq!(cpu.taken[0].instructions, 10);
    }

    #[test]
    fn a_long_disturbance_is_counted_whole_and_kept_in_part() {
        let (mut cpu, mut ways) = (Disturbed::new(PAGE), Ways::default());
        for n in 0..LONGEST as u64 + 10 {
            run(&mut cpu, &mut ways, &[(n % 2 * 64, true)]);
        }
        cpu.loops(1, &mut ways);
        assert_eq!(cpu.taken[0].instructions, LONGEST as u64 + 10);
        assert_eq!((ways.new[0].runs.len(), ways.new[0].complete), (LONGEST, false));
    }

    #[test]
    fn a_sender_goes_with_the_disturbance_that_it_begins() {
        let (mut cpu, mut ways, mut other) =
            (Disturbed::new(PAGE), Ways::default(), History::new());
        for n in 0..HISTORY as u64 + 5 {
            other.executes(insn(n * 64, true));
        }
        let way = other.way(&mut ways);
        assert_eq!((ways.new[0].runs.len(), ways.new[0].complete), (HISTORY, false));
        cpu.loops(5, &mut ways);
        cpu.sent(Sender { cpu: 0, thread: "bash".into(), way });
        for _ in 0..2 {
            run(&mut cpu, &mut ways, &[(0, true)]);
            cpu.loops(5, &mut ways);
        }
        let senders: Vec<usize> = cpu.taken.iter().map(|one| one.senders.len()).collect();
        assert_eq!(senders, [1, 0]);
    }
}
