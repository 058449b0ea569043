// SPDX-License-Identifier: GPL-2.0-or-later
//! The version of the plugin API that QEMU is asked for: one file is a plugin for all of them.
//!
//! QEMU reads `qemu_plugin_version` after it has loaded the file, and refuses a version that it does
//! not know or no longer takes: QEMU 6 to 8 take 1, and QEMU 9 and later take 2 and higher
//! (`QEMU_PLUGIN_MIN_VERSION` in plugins/plugin.h). The functions and types that the plugin uses are
//! the same in all of them. So the variable is set while the file is being loaded, by what QEMU has:
//! version 2 brought scoreboards.

use std::sync::atomic::{AtomicI32, Ordering};

use crate::qemu::address;

/// A function that QEMU exports from version 2 of the API on.
const SINCE_TWO: &str = "qemu_plugin_scoreboard_new";

/// The version, as QEMU looks for it.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has QEMU's name")]
pub static qemu_plugin_version: AtomicI32 = AtomicI32::new(1);

/// Is called by the dynamic linker when it has loaded this file.
#[used]
#[unsafe(link_section = ".init_array")]
static CHOOSE: extern "C" fn() = choose;

extern "C" fn choose() {
    if !address(SINCE_TWO).is_null() {
        qemu_plugin_version.store(2, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_qemu_it_is_the_first() {
        assert_eq!(qemu_plugin_version.load(Ordering::Relaxed), 1);
    }
}
