// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A seed for a guest's random numbers, as an init system gives at each boot what it has kept
//! (systemd-random-seed(8)).
//!
//! An emulated machine has no source of randomness of its own. Until its kernel is seeded it hashes its
//! pool anew for every number (`crng_make_state` in drivers/char/random.c): a fork needs one, and on
//! Arm and RISC-V each system call does. No machine that has been up for a minute is like that. The
//! seed is the same for all, so that guests that are to be equal are.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use nix::libc::c_int;

use crate::error::{Error, Result};

const BYTES: usize = 64;

/// `struct rand_pool_info` (include/uapi/linux/random.h).
#[repr(C)]
struct Pool {
    credited_bits: c_int,
    bytes: c_int,
    seed: [u8; BYTES],
}

nix::ioctl_write_ptr!(add_entropy, b'R', 0x03, [c_int; 2]);

/// Seeds the kernel's random numbers.
///
/// # Errors
/// There is no /dev/random below `root`, or it takes no seed.
pub fn seed(root: &Path) -> Result<()> {
    const DO: &str = "seed the kernel's random numbers";
    let random = File::options().write(true).open(root.join("dev/random"));
    let random = random.map_err(|source| Error::System { what: DO, source })?;
    let pool = Pool {
        credited_bits: 8 * BYTES as c_int,
        bytes: BYTES as c_int,
        seed: std::array::from_fn(|index| index as u8),
    };
    let pointer = std::ptr::from_ref(&pool).cast();
    // SAFETY: the ioctl reads two numbers and as many bytes behind them as the second says, which is
    // what a pool has.
    unsafe { add_entropy(random.as_raw_fd(), pointer) }.map(drop).map_err(Error::system(DO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_random_device_takes_no_seed() {
        let root = tempfile::tempdir().unwrap();
        assert!(seed(root.path()).is_err(), "there is none");
        std::fs::create_dir(root.path().join("dev")).unwrap();
        std::fs::write(root.path().join("dev/random"), "").unwrap();
        let error = seed(root.path()).unwrap_err().to_string();
        assert!(error.contains("seed the kernel's random numbers"), "{error}");
    }
}
