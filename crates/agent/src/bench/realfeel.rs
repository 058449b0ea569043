// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `realfeel`: the real-time clock interrupts at a rate that is set, `read()`
//! returns once per interrupt, and how much the time between two returns
//! differs from the period is a sample.
//!
//! Since Linux 2.6.39 the kernel makes these interrupts with a timer of its own
//! (an hrtimer in drivers/rtc/interface.c), not with the chip.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::time::Duration;

use irqscope_wire::{Policy, Realfeel, Scheduling};
use nix::errno::Errno;
use nix::libc::{Ioctl, c_ulong, ioctl};

use super::{Fixture, Go, Recorder, Running, Series, Start, ThreadGroup};
use crate::clock::{now, wide};
use crate::error::{Error, Result};
use crate::scheduling;

const DEVICE: &str = "dev/rtc0";

/// linux/rtc.h, for architectures with the usual numbers.
const RTC_PIE_ON: Ioctl = nix::request_code_none!(b'p', 0x05);
const RTC_PIE_OFF: Ioctl = nix::request_code_none!(b'p', 0x06);
const RTC_IRQP_SET: Ioctl = nix::request_code_write!(b'p', 0x0c, size_of::<c_ulong>());

pub fn start(realfeel: &Realfeel, fixture: &Fixture<'_>) -> Result<Start> {
    let path = fixture.root.join(DEVICE);
    let clock = match File::open(&path) {
        Ok(clock) => Clock(clock),
        Err(error) => return Ok(Start::Unavailable(why_closed(&error))),
    };
    if let Err(errno) = clock.start(realfeel.hertz) {
        return Ok(Start::Unavailable(why_refused(realfeel.hertz, errno)));
    }
    let (recorder, recorded) = fixture.recorder(realfeel.count);
    let period = 1_000_000_000 / i64::from(realfeel.hertz.max(1));
    let count = realfeel.count;
    let mut group = ThreadGroup::default();
    group.add(fixture.spec("bench-realfeel", fixture.cpu), move |go| {
        listen(clock, period, count, recorder, go)
    });
    Ok(Start::Running(Running {
        series: vec![Series::new(format!("cpu{}", fixture.cpu), Some(fixture.cpu), recorded)],
        threads: group.start()?,
        silence: Duration::from_secs(1),
    }))
}

fn why_closed(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "this machine has no real-time clock (/dev/rtc0)".into(),
        ErrorKind::ResourceBusy => "/dev/rtc0 is in use: end the program that holds it".into(),
        _ => format!("/dev/rtc0 cannot be opened: {error}; run as root"),
    }
}

fn why_refused(hertz: u32, errno: Errno) -> String {
    match errno {
        Errno::EACCES => format!("only root may ask the real-time clock for {hertz} Hz"),
        Errno::EINVAL => format!("the real-time clock does not do {hertz} Hz"),
        _ => format!("the real-time clock gives no periodic interrupts: {errno}"),
    }
}

/// Interrupts end with it.
struct Clock(File);

impl Clock {
    fn start(&self, hertz: u32) -> nix::Result<()> {
        self.control(RTC_IRQP_SET, hertz.into())?;
        self.control(RTC_PIE_ON, 0)
    }

    fn control(&self, request: Ioctl, argument: c_ulong) -> nix::Result<()> {
        // SAFETY: the three requests take a number by value or nothing, never a
        // pointer; the descriptor is open.
        let result = unsafe { ioctl(self.0.as_raw_fd(), request, argument) };
        Errno::result(result).map(drop)
    }

    /// Waits for the next interrupt; how many came since the last call.
    #[inline]
    fn wait(&mut self) -> std::io::Result<u64> {
        let mut data = [0; size_of::<c_ulong>()];
        self.0.read_exact(&mut data)?;
        // The lowest byte says which kind of interrupt it was.
        Ok(wide(c_ulong::from_ne_bytes(data) >> 8))
    }
}

impl Drop for Clock {
    /// Stops the clock's interrupts. On RT kernels the interrupt's function runs in a thread of
    /// priority 1, which the reader that it wakes preempts before it has ended. To stop it the
    /// kernel spins until it has: from above that thread for ever, where there is one CPU.
    fn drop(&mut self) {
        let ordinary = Scheduling { policy: Policy::Other, priority: 0 };
        let _ = scheduling::schedule("bench-realfeel", ordinary);
        let _ = self.control(RTC_PIE_OFF, 0);
    }
}

/// Interrupts that came while the thread could not see to them are skipped.
fn listen(
    mut clock: Clock,
    period: i64,
    count: u64,
    mut recorder: Recorder,
    go: &Go,
) -> Result<()> {
    let failed = |source| Error::System { what: "read the real-time clock", source };
    clock.wait().map_err(failed)?;
    let mut last = now();
    let mut left = count;
    while left > 0 && !go.is_cancelled() {
        let interrupts = clock.wait().map_err(failed)?.clamp(1, left);
        let here = now();
        recorder.take(last, here - last - period * interrupts.cast_signed());
        last = here;
        recorder.skip(interrupts - 1);
        left -= interrupts;
    }
    Ok(())
}
