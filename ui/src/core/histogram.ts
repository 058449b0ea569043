// SPDX-License-Identifier: Apache-2.0 OR MIT
// From the server's buckets to the bars of a picture.

import type { Range } from "./scale.js";

/** Counts by latency, ascending; a bucket holds `low` up to `high` inclusive, in ns. */
export interface Bucket {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Returns the edges of `bars` bars over a range: equal on its scale. */
export function edges(range: Range, bars: number, logarithmic: boolean): number[] {
  const share = (index: number) => index / bars;
  const at = logarithmic
    ? (index: number) => range.low * (range.high / range.low) ** share(index)
    : (index: number) => range.low + (range.high - range.low) * share(index);
  return Array.from({ length: bars + 1 }, (_, index) => at(index));
}

/**
 * Buckets as bars between edges. A bucket goes where its middle lies, whole;
 * what is outside goes into the first or last bar: no sample is lost, and the
 * sum of all bars is the sum of all buckets. Where a bucket is wider than bars
 * its bar is, too, so that no gaps are seen where there are none.
 */
export function bars(buckets: readonly Bucket[], at: readonly number[]): Bar[] {
  const last = at.length - 2;
  const all = Array.from({ length: last + 1 }, (_, index) => ({
    from: at[index] ?? 0, to: at[index + 1] ?? 0, count: 0,
  }));
  let place = 0;
  for (const { low, high, count } of buckets) {
    while (place < last && (low + high) / 2 >= (at[place + 1] ?? Infinity)) place += 1;
    const bar = all[place];
    if (bar === undefined || count === 0) continue;
    bar.count += count;
    bar.from = Math.max(Math.min(bar.from, low), at[0] ?? 0);
    bar.to = Math.min(Math.max(bar.to, high + 1), at.at(-1) ?? 0);
  }
  return apart(all);
}

/** Separates bars: each begins where the one before it ends. */
function apart(all: readonly Bar[]): Bar[] {
  let end = -Infinity;
  return all.map((bar) => {
    if (bar.count === 0) return bar;
    const from = Math.min(Math.max(bar.from, end), bar.to);
    end = bar.to;
    return { ...bar, from };
  });
}

/** Returns the top of a logarithmic axis of counts: the power of ten above, at least 10. */
export function ceiling(counts: readonly Bar[]): number {
  const most = counts.reduce((most, bar) => Math.max(most, bar.count), 1);
  return Math.max(10, 10 ** Math.ceil(Math.log10(most * 1.2)));
}
