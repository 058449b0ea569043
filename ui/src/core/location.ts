// SPDX-License-Identifier: Apache-2.0 OR MIT
// What is shown, as the address says it: a link reproduces the view.

import type { View } from "../api/types.js";

export type Page = "live" | "runs" | "run" | "compare" | "lake";

export interface Place {
  readonly page: Page;
  /** Of page `run`. */
  readonly run: string | null;
  readonly base: string | null;
  readonly other: string | null;
  readonly baseCase: string | null;
  readonly otherCase: string | null;
  readonly case: string | null;
  /** Of the table and the pictures; both: of the table. Null: outside where there is one. */
  readonly view: View | "both" | null;
  /** Empty: all that there are. */
  readonly stages: readonly string[];
  readonly axis: "log" | "linear";
  /** All histograms over the same latencies. */
  readonly shared: boolean;
  /** The stage whose worst samples are listed; null: the worst of each. */
  readonly worst: string | null;
  /** `stage:view:seq` of the sample that is open. */
  readonly sample: string | null;
  /** The trigger whose lines are shown; null: the first, or while it is measured the newest. */
  readonly trigger: number | null;
  /** The shown part of time in ns since the trigger; null: all of it. */
  readonly window: readonly [number, number] | null;
  /** In ns since the trigger. */
  readonly cursors: readonly [number | null, number | null];
  /** The trigger that is looked for: `worst:user`, `above:user:50000`, `missing:user`. */
  readonly find: string | null;
  /** Many sweeps on top of each other, aligned on this line. */
  readonly pile: string | null;
  /** Limits that a run is held against: `irq<20us@max,user<150us@p99.9`. */
  readonly limits: string | null;
  /** The baseline that a run must not be later than, `RUN` or `RUN#CASE`, and by how much it may be. */
  readonly against: string | null;
  readonly allow: string | null;
  /** Of page `lake`: whose runs are shown, by which figure, and the series that is open. */
  readonly scenario: string | null;
  readonly figure: string | null;
  readonly series: string | null;
  /** Its last days; null: all. */
  readonly days: number | null;
}

export const START: Place = {
  page: "live", run: null, base: null, other: null, baseCase: null, otherCase: null,
  case: null, view: null, stages: [], axis: "log", shared: false, worst: null, sample: null,
  trigger: null, window: null, cursors: [null, null], find: null, pile: null, limits: null, against: null, allow: null,
  scenario: null, figure: null, series: null, days: null,
};

/** Parses `#/run/ID?case=…`; parts that do not parse are as at the start. */
export function parse(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page = "", ...rest] = path.split("/");
  const values = new URLSearchParams(search);
  const view = values.get("view");
  const run = rest.length > 0 ? decoded(rest.join("/")) : null;
  return {
    page: page === "runs" || page === "compare" || page === "lake" || (page === "run" && run !== null) ? page : "live",
    run: page === "run" ? run : null,
    base: values.get("base"),
    other: values.get("other"),
    baseCase: values.get("base_case"),
    otherCase: values.get("other_case"),
    case: values.get("case"),
    view: view === "inside" || view === "outside" || view === "both" ? view : null,
    stages: (values.get("stages") ?? "").split(",").filter((name) => name !== ""),
    axis: values.get("axis") === "linear" ? "linear" : "log",
    shared: values.has("shared"),
    worst: values.get("worst"),
    sample: values.get("sample"),
    trigger: whole(values.get("trigger")),
    window: ordered(values.get("t")),
    cursors: [real(values.get("a")), real(values.get("b"))],
    find: values.get("find"),
    pile: values.get("pile"),
    limits: values.get("limits"),
    against: values.get("against"),
    allow: values.get("allow"),
    scenario: values.get("scenario"),
    figure: values.get("figure"),
    series: values.get("series"),
    days: whole(values.get("days")),
  };
}

function real(text: string | null): number | null {
  const value = text === null || text === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

function whole(text: string | null): number | null {
  const value = real(text);
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function ordered(text: string | null): readonly [number, number] | null {
  const [from = null, to = null] = (text ?? "").split(",").map(real);
  return from !== null && to !== null && from < to ? [from, to] : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the shortest hash for a place. */
export function format(place: Place): string {
  const values = new URLSearchParams();
  const set = (name: string, value: string | null) => {
    if (value !== null && value !== "") values.set(name, value);
  };
  set("base", place.base);
  set("other", place.other);
  set("base_case", place.baseCase);
  set("other_case", place.otherCase);
  set("case", place.case);
  set("view", place.view);
  set("stages", place.stages.join(","));
  set("axis", place.axis === "log" ? null : place.axis);
  set("shared", place.shared ? "1" : null);
  set("worst", place.worst);
  set("sample", place.sample);
  const number = (value: number | null) => (value === null ? null : String(Math.round(value)));
  set("trigger", number(place.trigger));
  set("t", place.window === null ? null : place.window.map(number).join());
  set("a", number(place.cursors[0]));
  set("b", number(place.cursors[1]));
  set("find", place.find);
  set("pile", place.pile);
  set("limits", place.limits);
  set("against", place.against);
  set("allow", place.allow);
  set("scenario", place.scenario);
  set("figure", place.figure);
  set("series", place.series);
  set("days", number(place.days));
  const run = place.page === "run" && place.run !== null ? `/${encodeURIComponent(place.run)}` : "";
  const search = values.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
  return `#/${place.page}${run}${search === "" ? "" : `?${search}`}`;
}
