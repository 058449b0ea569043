// SPDX-License-Identifier: Apache-2.0 OR MIT
// Figures beside each line: of this trigger, and of all.

import type { LiveSeries } from "../api/types.js";
import { grouped, micro, NONE } from "../core/quantity.js";
import { colourAs, h, say } from "../dom.js";

export interface Row {
  readonly name: string;
  readonly stage: string | null;
  readonly view: string;
  /** Of the shown trigger; null: it has no answer; undefined: it did not ask, or sweeps are piled. */
  readonly latency: number | null | undefined;
  readonly series: LiveSeries | null;
}

interface Column {
  readonly name: string;
  readonly about: string;
  readonly text: (series: LiveSeries) => string;
}

const COLUMNS: readonly Column[] = [
  { name: "min", about: "shortest latency of all, in µs", text: (one) => micro(one.min_ns) },
  { name: "mean", about: "arithmetic mean, in µs", text: (one) => micro(one.mean_ns) },
  { name: "p50", about: "median, in µs", text: (one) => micro(one.p50_ns) },
  { name: "p99", about: "99 % are no later, in µs", text: (one) => micro(one.p99_ns) },
  { name: "max", about: "longest latency, in µs", text: (one) => micro(one.max_ns) },
  { name: "jitter", about: "standard deviation of all latencies, in µs", text: (one) => micro(one.stddev_ns) },
  { name: "count", about: "responses", text: (one) => grouped(one.count) },
];

export class Measurements {
  readonly element: HTMLElement;
  readonly #body = h("tbody");
  #cells: HTMLElement[][] = [];
  #names = "";

  /** `choose`: a line's name was pressed. */
  constructor(private readonly choose: (stage: string) => void) {
    const heads = COLUMNS.map(({ name, about }) => h("th", { scope: "col", title: about }, name));
    this.element = h("div", { class: "scroll measurements", tabindex: 0, role: "region", "aria-label": "Measurements of each line" },
      h("table", {},
        h("caption", { class: "unseen" }, "Latencies of each line, in microseconds"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "line"),
          h("th", { scope: "col", title: "latency of the shown trigger, in µs" }, "this"), ...heads)),
        this.#body));
  }

  update(rows: readonly Row[], chosen: string | null): void {
    const names = rows.map(({ name, view }) => `${name}:${view}`).join();
    if (names !== this.#names) this.#make(rows, names);
    rows.forEach(({ latency, series, stage }, index) => {
      const [name, here, ...rest] = this.#cells[index] ?? [];
      name?.querySelector("button")?.setAttribute("aria-pressed", String(stage !== null && stage === chosen));
      if (stage === null) return;
      if (here !== undefined) say(here, latency === undefined ? NONE : latency === null ? "no answer" : micro(latency));
      here?.classList.toggle("bad", latency === null);
      COLUMNS.forEach((column, at) => {
        const cell = rest[at];
        if (cell !== undefined) say(cell, series === null ? NONE : column.text(series));
      });
    });
  }

  #make(rows: readonly Row[], names: string): void {
    this.#names = names;
    this.#cells = [];
    const views = new Set(rows.map((row) => row.view)).size;
    this.#body.replaceChildren(...rows.map((row) => {
      const { stage } = row;
      const label = [h("span", { class: stage === null ? "swatch none" : "swatch" }), row.name,
        views > 1 ? h("span", { class: "muted" }, ` ${row.view}`) : null];
      const name = h("th", { scope: "row" }, stage === null ? h("span", { class: "name" }, ...label)
        : h("button", { type: "button", class: "name", title: "Its causes below, and what is looked for", onclick: () => this.choose(stage) }, ...label));
      const cells = [name, ...["this", ...COLUMNS.map((column) => column.name)].map((column) => h("td", { "data-column": column }, ""))];
      this.#cells.push(cells);
      if (stage !== null) colourAs(name, stage);
      return h("tr", { "data-line": `${row.name}:${row.view}` }, ...cells);
    }));
  }
}
