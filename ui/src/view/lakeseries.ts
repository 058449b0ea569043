// SPDX-License-Identifier: Apache-2.0 OR MIT
// One series of a lake: its figure over time; opened, its histograms over time and all of its runs.

import { api } from "../api/client.js";
import type { LakeRun, LakeSeries, RunEntry } from "../api/types.js";
import { StackChart } from "../chart/stack.js";
import { MaximaChart } from "../chart/maxima.js";
import { type Span, TrendChart } from "../chart/trend.js";
import { format, START } from "../core/location.js";
import { grouped, NONE } from "../core/quantity.js";
import { amount, directoryOf, seriesName } from "../core/trend.js";
import { type Child, h } from "../dom.js";
import { minute } from "./lakechanges.js";
import { Notice } from "./notice.js";
import { selection, table } from "./result.js";

interface Fold {
  readonly open: boolean;
  readonly opened: (isOpen: boolean) => void;
}

export class SeriesOverTime {
  readonly element: HTMLElement;
  readonly #chart: TrendChart;
  readonly #notice = new Notice();
  readonly #more = h("div", { class: "stack" });
  readonly #maxima = h("div", {});
  #stack: StackChart | null = null;
  #columns: MaximaChart | null = null;

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
    this.#columns?.close();
  }

  #toggle(open: boolean, fold: Fold): void {
    fold.opened(open);
    if (open && this.#stack === null) void this.#load();
  }

  async #load(): Promise<void> {
    const { place, scenario, case: name, is_virtual, stage, view } = this.series;
    const asked = { place, scenario, case: name, is_virtual: String(is_virtual), stage, view };
    const histograms = await this.#notice.attempt(() => api.lakeHistograms(asked));
    if (histograms === null) return;
    const plot = h("div", { class: "plot" });
    this.#more.replaceChildren(h("p", { class: "muted" }, "A column is a run, darker where more of its responses are."), plot, this.#choice(), this.#maxima, this.#table());
    this.#stack = new StackChart(plot, histograms, this.span);
  }

  /** Offers the maxima of one run over its own time: it takes its samples, which digests have not. */
  #choice(): HTMLElement {
    const runs = [...this.series.runs].reverse().map(({ run, started_ms }): readonly [string, string] => [run, minute(started_ms)]);
    const { element, select } = selection("maxima of five minutes of the run begun", [["", "choose a run"], ...runs], () => void this.#draw(select.value));
    return element;
  }

  async #draw(run: string): Promise<void> {
    this.#columns?.close();
    this.#columns = null;
    this.#maxima.replaceChildren();
    if (run === "") return;
    const answer = await this.#notice.attempt(() => api.lakeMaxima(run, this.series.stage, this.series.view));
    const mine = (answer?.intervals ?? []).filter((one) => one.case === this.series.case);
    if (mine.length === 0) return;
    const plot = h("div", { class: "plot" });
    const most = Math.max(...mine.map(({ max_ns }) => max_ns));
    this.#maxima.replaceChildren(h("p", { class: "muted maxima" }, `${mine.length === 1 ? "one interval" : `${grouped(mine.length)} intervals`} with responses; the longest latency is ${amount(most, "max_ns")}`), plot);
    this.#columns = new MaximaChart(plot, mine);
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
