// SPDX-License-Identifier: Apache-2.0 OR MIT
// The functions that were executed in one latency, as irqscope path prints them.

import { api } from "../api/client.js";
import type { FinishedCase, PathCheck, ShownPath, Stage } from "../api/types.js";
import { bar } from "../chart/frame.js";
import { leading, parts } from "../core/path.js";
import { decimals, grouped, micro } from "../core/quantity.js";
import { type Child, h } from "../dom.js";
import { ResultPanel, selection, table } from "./result.js";

/** Functions that are listed; the rest are one line. */
const LISTED = 20;
const SAMPLES = [["p50", "an ordinary one (p50)"], ["p99", "a late one (p99)"], ["max", "the latest (max)"], ["min", "the soonest (min)"]] as const;

export class PathPanel extends ResultPanel {
  #stage: HTMLSelectElement | null = null;
  #at: HTMLSelectElement | null = null;

  constructor(private readonly id: string) {
    super("path", "Path", "what was executed from a trigger to the response");
  }

  protected choose({ measured }: FinishedCase): void {
    const stage = selection("stage", measured.map((name) => [name, name]), () => this.refresh());
    const at = selection("response", SAMPLES, () => this.refresh());
    if (measured.includes("softirq")) stage.select.value = "softirq";
    [this.#stage, this.#at] = [stage.select, at.select];
    this.controls.replaceChildren(stage.element, at.element);
  }

  protected wanted(): string | null {
    return this.#stage === null || this.#at === null ? null : `${this.#stage.value} ${this.#at.value}`;
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const [stage = "", at = ""] = (this.wanted() ?? "").split(" ");
    const shown = await api.path(this.id, drawn.case, stage as Stage, at);
    return [title(shown), listing(shown), h("p", { class: "muted" }, checked(shown.check)),
      h("p", { class: "caveat" }, "Instructions of an emulated CPU, one after the other: it knows nothing of caches, buses or firmware.")];
  }
}

function title({ sample }: ShownPath): HTMLElement {
  return h("p", {}, h("strong", {}, `${grouped(sample.instructions)} instructions`), ` in ${micro(sample.latency_ns)} µs: stage ${sample.stage}, trigger ${grouped(sample.seq)}${sample.slept ? "; the CPU slept in between" : ""}`);
}

function listing({ sample, functions }: ShownPath): HTMLElement {
  const { listed, rest } = leading(functions, LISTED);
  const rows = parts(listed, sample.instructions).map(({ function: name, own, total, per_cent }) =>
    [bar(per_cent), `${decimals(per_cent, 1)} %`, grouped(own), grouped(total), name]);
  const more = rest.count === 0 ? [] : [[null, `${decimals((rest.own / Math.max(sample.instructions, 1)) * 100, 1)} %`, grouped(rest.own), null, `${grouped(rest.count)} more functions`]];
  return table("Functions by instructions of their own", ["", "share", "own", "with calls", "function"], [...rows, ...more], [0, 4]);
}

function checked({ samples, equal, slept, mismatches, cut_off }: PathCheck): string {
  const all = [`${grouped(samples)} traced latencies; in ${grouped(equal)} of them the instructions are the latency`];
  if (slept > 0) all.push(`in ${grouped(slept)} the CPU slept`);
  if (cut_off > 0) all.push(`the path of ${grouped(cut_off)} is not whole`);
  if (mismatches.length > 0) all.push(`${grouped(mismatches.length)} do not agree`);
  return `${all.join("; ")}.`;
}
