// SPDX-License-Identifier: Apache-2.0 OR MIT
// Histograms of a series' runs beside each other: a column for each run, latency upwards, darker where more
// samples are. A change of the distribution's shape is seen here that moves no single figure.

import uPlot from "uplot";
import type { LakeHistogram, LakeHistograms } from "../api/types.js";
import { around } from "../core/scale.js";
import { latencyAxis, latencyScale, overMonths } from "./axes.js";
import { ink } from "./ink.js";
import { type Options, Plot } from "./plot.js";
import type { Span } from "./trend.js";

/** The height of a row, in CSS pixels. */
const CELL = 3;

export class StackChart {
  readonly #plot: Plot;

  constructor(element: HTMLElement, private readonly histograms: LakeHistograms, private readonly span: Span) {
    this.#plot = new Plot(element, () => this.#options());
    const { runs } = histograms;
    this.#plot.draw([runs.map((run) => run.started_ms / 1000), runs.map((run) => run.low_ns.at(-1) ?? null)]);
  }

  close(): void {
    this.#plot.close();
  }

  #options(): Options {
    const { em } = ink();
    const months = overMonths(() => this.span);
    const range = around(this.histograms.runs.flatMap(({ low_ns }) => [low_ns.find((low) => low > 0) ?? null, low_ns.at(-1) ?? null]));
    return {
      ...months.options,
      padding: [Math.round(em * 0.9), Math.round(em * 3), 0, 0],
      scales: { x: months.x, y: latencyScale(() => range, true) },
      axes: [months.axis, { ...latencyAxis(() => range, true, false), size: Math.round(em * 5) }],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(plot) => this.#columns(plot)] },
    };
  }

  #columns(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const { runs } = this.histograms;
    const left = (ms: number) => plot.valToPos(ms / 1000, "x", true);
    const row = CELL * devicePixelRatio;
    ctx.save();
    ctx.fillStyle = ink().accent;
    runs.forEach((run, index) => {
      const from = left(run.started_ms);
      const next = runs[index + 1];
      // A run is as wide as the time to the next one, but a gap stays a gap.
      const width = Math.max(devicePixelRatio, Math.min((next === undefined ? Infinity : left(next.started_ms)) - from, bbox.width / 40));
      const rows = this.#rows(plot, run, row);
      const most = Math.log1p(Math.max(...rows.values()));
      for (const [at, count] of rows) {
        ctx.globalAlpha = 0.12 + 0.88 * (Math.log1p(count) / most);
        ctx.fillRect(from, at * row, width, row);
      }
    });
    ctx.restore();
  }

  /** Counts a run's samples by rows of the picture: buckets may be narrower than a pixel. */
  #rows(plot: uPlot, run: LakeHistogram, row: number): Map<number, number> {
    const rows = new Map<number, number>();
    run.low_ns.forEach((low, bucket) => {
      const at = Math.floor(plot.valToPos(Math.max(low, 1), "y", true) / row);
      rows.set(at, (rows.get(at) ?? 0) + (run.count[bucket] ?? 0));
    });
    return rows;
  }
}
