// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names for addresses, threads and stages of one case.

use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::{Stage, Symbol};

use super::frame::Frame;

/// How the driver's own functions are named.
const OURS: &str = " [irqscope]";

/// Symbols have no ends; few functions of a kernel are longer.
const LONGEST: u64 = 16 << 10;

/// Functions that the driver hooks (kernel/irqscope/callbacks.c), but for those that wait for a lock with interrupts off anyway.
const HOOKED: [&str; 6] = [
    "rcu_cblist_dequeue",
    "irq_work_single",
    "multi_cpu_stop",
    "handle_mm_fault",
    "smp_call_function_single",
    "smp_call_function_many_cond",
];

/// The longest instruction that a breakpoint replaces where it holds interrupts off: one of Arm or RISC-V.
const BREAKPOINT: u64 = 4;

pub struct Names<'a> {
    symbols: &'a [Symbol],
    threads: BTreeMap<u32, Stage>,
}

impl<'a> Names<'a> {
    pub fn of(data: &'a CaseData) -> Self {
        let threads = data.explained.iter().flat_map(|explained| &explained.threads);
        let threads = threads.map(|thread| (thread.pid, thread.stage)).collect();
        Self { symbols: &data.symbols, threads }
    }

    /// Returns a function's name; the address where it has none.
    pub fn function(&self, address: u64) -> String {
        match Symbol::at(self.symbols, address) {
            Some((symbol, _)) => symbol.name.clone(),
            None => format!("{address:#x}"),
        }
    }

    /// Returns a function's name, and how far behind its beginning the address lies.
    pub fn place(&self, address: u64) -> Option<(&str, u64)> {
        let (symbol, offset) = Symbol::at(self.symbols, address)?;
        Some((&symbol.name, offset))
    }

    /// Returns the caller's name; `None` where the address lies beyond every function: a word of
    /// data.
    pub fn caller(&self, address: u64) -> Option<String> {
        let (symbol, offset) = Symbol::at(self.symbols, address)?;
        (offset > 0 && offset < LONGEST).then(|| symbol.name.clone())
    }

    /// Returns whether the function belongs to the driver.
    pub fn is_ours(&self, address: u64) -> bool {
        Symbol::at(self.symbols, address).is_some_and(|(symbol, _)| symbol.name.ends_with(OURS))
    }

    /// Returns whether the address is behind the breakpoint of a function that the driver hooks.
    pub fn is_hooked(&self, address: u64) -> bool {
        let hooked = |(name, offset)| HOOKED.contains(&name) && offset <= BREAKPOINT;
        self.place(address).is_some_and(hooked)
    }

    /// Returns whether it is the trigger's handler, or the function of the timer that triggers.
    pub fn is_handler(&self, frame: &Frame) -> bool {
        match frame {
            Frame::Irq { handler, .. } => self.is_ours(*handler),
            Frame::Hrtimer(function) => self.is_ours(*function),
            _ => false,
        }
    }

    /// Returns the stage that a thread is.
    pub fn stage(&self, pid: u32) -> Option<Stage> {
        self.threads.get(&pid).copied()
    }
}

/// Returns whether a function is a helper: it enables what another one disabled.
pub fn is_helper(name: &str) -> bool {
    const HELPERS: [&str; 9] = [
        "_raw_spin_unlock",
        "dlock_spin_unlock",
        "_raw_read_unlock",
        "_raw_write_unlock",
        "__local_bh_enable",
        "preempt_schedule",
        "__raw_callee_save",
        "arch_local_irq_",
        "__arch_local_irq_",
    ];
    HELPERS.iter().any(|helper| name.starts_with(helper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_behind_a_breakpoint_is_the_hooks_and_not_the_functions() {
        let symbol = |address, name: &str| Symbol { address, name: name.into() };
        let symbols = [symbol(0x100, "handle_mm_fault"), symbol(0x200, "do_exit")];
        let names = Names { symbols: &symbols, threads: BTreeMap::new() };
        assert_eq!(
            [0x100, 0x104, 0x108, 0x204].map(|at| names.is_hooked(at)),
            [true, true, false, false]
        );
    }

    #[test]
    fn a_helper_is_known_by_how_its_name_begins() {
        let helpers = ["_raw_spin_unlock_irqrestore", "arch_local_irq_enable", "dlock_spin_unlock"];
        assert!(helpers.iter().all(|name| is_helper(name)) && !is_helper("free_unref_page"));
    }
}
