// SPDX-License-Identifier: Apache-2.0 OR MIT
// Latency over time: for each interval a column from minimum to maximum, and the
// mean as a line.

import uPlot from "uplot";
import { fold, type Interval } from "../core/fold.js";
import type { Range } from "../core/scale.js";
import { common, latencyAxis, latencyScale, timeAxis } from "./axes.js";
import { ink } from "./ink.js";
import { type Options, Plot } from "./plot.js";

export interface CourseData {
  readonly intervals: readonly Interval[];
  readonly intervalNs: number;
  readonly range: Range;
  /** The time axis ends here, in ns since the first trigger. */
  readonly end: number;
}

const COLUMN_PIXELS = 2;

export class CourseChart {
  #data: CourseData = { intervals: [], intervalNs: 1, range: { low: 1_000, high: 100_000 }, end: 1e9 };
  #columns: readonly Interval[] = [];
  readonly #plot: Plot;

  constructor(element: HTMLElement, private readonly colour: string) {
    this.#plot = new Plot(element, () => this.#options());
  }

  draw(data: CourseData): void {
    this.#data = data;
    const pixels = Math.max(40, this.#plot.element.clientWidth - 60);
    const filled = data.intervals.filter((interval) => interval.count > 0);
    this.#columns = fold(filled, 0, data.end, Math.floor(pixels / COLUMN_PIXELS));
    this.#plot.draw([
      this.#columns.map((column) => column.at + data.intervalNs / 2),
      this.#columns.map((column) => column.max),
      this.#columns.map((column) => column.mean),
    ]);
  }

  close(): void {
    this.#plot.close();
  }

  #options(): Options {
    const range = () => this.#data.range;
    return {
      ...common("time"),
      scales: {
        x: { time: false, range: () => [0, this.#data.end] },
        y: latencyScale(range, true),
      },
      axes: [timeAxis(), latencyAxis(range, true, false)],
      series: [
        {},
        { fill: `${this.colour}b0`, points: { show: false }, paths: (plot) => this.#span(plot) },
        { stroke: ink().text, width: 1.25, points: { show: false } },
      ],
    };
  }

  /** Columns as wide as an interval, at least a pixel each way. */
  #span(plot: uPlot): uPlot.Series.Paths {
    const fill = new Path2D();
    const least = devicePixelRatio;
    const folded = this.#data.end / Math.max(1, plot.bbox.width / devicePixelRatio / COLUMN_PIXELS);
    const width = Math.max(this.#data.intervalNs, folded);
    for (const { at, min, max } of this.#columns) {
      if (min === null || max === null) continue;
      const left = plot.valToPos(at, "x", true);
      const right = plot.valToPos(at + width, "x", true);
      const top = plot.valToPos(max, "y", true);
      const bottom = plot.valToPos(min, "y", true);
      const height = Math.max(bottom - top, 2 * least);
      fill.rect(left, (top + bottom - height) / 2, Math.max(right - left, least), height);
    }
    return { fill };
  }
}
