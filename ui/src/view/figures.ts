// SPDX-License-Identifier: Apache-2.0 OR MIT
// The table of all stages, from outside and from inside.

import type { LiveSeries } from "../api/types.js";
import { colourAs, h, say } from "../dom.js";
import { grouped, micro, NONE } from "../core/quantity.js";

interface Column {
  readonly name: string;
  readonly about: string;
  readonly unit?: string;
  readonly text: (series: LiveSeries) => string;
}

const COLUMNS: readonly Column[] = [
  { name: "count", about: "responses", text: (one) => grouped(one.count) },
  { name: "missing", about: "asked, not answered", text: (one) => grouped(one.missing) },
  { name: "min", about: "shortest latency", unit: "µs", text: (one) => micro(one.min_ns) },
  { name: "mean", about: "arithmetic mean", unit: "µs", text: (one) => micro(one.mean_ns) },
  { name: "p50", about: "median", unit: "µs", text: (one) => micro(one.p50_ns) },
  { name: "p99", about: "99 % are no later", unit: "µs", text: (one) => micro(one.p99_ns) },
  { name: "p99.9", about: "99.9 % are no later", unit: "µs", text: (one) => micro(one.p99_9_ns) },
  { name: "max", about: "longest latency", unit: "µs", text: (one) => micro(one.max_ns) },
];

export class FiguresTable {
  readonly element: HTMLElement;
  readonly #body = h("tbody");
  #rows = new Map<string, HTMLElement[]>();

  constructor() {
    const heads = COLUMNS.map(({ name, about, unit }) =>
      h("th", { scope: "col", title: about }, name, unit === undefined ? null : h("small", {}, ` ${unit}`)));
    this.element = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures of all stages" },
      h("table", { class: "figures" },
        h("caption", { class: "unseen" }, "Latency by stage and view, in microseconds"),
        h("thead", {}, h("tr", {},
          h("th", { scope: "col" }, "stage"), h("th", { scope: "col" }, "view"), ...heads)),
        this.#body));
  }

  update(all: readonly LiveSeries[]): void {
    const names = all.map(key);
    if (names.join() !== [...this.#rows.keys()].join()) this.#make(all);
    for (const series of all) {
      const cells = this.#rows.get(key(series)) ?? [];
      COLUMNS.forEach((column, index) => {
        const cell = cells[index];
        if (cell !== undefined) say(cell, column.text(series));
      });
      cells[1]?.classList.toggle("bad", series.missing > 0);
    }
  }

  #make(all: readonly LiveSeries[]): void {
    this.#rows = new Map();
    let before = "";
    this.#body.replaceChildren(...all.map((series) => {
      const cells = COLUMNS.map(({ name }) => h("td", { "data-column": name }, NONE));
      this.#rows.set(key(series), cells);
      const first = series.stage !== before;
      before = series.stage;
      const name = h("th", { scope: "row" },
        h("span", { class: first ? "swatch" : "swatch none" }),
        first ? series.stage : h("span", { class: "unseen" }, series.stage));
      colourAs(name, series.stage);
      return h("tr", { class: first ? "first" : "", "data-series": key(series) },
        name, h("td", { class: "view" }, series.view), ...cells);
    }));
  }
}

function key(series: LiveSeries): string {
  return `${series.stage}:${series.view}`;
}
