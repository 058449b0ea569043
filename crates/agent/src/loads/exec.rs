// SPDX-License-Identifier: Apache-2.0 OR MIT
//! fork and exec without pause. It executes this program, which exits at once: no other need be
//! installed.

use std::convert::Infallible;

use nix::errno::Errno;
use nix::libc;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, execv, fork};

use super::{Worker, supervisor};
use crate::noop;

pub fn workers() -> Result<Vec<Worker>, String> {
    Ok(vec![Box::new(execute_on)])
}

fn execute_on() -> Result<Infallible, String> {
    loop {
        match execute_once() {
            Ok(WaitStatus::Exited(_, 0)) => {}
            Ok(status) => return Err(format!("/proc/self/exe noop: {status:?}")),
            Err(errno) => return Err(format!("fork: {errno}")),
        }
    }
}

fn execute_once() -> Result<WaitStatus, Errno> {
    let worker = Pid::this();
    // SAFETY: a worker has one thread; the child executes or ends.
    match unsafe { fork() }? {
        ForkResult::Parent { child } => waitpid(child, None),
        ForkResult::Child => {
            let executed = supervisor::die_with(worker)
                .and_then(|()| execv(c"/proc/self/exe", &[c"irqscope-agent", noop::NAME]));
            // SAFETY: ends this process, of which nothing is left to clean up.
            unsafe {
                libc::_exit(executed.map_or_else(|errno| errno as i32, |never| match never {}))
            }
        }
    }
}
