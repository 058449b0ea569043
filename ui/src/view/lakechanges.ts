// SPDX-License-Identifier: Apache-2.0 OR MIT
// Where a figure's level moved: which place, when, how far, how sure, and what else was another.

import type { LakeChange, LakeRun, LakeSeries, LakeTrend, RunEntry } from "../api/types.js";
import { format, START } from "../core/location.js";
import { grouped } from "../core/quantity.js";
import { amount, directoryOf, moved, probability, seriesName, suspects } from "../core/trend.js";
import { h } from "../dom.js";

export function changesList(trend: LakeTrend, runs: readonly RunEntry[]): HTMLElement {
  const found = trend.series.flatMap((series) => series.changes.map((change) => ({ series, change, at: beginOf(series, change.run) })))
    .sort((a, b) => (b.at?.started_ms ?? 0) - (a.at?.started_ms ?? 0));
  const sure = `If nothing had changed, anything would be listed here with a probability of at most ${trend.chance}.`;
  return h("section", { class: "panel page changes", "aria-labelledby": "changes" }, h("h2", { id: "changes" }, "Changes"),
    h("p", { class: "muted" }, found.length === 0 ? "No level has moved as far as these runs show." : sure),
    h("ul", {}, ...found.map(({ series, change }) => item(series, change, trend.figure, runs))));
}

function item(series: LakeSeries, change: LakeChange, figure: string, runs: readonly RunEntry[]): HTMLElement {
  const begun = beginOf(series, change.run);
  const [earliest, latest] = [minute(change.earliest_ms), minute(change.latest_ms)];
  return h("li", {},
    h("p", {}, h("strong", {}, seriesName(series)), ": ", h("strong", {}, moved(change, figure)),
      `, from ${amount(change.before, figure)} to ${amount(change.after, figure)}, since `, h("strong", {}, begun === undefined ? change.run : minute(begun.started_ms))),
    h("p", { class: "muted" }, earliest === latest ? "no other run may be the first one" : `the first one began between ${earliest} and ${latest}`,
      `; ${grouped(change.runs_before)} runs before and ${grouped(change.runs_after)} after; by chance ${probability(change.chance)}; `, suspects(series, change)),
    closer(series, change, runs));
}

/** Leads to the two runs beside the change, and to the search for the commit. */
function closer(series: LakeSeries, change: LakeChange, runs: readonly RunEntry[]): HTMLElement {
  const [before, after] = [change.before_run, change.run].map((id) => beginOf(series, id));
  const [base, other] = [before, after].map((run) => (run === undefined ? null : directoryOf(run, series.scenario, runs)));
  const links = base !== null && base !== undefined && other !== null && other !== undefined
    ? h("a", { href: format({ ...START, page: "compare", base, other, view: series.view === "inside" ? "inside" : null }) }, "compare both runs")
    : h("span", { class: "muted" }, "the runs are not in this server's directory");
  return h("p", {}, links, bisection(series, before, after));
}

function bisection({ is_virtual, stage }: LakeSeries, before: LakeRun | undefined, after: LakeRun | undefined): HTMLElement | null {
  const [good, bad] = [before?.release, after?.release];
  if (!is_virtual || good === null || good === undefined || bad === null || bad === undefined || good === bad) return null;
  return h("span", {}, " · ", h("code", {}, `irqscope bisect --good ${good} --bad ${bad} --stage ${stage}`));
}

function beginOf({ runs }: LakeSeries, run: string): LakeRun | undefined {
  return runs.find((one) => one.run === run);
}

/** Formats an instant to the minute, in UTC. */
export function minute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}
