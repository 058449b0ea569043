// SPDX-License-Identifier: Apache-2.0 OR MIT
// A panel of one subcommand's results: opened by its heading, and asked for only then, because some take a while.

import type { FinishedCase, ResultKind } from "../api/types.js";
import { type Child, h, show } from "../dom.js";
import { Notice } from "./notice.js";

export abstract class ResultPanel {
  readonly element: HTMLElement;
  protected readonly notice = new Notice();
  protected readonly controls = h("div", { class: "choices" });
  readonly #body = h("div", { class: "result", "aria-live": "polite" });
  readonly #details: HTMLDetailsElement;
  #drawn: FinishedCase | null = null;
  #asked = "";
  #turn = 0;

  constructor(readonly kind: ResultKind, title: string, about: string) {
    this.#details = h("details", { ontoggle: () => this.refresh() },
      h("summary", {}, h("h2", {}, title, h("span", { class: "muted" }, ` · ${about}`))),
      this.controls, this.notice.element, this.#body);
    this.element = h("section", { class: "panel of-result", "aria-label": title, "data-result": kind, hidden: true }, this.#details);
  }

  /** Offers it if the case has it; what was shown of another case is forgotten. */
  update(drawn: FinishedCase): void {
    show(this.element, drawn.results.includes(this.kind));
    if (this.#drawn?.case !== drawn.case) {
      this.#drawn = drawn;
      this.#asked = "";
      this.#body.replaceChildren();
      this.choose(drawn);
    }
    this.refresh();
  }

  open(): void {
    this.#details.open = true;
  }

  /** Asks for what is chosen, if it is seen and not there yet. */
  protected refresh(): void {
    const drawn = this.#drawn;
    if (drawn === null || !this.#details.open || this.element.hidden) return;
    const wanted = this.wanted();
    if (wanted === null || wanted === this.#asked) return;
    this.#asked = wanted;
    this.#turn += 1;
    void this.#fetch(drawn, this.#turn);
  }

  async #fetch(drawn: FinishedCase, turn: number): Promise<void> {
    this.#body.setAttribute("aria-busy", "true");
    const children = await this.notice.attempt(() => this.show(drawn));
    if (turn !== this.#turn) return;
    this.#body.setAttribute("aria-busy", "false");
    if (children === null) this.#asked = "";
    this.#body.replaceChildren(...(children ?? []).filter((child) => child !== null));
  }

  /** Fills the choices for another case. */
  protected abstract choose(drawn: FinishedCase): void;
  /** Returns the choices in one text; null: there is nothing to ask for. */
  protected abstract wanted(): string | null;
  protected abstract show(drawn: FinishedCase): Promise<readonly Child[]>;
}

/** Makes a labelled choice of one of several. */
export function selection(label: string, values: readonly (readonly [value: string, text: string])[], changed: () => void): { readonly element: HTMLElement; readonly select: HTMLSelectElement } {
  const select = h("select", { onchange: changed }, ...values.map(([value, text]) => h("option", { value }, text)));
  return { element: h("label", { class: "choice" }, h("span", {}, label), select), select };
}

/** Makes a table that scrolls by itself where it is too wide. */
export function table(label: string, heads: readonly string[], rows: readonly (readonly Child[])[], words: readonly number[] = []): HTMLElement {
  const kind = (column: number) => (words.includes(column) ? "wide" : "number");
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, h("table", { class: "plain" },
    h("thead", {}, h("tr", {}, ...heads.map((name, column) => h("th", { scope: "col", class: kind(column) }, name)))),
    h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell, column) => h("td", { class: kind(column) }, cell)))))));
}
