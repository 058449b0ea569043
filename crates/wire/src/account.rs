// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The accounting identity, whichever side has counted.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{Counters, Totals};

/// The outcomes of all triggers. Each is counted once:
/// triggers = complete + missing + coalesced + dropped + unrecorded + open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Triggers that were sent.
    pub triggers: u64,
    /// Triggers that every stage answered.
    pub complete: u64,
    /// Triggers that lack an answer for no known reason.
    pub missing: u64,
    /// Triggers of which an answer, or the interrupt itself, was that of an earlier one.
    pub coalesced: u64,
    /// Triggers whose sample found no room.
    pub dropped: u64,
    /// Triggers of which the log has no record, because it was cut off.
    pub unrecorded: u64,
    /// Triggers that are none of these yet.
    pub open: u64,
    /// Points of the time grid without a trigger; no term of the identity.
    pub skipped: u64,
}

impl Account {
    /// Returns whether every trigger is counted exactly once.
    pub fn holds(&self) -> bool {
        let mut terms = self.terms().into_iter().map(|(count, _)| count);
        terms.try_fold(0u64, u64::checked_add) == Some(self.triggers)
    }

    /// Returns the terms of the identity with their names.
    pub fn terms(&self) -> [(u64, &'static str); 6] {
        [
            (self.complete, "complete"),
            (self.missing, "missing"),
            (self.coalesced, "coalesced"),
            (self.dropped, "dropped"),
            (self.unrecorded, "unrecorded"),
            (self.open, "open"),
        ]
    }

    /// Adds what another account has of each term.
    #[must_use]
    pub fn with(self, other: &Self) -> Self {
        Self {
            triggers: self.triggers.saturating_add(other.triggers),
            complete: self.complete.saturating_add(other.complete),
            missing: self.missing.saturating_add(other.missing),
            coalesced: self.coalesced.saturating_add(other.coalesced),
            dropped: self.dropped.saturating_add(other.dropped),
            unrecorded: self.unrecorded.saturating_add(other.unrecorded),
            open: self.open.saturating_add(other.open),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }
}

/// `5 triggers = 3 complete + 1 missing + 1 coalesced + 0 dropped`; the other terms where
/// there are any.
impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} triggers = ", self.triggers)?;
        for (place, (count, name)) in self.terms().into_iter().enumerate() {
            if place < 4 || count > 0 {
                write!(f, "{}{count} {name}", if place > 0 { " + " } else { "" })?;
            }
        }
        Ok(())
    }
}

impl From<Counters> for Account {
    fn from(counters: Counters) -> Self {
        let Counters { triggers, complete, missing, coalesced, dropped, skipped, .. } = counters;
        Self { triggers, complete, missing, coalesced, dropped, skipped, ..Self::default() }
    }
}

/// Where no driver has counted.
impl From<Account> for Counters {
    fn from(account: Account) -> Self {
        let Account { triggers, complete, missing, coalesced, dropped, skipped, .. } = account;
        Self { triggers, complete, missing, coalesced, dropped, skipped, spurious: 0 }
    }
}

impl From<Totals> for Account {
    fn from(totals: Totals) -> Self {
        let Totals { triggers, complete, missing, coalesced, dropped, open, skipped, .. } = totals;
        let unrecorded = 0;
        Self { triggers, complete, missing, coalesced, dropped, unrecorded, open, skipped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_that_is_counted_twice_or_never_breaks_the_identity() {
        let good = Account {
            triggers: 4,
            complete: 1,
            dropped: 1,
            unrecorded: 1,
            open: 1,
            ..Account::default()
        };
        assert!(good.holds() && good.with(&good).holds());
        assert!(!Account { missing: 1, ..good }.holds());
        assert!(!Account { complete: u64::MAX, ..good }.holds());
        assert!(!Account { triggers: 5, ..good }.holds());
    }

    #[test]
    fn both_sides_say_the_same_of_the_same_triggers() {
        let counters = Counters {
            triggers: 5,
            complete: 2,
            missing: 1,
            coalesced: 1,
            dropped: 1,
            ..Counters::default()
        };
        let totals = Totals {
            triggers: 5,
            complete: 2,
            missing: 1,
            coalesced: 1,
            dropped: 1,
            ..Totals::default()
        };
        assert_eq!(Account::from(counters), Account::from(totals));
    }
}
