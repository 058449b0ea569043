// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, legible } from "../src/core/contrast.js";
import { formatFind, parseFind } from "../src/core/find.js";

test("what is looked for is read back as what it was written from", () => {
  for (const text of ["worst:user", "above:irq:50000", "missing:work", "any:irq", null]) {
    assert.equal(formatFind(parseFind(text)), text);
  }
});

test("what is not understood looks for nothing", () => {
  assert.deepEqual(parseFind("best:user:1"), { what: "any", stage: "user", least: null });
  assert.equal(parseFind("above:user:x").least, null);
  assert.equal(parseFind("above:user:-4").least, null);
  assert.equal(parseFind("worst:user:4").least, null);
});

test("every colour is seen on the ground", () => {
  assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
  assert.equal(contrast("#777", "#777777"), 1);
  for (const [ground, ink] of [["#161b1f", "#e6e9ec"], ["#fff", "#1c2024"]] as const) {
    for (const colour of ["#882255", "#0072b2", "#f0e442", "#56b4e9", "#000000", "#ffffff"]) {
      assert.ok(contrast(legible(colour, ground, ink), ground) >= 3, `${colour} on ${ground}`);
    }
  }
  assert.equal(legible("#0072b2", "#fff", "#1c2024"), "#0072b2");
});
