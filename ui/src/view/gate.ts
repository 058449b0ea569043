// SPDX-License-Identifier: Apache-2.0 OR MIT
// Limits that a case is held against, as irqscope gate does it. They are in the address, so that a link
// gives the same verdict.

import { api } from "../api/client.js";
import type { FinishedCase, Verdict } from "../api/types.js";
import { bar } from "../chart/frame.js";
import type { Context } from "../context.js";
import { counted, taken } from "../core/limits.js";
import { decimals, micro, NONE } from "../core/quantity.js";
import { type Child, h } from "../dom.js";
import { ResultPanel, table } from "./result.js";

export class GatePanel extends ResultPanel {
  readonly #text = h("input", { type: "text", id: "limits", autocomplete: "off", spellcheck: "false", "aria-describedby": "limits-form" });
  /** The limits that the run's scenario sets. */
  #own = "";

  constructor(private readonly context: Context, private readonly id: string) {
    super("gate", "Gate", "limits that this case must meet");
    const form = h("form", { class: "limits", onsubmit: (event) => this.#hold(event) },
      h("label", { for: "limits" }, "Limits"), this.#text, h("button", { type: "submit" }, "Hold"));
    this.controls.append(form, h("p", { class: "muted", id: "limits-form" }, "NAME<LATENCY@QUANTILE, with commas between several. A trigger without a figure is later than every limit."));
  }

  protected choose({ measured, limits }: FinishedCase): void {
    this.#text.placeholder = measured.slice(-2).map((name, place) => `${name}<${place === 0 ? "100us@p99" : "150us@max"}`).join(", ");
    this.#own = limits.join(", ");
    this.#text.value = this.context.place().limits ?? this.#own;
    if (this.#text.value !== "") this.open();
  }

  protected wanted(): string | null {
    return this.context.place().limits ?? (this.#own === "" ? null : this.#own);
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const { verdicts } = await api.gate(this.id, drawn.case, this.wanted() ?? "");
    return [h("p", { class: "sum" }, h("strong", { class: verdicts.every(({ passed }) => passed) ? "good" : "bad" }, counted(verdicts))),
      table("Verdicts", ["verdict", "limit", "figure", "of the limit", ""], verdicts.map(row), [0, 1, 2, 4])];
  }

  #hold(event: Event): void {
    event.preventDefault();
    const text = this.#text.value.trim();
    this.context.note({ limits: text === "" ? null : text });
    this.refresh();
  }
}

function row(verdict: Verdict): readonly Child[] {
  const per_cent = taken(verdict);
  const found = verdict.found_ns === null ? verdict.found : `${micro(verdict.found_ns)} µs`;
  return [
    h("strong", { class: verdict.passed ? "good" : "bad" }, verdict.passed ? "✓ met" : "✗ exceeded"), verdict.asked, found,
    per_cent === null ? NONE : `${decimals(per_cent, 1)} %`, per_cent === null ? null : bar(per_cent, verdict.passed ? "" : "over"),
  ];
}
