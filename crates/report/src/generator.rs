// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The known errors of a generator itself, as footnotes.

use irqscope_analysis::OutsideAccount;
use irqscope_run::{ClockError, LineOffset};

use irqscope_quantity::grouped;

/// Formats one line for each thing that is known.
pub(crate) fn footnotes(outside: &OutsideAccount) -> Vec<String> {
    let facts = outside.facts.as_ref();
    let offsets = facts.and_then(|facts| offsets_text(&facts.calibration));
    let clock = facts.and_then(|facts| facts.clock.as_ref()).map(clock_text);
    let window = (outside.window > 0).then(|| {
        let [window, answers] = [outside.window, outside.answers].map(grouped);
        format!("{window} of {answers} answers were looked for in every cycle of its clock")
    });
    offsets.into_iter().chain(clock).chain(window).collect()
}

/// Formats the offsets; `None` where nothing was measured.
pub fn offsets_text(calibration: &[Option<LineOffset>]) -> Option<String> {
    let line = |(line, offset): (usize, &Option<LineOffset>)| {
        let LineOffset { offset_ns, lowest_ns, highest_ns, measurements } = (*offset)?;
        let times = grouped(measurements.into());
        Some(format!("line {line} {offset_ns} ns ({lowest_ns} to {highest_ns}, {times} times)"))
    };
    let lines: Vec<String> = calibration.iter().enumerate().filter_map(line).collect();
    (!lines.is_empty()).then(|| {
        format!("the generator's own way to its lines is subtracted: {}", lines.join(", "))
    })
}

/// Formats a clock's error in parts per million, with its standard error.
pub fn clock_text(clock: &ClockError) -> String {
    let ClockError { ppm, standard_error_ppm, readings, span_ns } = clock;
    format!(
        "the generator's clock runs {ppm:+.1} ppm against the host's (standard error \
         {standard_error_ppm:.1}, {readings} readings in {:.0} s)",
        span_ns / 1e9
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_the_clock_are_told_with_their_spread() {
        let offset =
            LineOffset { offset_ns: 5.0, lowest_ns: -5.0, highest_ns: 10.0, measurements: 1000 };
        let text = offsets_text(&[None, Some(offset)]).unwrap();
        assert!(text.ends_with("line 1 5 ns (-5 to 10, 1,000 times)"), "{text}");
        assert_eq!(offsets_text(&[None]), None);
        let clock =
            ClockError { ppm: -12.34, standard_error_ppm: 0.5, readings: 60, span_ns: 59e9 };
        let text = clock_text(&clock);
        assert!(text.contains("-12.3 ppm") && text.contains("0.5, 60 readings in 59 s"), "{text}");
    }
}
