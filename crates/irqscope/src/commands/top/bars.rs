// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Small pictures of one line of text.

use irqscope_analysis::{Bins, Points};

const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws a histogram: latency grows to the right, from the smallest to the largest one and on a
/// logarithmic scale; heights are logarithmic as well, so that a single value is seen.
pub fn histogram(bins: &Bins, columns: usize) -> String {
    let scale = |ns: i64| (ns.max(0) as f64).ln_1p();
    let ends = bins.lower_ns.first().zip(bins.upper_ns.last());
    let Some((low, high)) = ends.map(|(low, high)| (scale(*low), scale(*high))) else {
        return " ".repeat(columns);
    };
    let mut counts = vec![0u64; columns.max(1)];
    for (lower, count) in bins.lower_ns.iter().zip(&bins.counts) {
        let share = (scale(*lower) - low) / (high - low).max(f64::EPSILON);
        let column = (share * columns as f64) as usize;
        let last = counts.len() - 1;
        counts[column.min(last)] += count;
    }
    bars(counts.into_iter().map(|count| (count as f64).ln_1p()))
}

/// Draws the largest latency of each interval of time, up to now.
pub fn maxima(course: &Points, columns: usize) -> String {
    let per_column = course.max_ns.len().div_ceil(columns.max(1)).max(1);
    let highest = |some: &[Option<i64>]| some.iter().flatten().copied().max();
    let maxima = course.max_ns.chunks(per_column).map(highest);
    bars(maxima.map(|max| max.map_or(0.0, |ns| (ns.max(0) as f64).ln_1p())))
}

/// Draws bars; every value above nothing has at least the lowest bar.
fn bars(heights: impl Iterator<Item = f64>) -> String {
    let heights: Vec<f64> = heights.collect();
    let highest = heights.iter().copied().fold(0.0, f64::max);
    let bar = |height: f64| match height > 0.0 {
        true => BARS[((height / highest * 8.0).round() as usize).clamp(1, 8)],
        false => BARS[0],
    };
    heights.into_iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_late_response_among_thousands_is_seen() {
        let bins = Bins::of([(1_000, 10_000), (50_000, 1)]);
        let drawn = histogram(&bins, 10);
        assert_eq!(drawn.chars().count(), 10);
        assert!(drawn.starts_with('█') && drawn.ends_with('▁'), "{drawn:?}");
        assert_eq!(histogram(&Bins::default(), 3), "   ");
        assert_eq!(histogram(&Bins::of([(5, 1)]), 2), "█ ");
    }

    #[test]
    fn a_course_keeps_its_outlier() {
        let points = Points {
            start_ns: 0,
            interval_ns: 1,
            count: vec![1; 5],
            min_ns: vec![Some(1); 5],
            mean_ns: vec![Some(1.0); 5],
            max_ns: vec![Some(10), Some(900_000), Some(10), None, None],
        };
        assert_eq!(maxima(&points, 5).chars().nth(1), Some('█'));
        assert_eq!(maxima(&points, 3), "█▁ ");
    }
}
