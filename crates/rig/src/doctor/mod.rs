// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The abilities of this machine, and what would spoil its figures. Looks, and changes nothing;
//! every finding but a fine one carries its remedy.

mod driver;
mod figures;
mod finding;
mod kernel;
mod system;
mod twin;
mod vm;

use std::path::Path;

pub use finding::{Finding, Level, Topic};

use system::System;

/// Examines this machine. Takes up to ten seconds where KVM hangs.
pub fn examine() -> Vec<Finding> {
    let system = System::at(Path::new("/"));
    let mut findings = twin::examine(&system);
    findings.extend(twin::examine_stock());
    findings.extend(vm::examine(&system));
    findings.extend(driver::examine(&system));
    findings.extend(figures::examine(&system));
    findings.extend(kernel::examine(&system));
    findings
}
