// SPDX-License-Identifier: Apache-2.0 OR MIT
// The measurement and its target: cases, their progress, loads, what went wrong.

import type { CaseSnapshot, Measurement } from "../api/types.js";
import type { Context } from "../context.js";
import { format } from "../core/location.js";
import { grouped } from "../core/quantity.js";
import { h, say, show } from "../dom.js";
import { Notice } from "./notice.js";

export class TargetPanel {
  readonly element: HTMLElement;
  readonly #title = h("p", { class: "what" });
  readonly #run = h("a", { hidden: true }, "Open the run");
  readonly #error = new Notice();
  readonly #cases = h("div", { class: "cases" });
  #rows = new Map<string, { readonly button: HTMLElement; readonly meter: HTMLProgressElement; readonly text: HTMLElement; readonly load: HTMLElement }>();

  constructor(private readonly context: Context) {
    this.element = h("section", { class: "panel", "aria-labelledby": "measurement" },
      h("h2", { id: "measurement" }, "Measurement"), this.#title, this.#error.element, this.#cases, this.#run);
  }

  update(measurement: Measurement | null): void {
    say(this.#title, measurement === null ? "None yet: connect a generator, or run a scenario." : title(measurement));
    const error = measurement?.error ?? null;
    if (error === null) this.#error.clear();
    else this.#error.say(error);
    const cases = measurement?.cases ?? [];
    if (cases.map((one) => one.case).join() !== [...this.#rows.keys()].join()) this.#make(cases);
    for (const one of cases) this.#row(one, one.case === (this.context.place().case ?? measurement?.shown));
    const run = measurement?.run ?? null;
    const finished = run !== null && (measurement?.state === "done" || measurement?.state === "stopped");
    show(this.#run, finished);
    if (run !== null) this.#run.setAttribute("href", format({ ...this.context.place(), page: "run", run, sample: null }));
  }

  #row(one: CaseSnapshot, shown: boolean): void {
    const row = this.#rows.get(one.case);
    if (row === undefined) return;
    row.button.setAttribute("aria-pressed", String(shown));
    row.meter.max = Math.max(one.planned, 1);
    row.meter.value = Math.min(one.samples, row.meter.max);
    say(row.text, one.failure?.what ?? `${one.phase}, ${grouped(one.samples)} of ${grouped(one.planned)}`);
    say(row.load, target(one));
  }

  #make(cases: readonly CaseSnapshot[]): void {
    this.#rows = new Map();
    this.#cases.replaceChildren(...cases.map((one) => {
      const meter = h("progress", { "aria-label": `Progress of ${one.case}` });
      const text = h("span", { class: "muted" });
      const load = h("span", { class: "muted" });
      const button = h("button", { type: "button", class: "case", onclick: () => this.context.go({ case: one.case, sample: null }) },
        h("strong", {}, one.case), text, load);
      this.#rows.set(one.case, { button, meter, text, load });
      return h("div", {}, button, meter);
    }));
  }
}

function target({ release, state, twin }: CaseSnapshot): string {
  const loads = state.loads.length === 0 ? "no loads" : `loads ${state.loads.join(", ")}`;
  return [release, `${state.name}: ${loads}`, twin ? "virtual time" : null].filter((part) => part !== null).join(" · ");
}

function title({ scenario, rig, state, what }: Measurement): string {
  return `${scenario === null ? "generator" : `${scenario} on ${rig}`}: ${state}${what === "" || what === state ? "" : ` (${what})`}`;
}
