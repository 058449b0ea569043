// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages of a host to an agent, on a guest's port or behind the plan: single bytes, since there
//! are only a few of them.

/// One byte from host to agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum HostByte {
    /// The last frame has arrived: the guest may end.
    HasAll = 0,
    /// The generator has sent its last trigger and accounts for all: do not
    /// wait for more.
    TriggersEnded = 1,
    /// Send the names of all functions, before the guest ends.
    SymbolsWanted = 2,
}

impl HostByte {
    /// Parses a byte; `None` of an unknown one.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(HostByte::HasAll),
            1 => Some(HostByte::TriggersEnded),
            2 => Some(HostByte::SymbolsWanted),
            _ => None,
        }
    }
}
