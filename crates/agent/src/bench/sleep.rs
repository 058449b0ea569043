// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `sleep`: Lee and Park's test process for delayed locking: read the clock, sleep for T, read it
//! again. The second reading less the first and T is the operating system's latency.

use std::time::Duration;

use irqscope_wire::Sleep;

use super::{Fixture, Running, Series, ThreadGroup};
use crate::clock::{now, sleep_for};
use crate::error::Result;

pub fn start(sleep: &Sleep, fixture: &Fixture<'_>) -> Result<Running> {
    let (mut recorder, recorded) = fixture.recorder(sleep.count);
    let (time, count) = (sleep.period_ns.cast_signed(), sleep.count);
    let mut group = ThreadGroup::default();
    group.add(fixture.spec("bench-sleep", fixture.cpu), move |go| {
        for _ in 0..count {
            let due = now() + time;
            sleep_for(time);
            recorder.take(due, now() - due);
            if go.is_cancelled() {
                break;
            }
        }
        Ok(())
    });
    let series = Series::new(format!("cpu{}", fixture.cpu), Some(fixture.cpu), recorded);
    let silence = Duration::from_nanos(sleep.period_ns.saturating_mul(2));
    Ok(Running { series: vec![series], threads: group.start()?, silence })
}
