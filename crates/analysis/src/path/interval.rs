// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which of the recorded instructions belong to a sample, and which of those were
//! executed: an instruction that faults was recorded and not executed, and is
//! recorded again after the fault.

use std::ops::Range;

use irqscope_run::{CodeRun, Stretch};
use irqscope_wire::{Mark, PathEvent, Symbol, Tick};

const KERNEL: u64 = 1 << 63;

/// Where exceptions enter that a faulting instruction causes. Those of
/// instructions which raise one by themselves (`ud2`, `int3`) are not among them:
/// these are executed.
const FAULTS: [&str; 7] = [
    "asm_exc_page_fault",
    "asm_exc_general_protection",
    "asm_exc_divide_error",
    "asm_exc_stack_segment",
    "asm_exc_segment_not_present",
    "asm_exc_alignment_check",
    "asm_exc_invalid_tss",
];
/// The only one that can come from fetching an instruction, too.
const PAGE_FAULT: &str = FAULTS[0];

/// Where a CPU sleeps: the clock goes on, and nothing is executed.
const SLEEPS: [&str; 4] =
    ["default_idle", "native_safe_halt", "pv_native_safe_halt", "acpi_safe_halt"];

pub(super) fn is_user(address: u64) -> bool {
    address < KERNEL
}

/// One stretch with the positions of its runs and of the instructions that were
/// not executed.
pub(super) struct Counted<'a> {
    pub stretch: &'a Stretch,
    symbols: &'a [Symbol],
    /// How many recorded instructions come before each run.
    begins: Vec<u64>,
    /// Positions, ascending.
    faulted: Vec<u64>,
}

impl<'a> Counted<'a> {
    pub fn new(stretch: &'a Stretch, symbols: &'a [Symbol]) -> Self {
        let mut position = 0;
        let mut counted = Self { stretch, symbols, begins: Vec::new(), faulted: Vec::new() };
        for (index, run) in stretch.runs.iter().enumerate() {
            counted.begins.push(position);
            position += u64::from(run.instructions);
            if counted.faulted(index) {
                counted.faulted.push(position.saturating_sub(1));
            }
        }
        counted
    }

    /// Returns whether the run's last instruction was not executed. In a run that was broken off
    /// within a block that is certain where a fault's entry follows. A block's last instruction may
    /// have been executed, and the fault be that of fetching what comes next, which only user code
    /// has: then it was not executed if the program goes on with it.
    fn faulted(&self, index: usize) -> bool {
        let runs = &self.stretch.runs;
        let (run, Some(next)) = (&runs[index], runs.get(index + 1)) else { return false };
        let again = |later: &CodeRun| (run.start..run.end).contains(&later.start);
        match self.entry(next.start) {
            Some(name) if FAULTS.contains(&name) && run.broken_off => true,
            Some(PAGE_FAULT) if !is_user(run.start) => true,
            Some(PAGE_FAULT) => {
                runs[index + 1..].iter().find(|later| is_user(later.start)).is_some_and(again)
            }
            // It changed its own block, and was begun anew.
            _ => run.broken_off && again(next),
        }
    }

