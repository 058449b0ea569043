// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One host at a time, over whichever transport it comes.

use core::cell::Cell;

/// The one place for a host.
#[derive(Debug, Default)]
pub struct Seat {
    taken: Cell<bool>,
}

/// A host has it, until this is dropped.
#[derive(Debug)]
pub struct Seated<'a>(&'a Seat);

impl Seat {
    /// None: a host is there already.
    pub fn take(&self) -> Option<Seated<'_>> {
        (!self.taken.replace(true)).then(|| Seated(self))
    }

    pub fn is_taken(&self) -> bool {
        self.taken.get()
    }
}

impl Drop for Seated<'_> {
    fn drop(&mut self) {
        self.0.taken.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_host_is_turned_away_until_the_first_has_gone() {
        let seat = Seat::default();
        let first = seat.take();
        assert!(first.is_some() && seat.take().is_none() && seat.is_taken());
        drop(first);
        assert!(!seat.is_taken() && seat.take().is_some());
    }
}
