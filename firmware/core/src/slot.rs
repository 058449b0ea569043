// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One host at a time, over whichever transport it comes.

use core::cell::Cell;

/// The one place for a host.
#[derive(Debug, Default)]
pub struct HostSlot {
    taken: Cell<bool>,
}

/// A host has it, until this is dropped.
#[derive(Debug)]
pub struct HeldSlot<'a>(&'a HostSlot);

impl HostSlot {
    /// Takes the slot. None: a host is there already.
    pub fn take(&self) -> Option<HeldSlot<'_>> {
        (!self.taken.replace(true)).then(|| HeldSlot(self))
    }

    pub fn is_taken(&self) -> bool {
        self.taken.get()
    }
}

impl Drop for HeldSlot<'_> {
    fn drop(&mut self) {
        self.0.taken.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_host_is_turned_away_until_the_first_has_gone() {
        let slot = HostSlot::default();
        let first = slot.take();
        assert!(first.is_some() && slot.take().is_none() && slot.is_taken());
        drop(first);
        assert!(!slot.is_taken() && slot.take().is_some());
    }
}
