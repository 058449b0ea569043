// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which board this is, so that two of them on one host are distinguished.

/// Returns the chip's own number; 0 if it cannot be read.
#[cfg(feature = "rp2350")]
pub fn serial() -> u64 {
    embassy_rp::otp::get_chipid().unwrap_or(0)
}

/// Returns 0: RP2040 has no number.
#[cfg(feature = "rp2040")]
pub fn serial() -> u64 {
    0
}
