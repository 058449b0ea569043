// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CaseSummary } from "../src/api/runs.js";
import type { Figures, Series } from "../src/api/types.js";
import { accounted, intervalsOf, ofRun, shownView } from "../src/core/watched.js";

const figures: Figures = {
  stage: "irq", view: "outside", count: 3, missing: 0, coalesced: 0, unsure: 0, hit: 0,
  min_ns: 1_000, mean_ns: 1_500, max_ns: 2_000, p5_ns: 1_000, p50_ns: 1_500, p95_ns: 2_000, p99_ns: 2_000, p99_9_ns: 2_000,
  p99_99_ns: 2_000, p99_999_ns: 2_000,
};
const series: Series = {
  ...figures, histogram: null,
  course: { start_ns: 50, interval_ns: 10, count: [1, 0, 2], min_ns: [4, null, 1], mean_ns: [4, null, 2], max_ns: [4, null, 3] },
};
const summary: CaseSummary = {
  case: "6.1/idle", kernel: "6.1", release: "", state: "idle", triggers: 10, complete: 6, missing_triggers: 1,
  coalesced: 1, dropped: 1, unrecorded: 1, open: 0, skipped: 0, identity_holds: true, twin: true, violations: [], warnings: [],
  outside: { dropped: 1 }, stages: [figures],
};

test("a finished run is drawn with the figures of its summary", () => {
  const watched = ofRun(summary, [{ stage: "irq", view: "outside", histogram: null, course: series.course }]);
  assert.deepEqual(watched.series, [series]);
  assert.equal(accounted(watched.account), summary.triggers);
});

test("a series without a picture keeps its figures", () => {
  assert.deepEqual(ofRun(summary, []).series, [{ ...figures, histogram: null, course: null }]);
});

test("intervals begin where the course does", () => {
  assert.deepEqual(intervalsOf(series).map(({ at, max }) => [at, max]), [[50, 4], [60, null], [70, 3]]);
});

test("the view that is wanted is shown where there is one", () => {
  const inside: Series = { ...series, view: "inside" };
  assert.equal(shownView([series, inside], null), "outside");
  assert.equal(shownView([series, inside], "inside"), "inside");
  assert.equal(shownView([inside], "outside"), "inside");
  assert.equal(shownView([inside, series], "both"), "outside");
  assert.equal(shownView([], null), "outside");
});
