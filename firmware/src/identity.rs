// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which board this is, so that two of them on one host are distinguished.

use crate::flash::Store;

/// Returns the chip's own number; 0 if it cannot be read.
#[cfg(feature = "rp2350")]
pub fn serial(_: &mut Store) -> u64 {
    embassy_rp::otp::get_chipid().unwrap_or(0)
}

/// Returns the number of the flash beside the chip, which has none; 0 if it cannot be read.
#[cfg(feature = "rp2040")]
pub fn serial(store: &mut Store) -> u64 {
    store.number()
}
