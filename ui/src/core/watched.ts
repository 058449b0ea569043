// SPDX-License-Identifier: Apache-2.0 OR MIT
// One case as the page shows it, whether it is being measured or finished.

import type { CaseSummary, RunSeries } from "../api/runs.js";
import type { Account, Frames, Histogram, LiveCase, Series, ViewName, Worst } from "../api/types.js";
import type { Interval } from "./fold.js";
import type { Bucket } from "./histogram.js";

export interface Watched {
  readonly case: string;
  readonly twin: boolean;
  readonly account: Account;
  /** Null: not known of a finished run. */
  readonly frames: Frames | null;
  readonly series: readonly Series[];
  /** Null: to be asked for, by series. */
  readonly worst: readonly Worst[] | null;
}

export function ofLive(one: LiveCase): Watched {
  const { twin, account, frames, series, worst } = one;
  return { case: one.case, twin, account, frames, series, worst: worst ?? [] };
}

export function ofRun(summary: CaseSummary, drawn: readonly RunSeries[]): Watched {
  const series = summary.stages.map((figures) => {
    const same = (one: RunSeries) => one.stage === figures.stage && one.view === figures.view;
    const one = drawn.find(same);
    return { ...figures, histogram: one?.histogram ?? null, course: one?.course ?? null };
  });
  return {
    case: summary.case, twin: summary.twin, account: accountOf(summary),
    frames: null, series, worst: null,
  };
}

function accountOf(summary: CaseSummary): Account {
  const { triggers, complete, coalesced, dropped, unrecorded, open, skipped } = summary;
  return {
    from: summary.outside === null ? "target" : "generator",
    triggers, complete, missing: summary.missing_triggers, coalesced,
    dropped, unrecorded, open, skipped, holds: summary.identity_holds,
  };
}

export function bucketsOf(histogram: Histogram | null): Bucket[] {
  const { lower_ns = [], upper_ns = [], counts = [] } = histogram ?? {};
  return lower_ns.map((low, index) => ({
    low, high: upper_ns[index] ?? low, count: counts[index] ?? 0,
  }));
}

/** Instants in ns since the first trigger. */
export function intervalsOf(series: Series): Interval[] {
  const course = series.course;
  if (course === null) return [];
  return course.count.map((count, index) => ({
    at: course.start_ns + index * course.interval_ns,
    count,
    min: course.min_ns[index] ?? null,
    mean: course.mean_ns[index] ?? null,
    max: course.max_ns[index] ?? null,
  }));
}

/** Returns the view to be drawn: the one that is wanted, if any stage has it. */
export function shownView(series: readonly Series[], wanted: ViewName | "both" | null): ViewName {
  const has = (view: ViewName) => series.some((one) => one.view === view);
  if (wanted !== null && wanted !== "both" && has(wanted)) return wanted;
  return has("outside") || !has("inside") ? "outside" : "inside";
}

/** Returns the sum of the identity's right side. */
export function accounted(account: Account): number {
  const { complete, missing, coalesced, dropped, unrecorded, open } = account;
  return complete + missing + coalesced + dropped + unrecorded + open;
}
