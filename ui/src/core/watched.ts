// SPDX-License-Identifier: Apache-2.0 OR MIT
// One case as the page shows it, whether it is being measured or finished.

import type { Bins, LiveAccount, LiveSeries, View } from "../api/types.js";
import type { Interval } from "./fold.js";
import type { Bucket } from "./histogram.js";

/** A case, of the live stream or finished. */
export interface Watched {
  readonly case: string;
  readonly series: readonly LiveSeries[];
}

export function bucketsOf(histogram: Bins | null): Bucket[] {
  const { lower_ns = [], upper_ns = [], counts = [] } = histogram ?? {};
  return lower_ns.map((low, index) => ({
    low, high: upper_ns[index] ?? low, count: counts[index] ?? 0,
  }));
}

/** Instants in ns since the first trigger. */
export function intervalsOf(series: LiveSeries): Interval[] {
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
export function shownView(series: readonly LiveSeries[], wanted: View | "both" | null): View {
  const has = (view: View) => series.some((one) => one.view === view);
  if (wanted !== null && wanted !== "both" && has(wanted)) return wanted;
  return has("outside") || !has("inside") ? "outside" : "inside";
}

/** Returns the sum of the identity's right side. */
export function accounted(account: LiveAccount): number {
  const { complete, missing, coalesced, dropped, unrecorded, open } = account;
  return complete + missing + coalesced + dropped + unrecorded + open;
}
