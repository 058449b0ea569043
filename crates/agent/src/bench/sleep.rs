// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `sleep`: Lee and Park's test process for delayed locking: read the clock, sleep for T, read it
//! again. The second reading less the first and T is the operating system's latency.

use std::time::Duration;

use irqscope_wire::Sleep;

use super::clock::{now, sleep_for};
use super::{Running, Series, Stand, ThreadGroup};
use crate::error::Result;

pub fn start(sleep: &Sleep, stand: &Stand<'_>) -> Result<Running> {
    let (mut recorder, recorded) = stand.recorder(sleep.count);
    let (time, count) = (sleep.period_ns.cast_signed(), sleep.count);
    let mut group = ThreadGroup::default();
    group.add(stand.post("bench-sleep", stand.cpu), move |go| {
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
    let series = Series::new(format!("cpu{}", stand.cpu), Some(stand.cpu), recorded);
    let silence = Duration::from_nanos(sleep.period_ns.saturating_mul(2));
    Ok(Running { series: vec![series], threads: group.start()?, silence })
}
