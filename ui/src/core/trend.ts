// SPDX-License-Identifier: Apache-2.0 OR MIT
// The runs of months: levels between changes, other kernels, and a change in words.

import type { LakeChange, LakeRun, LakeSeries, RunEntry } from "../api/types.js";
import { grouped, micro, signed } from "./quantity.js";

/** Names a series by its place and its case. */
export function seriesName({ place, case: name, is_virtual }: LakeSeries): string {
  return [place, name, ...(is_virtual ? ["virtual time"] : [])].join(", ");
}

/** Returns the level to which each run belongs: its median, or null where there is no change. */
export function levels({ runs, changes }: LakeSeries): (number | null)[] {
  let next = 0;
  return runs.map(({ run }) => {
    if (changes[next]?.run === run) next += 1;
    return changes[next]?.before ?? changes[next - 1]?.after ?? null;
  });
}

/** Returns the places of runs whose kernel is another than that of the run before. */
export function otherKernels(runs: readonly LakeRun[]): number[] {
  return runs.flatMap(({ release }, index) => (index > 0 && release !== runs[index - 1]?.release ? [index] : []));
}

/** Formats a figure: microseconds, or a number of triggers. */
export function amount(value: number | null, figure: string): string {
  return figure === "lost" ? (value === null ? micro(null) : grouped(value)) : value === null ? micro(null) : `${micro(value)} µs`;
}

/** Formats `+0.515 µs [+0.385, +0.638]`. */
export function moved({ difference, low, high }: LakeChange, figure: string): string {
  const plain = (value: number) => signed(figure === "lost" ? grouped(value) : micro(value));
  return `${plain(difference)}${figure === "lost" ? "" : " µs"} [${plain(low)}, ${plain(high)}]`;
}

/** Returns what else is known to be another than in the run before the change. */
export function suspects({ runs }: LakeSeries, change: LakeChange): string {
  const [before, after] = [change.before_run, change.run].map((id) => runs.find(({ run }) => run === id));
  if (before === undefined || after === undefined) return "";
  const found = [
    before.release === after.release ? null : `kernel ${before.release ?? "?"} → ${after.release ?? "?"}`,
    before.tool_version === after.tool_version ? null : `irqscope ${before.tool_version} → ${after.tool_version}`,
  ].filter((text) => text !== null);
  return found.length > 0 ? found.join(", ") : "same kernel, same irqscope";
}

/** Formats a small probability: `3·10⁻⁸`, `0.004`. */
export function probability(chance: number): string {
  if (chance >= 0.001) return String(Number(chance.toPrecision(1)));
  if (chance <= 0) return "below 10⁻³⁰⁰";
  const power = Math.floor(Math.log10(chance));
  const digit = Math.round(chance / 10 ** power);
  const raised = [...String(-(digit === 10 ? power + 1 : power))].map((one) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(one)]).join("");
  return `${digit === 10 ? 1 : digit}·10⁻${raised}`;
}

/** Finds the directory of a lake's run among those that the server has; null: none, or several that may be it. */
export function directoryOf(run: LakeRun, scenario: string, runs: readonly RunEntry[]): string | null {
  const same = runs.filter((one) => one.scenario === scenario && one.error === null && one.started_utc !== null && Math.floor(Date.parse(one.started_utc)) === run.started_ms);
  return same.length === 1 ? (same[0]?.id ?? null) : null;
}

/** Orders series: those with changes first, the latest change before the others, then by name. */
export function ordered(series: readonly LakeSeries[]): LakeSeries[] {
  const latest = ({ changes }: LakeSeries) => changes.at(-1)?.latest_ms ?? -Infinity;
  return [...series].sort((a, b) => latest(b) - latest(a) || seriesName(a).localeCompare(seriesName(b)));
}
