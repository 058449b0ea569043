// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { cumulative, nines, shareAt } from "../src/core/cumulative.js";
import { type Bucket, bars, ceiling, edges } from "../src/core/histogram.js";

const sum = (all: readonly { readonly count: number }[]) => all.reduce((total, one) => total + one.count, 0);

/** Makes pseudo-random buckets, the same every time. */
function buckets(number: number): Bucket[] {
  let seed = 1;
  let low = 1_000;
  return Array.from({ length: number }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    const bucket = { low, high: low + (seed % 50), count: seed % 100 };
    low = bucket.high + 1 + (seed % 7);
    return bucket;
  });
}

test("edges are equal on their scale", () => {
  assert.deepEqual(edges({ low: 0, high: 8 }, 4, false), [0, 2, 4, 6, 8]);
  assert.deepEqual(edges({ low: 1, high: 1_000 }, 3, true).map(Math.round), [1, 10, 100, 1_000]);
});

test("no sample is lost between buckets and bars, on either scale and in any number of bars", () => {
  const all = buckets(500);
  const range = { low: 1_000, high: all.at(-1)?.high ?? 0 };
  for (const number of [1, 7, 60, 2_000]) {
    for (const logarithmic of [false, true]) {
      assert.equal(sum(bars(all, edges(range, number, logarithmic))), sum(all));
    }
  }
});

test("what lies outside the axis is in its first and last bar", () => {
  const drawn = bars([{ low: 1, high: 1, count: 2 }, { low: 15, high: 15, count: 5 }, { low: 99, high: 99, count: 3 }], [10, 12, 14, 16, 18]);
  assert.deepEqual(drawn.map((bar) => bar.count), [2, 0, 5, 3]);
});

test("a bar holds the buckets whose middles are in it", () => {
  const drawn = bars([{ low: 0, high: 3, count: 1 }, { low: 2, high: 2, count: 4 }, { low: 4, high: 4, count: 8 }], [0, 2, 4, 6]);
  assert.deepEqual(drawn.map((bar) => bar.count), [1, 4, 8]);
});

test("a bucket wider than bars is drawn as wide as it is, and over no other", () => {
  const drawn = bars([{ low: 0, high: 9, count: 3 }, { low: 10, high: 10, count: 1 }], [0, 2, 4, 6, 8, 10, 12]).filter((bar) => bar.count > 0);
  assert.deepEqual(drawn, [{ from: 0, to: 10, count: 3 }, { from: 10, to: 12, count: 1 }]);
});

test("the axis of counts ends at a power of ten above the highest bar", () => {
  const top = (count: number) => ceiling([{ from: 0, to: 1, count }]);
  assert.deepEqual([0, 1, 8, 9, 100, 850].map(top), [10, 10, 10, 100, 1_000, 10_000]);
});

test("a cumulative curve starts at 0, ends at 1, never falls, and can be read anywhere", () => {
  const curve = cumulative([{ low: 10, high: 19, count: 1 }, { low: 20, high: 29, count: 0 }, { low: 30, high: 39, count: 3 }]);
  assert.deepEqual(curve, { x: [10, 19, 39], y: [0, 0.25, 1] });
  assert.deepEqual([9, 10, 18, 19, 38, 39, 1e9].map((at) => shareAt(curve, at)), [0, 0, 0, 0.25, 0.25, 1, 1]);
  assert.deepEqual(cumulative([]), { x: [], y: [] });
});

test("each further nine has as much room", () => {
  assert.deepEqual([0, 0.9, 0.99, 0.999].map((share) => Math.round(nines(share, 9) * 1e6) / 1e6), [0, 1, 2, 3]);
  assert.equal(nines(1, 4.5), 4.5);
  assert.equal(nines(0.999999, 4.5), 4.5);
});
