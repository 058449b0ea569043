// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { grow, logTicks, position, roundDown, roundUp, spanned, valueAt } from "../src/core/scale.js";

test("a slider goes from end to end, and a value finds its place again", () => {
  assert.equal(valueAt(0, 1_000, 5e7, 300), 1_000);
  assert.equal(valueAt(300, 1_000, 5e7, 300), 5e7);
  for (let place = 0; place <= 300; place += 1) {
    assert.equal(position(valueAt(place, 1_000, 5e7, 300), 1_000, 5e7, 300), place);
  }
  assert.equal(position(1, 1_000, 5e7, 300), 0);
});

test("axes end at 1, 2 and 5", () => {
  assert.deepEqual([1, 1.9, 2, 4_999, 5_000, 22_000].map(roundDown), [1, 1, 2, 2_000, 5_000, 20_000]);
  assert.deepEqual([1, 1.1, 2, 5_001, 0.3].map(roundUp), [1, 2, 2, 10_000, 0.5]);
});

test("a range holds what is there, and only ever grows", () => {
  const first = grow(null, 22_000, 28_880);
  assert.deepEqual(first, { low: 20_000, high: 50_000 });
  assert.deepEqual(grow(first, 25_000, 26_000), first);
  assert.deepEqual(grow(first, 800, 5_000_000), { low: 500, high: 10_000_000 });
  assert.deepEqual(grow(null, 0, 0), { low: 1, high: 2 });
});

test("a span holds its ends, and a single value", () => {
  const both = spanned([100_000, 50_000]);
  assert.ok(both.low < 50_000 && both.low > 48_000 && both.high > 100_000 && both.high < 104_000, JSON.stringify(both));
  const one = spanned([1_000]);
  assert.ok(one.low < 1_000 && one.high > 1_000);
  assert.deepEqual(spanned([]), { low: 1, high: 10 });
});

test("ticks lie in the range and are no more than there is room for", () => {
  assert.deepEqual(logTicks({ low: 1_000, high: 10_000 }, 9), [1_000, 2_000, 5_000, 10_000]);
  assert.deepEqual(logTicks({ low: 1, high: 1e6 }, 7), [1, 10, 100, 1e3, 1e4, 1e5, 1e6]);
  for (const most of [2, 4, 8, 16]) {
    assert.ok(logTicks({ low: 20, high: 5e5 }, most).length <= most);
  }
});