    /// Returns the function that begins at this address.
    fn entry(&self, address: u64) -> Option<&'a str> {
        let (symbol, offset) = Symbol::at(self.symbols, address)?;
        (offset == 0).then_some(&*symbol.name)
    }

    /// Positions from the trigger with this number to the edge of this line that
    /// came `latency_ns` after it.
    pub fn interval(&self, seq: u64, line: u8, latency_ns: i64, tick: Tick) -> Option<Range<u64>> {
        let marks = &self.stretch.marks;
        let is_trigger =
            |mark: &&Mark| matches!(mark.event, PathEvent::Trigger(number) if number.0 == seq);
        let trigger = marks.iter().find(is_trigger)?;
        let is_edge = |mark: &&Mark| {
            let span =
                mark.at.0.checked_sub(trigger.at.0).and_then(|span| i64::try_from(span).ok());
            mark.event == PathEvent::Edge(line)
                && span.is_some_and(|span| tick.nanoseconds(span).0 == latency_ns)
        };
        let edge = marks.iter().find(is_edge)?;
        let recorded = self.begins.last()? + u64::from(self.stretch.runs.last()?.instructions);
        // A mark at the end of a stretch that is full came after it.
        let behind = !self.stretch.complete && edge.position == recorded;
        let whole = trigger.position <= edge.position && edge.position <= recorded && !behind;
        whole.then_some(trigger.position..edge.position)
    }

    /// Returns how many instructions were executed between two positions.
    pub fn executed(&self, positions: &Range<u64>) -> u64 {
        let below = |end: u64| self.faulted.partition_point(|fault| *fault < end) as u64;
        let faults = below(positions.end) - below(positions.start);
        (positions.end - positions.start).saturating_sub(faults)
    }

    /// Returns where each run of an interval begins, and how many of its instructions were
    /// executed.
    pub fn steps(&self, positions: Range<u64>) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first =
            self.begins.partition_point(|begin| *begin <= positions.start).saturating_sub(1);
        let runs = self.stretch.runs.iter().zip(&self.begins).skip(first);
        runs.take_while({
            let end = positions.end;
            move |(_, begin)| **begin < end
        })
        .map(move |(run, begin)| {
            let end = begin + u64::from(run.instructions);
            let within = positions.start.max(*begin)..positions.end.min(end);
            // Begun in its middle, it has no address of its own: its start names
            // the function, and it is no call of it.
            let entered = u64::from(positions.start > *begin);
            (run.start.wrapping_add(entered), self.executed(&within))
        })
    }

    /// Returns whether the CPU may have slept between two positions.
    pub fn passes_sleep(&self, positions: &Range<u64>) -> bool {
        self.steps(positions.clone()).any(|(address, _)| {
            let name = Symbol::at(self.symbols, address).map(|(symbol, _)| &*symbol.name);
            name.is_some_and(|name| SLEEPS.contains(&name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Cycles, Seq};

    const CODE: u64 = 0xffff_ffff_8100_0000;
    const FAULT: u64 = 0xffff_ffff_8200_0000;
    const USER: u64 = 0x40_0000;

    fn symbols() -> Vec<Symbol> {
        let symbol = |address, name: &str| Symbol { address, name: name.into() };
        vec![symbol(CODE, "f"), symbol(FAULT, PAGE_FAULT), symbol(FAULT + 0x100, "asm_sysvec_x")]
    }

    fn run(start: u64, instructions: u32, broken_off: bool) -> CodeRun {
        CodeRun { start, end: start + u64::from(instructions) * 4, instructions, broken_off }
    }

    fn executed(runs: &[CodeRun]) -> u64 {
        let total: u64 = runs.iter().map(|run| u64::from(run.instructions)).sum();
        let stretch = Stretch { runs: runs.to_vec(), marks: Vec::new(), complete: true };
        Counted::new(&stretch, &symbols()).executed(&(0..total))
    }

    #[test]
    fn an_instruction_that_faults_is_counted_once() {
        let runs = [run(USER, 3, true), run(FAULT, 5, false), run(USER + 8, 2, false)];
        assert_eq!(executed(&runs), 9);
        let kernel = [run(CODE, 3, false), run(FAULT, 5, false), run(CODE + 8, 2, false)];
        assert_eq!(executed(&kernel), 9);
    }

    #[test]
    fn a_jump_to_a_page_that_is_not_there_was_executed() {
        let runs = [run(USER, 3, false), run(FAULT, 5, false), run(USER + 0x5000, 2, false)];
        assert_eq!(executed(&runs), 10);
        let again = [run(USER, 3, false), run(FAULT, 5, false), run(USER + 8, 2, false)];
        assert_eq!(executed(&again), 9, "a string instruction ends its block and can fault");
    }

    #[test]
    fn an_interrupt_in_the_middle_of_a_block_takes_nothing_away() {
        let runs = [run(CODE, 3, true), run(FAULT + 0x100, 5, false), run(CODE + 12, 2, false)];
        assert_eq!(executed(&runs), 10);
    }

    #[test]
    fn an_interval_is_cut_out_of_its_runs() {
        let mark = |position, at, event| Mark { position, at: Cycles(at), event };
        let marks = vec![
            mark(2, 100, PathEvent::Trigger(Seq(7))),
            mark(5, 106, PathEvent::Edge(0)),
            mark(6, 108, PathEvent::Edge(1)),
        ];
        let runs = vec![run(CODE, 4, false), run(CODE + 0x80, 4, false)];
        let (stretch, symbols) = (Stretch { runs, marks, complete: true }, symbols());
        let counted = Counted::new(&stretch, &symbols);
        let tick = Tick { femtoseconds: 1_000_000 };
        assert_eq!(counted.interval(7, 1, 8, tick), Some(2..6));
        assert_eq!(counted.interval(7, 1, 6, tick), None);
        assert_eq!(counted.interval(8, 1, 8, tick), None);
        // Of a stretch that was full there, nothing is known of what came at its end.
        let full = Stretch {
            runs: vec![stretch.runs[0], run(CODE + 0x80, 2, false)],
            marks: stretch.marks.clone(),
            complete: false,
        };
        let cut = Counted::new(&full, &symbols);
        assert_eq!(cut.interval(7, 0, 6, tick), Some(2..5));
        assert_eq!(cut.interval(7, 1, 8, tick), None);
        let steps: Vec<_> = counted.steps(2..6).collect();
        assert_eq!(steps, [(CODE + 1, 2), (CODE + 0x80, 2)]);
    }
}
