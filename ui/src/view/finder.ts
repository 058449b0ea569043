// SPDX-License-Identifier: Apache-2.0 OR MIT
// Choosing what is looked for: which stage, and its worst, above a latency, or without an answer.

import type { Context } from "../context.js";
import { type Find, formatFind, parseFind, type What } from "../core/find.js";
import { parseTime, round } from "../core/quantity.js";
import { h, show } from "../dom.js";

export class Finder {
  readonly element: HTMLElement;
  readonly #what: HTMLSelectElement;
  readonly #stage: HTMLSelectElement;
  readonly #least: HTMLInputElement;

  constructor(private readonly context: Context, names: readonly (readonly [What, string])[], private readonly changed: (find: Find) => void) {
    const change = () => this.#change();
    this.#what = h("select", { id: "find-what", onchange: change }, ...names.map(([value, name]) => h("option", { value }, name)));
    this.#stage = h("select", { "aria-label": "Stage that is looked at", id: "find-stage", onchange: change });
    this.#least = h("input", { type: "text", id: "find-least", "aria-label": "Least latency, such as 50 µs", placeholder: "50 µs", autocomplete: "off", onchange: change });
    this.element = h("span", { class: "finder" }, h("label", { for: "find-what" }, "Trigger"), this.#what, this.#stage, this.#least);
  }

  update(stages: readonly string[], fallback: string | null): void {
    const find = parseFind(this.context.place().find);
    if ([...this.#stage.options].map(({ value }) => value).join() !== stages.join()) {
      this.#stage.replaceChildren(...stages.map((value) => h("option", { value }, value)));
    }
    const set = (select: HTMLSelectElement, value: string) => {
      if (select.value !== value && document.activeElement !== select) select.value = value;
    };
    set(this.#what, find.what);
    set(this.#stage, find.stage ?? fallback ?? "");
    show(this.#least, find.what === "above");
    if (document.activeElement !== this.#least) this.#least.value = find.least === null ? "" : round(find.least);
  }

  #change(): void {
    const typed = parseTime(this.#least.value);
    this.#least.setAttribute("aria-invalid", String(this.#least.value !== "" && typed === null));
    const what = this.#what.value as What;
    show(this.#least, what === "above");
    const find: Find = { what, stage: this.#stage.value || null, least: what === "above" ? typed : null };
    this.context.note({ find: formatFind(find) });
    this.changed(find);
  }
}
