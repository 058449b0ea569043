// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From the start of a benchmark's threads to their end: sleep, send what was recorded where that
//! disturbs no measurement, and see that it makes progress.

use std::time::{Duration, Instant};

use irqscope_wire::{
    BenchEnd, BenchSample, BenchSamples, Class, Message, Nanoseconds, Seq, SeriesCount,
};

use super::{Running, Series};
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::stop::Stop;

/// Well below `MAX_FRAME_BYTES`: a sample has at most 20 bytes.
const BATCH: usize = 4096;

/// The time that is waited beyond that which a benchmark may rightly be silent.
const MARGIN: Duration = Duration::from_secs(10);

const LIVE_INTERVAL: Duration = Duration::from_millis(250);

/// The receiver of a benchmark's frames.
pub struct Follower<'a> {
    pub stop: &'a Stop,
    pub sink: &'a mut Sink,
    /// Frames leave while it measures: this thread has a CPU of its own, or there
    /// is no room for all samples.
    pub live: bool,
    /// Position in the plan.
    pub benchmark: u16,
    pub class: Class,
}

impl Follower<'_> {
    /// Returns when all threads have ended and all samples were sent; what was
    /// measured is sent even where it did not end well.
    pub fn follow(&mut self, running: Running) -> Result<()> {
        let Running { mut series, threads, silence } = running;
        let watched = self.watch(&mut series, &threads, silence + MARGIN);
        threads.cancel();
        let joined = threads.join();
        let counts = series.iter_mut().map(|one| self.finish(one)).collect::<Result<_>>()?;
        watched?;
        joined?;
        self.end(counts, None)
    }

    /// Says why there is nothing to follow.
    pub fn unavailable(&mut self, why: String) -> Result<()> {
        self.end(Vec::new(), Some(why))
    }

    fn end(&mut self, series: Vec<SeriesCount>, unavailable: Option<String>) -> Result<()> {
        let Follower { benchmark, class, .. } = *self;
        self.sink.send(Message::BenchEnd(BenchEnd { benchmark, class, series, unavailable }))
    }

    fn watch(
        &mut self,
        series: &mut [Series],
        threads: &super::Working,
        patience: Duration,
    ) -> Result<()> {
        let mut written = 0;
        let mut since = Instant::now();
        loop {
            // In the twin nothing wakes us that has no reason to.
            let nap = if self.live { LIVE_INTERVAL } else { patience };
            self.stop.nap(nap, Some(threads.ended()))?;
            if threads.have_ended() {
                return Ok(());
            }
            if self.live {
                series.iter_mut().try_for_each(|one| self.send(one))?;
            }
            let now_written = series.iter().map(|one| one.recorded.written()).sum();
            if now_written != written {
                (written, since) = (now_written, Instant::now());
            } else if since.elapsed() >= patience {
                let what = format!("no sample for {} s", patience.as_secs());
                return Err(Error::Thread(what));
            }
        }
    }

    fn finish(&mut self, one: &mut Series) -> Result<SeriesCount> {
        self.send(one)?;
        Ok(SeriesCount {
            series: one.name.clone(),
            taken: one.sent,
            skipped: one.recorded.skipped(),
            dropped: one.recorded.dropped(),
        })
    }

    /// Sends all that is there.
    fn send(&mut self, one: &mut Series) -> Result<()> {
        loop {
            let first = Seq(one.sent);
            let samples = one.take(BATCH);
            if samples.is_empty() {
                return Ok(());
            }
            self.sink.send(Message::BenchSamples(BenchSamples {
                benchmark: self.benchmark,
                series: one.name.clone(),
                cpu: one.cpu.map(|cpu| cpu as u16),
                first,
                samples,
            }))?;
        }
    }
}

impl Series {
    fn take(&mut self, most: usize) -> Vec<BenchSample> {
        let scale = self.scale;
        let sample = |(at, value)| match scale {
            None => BenchSample { at: Nanoseconds(at), value: Nanoseconds(value) },
            Some(scale) => {
                BenchSample { at: scale.instant(at), value: scale.tick.nanoseconds(value) }
            }
        };
        let samples: Vec<_> = self.recorded.read(most).into_iter().map(sample).collect();
        self.sent += samples.len() as u64;
        samples
    }
}
