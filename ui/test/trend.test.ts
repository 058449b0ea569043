// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LakeChange, LakeRun, LakeSeries, RunEntry } from "../src/api/types.js";
import { directoryOf, levels, moved, ordered, otherKernels, probability, suspects } from "../src/core/trend.js";

const run = (index: number, release: string, value: number): LakeRun =>
  ({ run: `r${index}`, started_ms: index * 1000, release, tool_version: "1", count: 10, lost: 0, value });
const change = (at: number, before: number, after: number): LakeChange => ({
  before_run: `r${at - 1}`, run: `r${at}`, earliest_ms: 0, latest_ms: at, runs_before: 2, runs_after: 2,
  before, after, difference: after - before, low: after - before, high: after - before, chance: 1e-6,
});
const series = (runs: readonly LakeRun[], changes: readonly LakeChange[], place = "a"): LakeSeries =>
  ({ place, scenario: "demo", case: "6.1/load", is_virtual: true, stage: "user", view: "outside", runs, changes });

test("each run has the level between two changes", () => {
  const runs = [10, 10, 20, 20, 15].map((value, index) => run(index, "k", value));
  assert.deepEqual(levels(series(runs, [change(2, 10, 20), change(4, 20, 15)])), [10, 10, 20, 20, 15]);
  assert.deepEqual(levels(series(runs, [])), [null, null, null, null, null]);
});

test("what changed besides is named", () => {
  const runs = [run(0, "6.1-1", 1), run(1, "6.1-2", 2), run(2, "6.1-2", 3)];
  assert.deepEqual(otherKernels(runs), [1]);
  const one = series(runs, []);
  assert.equal(suspects(one, change(1, 1, 2)), "kernel 6.1-1 → 6.1-2");
  assert.equal(suspects(one, change(2, 1, 2)), "same kernel, same irqscope");
  assert.equal(suspects(one, change(9, 1, 2)), "");
});

test("differences and chances are written as people read them", () => {
  assert.equal(moved({ ...change(1, 0, 515), low: 385, high: 638 }, "p50_ns"), "+0.515 µs [+0.385, +0.638]");
  assert.equal(moved({ ...change(1, 0, -2), low: -3, high: 0 }, "lost"), "-2 [-3, 0]");
  assert.deepEqual([0.01, 0.0042, 3.3e-8, 9.7e-12, 0].map(probability), ["0.01", "0.004", "3·10⁻⁸", "1·10⁻¹¹", "below 10⁻³⁰⁰"]);
});

test("series with the latest change come first", () => {
  const of = (place: string, ...at: number[]) => series([], at.map((when) => change(when, 0, 1)), place);
  assert.deepEqual(ordered([of("b"), of("a"), of("c", 3), of("d", 1, 7)]).map(({ place }) => place), ["d", "c", "a", "b"]);
});

test("a run's directory is found by its begin, if it is the only one", () => {
  const entry = (id: string, started_utc: string): RunEntry => ({ id, started_utc, scenario: "demo", error: null }) as unknown as RunEntry;
  const runs = [entry("one", "1970-01-01T00:00:01Z"), entry("two", "1970-01-01T00:00:02Z"), entry("copy", "1970-01-01T00:00:02Z")];
  assert.deepEqual([1, 2, 3].map((index) => directoryOf(run(index, "k", 1), "demo", runs)), ["one", null, null]);
  assert.equal(directoryOf(run(1, "k", 1), "thesis", runs), null);
});
