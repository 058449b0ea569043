// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `spin`: a loop that reads the counter and nothing else. Where two readings lie farther apart
//! than the threshold, something took the CPU away: that gap is a sample. oslat measures the same.

use std::time::Duration;

use irqscope_wire::Spin;

use super::{Fixture, Go, Recorder, Running, Series, ThreadGroup};
use crate::counter;
use crate::error::Result;

/// Gaps that a CPU may have between two looks of the sending thread, or in all
/// where that does not look.
pub const ROOM: u64 = 1 << 18;

pub fn start(spin: &Spin, fixture: &Fixture<'_>) -> Result<Running> {
    let (mut group, mut series) = (ThreadGroup::default(), Vec::new());
    let duration = Duration::from_nanos(spin.duration_ns);
    for cpu in fixture.cpus(&spin.cpus) {
        let (recorder, recorded) = fixture.recorder(ROOM);
        let cycles = fixture.scale.cycles(duration);
        let threshold = fixture.scale.cycles(Duration::from_nanos(spin.threshold_ns));
        group.add(fixture.spec("bench-spin", cpu), move |go| {
            turn(cycles, threshold, recorder, go);
            Ok(())
        });
        let one = Series::new(format!("cpu{cpu}"), Some(cpu), recorded);
        series.push(Series { scale: Some(fixture.scale), ..one });
    }
    Ok(Running { series, threads: group.start()?, silence: duration })
}

/// Spins for a turn. A gap's instant is its beginning. Keeping it lengthens the turn after it by
/// some nanoseconds, far below any threshold.
fn turn(duration: u64, threshold: u64, mut recorder: Recorder, go: &Go) {
    let begin = counter::now().0;
    let mut last = begin;
    while last.wrapping_sub(begin) < duration && !go.is_cancelled() {
        let here = counter::now().0;
        let gap = here.wrapping_sub(last);
        if gap >= threshold {
            recorder.take(last.cast_signed(), gap.cast_signed());
        }
        last = here;
    }
}
