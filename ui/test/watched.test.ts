// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveSeries } from "../src/api/types.js";
import { accounted, intervalsOf, shownView } from "../src/core/watched.js";

const series: LiveSeries = {
  stage: "irq", view: "outside", count: 3, missing: 0, coalesced: 0, unsure: 0, hit: 0,
  min_ns: 1_000, mean_ns: 1_500, max_ns: 2_000, stddev_ns: null, p5_ns: 1_000, p50_ns: 1_500, p95_ns: 2_000, p99_ns: 2_000, p99_9_ns: 2_000,
  p99_99_ns: 2_000, p99_999_ns: 2_000, histogram: null,
  course: { start_ns: 50, interval_ns: 10, count: [1, 0, 2], min_ns: [4, null, 1], mean_ns: [4, null, 2], max_ns: [4, null, 3] },
};

test("every term of the identity is added", () => {
  const account = {
    from: "generator", triggers: 63, complete: 1, missing: 2, coalesced: 4, dropped: 8, unrecorded: 16, open: 32, skipped: 64, holds: true,
  } as const;
  assert.equal(accounted(account), account.triggers);
});

test("intervals begin where the course does", () => {
  assert.deepEqual(intervalsOf(series).map(({ at, max }) => [at, max]), [[50, 4], [60, null], [70, 3]]);
});

test("the view that is wanted is shown where there is one", () => {
  const inside: LiveSeries = { ...series, view: "inside" };
  assert.equal(shownView([series, inside], null), "outside");
  assert.equal(shownView([series, inside], "inside"), "inside");
  assert.equal(shownView([inside], "outside"), "inside");
  assert.equal(shownView([inside, series], "both"), "outside");
  assert.equal(shownView([], null), "outside");
});
