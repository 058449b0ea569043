// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ViewLines } from "../src/api/types.js";
import { density, depth, lastAnswer, Level, levels, lowerBound, pile, placeOf, triggerAt, zeros } from "../src/core/wires.js";

const { Low, High, Edge } = Level;
const window = { from: 0, to: 100 };

const lines: ViewLines = {
  view: "outside", shape: "toggle", start_ns: 0, seq: [4, 5, 7], trigger_ns: [0, 1_000, 3_000],
  lines: [
    { stage: null, at_ns: [0, 250, 1_000, 1_250, 3_000, 3_250], latency_ns: [], unanswered: [] },
    { stage: "irq", at_ns: [30, 1_050, 3_020], latency_ns: [30, 50, 20], unanswered: [] },
    { stage: "user", at_ns: [90, 3_080], latency_ns: [90, null, 80], unanswered: [1] },
  ],
};

test("an instant's place is found", () => {
  assert.deepEqual([0, 1, 5, 9, 10].map((value) => lowerBound([1, 5, 5, 9], value)), [0, 0, 1, 3, 4]);
  assert.deepEqual([3, 4, 6, 7, 99].map((seq) => placeOf(lines, seq)), [0, 0, 2, 2, 2]);
});

test("the trigger at an instant is found, and beyond those that are there it is estimated", () => {
  assert.deepEqual([0, 900, 3_000].map((at) => triggerAt(lines, at)), [4, 5, 7]);
  // They are 1,500 ns apart on average.
  assert.deepEqual([-3_000, 6_000].map((at) => triggerAt(lines, at)), [2, 9]);
});

test("a pulse is low, an edge, high, an edge and low again", () => {
  assert.deepEqual([...levels([25, 65], 0, window, 10, false)], [Low, Low, Edge, High, High, High, Edge, Low, Low, Low]);
  assert.deepEqual([...levels([25, 65], 0, { from: 40, to: 60 }, 2, false)], [High, High]);
  // Both edges in one column are an edge, and the line is low behind it.
  assert.deepEqual([...levels([21, 22], 0, window, 5, false)], [Low, Edge, Low, Low, Low]);
});

test("a line that toggles is low at its trigger, whichever level it had", () => {
  const second = lines.lines[1]?.at_ns ?? [];
  for (const zero of [0, 1_000, 3_000]) {
    const all = levels(second, zero, window, 5, true);
    assert.equal(all[0], Low, `at ${zero}`);
    assert.equal(all[4], High, `at ${zero}`);
  }
});

test("sweeps begin at triggers or at a line's answers, and do not overlap", () => {
  const all = { lines, from: 0 };
  assert.deepEqual(zeros(all, null, window), [0, 1_000, 3_000]);
  assert.deepEqual(zeros({ lines, from: 1 }, null, window), [1_000, 3_000]);
  assert.deepEqual(zeros(all, "user", window), [90, 3_080]);
  assert.deepEqual(zeros(all, null, { from: 0, to: 1_500 }), [0, 3_000]);
  assert.deepEqual(zeros(all, "work", window), []);
});

test("a pile counts the edges and the levels of its sweeps", () => {
  const all = density(10);
  pile(all, lines.lines[1]?.at_ns ?? [], [0, 1_000, 3_000], window, true);
  assert.deepEqual([...all.edges], [0, 0, 1, 1, 0, 1, 0, 0, 0, 0]);
  assert.deepEqual([...all.high], Array.from({ length: 10 }, () => 0));

  const pulses = density(10);
  pile(pulses, [25, 65, 1_045, 1_300], [0, 1_000], window, false);
  assert.deepEqual([...pulses.edges], [0, 0, 1, 0, 1, 0, 1, 0, 0, 0]);
  assert.deepEqual([...pulses.high], [0, 0, 1, 1, 2, 2, 2, 1, 1, 1]);
  // It was high before the window began.
  const later = density(2);
  pile(later, [25, 65], [0], { from: 40, to: 60 }, false);
  assert.deepEqual([...later.high], [1, 1]);
});

test("what is rare is seen", () => {
  assert.equal(depth(0), 0);
  assert.ok(depth(1e-4) > 0.35 && depth(1e-4) < depth(0.1) && depth(1) === 1);
});

test("the last answer is that of a trigger, or of all", () => {
  assert.equal(lastAnswer([lines], 5), 50);
  assert.equal(lastAnswer([lines], null), 90);
  assert.equal(lastAnswer([], 5), 0);
});
