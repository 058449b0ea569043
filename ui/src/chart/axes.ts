// SPDX-License-Identifier: Apache-2.0 OR MIT
// Axes that all charts share: latency, count, time. Ticks carry their unit.

import uPlot from "uplot";
import { logTicks, type Range } from "../core/scale.js";
import { brief, round } from "../core/quantity.js";
import { ink } from "./ink.js";
import type { Options } from "./plot.js";

/** Room for `1,000 µs` and `99.99 %`; the same everywhere, so that charts below each other align. */
const left = () => Math.round(ink().em * 4.5);
const below = () => Math.round(ink().em * 1.85);

/** Returns the options that all charts have in common; the cursors of those with the same `sync` move together. */
export function common(sync: "latency" | "time" | "months"): Pick<Options, "legend" | "padding" | "cursor"> {
  return {
    legend: { show: false },
    // Half of the last tick's text, and above the marks' names.
    padding: [Math.round(ink().em * 0.9), Math.round(ink().em * 1.7), 0, 0],
    cursor: { y: false, points: { show: false }, drag: { setScale: false }, sync: { key: sync } },
  };
}

/** Makes an axis as all charts have it. */
export function axis(more: uPlot.Axis): uPlot.Axis {
  const { muted, grid, font } = ink();
  return {
    stroke: muted, font, gap: 4,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1, size: 4 },
    ...more,
  };
}

/** Estimates how many labels have room. */
function room(plot: uPlot, horizontal: boolean): number {
  const pixels = (horizontal ? plot.bbox.width : plot.bbox.height) / devicePixelRatio;
  return Math.max(3, Math.floor(pixels / (ink().em * (horizontal ? 5 : 1.9))));
}

/** Latencies in ns, on a logarithmic or a linear scale. */
export function latencyAxis(range: () => Range, logarithmic: boolean, horizontal: boolean): uPlot.Axis {
  const splits: Partial<uPlot.Axis> = logarithmic
    ? { splits: (plot) => logTicks(range(), room(plot, horizontal)), filter: (_, all) => all }
    : { space: horizontal ? 72 : 24 };
  return axis({
    scale: horizontal ? "x" : "y", side: horizontal ? 2 : 3, size: horizontal ? below() : left(),
    values: (_, ticks) => ticks.map(round),
    ...splits,
  });
}

export function countAxis(top: () => number): uPlot.Axis {
  return axis({
    scale: "y", side: 3, size: left(),
    splits: (plot) => logTicks({ low: 1, high: top() }, Math.min(4, room(plot, false))),
    filter: (_, all) => all,
    values: (_, ticks) => ticks.map(brief),
  });
}

/** Makes an axis of time in ns since the first trigger. */
export function timeAxis(): uPlot.Axis {
  return axis({
    scale: "x", side: 2, size: below(), space: 64,
    values: (_, ticks) => ticks.map((tick) => (tick === 0 ? "0" : round(tick))),
  });
}

/** Makes the options of a chart over days and months, in UTC; the cursors of all of them move together. */
export function overMonths(span: () => readonly [fromMs: number, toMs: number]): { readonly options: ReturnType<typeof common> & Pick<Options, "tzDate">; readonly x: uPlot.Scale; readonly axis: uPlot.Axis } {
  return {
    options: {
      ...common("months"),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    },
    x: { time: true, range: () => [span()[0] / 1000, span()[1] / 1000] },
    axis: axis({ scale: "x", side: 2, size: below(), space: Math.round(ink().em * 7), values: (_, ticks) => ticks.map((tick, at) => date(tick, ticks[at - 1])) }),
  };
}

/** Formats `2026-05-17`, or within a day `06:00`. */
function date(seconds: number, before: number | undefined): string {
  const [day = "", time = ""] = new Date(seconds * 1000).toISOString().split("T");
  const sameDay = before !== undefined && new Date(before * 1000).toISOString().startsWith(day);
  return sameDay ? time.slice(0, 5) : day;
}

/** Shares, each further nine with as much room; `place` says where a share lies. */
export function shareAxis(shares: readonly number[], place: (share: number) => number): uPlot.Axis {
  return axis({
    scale: "y", side: 3, size: left(),
    splits: () => shares.map(place),
    filter: (_, all) => all,
    values: () => shares.map((share) => `${Number((share * 100).toFixed(4))} %`),
  });
}

export function latencyScale(range: () => Range, logarithmic: boolean): uPlot.Scale {
  return {
    time: false, distr: logarithmic ? 3 : 1,
    range: () => [logarithmic ? range().low : 0, range().high],
  };
}
