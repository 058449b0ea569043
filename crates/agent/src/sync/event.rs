// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ways in which one thread wakes another. Each is made before the run; waking
//! and waiting allocate nothing.

use std::cell::UnsafeCell;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::mqueue::{MQ_OFlag, MqAttr, MqdT, mq_close, mq_open, mq_receive, mq_send, mq_unlink};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::pthread::{Pthread, pthread_kill, pthread_self};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::stat::Mode;
use rustix::thread::futex::{self, Timespec};

use crate::error::{Error, Result};

/// An event that is never lost: a wakeup before the wait ends the wait at once.
pub trait Event: Send + Sync + 'static {
    /// Prepares the waiting thread, which calls it before its first wait.
    fn attend(&self) {}

    /// Wakes the waiting thread.
    fn wake(&self);

    /// Waits until it is woken.
    fn wait(&self);
}

fn system(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::System { what, source }
}

/// A counting word that the kernel is only asked about when somebody sleeps.
#[derive(Debug, Default)]
pub struct Futex(AtomicU32);

impl Futex {
    /// Waits for `most` at most; returns whether it was woken.
    pub fn wait_for(&self, most: Duration) -> bool {
        let begin = Instant::now();
        while self.0.swap(0, Ordering::Acquire) == 0 {
            let Some(left) = most.checked_sub(begin.elapsed()) else { return false };
            let left = Timespec {
                tv_sec: left.as_secs().cast_signed(),
                tv_nsec: left.subsec_nanos().into(),
            };
            let _ = futex::wait(&self.0, futex::Flags::PRIVATE, 0, Some(&left));
        }
        true
    }
}

impl Event for Futex {
    #[inline]
    fn wake(&self) {
        self.0.store(1, Ordering::Release);
        let _ = futex::wake(&self.0, futex::Flags::PRIVATE, 1);
    }

    #[inline]
    fn wait(&self) {
        while self.0.swap(0, Ordering::Acquire) == 0 {
            let _ = futex::wait(&self.0, futex::Flags::PRIVATE, 0, None);
        }
    }
}

/// An eventfd.
#[derive(Debug)]
pub struct Eventfd(EventFd);

impl Eventfd {
    /// Makes the eventfd.
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn new() -> Result<Self> {
        EventFd::from_flags(EfdFlags::EFD_CLOEXEC)
            .map(Self)
            .map_err(Error::system("make an eventfd"))
    }
}

impl Event for Eventfd {
    #[inline]
    fn wake(&self) {
        let _ = self.0.write(1);
    }

    #[inline]
    fn wait(&self) {
        while self.0.read() == Err(Errno::EINTR) {}
    }
}

/// A pipe.
#[derive(Debug)]
pub struct Pipe {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Pipe {
    /// Makes the pipe.
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn new() -> Result<Self> {
        let (reader, writer) = io::pipe().map_err(system("make a pipe"))?;
        Ok(Self { reader, writer })
    }
}

impl Event for Pipe {
    #[inline]
    fn wake(&self) {
        let _ = (&self.writer).write(&[1]);
    }

    #[inline]
    fn wait(&self) {
        let _ = (&self.reader).read_exact(&mut [0]);
    }
}

/// SIGUSR1 to one thread, which has it blocked and waits for it.
#[derive(Debug)]
pub struct Sent {
    set: SigSet,
    thread: AtomicUsize,
}

impl Sent {
    /// Makes the event; to be called before any thread begins: they all have to block it.
    ///
    /// # Errors
    /// The signal cannot be blocked.
    pub fn new() -> Result<Self> {
        let mut set = SigSet::empty();
        set.add(Signal::SIGUSR1);
        set.thread_block().map_err(Error::system("block a signal"))?;
        Ok(Self { set, thread: AtomicUsize::new(0) })
    }
}

impl Event for Sent {
    fn attend(&self) {
        self.thread.store(pthread_self() as usize, Ordering::Release);
    }

    #[inline]
    fn wake(&self) {
        let thread = self.thread.load(Ordering::Acquire) as Pthread;
        let _ = pthread_kill(thread, Signal::SIGUSR1);
    }

