// SPDX-License-Identifier: Apache-2.0 OR MIT
// Axes that all charts share: latency, count, time. Ticks carry their unit.

import type uPlot from "uplot";
import { logTicks, type Range } from "../core/scale.js";
import { brief, round } from "../core/units.js";
import { ink } from "./ink.js";

/** Room for `1,000 µs`; the same everywhere, so that charts below each other align. */
const LEFT = 52;
const BELOW = 24;

function axis(more: uPlot.Axis): uPlot.Axis {
  const { muted, grid, font } = ink();
  return {
    stroke: muted, font, gap: 4,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1, size: 4 },
    ...more,
  };
}

/** About how many labels have room. */
function room(plot: uPlot, horizontal: boolean): number {
  const pixels = (horizontal ? plot.bbox.width : plot.bbox.height) / devicePixelRatio;
  return Math.max(2, Math.floor(pixels / (horizontal ? 64 : 24)));
}

/** Latencies in ns, on a logarithmic or a linear scale. */
export function latencyAxis(range: () => Range, logarithmic: boolean, below: boolean): uPlot.Axis {
  const splits: Partial<uPlot.Axis> = logarithmic
    ? { splits: (plot) => logTicks(range(), room(plot, below)), filter: (_, all) => all }
    : { space: below ? 72 : 24 };
  return axis({
    scale: below ? "x" : "y", side: below ? 2 : 3, size: below ? BELOW : LEFT,
    values: (_, ticks) => ticks.map(round),
    ...splits,
  });
}

export function countAxis(top: () => number): uPlot.Axis {
  return axis({
    scale: "y", side: 3, size: LEFT,
    splits: (plot) => logTicks({ low: 1, high: top() }, Math.min(4, room(plot, false))),
    filter: (_, all) => all,
    values: (_, ticks) => ticks.map(brief),
  });
}

/** Time in ns since the first trigger. */
export function timeAxis(): uPlot.Axis {
  return axis({
    scale: "x", side: 2, size: BELOW, space: 64,
    values: (_, ticks) => ticks.map((tick) => (tick === 0 ? "0" : round(tick))),
  });
}

/** Shares, each further nine with as much room; `place` says where a share lies. */
export function shareAxis(shares: readonly number[], place: (share: number) => number): uPlot.Axis {
  return axis({
    scale: "y", side: 3, size: LEFT,
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
