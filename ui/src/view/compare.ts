// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two runs beside each other: by how much every quantile differs, and how sure that is.

import { api } from "../api/client.js";
import type { Comparison, RunEntry } from "../api/types.js";
import type { Context, Screen } from "../context.js";
import { h } from "../dom.js";
import { ComparedCurves } from "./curves.js";
import { comparisonTable } from "./differences.js";
import { Notice } from "./notice.js";

export class CompareScreen implements Screen {
  readonly element: HTMLElement;
  readonly #choice = h("div", { class: "choices" });
  readonly #body = h("div", { class: "comparisons" });
  readonly #notice = new Notice();
  #runs: readonly RunEntry[] = [];
  #curves: ComparedCurves[] = [];
  #asked = "";

  constructor(private readonly context: Context) {
    this.element = h("div", { class: "compare" },
      h("section", { class: "panel page", "aria-labelledby": "compare" },
        h("h1", { id: "compare" }, "Compare"), this.#choice, this.#notice.element),
      this.#body);
    void this.#load();
  }

  place(): void {
    this.#choose();
    void this.#show();
  }

  close(): void {
    for (const curves of this.#curves) curves.close();
  }

  async #load(): Promise<void> {
    this.#runs = (await this.#notice.attempt(() => api.runs()))?.runs ?? [];
    this.place();
  }

  #choose(): void {
    const { base, other, baseCase, otherCase, view } = this.context.place();
    const ids = this.#runs.filter((run) => run.error === null && !run.under_way).map((run) => run.id);
    const cases = (id: string | null) => ["", ...(this.#runs.find((run) => run.id === id)?.cases ?? [])];
    this.#choice.replaceChildren(
      choice("base", ["", ...ids], base, (id) => this.context.go({ base: id, baseCase: null })),
      choice("base case", cases(base), baseCase, (name) => this.context.go({ baseCase: name })),
      choice("other", ["", ...ids], other, (id) => this.context.go({ other: id, otherCase: null })),
      choice("other case", cases(other), otherCase, (name) => this.context.go({ otherCase: name })),
      choice("view", ["outside", "inside"], view === "inside" ? view : "outside", (name) => this.context.go({ view: name === "inside" ? name : null })));
  }

  async #show(): Promise<void> {
    const { base, other, baseCase, otherCase, view } = this.context.place();
    if (base === null || other === null) return;
    const ask = { base, other, base_case: baseCase, other_case: otherCase, view: view === "inside" ? view : "outside" };
    const asked = JSON.stringify(ask);
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#clear(h("p", { class: "muted panel" }, "Comparing …"));
    const answer = await this.#notice.attempt(() => api.compare(ask));
    if (asked !== this.#asked) return;
    this.#clear(...(answer?.comparisons ?? []).map((one) => this.#one(one)));
  }

  #clear(...next: readonly HTMLElement[]): void {
    if (next.length === 0 || next[0]?.matches(".muted")) {
      this.close();
      this.#curves = [];
    }
    this.#body.replaceChildren(...next);
  }

  #one(comparison: Comparison): HTMLElement {
    const place = this.context.place();
    const curves = new ComparedCurves(this.context.hello, comparison, place.base ?? "", place.other ?? "", place.view === "inside" ? "inside" : "outside");
    this.#curves.push(curves);
    return h("section", { class: "panel comparison" }, comparisonTable(comparison), curves.element);
  }
}

const NOT_CHOSEN: Readonly<Record<string, string>> = { "base case": "all", "other case": "of the same name" };

/** Makes a choice; an empty value stands for no particular one. */
function choice(label: string, values: readonly string[], now: string | null, choose: (value: string | null) => void): HTMLElement {
  const select = h("select", { "aria-label": label, onchange: () => choose(select.value === "" ? null : select.value) },
    ...values.map((value) => h("option", { value, selected: value === (now ?? "") }, value === "" ? NOT_CHOSEN[label] ?? "choose a run" : value)));
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

