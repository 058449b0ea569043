// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From `run=1` to the end of the run: sleep, read where that is wise, and see
//! that it makes progress.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use irqscope_wire::{Message, Sample, StagePlan};

use crate::driver::Driver;
use crate::error::{Error, Result};
use crate::events::EventLog;
use crate::ring::Ring;
use crate::sink::Sink;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::uapi;

/// Well below `MAX_FRAME_BYTES`: a sample has at most 11 responses of 20 bytes.
const BATCH: usize = 512;

/// The time that is waited beyond that which a silent run may rightly take.
const MARGIN: Duration = Duration::from_secs(10);

/// Once the generator has accounted for every trigger, the driver needs no more
/// than to close what is open.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// How often frames leave while a run is on.
const LIVE_INTERVAL: Duration = Duration::from_millis(250);

const SHORTEST_NAP: Duration = Duration::from_millis(20);

/// When samples are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// After the run: the ring holds it all, and nothing is disturbed.
    Afterwards,
    /// When the driver says that the ring fills.
    WhenFilling,
    /// Now and then, from another CPU, by our own timer: the driver wakes no thread.
    Live,
}

impl Reading {
    /// Chooses how to read; `apart`: this thread runs on another CPU than the one under test.
    pub fn choose(plan: &StagePlan, slots: u64, live: bool, apart: bool) -> Reading {
        match (live && apart, slots >= plan.count) {
            (true, _) => Reading::Live,
            (false, true) => Reading::Afterwards,
            (false, false) => Reading::WhenFilling,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The driver has counted every trigger.
    Counted,
    /// The generator is silent, and the driver waits for triggers that never
    /// reached a handler: it is for the generator to account for them.
    Silence,
}

/// Samples and events on their way from the driver to the sink.
#[derive(Debug, Default)]
pub struct Collector {
    batch: Vec<Sample>,
    /// The account of the samples.
    pub tally: Tally,
    /// The driver's events, with `explain`.
    pub events: Option<EventLog>,
}

impl Collector {
    /// Makes a collector.
    pub fn new(events: Option<EventLog>) -> Collector {
        Collector { events, ..Collector::default() }
    }

    /// Takes what is there, sends full batches.
    ///
    /// # Errors
    /// The driver refuses the release, or nothing can be sent.
    pub fn collect(&mut self, ring: &mut Ring, sink: &mut Sink) -> Result<()> {
        while let Some(sample) = ring.read() {
            self.tally.add(&sample);
            self.batch.push(sample);
            if self.batch.len() == BATCH {
                ring.release()?;
                self.flush(sink)?;
            }
        }
        ring.release()?;
        self.events.as_mut().map_or(Ok(()), |events| events.collect(sink))
    }

    /// Sends the batch, full or not.
    ///
    /// # Errors
    /// Nothing can be sent.
    pub fn flush(&mut self, sink: &mut Sink) -> Result<()> {
        match self.batch.is_empty() {
            true => Ok(()),
            false => sink.send(Message::Samples(std::mem::take(&mut self.batch))),
        }
    }
}

/// Returns when the run is over, or nothing more can be expected of it.
///
/// # Errors
/// The run is stopped, stalls, or cannot be read.
pub fn watch(
    plan: &StagePlan,
    reading: Reading,
    driver: &Driver,
    ring: &mut Ring,
    collector: &mut Collector,
    sink: &mut Sink,
    stop: &Stop,
) -> Result<End> {
    let longest = patience(plan, timeout(plan) + MARGIN);
    let mut progress = Progress::new(longest);
    loop {
        let header = ring.header();
        if header.running == 0 {
            return Ok(End::Counted);
        }
        if stop.have_triggers_ended() {
            progress.patience = LAST_ANSWERS;
        } else if header.triggers > 0 && !sink.is_live() {
            // The twin's generator is never late. An interrupt that is lost leaves the driver waiting
            // for one more trigger, and the guest has to execute every second of that.
            let answers = if is_settled(&header) { Duration::ZERO } else { timeout(plan) };
            progress.patience = patience(plan, LAST_ANSWERS + answers);
        }
        if let Some(waited) = progress.stalled(&header) {
            if plan.is_triggered_outside() {
                return Ok(End::Silence);
            }
            return Err(stuck(waited, &header, driver));
        }
        let nap = if stop.have_triggers_ended() { LAST_ANSWERS } else { longest };
        match reading {
            Reading::Afterwards => stop.nap(time_left(plan, &header, nap), None)?,
            Reading::WhenFilling => {
                collector.collect(ring, sink)?;
                stop.nap(time_left(plan, &header, nap), Some(ring.as_fd()))?;
            }
            Reading::Live => {
                collector.collect(ring, sink)?;
                collector.flush(sink)?;
                stop.nap(LIVE_INTERVAL, None)?;
            }
        }
    }
}

fn mean_period(plan: &StagePlan) -> Duration {
    Duration::from_nanos(plan.period_ns.saturating_add(plan.jitter.ns))
}

/// Returns how long a run may stay silent, with a margin: exponential jitter exceeds 20 times its mean
/// twice in a thousand million periods.
fn patience(plan: &StagePlan, margin: Duration) -> Duration {
    if plan.is_open_ended() {
        return Duration::MAX;
    }
    let longest = plan.jitter.ns.saturating_mul(20).saturating_add(plan.period_ns);
    Duration::from_nanos(longest.saturating_mul(2)).saturating_add(margin)
}

/// Returns how long an answer may take.
fn timeout(plan: &StagePlan) -> Duration {
    Duration::from_millis(plan.timeout_ms.into())
}

/// Returns whether no trigger waits for an answer.
fn is_settled(header: &uapi::Ring) -> bool {
    let ended = [header.complete, header.missing, header.coalesced, header.overrun];
    header.triggers == ended.iter().sum::<u64>()
}

/// Returns the time to sleep past the last trigger at one go, so that nothing of ours happens
/// before it.
fn time_left(plan: &StagePlan, header: &uapi::Ring, patience: Duration) -> Duration {
    let left = plan.count.saturating_sub(header.triggers).min(u32::MAX.into()) as u32;
    mean_period(plan).saturating_mul(left).clamp(SHORTEST_NAP, patience)
}

/// A watchdog of our own: a driver that hangs must not hang its user.
struct Progress {
    seen: [u64; 3],
    since: Instant,
    patience: Duration,
}

impl Progress {
    fn new(patience: Duration) -> Progress {
        Progress { seen: [0; 3], since: Instant::now(), patience }
    }

    /// Returns how long nothing has changed, once that is too long.
    fn stalled(&mut self, header: &uapi::Ring) -> Option<Duration> {
        let now = [header.triggers, header.published, header.skipped];
        if now != self.seen {
            (self.seen, self.since) = (now, Instant::now());
        }
        let waited = self.since.elapsed();
        (waited >= self.patience).then_some(waited)
    }
}

fn stuck(waited: Duration, header: &uapi::Ring, driver: &Driver) -> Error {
    let state = driver.state().unwrap_or_else(|error| error.to_string());
    Error::Stuck { waited, state, published: header.published }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::asked;
    use irqscope_wire::Plan;

    #[test]
    fn a_run_that_fits_the_ring_is_read_afterwards_unless_somebody_looks_on() {
        let plan = asked();
        assert_eq!(Reading::choose(&plan, 2_048, false, true), Reading::Afterwards);
        assert_eq!(Reading::choose(&plan, 2_048, true, false), Reading::Afterwards);
        assert_eq!(Reading::choose(&plan, 2_048, true, true), Reading::Live);
        assert_eq!(Reading::choose(&plan, 1_024, false, false), Reading::WhenFilling);
    }

    #[test]
    fn the_nap_reaches_beyond_the_last_trigger_but_not_beyond_the_watchdog() {
        let plan = asked();
        let at = |triggers| {
            let header = uapi::Ring { triggers, ..Default::default() };
            time_left(&plan, &header, patience(&plan, timeout(&plan) + MARGIN))
        };
        assert_eq!(at(0), Duration::from_secs(2));
        assert_eq!(at(1_999), SHORTEST_NAP);
        let slow = StagePlan { count: u64::MAX, ..asked() };
        let header = uapi::Ring::default();
        assert_eq!(
            time_left(&slow, &header, patience(&slow, timeout(&plan) + MARGIN)),
            patience(&slow, timeout(&plan) + MARGIN)
        );
        assert_eq!(time_left(&slow, &header, LAST_ANSWERS), LAST_ANSWERS);
    }

    #[test]
    fn a_trigger_without_an_answer_is_open() {
        let header =
            uapi::Ring { triggers: 9, complete: 5, missing: 1, coalesced: 2, ..Default::default() };
        assert!(!is_settled(&header));
        assert!(is_settled(&uapi::Ring { overrun: 1, ..header }));
    }

    #[test]
    fn an_open_ended_run_bears_any_silence() {
        let trigger = irqscope_wire::Trigger::Line;
        let open = StagePlan { trigger, count: Plan::OPEN_END, ..asked() };
        assert_eq!(patience(&open, MARGIN), Duration::MAX);
        assert!(patience(&StagePlan { trigger, ..asked() }, MARGIN) < Duration::MAX);
        assert!(patience(&StagePlan { count: Plan::OPEN_END, ..asked() }, MARGIN) < Duration::MAX);
    }

    #[test]
    fn no_progress_is_told_with_the_state() {
        let root = crate::driver::tests::fake();
        let driver = Driver::open(root.path()).unwrap();
        let mut progress = Progress::new(Duration::ZERO);
        let header = uapi::Ring { published: 0, ..Default::default() };
        let waited = progress.stalled(&header).unwrap();
        let error = stuck(waited, &header, &driver);
        assert!(error.to_string().contains("`idle`"), "{error}");
    }
}
