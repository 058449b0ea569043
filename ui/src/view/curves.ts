// SPDX-License-Identifier: Apache-2.0 OR MIT
// Cumulative curves of two runs: lines for the base, dashes for the other.

import { api } from "../api/client.js";
import type { Comparison, Hello, View } from "../api/types.js";
import { CumulativeChart, type NamedCurve } from "../chart/cumulative.js";
import { stageInfo } from "../context.js";
import { cumulative } from "../core/cumulative.js";
import { grow, type Range } from "../core/scale.js";
import { bucketsOf } from "../core/watched.js";
import { colourAs, h } from "../dom.js";

export class ComparedCurves {
  readonly element: HTMLElement;
  readonly #chart: CumulativeChart;
  readonly #legend = h("ul", { class: "legend" });

  constructor(private readonly hello: Hello, comparison: Comparison, base: string, other: string, view: View) {
    const plot = h("div", { class: "plot tall", role: "img", "aria-label": `Cumulative curves of ${comparison.base} and ${comparison.other}; the table has the quantiles` });
    this.#chart = new CumulativeChart(plot, () => undefined);
    this.element = h("figure", { class: "overlay" }, plot,
      h("figcaption", { class: "muted" }, "Share of samples answered by a latency. Line: base; dashes: other."), this.#legend);
    void this.#load(view, [[base, caseOf(comparison.base)], [other, caseOf(comparison.other)]]);
  }

  close(): void {
    this.#chart.close();
  }

  async #load(view: View, sides: readonly (readonly [string, string])[]): Promise<void> {
    const answers = await Promise.all(sides.map(([id, name]) => api.series(id, name).catch(() => ({ series: [] }))));
    const seen = answers.map(({ series }) => series.filter((one) => one.view === view));
    const stages = [...new Set(seen.flat().map((one) => one.stage))];
    let range: Range | null = null;
    const curves: NamedCurve[] = seen.flatMap((series, side) => series.map((one) => {
      const buckets = bucketsOf(one.histogram);
      const [first, last] = [buckets[0], buckets.at(-1)];
      if (first !== undefined && last !== undefined) range = grow(range, first.low, last.high);
      return { colour: stageInfo(this.hello, one.stage).colour, curve: cumulative(buckets), dashed: side === 1 };
    }));
    this.#legend.replaceChildren(...stages.map((stage) => {
      const item = h("li", {}, h("span", { class: "swatch" }), stage);
      colourAs(item, stage);
      return item;
    }));
    this.#chart.draw({ curves, range: range ?? { low: 1_000, high: 100_000 } }, true);
  }
}

/** Returns the case of `runs/ID#6.1/idle`. */
function caseOf(name: string): string {
  return name.slice(name.indexOf("#") + 1);
}
