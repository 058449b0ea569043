// SPDX-License-Identifier: Apache-2.0 OR MIT
// Intervals of time into columns of pixels: no outlier is lost to sampling.

/** The latencies of an interval from `at` on; times in ns since the start, latencies in ns. */
export interface Interval {
  readonly at: number;
  readonly count: number;
  readonly min: number | null;
  readonly mean: number | null;
  readonly max: number | null;
}

/**
 * Returns at most `columns` intervals over [from, to): those that share a column become one with
 * the least minimum, the greatest maximum and the mean of all samples.
 */
export function fold(
  intervals: readonly Interval[],
  from: number,
  to: number,
  columns: number,
): Interval[] {
  const width = (to - from) / columns;
  const folded: Interval[] = [];
  let current = -1;
  for (const interval of intervals) {
    if (interval.at < from || interval.at >= to) continue;
    const column = Math.min(Math.floor((interval.at - from) / width), columns - 1);
    const before = column === current ? folded.pop() : undefined;
    folded.push(before === undefined ? interval : merged(before, interval));
    current = column;
  }
  return folded;
}

function merged(a: Interval, b: Interval): Interval {
  const count = a.count + b.count;
  const mean = ((a.mean ?? 0) * a.count + (b.mean ?? 0) * b.count) / Math.max(count, 1);
  return {
    at: a.at,
    count,
    min: extreme(Math.min, a.min, b.min),
    mean: count === 0 ? null : mean,
    max: extreme(Math.max, a.max, b.max),
  };
}

function extreme(
  choose: (a: number, b: number) => number,
  a: number | null,
  b: number | null,
): number | null {
  return a === null ? b : b === null ? a : choose(a, b);
}
