// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { path, pulse } from "../src/core/pulse.js";

test("the line is high for its share of every period", () => {
  const points = pulse(0.25, 2);
  const rises = points.filter((point, index) => point.y === 1 && points[index - 1]?.y === 0).map((point) => point.x);
  const falls = points.filter((point, index) => point.y === 0 && points[index - 1]?.y === 1).map((point) => point.x);
  assert.deepEqual(rises, [0, 0.5]);
  assert.deepEqual(falls, [0.125, 0.625]);
  assert.deepEqual(points.at(-1), { x: 1, y: 0 });
});

test("a path is drawn upwards", () => {
  assert.equal(path([{ x: 0, y: 0 }, { x: 1, y: 1 }], 10, 4), "M0.00 4.00L10.00 0.00");
});
