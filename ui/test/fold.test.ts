// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { fold, type Interval } from "../src/core/fold.js";

function interval(at: number, count: number, min: number, mean: number, max: number): Interval {
  return { at, count, min, mean, max };
}

test("intervals that share a column keep their extremes and the mean of all samples", () => {
  const all = [interval(0, 1, 10, 10, 10), interval(1, 3, 4, 6, 99), interval(2, 2, 5, 5, 5)];
  assert.deepEqual(fold(all, 0, 4, 2), [interval(0, 4, 4, 7, 99), interval(2, 2, 5, 5, 5)]);
});

test("no outlier is lost, however few columns there are", () => {
  const all = Array.from({ length: 1_000 }, (_, at) => interval(at, 1, at === 7 ? 1 : 100, 100, at === 613 ? 9_999 : 100));
  for (const columns of [1, 3, 64, 999, 5_000]) {
    const folded = fold(all, 0, 1_000, columns);
    assert.ok(folded.length <= columns);
    assert.equal(Math.max(...folded.map((one) => one.max ?? 0)), 9_999);
    assert.equal(Math.min(...folded.map((one) => one.min ?? Infinity)), 1);
    assert.equal(folded.reduce((sum, one) => sum + one.count, 0), 1_000);
  }
});

test("intervals without an answer have no latency, and spoil no other", () => {
  const empty: Interval = { at: 0, count: 0, min: null, mean: null, max: null };
  assert.deepEqual(fold([empty, interval(1, 2, 3, 4, 5)], 0, 10, 1), [interval(0, 2, 3, 4, 5)]);
  assert.deepEqual(fold([empty], 0, 10, 5), [empty]);
});

test("only what is within the axis is drawn", () => {
  const all = [interval(-1, 1, 1, 1, 1), interval(0, 1, 2, 2, 2), interval(10, 1, 3, 3, 3)];
  assert.deepEqual(fold(all, 0, 10, 10), [interval(0, 1, 2, 2, 2)]);
});
