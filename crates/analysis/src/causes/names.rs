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
