// SPDX-License-Identifier: Apache-2.0 OR MIT
// The share of samples that are no later than a latency.

import type { Bucket } from "./histogram.js";

export interface Curve {
  /** Latencies in ns, ascending. */
  readonly x: number[];
  /** Shares of all samples, from 0 to 1. */
  readonly y: number[];
}

/** Returns a step at every bucket's end; starts with 0 at the first one's beginning. */
export function cumulative(buckets: readonly Bucket[]): Curve {
  const total = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  const filled = buckets.filter((bucket) => bucket.count > 0);
  const first = filled[0];
  if (first === undefined) return { x: [], y: [] };
  const curve: Curve = { x: [first.low], y: [0] };
  let sum = 0;
  for (const bucket of filled) {
    sum += bucket.count;
    curve.x.push(bucket.high);
    curve.y.push(sum / total);
  }
  return curve;
}

/**
 * Maps a share to a scale that gives each further nine as much room: 0.9 is 1, 0.99 is 2. A share
 * beyond `most` is drawn at the top.
 */
export function nines(share: number, most: number): number {
  return share >= 1 ? most : Math.min(Math.log10(1 / (1 - share)), most);
}

/** Returns the share of samples that are no later than `at`. */
export function shareAt(curve: Curve, at: number): number {
  let low = 0;
  let high = curve.x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve.x[middle] ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (curve.y[low - 1] ?? 0);
}
