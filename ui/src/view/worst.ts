// SPDX-License-Identifier: Apache-2.0 OR MIT
// The longest latencies, each opening to its details.

import type { Worst } from "../api/types.js";
import type { Context } from "../context.js";
import { grouped, micro } from "../core/quantity.js";
import { colourAs, h } from "../dom.js";
import { details, type Sample } from "./sample.js";

interface Row {
  /** Its text, to be compared. */
  readonly shown: string;
  readonly element: HTMLElement;
}

export class WorstList {
  readonly element: HTMLElement;
  readonly #choice: HTMLSelectElement;
  readonly #list = h("ol", { class: "worst" });
  #rows = new Map<string, Row>();

  constructor(private readonly context: Context) {
    this.#choice = h("select", { id: "worst-stage", onchange: () => context.go({ worst: this.#choice.value || null, sample: null }) },
      h("option", { value: "" }, "the worst of each stage"));
    this.element = h("section", { class: "worst-panel panel", "aria-labelledby": "worst" },
      h("div", { class: "heads" }, h("h2", { id: "worst" }, "Worst samples"),
        h("label", { for: "worst-stage", class: "unseen" }, "Stage"), this.#choice),
      this.#list);
  }

  /** Stages to choose from. */
  stages(names: readonly string[]): void {
    const have = [...this.#choice.options].slice(1).map((option) => option.value);
    if (have.join() !== names.join()) {
      this.#choice.replaceChildren(h("option", { value: "" }, "the worst of each stage"),
        ...names.map((name) => h("option", { value: name }, name)));
    }
    const wanted = this.context.place().worst ?? "";
    if (this.#choice.value !== wanted) this.#choice.value = names.includes(wanted) ? wanted : "";
  }

  /** A row that stays is not made anew: somebody may be about to press it. */
  update(samples: readonly Sample[]): void {
    const open = this.context.place().sample;
    const rows = new Map<string, Row>();
    for (const sample of samples) {
      const shown = JSON.stringify([sample, key(sample) === open]);
      const before = this.#rows.get(key(sample));
      const same = before !== undefined && before.shown === shown;
      rows.set(key(sample), same ? before : { shown, element: this.#row(sample, key(sample) === open) });
    }
    this.#rows = rows;
    this.#place([...rows.values()].map((row) => row.element));
  }

  #place(rows: readonly HTMLElement[]): void {
    const now = [...this.#list.children];
    if (now.length === rows.length && rows.every((row, index) => row === now[index])) return;
    const focused = document.activeElement?.getAttribute("data-sample");
    this.#list.replaceChildren(...rows);
    if (focused) this.#list.querySelector<HTMLElement>(`[data-sample="${focused}"]`)?.focus();
  }

  #row(sample: Sample, open: boolean): HTMLElement {
    const name = key(sample);
    const row = h("li", {},
      h("button", {
        type: "button", class: "row", "data-sample": name, "aria-expanded": String(open),
        onclick: () => this.context.go({ sample: open ? null : name }),
      },
        h("span", { class: "swatch" }), h("span", { class: "stage" }, sample.stage),
        h("span", { class: "number" }, `${micro(sample.latency_ns)} µs`),
        h("span", { class: "number seq" }, `#${grouped(sample.seq)}`),
        h("span", { class: "flags" }, sample.flags.join(" "))),
      open ? details(sample) : null);
    colourAs(row, sample.stage);
    return row;
  }
}

export function key(sample: Worst): string {
  return `${sample.stage}:${sample.view}:${sample.seq}`;
}

/** Chooses what is listed: one stage's, or the first of each. */
export function chosen(all: readonly Sample[], view: string, stage: string | null): Sample[] {
  const seen = all.filter((one) => one.view === view);
  if (stage !== null) return seen.filter((one) => one.stage === stage);
  return seen.filter((one, index) => seen.findIndex((first) => first.stage === one.stage) === index);
}
