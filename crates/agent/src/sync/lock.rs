// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lock of `inversion`, with priority inheritance and without: what mutexes
//! of C libraries are made of, bare, so that only the kernel differs.

use std::sync::atomic::{AtomicU32, Ordering};

use irqscope_wire::LockProtocol;
use nix::unistd::gettid;
use rustix::thread::futex::{self, Flags};

use crate::error::{Error, Result};

const FREE: u32 = 0;
const HELD: u32 = 1;
const CONTENDED: u32 = 2;

/// A futex as a lock, with inheritance or without.
#[derive(Debug)]
pub struct Lock {
    word: AtomicU32,
    protocol: LockProtocol,
}

impl Lock {
    /// Makes a lock that is free.
    pub fn new(protocol: LockProtocol) -> Self {
        Self { word: AtomicU32::new(FREE), protocol }
    }

    /// Takes the lock; called by a thread that does not hold it.
    ///
    /// # Errors
    /// The kernel refuses the futex.
    pub fn take(&self) -> Result<()> {
        match self.protocol {
            LockProtocol::None => {
                self.take_plain();
                Ok(())
            }
            LockProtocol::Inherit => self.take_inheriting(),
        }
    }

    /// Releases the lock; called by the thread that holds it.
    ///
    /// # Errors
    /// The kernel refuses the futex.
    pub fn give(&self) -> Result<()> {
        match self.protocol {
            LockProtocol::None => {
                self.give_plain();
                Ok(())
            }
            LockProtocol::Inherit => self.give_inheriting(),
        }
    }

    fn take_plain(&self) {
        if self.exchange(FREE, HELD) {
            return;
        }
        // A thread that has waited leaves it marked, for there may be others.
        while self.word.swap(CONTENDED, Ordering::Acquire) != FREE {
            let _ = futex::wait(&self.word, Flags::PRIVATE, CONTENDED, None);
        }
    }

    fn give_plain(&self) {
        if self.word.swap(FREE, Ordering::Release) == CONTENDED {
            let _ = futex::wake(&self.word, Flags::PRIVATE, 1);
        }
    }

    /// Takes the lock with inheritance: the word holds its owner's thread, so the kernel knows
    /// which one to boost.
    fn take_inheriting(&self) -> Result<()> {
        if self.exchange(FREE, own_thread()) {
            return Ok(());
        }
        let failed = |errno: rustix::io::Errno| Error::System {
            what: "take a lock with priority inheritance",
            source: errno.into(),
        };
        futex::lock_pi(&self.word, Flags::PRIVATE, None).map_err(failed)
    }

    fn give_inheriting(&self) -> Result<()> {
        if self.exchange(own_thread(), FREE) {
            return Ok(());
        }
        let failed = |errno: rustix::io::Errno| Error::System {
            what: "give a lock with priority inheritance back",
            source: errno.into(),
        };
        futex::unlock_pi(&self.word, Flags::PRIVATE).map_err(failed)
    }

    fn exchange(&self, from: u32, to: u32) -> bool {
        self.word.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

fn own_thread() -> u32 {
    gettid().as_raw().cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn only_one_thread_holds_it_whatever_the_protocol() {
        for protocol in LockProtocol::ALL {
            let shared = Arc::new((Lock::new(*protocol), AtomicU64::new(0)));
            let threads = [(); 4].map(|()| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    for _ in 0..2_000 {
                        shared.0.take().unwrap();
                        // Not one step: two holders would lose an increment.
                        let count = shared.1.load(Ordering::Relaxed);
                        std::hint::spin_loop();
                        shared.1.store(count + 1, Ordering::Relaxed);
                        shared.0.give().unwrap();
                    }
                })
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(shared.1.load(Ordering::Relaxed), 8_000, "{protocol}");
        }
    }
}
