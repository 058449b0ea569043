// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { format, parse, type Place, START } from "../src/core/location.js";
import { toggled } from "../src/core/stages.js";

test("an address is read back as what it was written from", () => {
  const places: readonly Place[] = [
    START,
    { ...START, case: "6.1-rt/load", view: "inside", stages: ["irq", "tasklet_hi"], axis: "linear", shared: true },
    { ...START, page: "run", run: "20260101T120000Z-demo", worst: "user", sample: "user:outside:812" },
    { ...START, page: "run", run: "a b/c?d#e%", view: "both" },
    { ...START, page: "run", run: "one", trigger: 812, window: [-500, 42_000], cursors: [12, null], find: "above:user:50000", pile: "softirq" },
    { ...START, cursors: [null, 99] },
    { ...START, page: "run", run: "one", limits: "irq<20us@max, sched fifo 80 < 1ms@p99" },
    { ...START, page: "lake", scenario: "demo", figure: "p99_ns", series: "rack 3,6.1/load", stages: ["user"], view: "inside", days: 30 },
    { ...START, page: "compare", base: "one", other: "two", baseCase: "6.1/idle", otherCase: "6.12/idle" },
  ];
  for (const place of places) assert.deepEqual(parse(format(place)), place);
});

test("an address stays readable", () => {
  const place: Place = { ...START, page: "run", run: "20260101T120000Z-demo", case: "6.1/idle", stages: ["irq", "user"] };
  assert.equal(format(place), "#/run/20260101T120000Z-demo?case=6.1/idle&stages=irq,user");
});

test("what is not understood is as at the start", () => {
  assert.deepEqual(parse(""), START);
  assert.deepEqual(parse("#/nowhere?view=sideways&axis=9&stages=,,"), START);
  assert.deepEqual(parse("#/live?trigger=-1&t=5,5&a=x&b="), START);
  assert.deepEqual(parse("#/live?trigger=1.5&t=9,2"), START);
  assert.deepEqual(parse("#/run"), START);
  assert.equal(parse("#/run/%E0%A4%A").run, "%E0%A4%A");
});

test("stages are chosen one by one; all and none are the same", () => {
  const all = ["irq", "softirq", "user"];
  assert.deepEqual(toggled(all, [], "irq"), ["softirq", "user"]);
  assert.deepEqual(toggled(all, ["softirq", "user"], "irq"), []);
  assert.deepEqual(toggled(all, ["irq"], "irq"), []);
  assert.deepEqual(toggled(all, ["user"], "irq"), ["irq", "user"]);
});
