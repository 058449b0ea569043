// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the page must show of a run, worked out from its summary.json alone.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const COLUMNS = { min: "min_ns", mean: "mean_ns", p50: "p50_ns", p99: "p99_ns", "p99.9": "p99_9_ns", max: "max_ns" };

export function summaryOf(runs, id) {
  return JSON.parse(readFileSync(join(runs, id, "summary.json"), "utf8"));
}

/** Returns by `stage:view` each column's text. */
export function expectedFigures(one) {
  return Object.fromEntries(one.stages.map((stage) => [`${stage.stage}:${stage.view}`, {
    count: grouped(String(stage.count)),
    missing: grouped(String(stage.missing)),
    ...Object.fromEntries(Object.entries(COLUMNS).map(([name, field]) => [name, microseconds(stage[field])])),
  }]));
}

export function expectedAccount(one) {
  return {
    triggers: one.triggers, complete: one.complete, missing: one.missing_triggers, coalesced: one.coalesced,
    dropped: one.dropped, unrecorded: one.unrecorded, open: one.open,
  };
}

/** Formats whole nanoseconds digit by digit; a mean to the nearest of them. */
function microseconds(ns) {
  if (ns === null) return "–";
  if (!Number.isInteger(ns)) return grouped((ns / 1000).toFixed(3));
  const digits = String(Math.abs(ns)).padStart(4, "0");
  return `${ns < 0 ? "-" : ""}${grouped(digits.slice(0, -3))}.${digits.slice(-3)}`;
}

function grouped(text) {
  const [whole, ...fraction] = text.split(".");
  return [whole.replace(/(?<=\d)(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}