    #[inline]
    fn wait(&self) {
        while self.set.wait() == Err(Errno::EINTR) {}
    }
}

/// A POSIX message queue.
#[derive(Debug)]
pub struct Mqueue(Option<MqdT>);

const MESSAGE: &[u8] = b"!";

impl Mqueue {
    /// Makes the queue, whose name is gone before it is used.
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn new() -> Result<Self> {
        let name = format!("/irqscope-{}", std::process::id());
        let flags = MQ_OFlag::O_CREAT | MQ_OFlag::O_EXCL | MQ_OFlag::O_RDWR | MQ_OFlag::O_CLOEXEC;
        let attributes = MqAttr::new(0, 4, MESSAGE.len() as _, 0);
        let queue = mq_open(name.as_str(), flags, Mode::S_IRUSR | Mode::S_IWUSR, Some(&attributes))
            .map_err(Error::system("make a POSIX message queue"))?;
        let _ = mq_unlink(name.as_str());
        Ok(Self(Some(queue)))
    }
}

impl Event for Mqueue {
    #[inline]
    fn wake(&self) {
        let _ = self.0.as_ref().map(|queue| mq_send(queue, MESSAGE, 0));
    }

    #[inline]
    fn wait(&self) {
        let (mut message, mut priority) = ([0], 0);
        let _ = self.0.as_ref().map(|queue| mq_receive(queue, &mut message, &mut priority));
    }
}

impl Drop for Mqueue {
    fn drop(&mut self) {
        let _ = self.0.take().map(mq_close);
    }
}

/// The C library's, for it is what is measured: std's own is no POSIX one.
pub struct Condvar {
    lock: UnsafeCell<libc::pthread_mutex_t>,
    changed: UnsafeCell<libc::pthread_cond_t>,
    /// Guarded by the lock.
    woken: UnsafeCell<bool>,
}

// SAFETY: mutex and condition variable are made to be shared, and the flag is
// only touched with the mutex held.
unsafe impl Sync for Condvar {}
// SAFETY: none of them belongs to a thread while the mutex is not held.
unsafe impl Send for Condvar {}

impl Condvar {
    /// Makes the pair, boxed because neither may move once it was used.
    pub fn new() -> Box<Self> {
        Box::new(Self {
            lock: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
            changed: UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER),
            woken: UnsafeCell::new(false),
        })
    }
}

impl Event for Box<Condvar> {
    #[inline]
    fn wake(&self) {
        // SAFETY: both were initialised and have not moved; the flag is written
        // with the mutex held.
        unsafe {
            libc::pthread_mutex_lock(self.lock.get());
            *self.woken.get() = true;
            libc::pthread_cond_signal(self.changed.get());
            libc::pthread_mutex_unlock(self.lock.get());
        }
    }

    #[inline]
    fn wait(&self) {
        // SAFETY: as above; the wait is called with the mutex held.
        unsafe {
            libc::pthread_mutex_lock(self.lock.get());
            while !*self.woken.get() {
                libc::pthread_cond_wait(self.changed.get(), self.lock.get());
            }
            *self.woken.get() = false;
            libc::pthread_mutex_unlock(self.lock.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Checks that there are as many waits as wakes, one after the other, in whichever order they
    /// come.
    fn hands_over(event: impl Event) {
        const ROUNDS: usize = 200;
        let (event, back) = (Arc::new(event), Arc::new(Futex::default()));
        let (there, answer) = (Arc::clone(&event), Arc::clone(&back));
        let attending = Arc::new(Futex::default());
        let attends = Arc::clone(&attending);
        let waiter = std::thread::spawn(move || {
            there.attend();
            attends.wake();
            (0..ROUNDS).for_each(|_| {
                there.wait();
                answer.wake();
            });
        });
        attending.wait();
        (0..ROUNDS).for_each(|_| {
            event.wake();
            back.wait();
        });
        waiter.join().unwrap();
    }

    #[test]
    fn every_kind_of_event_wakes_once_per_wakeup() {
        hands_over(Futex::default());
        hands_over(Eventfd::new().unwrap());
        hands_over(Pipe::new().unwrap());
        hands_over(Sent::new().unwrap());
        hands_over(Mqueue::new().unwrap());
        hands_over(Condvar::new());
    }
}
