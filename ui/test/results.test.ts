// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BurstPlace, ReturnLevel, SweepPoint, Verdict } from "../src/api/types.js";
import { byStage, wholeTicks } from "../src/core/bursts.js";
import { counted, taken, within } from "../src/core/limits.js";
import { leading, parts } from "../src/core/path.js";
import { around, share } from "../src/core/scale.js";
import { kneeAt, kneeText, want } from "../src/core/sweep.js";

const verdict = (passed: boolean, limit_ns: number | null, found_ns: number | null): Verdict =>
  ({ case: "6.1/idle", asked: "", passed, found: "", limit_ns, found_ns });

test("a verdict says how much of the limit was taken, and nothing where there is no figure", () => {
  assert.equal(taken(verdict(true, 200, 50)), 25);
  assert.equal(taken(verdict(false, 200, 300)), 150);
  assert.deepEqual([taken(verdict(false, 200, null)), taken(verdict(true, null, null)), taken(verdict(false, 0, 1))], [null, null, null]);
});

test("verdicts are counted in words", () => {
  assert.equal(counted([verdict(true, 2, 1)]), "1 of 1 limit is met");
  assert.equal(counted([verdict(true, 2, 1), verdict(false, 2, 3)]), "1 of 2 limits are met");
});

test("a return period has the unit it reads well in, where samples have a period", () => {
  const level = (samples: number): ReturnLevel => ({ samples, ns: 1, low_ns: 1, high_ns: null });
  assert.equal(within(level(2_000), 1_000_000), "2.0 s");
  assert.equal(within(level(90), 60e9), "1.5 h");
  assert.equal(within(level(1), 500_000), "0.5 ms");
});

test("functions beyond the list are one line with their sum", () => {
  const functions = [5, 3, 2].map((own, index) => ({ function: `f${index}`, own, total: own }));
  assert.deepEqual(leading(functions, 2), { listed: functions.slice(0, 2), rest: { count: 1, own: 2 } });
  assert.deepEqual(leading(functions, 9).rest, { count: 0, own: 0 });
  assert.deepEqual(parts(functions, 10).map(({ per_cent }) => per_cent), [50, 30, 20]);
});

test("places are gathered by stage", () => {
  const place = (stage: "irq" | "softirq", at: number, answered: number, coalesced: number): BurstPlace =>
    ({ stage, place: at, answered, coalesced, missing: 1, min_ns: null, max_ns: null });
  const [irq, softirq] = byStage([place("irq", 0, 4, 0), place("softirq", 0, 3, 1), place("irq", 1, 2, 3)]);
  assert.deepEqual([irq?.stage, irq?.places.length, irq?.most, irq?.answered, irq?.coalesced, irq?.missing], ["irq", 2, 6, 6, 3, 2]);
  assert.deepEqual([softirq?.stage, softirq?.most], ["softirq", 5]);
});

test("ticks of places are whole, begin at nought and fit", () => {
  assert.deepEqual(wholeTicks(3, 9), [0, 1, 2, 3]);
  assert.deepEqual(wholeTicks(10, 4), [0, 5, 10]);
  for (let high = 0; high <= 1_000; high += 1) {
    for (const most of [2, 4, 9]) {
      const ticks = wholeTicks(high, most);
      assert.ok(ticks.length <= most && ticks[0] === 0 && ticks.every(Number.isInteger) && (ticks.at(-1) ?? 0) <= high, `${high}: ${ticks}`);
      assert.ok(high === 0 || ticks.length > 1 || most === 2, `${high}: ${ticks}`);
    }
  }
});

test("a knee lies at a step, or beyond one end of the sweep", () => {
  assert.deepEqual([kneeText({ kind: "below", next_hz: 1_000 }), kneeAt({ kind: "below", next_hz: 1_000 })], ["below 1 kHz", null]);
  const at = { kind: "at", frequency_hz: 22_000, next_hz: 44_000, ratio: 2 } as const;
  assert.deepEqual([kneeText(at), kneeAt(at)], ["22 kHz", 22_000]);
  assert.equal(kneeText({ kind: "beyond", frequency_hz: 1e5 }), "at least 100 kHz");
});

test("what a stage lacked is named, and nothing where it kept up", () => {
  const point = (change: Partial<SweepPoint>): SweepPoint => ({
    case: "", frequency_hz: 1, period_ns: 1, keeps_up: false, invalid: false, triggers: 9, count: 4, p50_ns: null, p99_ns: null, max_ns: null,
    coalesced: 0, missing: 0, unsure: 0, lost_interrupts: 0, dropped: 0, skipped: 0, ...change,
  });
  assert.equal(want(point({ coalesced: 1_200, missing: 1 })), "1,200 coalesced, 1 missing");
  assert.equal(want(point({ keeps_up: true })), "");
  assert.equal(want(point({ invalid: true, missing: 3 })), "no valid result");
});

test("a value has its place in a range, and none outside of it", () => {
  const range = { low: 1, high: 100 };
  assert.ok(Math.abs(share(10, range) - 0.5) < 1e-12);
  assert.equal(share(50.5, range, false), 0.5);
  assert.deepEqual([share(0.1, range), share(1e9, range)], [0, 1]);
  const all = around([null, 22_000, 28_880, 0]);
  assert.ok(all.low <= 22_000 && all.high >= 28_880 && all.low > 0);
  assert.deepEqual(around([null]), { low: 1, high: 10 });
});
