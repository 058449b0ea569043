// SPDX-License-Identifier: Apache-2.0 OR MIT
// All stages on one pair of axes: the share of samples no later than a latency.

import uPlot from "uplot";
import { type Curve, nines, shareAt } from "../core/cumulative.js";
import type { Range } from "../core/scale.js";
import { common, latencyAxis, latencyScale, shareAxis } from "./axes.js";
import { type Options, Plot } from "./plot.js";

const SHARES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999] as const;
/** All samples: above the last tick. */
const TOP = 4.5;

export interface NamedCurve {
  readonly colour: string;
  readonly curve: Curve;
  readonly dashed?: boolean;
}

export interface CumulativeData {
  readonly curves: readonly NamedCurve[];
  readonly range: Range;
}

export class CumulativeChart {
  #data: CumulativeData = { curves: [], range: { low: 1_000, high: 100_000 } };
  #logarithmic = true;
  readonly #plot: Plot;

  /** `onCursor`: the share of each curve at a latency, or null where there is none. */
  constructor(
    element: HTMLElement,
    private readonly onCursor: (at: number | null, shares: readonly number[]) => void,
  ) {
    this.#plot = new Plot(element, () => this.#options());
  }

  draw(data: CumulativeData, logarithmic: boolean): void {
    const before = this.#look();
    this.#data = data;
    this.#logarithmic = logarithmic;
    if (before !== this.#look()) this.#plot.rebuild();
    const { low, high } = data.range;
    this.#plot.draw([[low, high], ...data.curves.map(() => [0, TOP])]);
  }

  close(): void {
    this.#plot.close();
  }

  /** The options that cannot change without another plot. */
  #look(): string {
    const curves = this.#data.curves.map(({ colour, dashed }) => colour + (dashed ? "-" : ""));
    return `${this.#logarithmic}${curves.join()}`;
  }

  #options(): Options {
    const range = () => this.#data.range;
    return {
      ...common("latency"),
      scales: {
        x: latencyScale(range, this.#logarithmic),
        y: { range: () => [0, TOP] },
      },
      axes: [
        latencyAxis(range, this.#logarithmic, true),
        shareAxis(SHARES, (share) => nines(share, TOP)),
      ],
      series: [{}, ...this.#data.curves.map((curve, index) => this.#series(curve, index))],
      hooks: { setCursor: [(plot) => this.#cursor(plot)] },
    };
  }

  #series({ colour, dashed }: NamedCurve, index: number): uPlot.Series {
    const line: uPlot.Series = {
      stroke: colour, width: 2, points: { show: false },
      paths: (plot) => steps(plot, this.#data.curves[index]?.curve),
    };
    return dashed ? { ...line, dash: [5, 4] } : line;
  }

  #cursor(plot: uPlot): void {
    const { left = -1 } = plot.cursor;
    if (left < 0) {
      this.onCursor(null, []);
      return;
    }
    const at = plot.posToVal(left, "x");
    this.onCursor(at, this.#data.curves.map(({ curve }) => shareAt(curve, at)));
  }
}

function steps(plot: uPlot, curve: Curve | undefined): uPlot.Series.Paths {
  const stroke = new Path2D();
  let before = 0;
  curve?.x.forEach((at, index) => {
    const x = plot.valToPos(Math.max(at, plot.scales["x"]?.min ?? at), "x", true);
    const y = plot.valToPos(nines(curve.y[index] ?? 0, TOP), "y", true);
    if (index === 0) stroke.moveTo(x, y);
    else {
      stroke.lineTo(x, before);
      stroke.lineTo(x, y);
    }
    before = y;
  });
  return { stroke };
}
