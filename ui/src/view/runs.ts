// SPDX-License-Identifier: Apache-2.0 OR MIT
// The runs directory: open one, compare two.

import { api } from "../api/client.js";
import type { RunEntry } from "../api/types.js";
import type { Context, Screen } from "../context.js";
import { format, START } from "../core/location.js";
import { bytes, instant, NONE } from "../core/quantity.js";
import { h, say } from "../dom.js";
import { Notice } from "./notice.js";

export class RunsScreen implements Screen {
  readonly element: HTMLElement;
  readonly #body = h("tbody");
  readonly #where = h("p", { class: "muted" }, "…");
  readonly #compare = h("button", { type: "button", disabled: true, onclick: () => this.#open() }, "Compare");
  readonly #notice = new Notice();
  #chosen: string[] = [];

  constructor(private readonly context: Context) {
    const heads = ["run", "scenario", "rig", "started", "state", "cases", "log"];
    this.element = h("section", { class: "panel page", "aria-labelledby": "runs" },
      h("div", { class: "heads" }, h("h1", { id: "runs" }, "Runs"), this.#where,
        h("span", { class: "muted" }, "tick two to compare them; the first is the base"), this.#compare),
      this.#notice.element,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "List of runs" },
        h("table", { class: "runs" },
          h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "unseen" }, "compare")), ...heads.map((name) => h("th", { scope: "col" }, name)))),
          this.#body)));
    void this.#load();
  }

  close(): void {}

  async #load(): Promise<void> {
    const answer = await this.#notice.attempt(() => api.runs());
    if (answer === null) return;
    say(this.#where, `${answer.runs.length} in ${answer.directory}`);
    this.#body.replaceChildren(...answer.runs.map((run) => this.#row(run)));
  }

  #row(run: RunEntry): HTMLElement {
    const tick = h("input", {
      type: "checkbox", "aria-label": `Compare ${run.id}`, disabled: run.error !== null || run.under_way,
      onchange: () => this.#tick(run.id, tick.checked),
    });
    const link = h("a", { href: format({ ...START, page: run.under_way ? "live" : "run", run: run.id }) }, run.id);
    return h("tr", { "data-run": run.id },
      h("td", {}, tick), h("th", { scope: "row" }, link), h("td", {}, run.scenario ?? NONE), h("td", {}, run.rig ?? NONE),
      h("td", {}, run.started_utc === null ? NONE : instant(run.started_utc)), h("td", {}, stateOf(run)),
      h("td", {}, run.cases?.join(", ") ?? NONE),
      h("td", { class: "number" }, run.log_bytes === null ? NONE : bytes(run.log_bytes)));
  }

  /** At most two: a third takes the place of the second. */
  #tick(id: string, on: boolean): void {
    this.#chosen = on ? [...this.#chosen.slice(0, 1), id] : this.#chosen.filter((one) => one !== id);
    for (const row of this.#body.querySelectorAll<HTMLElement>("tr")) {
      const tick = row.querySelector<HTMLInputElement>("input");
      if (tick !== null) tick.checked = this.#chosen.includes(row.dataset["run"] ?? "");
    }
    this.#compare.disabled = this.#chosen.length !== 2;
  }

  #open(): void {
    const [base = null, other = null] = this.#chosen;
    this.context.go({ ...START, page: "compare", base, other });
  }
}

function stateOf(run: RunEntry): string {
  if (run.error !== null) return run.error.what;
  if (run.under_way) return "under way";
  return run.complete ? "complete" : "not complete";
}
