// SPDX-License-Identifier: Apache-2.0 OR MIT
// One series of a lake: its figure over time; opened, its histograms over time and all of its runs.

import { api } from "../api/client.js";
import type { LakeRun, LakeSeries, RunEntry } from "../api/types.js";
import { StackChart } from "../chart/stack.js";
import { type Span, TrendChart } from "../chart/trend.js";
import { format, START } from "../core/location.js";
import { grouped, NONE } from "../core/quantity.js";
import { amount, directoryOf, seriesName } from "../core/trend.js";
import { type Child, h } from "../dom.js";
import { minute } from "./lakechanges.js";
import { Notice } from "./notice.js";
import { table } from "./result.js";

interface Fold {
  readonly open: boolean;
  readonly opened: (isOpen: boolean) => void;
}

export class SeriesOverTime {
  readonly element: HTMLElement;
  readonly #chart: TrendChart;
  readonly #notice = new Notice();
  readonly #more = h("div", { class: "stack" });
  #stack: StackChart | null = null;

  constructor(private readonly series: LakeSeries, private readonly figure: string, private readonly span: Span, private readonly directories: readonly RunEntry[], fold: Fold) {
    const plot = h("div", { class: "plot" });
    const name = seriesName(series);
    const last = series.runs.at(-1);
    const details = h("details", { open: fold.open, ontoggle: () => this.#toggle(details.open, fold) },
      h("summary", {}, "histograms and runs"), this.#notice.element, this.#more);
    this.element = h("section", { class: "series", "aria-label": name, "data-series": name },
      h("h3", {}, name, h("span", { class: "muted" }, ` · ${grouped(series.runs.length)} runs, the last has ${amount(last?.value ?? null, figure)}`)),
      plot, details);
    this.#chart = new TrendChart(plot, series, figure, span);
  }

  close(): void {
    this.#chart.close();
    this.#stack?.close();
  }

  #toggle(open: boolean, fold: Fold): void {
    fold.opened(open);
    if (open && this.#stack === null) void this.#load();
  }

  async #load(): Promise<void> {
    const { place, scenario, kernel, state, is_virtual, stage, view } = this.series;
    const asked = { place, scenario, kernel, state, is_virtual: String(is_virtual), stage, view };
    const histograms = await this.#notice.attempt(() => api.lakeHistograms(asked));
    if (histograms === null) return;
    const plot = h("div", { class: "plot" });
    this.#more.replaceChildren(h("p", { class: "muted" }, "A column is a run, darker where more of its responses are."), plot, this.#table());
    this.#stack = new StackChart(plot, histograms, this.span);
  }

  /** Lists the newest run first. */
  #table(): HTMLElement {
    const rows = [...this.series.runs].reverse().map((run): Child[] => [
      this.#link(run), run.release ?? NONE, run.tool_version, grouped(run.count), grouped(run.lost), amount(run.value, this.figure),
    ]);
    return table(`Runs of ${seriesName(this.series)}`, ["begun", "kernel", "irqscope", "answered", "lost", "figure"], rows, [0, 1, 2]);
  }

  #link(run: LakeRun): Child {
    const id = directoryOf(run, this.series.scenario, this.directories);
    const text = minute(run.started_ms);
    return id === null ? h("span", { title: `run ${run.run}` }, text) : h("a", { href: format({ ...START, page: "run", run: id }) }, text);
  }
}
