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

/** Edges of `bars` bars over a range: equal on its scale. */
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
 * sum of all bars is the sum of all buckets.
 */
export function bars(buckets: readonly Bucket[], at: readonly number[]): Bar[] {
  const last = at.length - 2;
  const counts = new Array<number>(last + 1).fill(0);
  let bar = 0;
  for (const bucket of buckets) {
    const middle = (bucket.low + bucket.high) / 2;
    while (bar < last && middle >= (at[bar + 1] ?? Infinity)) bar += 1;
    counts[bar] = (counts[bar] ?? 0) + bucket.count;
  }
  return counts.map((count, index) => ({ from: at[index] ?? 0, to: at[index + 1] ?? 0, count }));
}

/** The top of a logarithmic axis of counts: the power of ten above, at least 10. */
export function ceiling(counts: readonly Bar[]): number {
  const most = counts.reduce((most, bar) => Math.max(most, bar.count), 1);
  return Math.max(10, 10 ** Math.ceil(Math.log10(most * 1.2)));
}
