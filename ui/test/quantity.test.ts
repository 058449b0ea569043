// SPDX-License-Identifier: Apache-2.0 OR MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  brief, bytes, decimals, grouped, hertz, instant, micro, NONE, parseCount, parseFrequency, parsePerMille, parseTime, perMille, round,
  samplesPerSecond, signed,
} from "../src/core/quantity.js";

test("figures have every nanosecond, and thousands are set apart", () => {
  assert.equal(micro(24_472), "24.472");
  assert.equal(micro(1_134_567), "1,134.567");
  assert.equal(micro(2_810.4), "2.810");
  assert.equal(micro(-12_000), "-12.000");
  assert.equal(micro(-0.1), "0.000");
  assert.equal(decimals(-0.04, 1), "0.0");
  assert.equal(micro(null), NONE);
  assert.equal(grouped(1_234_567), "1,234,567");
  assert.equal(grouped("11176.40"), "11,176.40");
  assert.equal(grouped(999), "999");
});

test("ticks have the unit they read well in", () => {
  assert.deepEqual([1, 500, 1_500, 250_000, 2e9].map(round), ["1 ns", "500 ns", "1.5 µs", "250 µs", "2 s"]);
  assert.deepEqual([1, 100, 1_000, 2.5e6, 1e9].map(brief), ["1", "100", "1k", "2.5M", "1G"]);
  assert.deepEqual([0.5, 50, 22_627.4, 2e6].map(hertz), ["500 mHz", "50 Hz", "22.6274 kHz", "2 MHz"]);
  assert.equal(samplesPerSecond(100_000), "100k samples/s");
  assert.equal(bytes(1_234_567), "1.23 MB");
});

test("a difference has its sign, and none if there is none", () => {
  assert.deepEqual(["1.5", "-1.5", "0.000", NONE].map(signed), ["+1.5", "-1.5", "0.000", NONE]);
});

test("instants are read to the second", () => {
  assert.equal(instant("2026-01-01T12:00:00Z"), "2026-01-01 12:00:00 UTC");
  assert.equal(instant("2026-01-01T12:00:00.123+00:00"), "2026-01-01 12:00:00 UTC");
});

test("quantities are read with their units, and a period is a frequency", () => {
  assert.deepEqual(["1kHz", "1.5 khz", "50", "250 µs", "1ms"].map(parseFrequency), [1_000, 1_500, 50, 4_000, 1_000]);
  assert.deepEqual(["20us", "20 μs", "1.5ms", "10"].map(parseTime), [20_000, 20_000, 1.5e6, null]);
  assert.deepEqual(["10,000", "10_000", "10k", "1.5", "-1", "x"].map(parseCount), [10_000, 10_000, 10_000, null, null, null]);
  assert.deepEqual(["", "0", "kHz", "1 furlong", "1,5 ms"].map(parseFrequency), [null, null, null, null, null]);
});

test("what is shown is read as what it was", () => {
  for (const value of [0.5, 50, 22_627.4, 2e6]) assert.equal(parseFrequency(hertz(value)), value);
  for (const ns of [1, 500, 1_500, 250_000, 2e12]) assert.equal(parseTime(round(ns)), ns);
  for (const count of [0, 1, 1_000, 2.5e6, 1e9]) {
    assert.deepEqual([parseCount(brief(count)), parseCount(grouped(count))], [count, count]);
  }
  for (const share of [1, 250, 999]) assert.equal(parsePerMille(perMille(share)), share);
});
