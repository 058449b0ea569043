// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of the target's code, as its kernel lists them.

use alloc::string::String;
use serde::{Deserialize, Serialize};

/// Where a function begins. A module's is named as the kernel's own stack
/// traces do: `name [module]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Symbol {
    /// Its first address.
    pub address: u64,
    /// Its name.
    pub name: String,
}

impl Symbol {
    /// Finds the symbol that `address` lies in, and how far behind its start, among symbols in
    /// ascending order of address.
    ///
    /// Symbols have no ends: an address behind the last function of the kernel
    /// or of a module is given to that function. One below all symbols, such as
    /// a user program's, has none.
    pub fn at(sorted: &[Symbol], address: u64) -> Option<(&Symbol, u64)> {
        let after = sorted.partition_point(|symbol| symbol.address <= address);
        let symbol = sorted.get(after.checked_sub(1)?)?;
        Some((symbol, address - symbol.address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_the_symbol_at_or_below_it() {
        let symbol = |address, name: &str| Symbol { address, name: name.into() };
        let sorted = [symbol(0x1000, "first"), symbol(0x1040, "second [module]")];
        let at = |address| Symbol::at(&sorted, address).map(|(s, offset)| (&*s.name, offset));
        assert_eq!(at(0xfff), None);
        assert_eq!(at(0x1000), Some(("first", 0)));
        assert_eq!(at(0x103f), Some(("first", 0x3f)));
        assert_eq!(at(0x1041), Some(("second [module]", 1)));
        assert_eq!(Symbol::at(&[], 0x1000), None);
    }
}
