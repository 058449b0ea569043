// SPDX-License-Identifier: Apache-2.0 OR MIT
// The cumulative curves of all stages, and which have answered by a latency.

import type { Hello, LiveSeries } from "../api/types.js";
import { CumulativeChart } from "../chart/cumulative.js";
import { stageInfo } from "../context.js";
import { cumulative } from "../core/cumulative.js";
import type { Range } from "../core/scale.js";
import { micro } from "../core/quantity.js";
import { bucketsOf } from "../core/watched.js";
import { colourAs, h, say } from "../dom.js";

export class Overlay {
  readonly element: HTMLElement;
  readonly #legend = h("ul", { class: "legend" });
  readonly #at = h("p", { class: "muted at" }, HINT);
  readonly #chart: CumulativeChart;
  #shares: HTMLElement[] = [];
  #stages = "";

  constructor(private readonly hello: Hello) {
    const plot = h("div", { class: "plot", role: "img", "aria-label": "Cumulative curves of all stages; the table has the quantiles" });
    this.#chart = new CumulativeChart(plot, (at, shares) => this.#cursor(at, shares));
    this.element = h("section", { class: "overlay panel", "aria-labelledby": "overlay" },
      h("h2", { id: "overlay" }, "Answered by", h("span", { class: "muted" }, " · share of samples, each further nine with as much room")),
      plot, this.#at, this.#legend);
  }

  update(all: readonly LiveSeries[], range: Range, logarithmic: boolean): void {
    const stages = all.map((series) => series.stage);
    if (stages.join() !== this.#stages) this.#make(stages);
    const curves = all.map((series) => ({
      colour: stageInfo(this.hello, series.stage).colour,
      curve: cumulative(bucketsOf(series.histogram)),
    }));
    this.#chart.draw({ curves, range }, logarithmic);
  }

  close(): void {
    this.#chart.close();
  }

  #make(stages: readonly string[]): void {
    this.#stages = stages.join();
    this.#shares = stages.map(() => h("span", { class: "share" }));
    this.#legend.replaceChildren(...stages.map((stage, index) => {
      const item = h("li", {}, h("span", { class: "swatch" }), stage, this.#shares[index] ?? null);
      colourAs(item, stage);
      return item;
    }));
  }

  #cursor(at: number | null, shares: readonly number[]): void {
    say(this.#at, at === null ? HINT : `by ${micro(at)} µs`);
    this.#shares.forEach((span, index) => {
      const share = shares[index];
      say(span, at === null || share === undefined ? "" : `${(Math.floor(share * 1e5) / 1e3).toFixed(3)} %`);
    });
  }
}

const HINT = "point at a picture to read it";
