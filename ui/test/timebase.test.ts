// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting, panned, pinched, ticks, zoomed } from "../src/core/timebase.js";

const window = { from: -1_000, to: 9_000 };

test("what is pointed at stays where it is", () => {
  for (const factor of [0.5, 0.9, 2]) {
    const next = zoomed(window, 1_500, factor);
    assert.equal(next.to - next.from, 10_000 * factor);
    assert.ok(Math.abs((1_500 - next.from) / (next.to - next.from) - 0.25) < 1e-12);
  }
  assert.deepEqual(panned(window, 500), { from: -500, to: 9_500 });
});

test("zooming ends where there is nothing more to see, and where all is seen", () => {
  let narrow = window;
  for (let n = 0; n < 200; n += 1) narrow = zoomed(narrow, 42, 0.5);
  assert.ok(Math.abs(narrow.to - narrow.from - 20) < 1e-9 && narrow.from <= 42 && narrow.to >= 42);
  let wide = window;
  for (let n = 0; n < 200; n += 1) wide = zoomed(wide, 42, 2);
  assert.ok(Math.abs(wide.to - wide.from - 3.6e12) < 1);
});

test("two fingers keep their instants under them", () => {
  const next = pinched(window, [1_500, 6_500], [0.1, 0.9]);
  const at = (share: number) => next.from + share * (next.to - next.from);
  assert.ok(Math.abs(at(0.1) - 1_500) < 1e-6 && Math.abs(at(0.9) - 6_500) < 1e-6);
  assert.deepEqual(pinched(window, [1, 2], [0.5, 0.5]), window);
});

test("a window has the last answer, and some room", () => {
  for (const last of [10, 999, 70_123, 12_345_678]) {
    const { from, to } = fitting(last);
    assert.ok(from < 0 && to > last && to < last * 1.2 + 30, `${last}: ${from} to ${to}`);
  }
});

test("ticks are round and in the window", () => {
  assert.deepEqual(ticks(window, 5), [0, 2_000, 4_000, 6_000, 8_000]);
  assert.deepEqual(ticks({ from: 0.2, to: 2.9 }, 10), [1, 2]);
  assert.ok(ticks({ from: -3e9, to: 3.1e9 }, 8).length <= 8);
});
