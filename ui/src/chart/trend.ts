// SPDX-License-Identifier: Apache-2.0 OR MIT
// One figure of a series' runs over months: a point for each run, a line for each level, bands where
// the level moved, and marks of other kernels.

import uPlot from "uplot";
import type { LakeSeries } from "../api/types.js";
import { grouped, round } from "../core/quantity.js";
import { levels, otherKernels } from "../core/trend.js";
import { axis, overMonths } from "./axes.js";
import { ink } from "./ink.js";
import { type Options, Plot } from "./plot.js";

/** Milliseconds between which all series are drawn. */
export type Span = readonly [from: number, to: number];

const stepped = uPlot.paths.stepped?.({ align: 1 });

export class TrendChart {
  readonly #plot: Plot;

  constructor(element: HTMLElement, private readonly series: LakeSeries, private readonly figure: string, private readonly span: Span) {
    this.#plot = new Plot(element, () => this.#options());
    const { runs } = series;
    this.#plot.draw([runs.map((run) => run.started_ms / 1000), runs.map((run) => run.value), levels(series)]);
  }

  close(): void {
    this.#plot.close();
  }

  #options(): Options {
    const { accent, text, em } = ink();
    const months = overMonths(() => this.span);
    return {
      ...months.options,
      // Above is room for the names of kernels.
      padding: [Math.round(em * 1.5), Math.round(em * 3), 0, 0],
      scales: { x: months.x, y: { range: (_, least, most) => widened(least, most) } },
      axes: [months.axis, axis({ size: Math.round(em * 5), space: 24, values: (_, ticks) => ticks.map((tick) => (this.figure === "lost" ? grouped(tick) : round(tick))) })],
      series: [
        {},
        { stroke: accent, paths: () => null, points: { show: true, size: 4, fill: accent, stroke: accent } },
        { stroke: text, width: 2, points: { show: false }, ...(stepped === undefined ? {} : { paths: stepped }) },
      ],
      hooks: { drawAxes: [(plot) => this.#marks(plot)] },
    };
  }

  #marks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const { muted, bad, text, font } = ink();
    const { runs, changes } = this.series;
    const at = (ms: number) => plot.valToPos(ms / 1000, "x", true);
    ctx.save();
    for (const { earliest_ms, latest_ms, run } of changes) {
      ctx.fillStyle = `${bad}30`;
      ctx.fillRect(at(earliest_ms), bbox.top, Math.max(at(latest_ms) - at(earliest_ms), devicePixelRatio), bbox.height);
      const begun = runs.find((one) => one.run === run);
      if (begun !== undefined) this.#line(ctx, at(begun.started_ms), bbox, bad, []);
    }
    ctx.font = font.replace(/^\d+/, (size) => String(Number(size) * devicePixelRatio));
    ctx.textBaseline = "bottom";
    for (const index of otherKernels(runs)) {
      const run = runs[index];
      if (run === undefined) continue;
      const place = at(run.started_ms);
      this.#line(ctx, place, bbox, muted, [4, 4]);
      const name = run.release ?? "?";
      const isLeft = place + ctx.measureText(name).width < bbox.left + bbox.width;
      ctx.fillStyle = text;
      ctx.textAlign = isLeft ? "left" : "right";
      ctx.fillText(name, place, bbox.top - 2 * devicePixelRatio);
    }
    ctx.restore();
  }

  #line(ctx: CanvasRenderingContext2D, x: number, { top, height }: uPlot.BBox, colour: string, dash: readonly number[]): void {
    ctx.beginPath();
    ctx.strokeStyle = colour;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash(dash.map((part) => part * devicePixelRatio));
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
  }
}

/** Returns a range with some room around what is there; equal values lie in its middle. */
function widened(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1];
  const room = Math.max((most - least) * 0.12, Math.abs(most) * 0.005, 1);
  return [Math.max(0, least - room), most + room];
}
