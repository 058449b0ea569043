// SPDX-License-Identifier: Apache-2.0 OR MIT
// A stage's histogram: bars over latency, their number on a logarithmic scale, and
// where 5 % and 95 % of all samples lie.

import uPlot from "uplot";
import { type Bar, type Bucket, bars, ceiling, edges } from "../core/histogram.js";
import type { Range } from "../core/scale.js";
import { common, countAxis, latencyAxis, latencyScale } from "./axes.js";
import { ink } from "./ink.js";
import { type Options, Plot } from "./plot.js";

/** Below the first tick, so that a single sample has a bar. */
const FLOOR = 0.6;
const BAR_PIXELS = 4;

export interface HistogramData {
  readonly buckets: readonly Bucket[];
  readonly range: Range;
  readonly p5: number | null;
  readonly p95: number | null;
}

export class HistogramChart {
  #data: HistogramData = { buckets: [], range: { low: 1_000, high: 100_000 }, p5: null, p95: null };
  #bars: readonly Bar[] = [];
  #logarithmic = true;
  readonly #plot: Plot;

  constructor(element: HTMLElement, private readonly colour: string) {
    this.#plot = new Plot(element, () => this.#options());
  }

  draw(data: HistogramData, logarithmic: boolean): void {
    this.#data = data;
    const number = Math.max(20, Math.floor((this.#plot.element.clientWidth - 60) / BAR_PIXELS));
    const range = logarithmic ? data.range : { low: 0, high: data.range.high };
    this.#bars = bars(data.buckets, edges(range, number, logarithmic));
    const drawn: uPlot.AlignedData = [
      this.#bars.map((bar) => (bar.from + bar.to) / 2),
      this.#bars.map((bar) => Math.max(bar.count, FLOOR)),
    ];
    if (logarithmic !== this.#logarithmic) {
      this.#logarithmic = logarithmic;
      this.#plot.rebuild();
    }
    this.#plot.draw(drawn);
  }

  close(): void {
    this.#plot.close();
  }

  #options(): Options {
    const range = () => this.#data.range;
    const top = () => ceiling(this.#bars);
    return {
      ...common("latency"),
      scales: {
        x: latencyScale(range, this.#logarithmic),
        y: { distr: 3, range: () => [FLOOR, top()] },
      },
      axes: [latencyAxis(range, this.#logarithmic, true), countAxis(top)],
      series: [{}, { fill: this.colour, points: { show: false }, paths: (plot) => this.#paths(plot) }],
      hooks: { draw: [(plot) => this.#marks(plot)] },
    };
  }

  #paths(plot: uPlot): uPlot.Series.Paths {
    const fill = new Path2D();
    const base = plot.bbox.top + plot.bbox.height;
    for (const bar of this.#bars) {
      if (bar.count === 0) continue;
      const left = plot.valToPos(Math.max(bar.from, plot.scales["x"]?.min ?? 0), "x", true);
      const right = plot.valToPos(bar.to, "x", true);
      const top = plot.valToPos(bar.count, "y", true);
      fill.rect(left, top, Math.max(right - left - devicePixelRatio * 0.5, 1), base - top);
    }
    return { fill };
  }

  #marks(plot: uPlot): void {
    const { quantile } = ink();
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = quantile;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const at of [this.#data.p5, this.#data.p95]) {
      if (at === null) continue;
      const x = Math.round(plot.valToPos(at, "x", true)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
    this.#names(plot);
  }

  #names(plot: uPlot): void {
    const { p5, p95 } = this.#data;
    if (p5 === null || p95 === null) return;
    const { quantile, font } = ink();
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = quantile;
    ctx.font = font.replace(/^\d+/, (size) => String((Number(size) - 1) * devicePixelRatio));
    ctx.textBaseline = "bottom";
    const [low, high] = [p5, p95].map((at) => plot.valToPos(at, "x", true)) as [number, number];
    // Left of its line, but not above the axis; the other one right of its line and of this.
    const end = Math.max(low - devicePixelRatio, bbox.left + ctx.measureText("5 %").width);
    ctx.textAlign = "right";
    ctx.fillText("5 %", end, bbox.top);
    ctx.textAlign = "left";
    ctx.fillText("95 %", Math.max(high, end + 3 * devicePixelRatio) + devicePixelRatio, bbox.top);
    ctx.restore();
  }
}
