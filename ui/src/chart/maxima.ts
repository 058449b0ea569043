// SPDX-License-Identifier: Apache-2.0 OR MIT
// Maxima of one run over intervals of its own time, as measurements of days are drawn: a column for each.

import uPlot from "uplot";
import type { LakeInterval } from "../api/types.js";
import { around } from "../core/scale.js";
import { common, latencyAxis, latencyScale, timeAxis } from "./axes.js";
import { ink } from "./ink.js";
import { type Options, Plot } from "./plot.js";

/** The length of an interval, ns (python/irqscope/trend.py). */
const INTERVAL = 300e9;

export class MaximaChart {
  readonly #plot: Plot;

  constructor(element: HTMLElement, private readonly intervals: readonly LakeInterval[]) {
    this.#plot = new Plot(element, () => this.#options());
    this.#plot.draw([intervals.map(({ since_ns }) => since_ns + INTERVAL / 2), intervals.map(({ max_ns }) => max_ns)]);
  }

  close(): void {
    this.#plot.close();
  }

  #options(): Options {
    const { em, accent } = ink();
    const range = around(this.intervals.map(({ max_ns }) => max_ns));
    const end = Math.max(...this.intervals.map(({ since_ns }) => since_ns), 0) + INTERVAL;
    return {
      ...common("time"),
      padding: [Math.round(em * 0.9), Math.round(em * 3), 0, 0],
      scales: { x: { time: false, range: () => [0, end] }, y: latencyScale(() => range, true) },
      axes: [timeAxis(), { ...latencyAxis(() => range, true, false), size: Math.round(em * 5) }],
      series: [{}, { fill: accent, points: { show: false }, ...(columns === undefined ? {} : { paths: columns }) }],
    };
  }
}

const columns = uPlot.paths.bars?.({ size: [0.9, Infinity] });
