// SPDX-License-Identifier: Apache-2.0 OR MIT
// Limits and a baseline that a case is held against, as irqscope gate does it. They are in the address, so
// that a link gives the same verdict.

import { api } from "../api/client.js";
import type { FinishedCase, Verdict } from "../api/types.js";
import { bar } from "../chart/frame.js";
import type { Context } from "../context.js";
import { counted, taken } from "../core/limits.js";
import { decimals, micro, NONE } from "../core/quantity.js";
import { type Attributes, type Child, h } from "../dom.js";
import { ResultPanel, table } from "./result.js";

const FORM = "NAME<LATENCY@QUANTILE, with commas between several. A trigger without a figure is later than every limit. "
  + "Not later than another run, or one case of it as RUN#CASE: p50 and p99 of every stage, and as often answered.";

export class GatePanel extends ResultPanel {
  readonly #text = field("limits", { "aria-describedby": "limits-form" });
  readonly #against = field("against", { list: "baselines", placeholder: "a run, or RUN#CASE", onfocus: () => void this.#offer() });
  readonly #allow = field("allow", { size: 6, placeholder: "5%" });
  readonly #baselines = h("datalist", { id: "baselines" });
  /** The limits that the run's scenario sets. */
  #own = "";

  constructor(private readonly context: Context, private readonly id: string) {
    super("gate", "Gate", "limits that this case must meet");
    const form = h("form", { class: "limits", onsubmit: (event) => this.#hold(event) },
      h("label", { for: "limits" }, "Limits"), this.#text,
      h("label", { for: "against" }, "Not later than"), this.#against, this.#baselines,
      h("label", { for: "allow" }, "Allowed"), this.#allow,
      h("button", { type: "submit" }, "Hold"));
    this.controls.append(form, h("p", { class: "muted", id: "limits-form" }, FORM));
  }

  protected choose({ measured, limits }: FinishedCase): void {
    const place = this.context.place();
    this.#text.placeholder = measured.slice(-2).map((name, index) => `${name}<${index === 0 ? "100us@p99" : "150us@max"}`).join(", ");
    this.#own = limits.join(", ");
    this.#text.value = place.limits ?? (place.against === null ? this.#own : "");
    this.#against.value = place.against ?? "";
    this.#allow.value = place.allow ?? "";
    if (this.wanted() !== null) this.open();
  }

  protected wanted(): string | null {
    const { limits, against, allow } = this.context.place();
    const held = limits ?? (against === null ? this.#own : "");
    return held === "" && against === null ? null : JSON.stringify({ limits: held, against, allow });
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const asked = JSON.parse(this.wanted() ?? "{}") as Readonly<Record<string, string | null>>;
    const { verdicts, changed } = await api.gate(this.id, { case: drawn.case, ...asked });
    return [h("p", { class: "sum" }, h("strong", { class: verdicts.every(({ passed }) => passed) ? "good" : "bad" }, counted(verdicts))),
      ...changed.map(({ what, base, other }) => h("p", { class: "caveat" }, `${what} differs from the baseline: ${base} | ${other}`)),
      table("Verdicts", ["verdict", "limit", "figure", "of the limit", ""], verdicts.map(row), [0, 1, 2, 4])];
  }

  async #offer(): Promise<void> {
    if (this.#baselines.childElementCount > 0) return;
    const { runs } = await api.runs();
    const others = runs.filter((run) => run.error === null && !run.under_way && run.id !== this.id);
    this.#baselines.replaceChildren(...others.map((run) => h("option", { value: run.id })));
  }

  #hold(event: Event): void {
    event.preventDefault();
    const [limits, against, allow] = [this.#text, this.#against, this.#allow].map(({ value }) => (value.trim() === "" ? null : value.trim()));
    this.context.note({ limits: limits ?? null, against: against ?? null, allow: allow ?? null });
    this.refresh();
  }
}

function field(id: string, more: Attributes): HTMLInputElement {
  return h("input", { type: "text", id, autocomplete: "off", spellcheck: "false", ...more });
}

function row(verdict: Verdict): readonly Child[] {
  const per_cent = taken(verdict);
  const found = verdict.found_ns === null ? verdict.found : `${micro(verdict.found_ns)} µs`;
  return [
    h("strong", { class: verdict.passed ? "good" : "bad" }, verdict.passed ? "✓ met" : "✗ exceeded"), verdict.asked, found,
    per_cent === null ? NONE : `${decimals(per_cent, 1)} %`, per_cent === null ? null : bar(per_cent, verdict.passed ? "" : "over"),
  ];
}
