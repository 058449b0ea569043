// SPDX-License-Identifier: Apache-2.0 OR MIT
// A finished run: the figures of its summary, drawn as live ones are.

import { api } from "../api/client.js";
import type { CaseSummary, FinishedCase, RunDetails } from "../api/types.js";
import type { Context, Screen } from "../context.js";
import { format, START } from "../core/location.js";
import { grouped, instant } from "../core/quantity.js";
import { shownView } from "../core/watched.js";
import { h, say } from "../dom.js";
import { AccountStrip } from "./account.js";
import { downloads } from "./downloads.js";
import { Notice } from "./notice.js";
import { RunResults } from "./results.js";
import { RunCauses } from "./runcauses.js";
import { RunScope } from "./runscope.js";
import type { Sample } from "./sample.js";
import type { Keys } from "./keys.js";
import { Watch } from "./watch.js";

const WORST = 20;

export class RunScreen implements Screen {
  readonly element: HTMLElement;
  readonly #strip = new AccountStrip();
  readonly #watch: Watch;
  readonly #scope: RunScope;
  readonly #causes: RunCauses;
  readonly #results: RunResults;
  readonly keys: Keys;
  readonly #notice = new Notice();
  readonly #state = h("span", { class: "state" }, "reading the run");
  readonly #case = h("select", { "aria-label": "Case", onchange: () => this.context.go({ case: this.#case.value, sample: null, trigger: null, window: null }) });
  readonly #facts = h("div", { class: "facts-of-run" });
  #details: RunDetails | null = null;
  #drawn: FinishedCase | null = null;
  #worst: { readonly key: string; readonly samples: readonly Sample[] } = { key: "", samples: [] };

  constructor(private readonly context: Context, private readonly id: string) {
    this.#watch = new Watch(context);
    this.#scope = new RunScope(context, id);
    this.#causes = new RunCauses(context, id);
    this.#results = new RunResults(context, id, () => (this.#details?.summary.cases ?? []).map((one) => one.case));
    this.keys = { step: (towards) => void this.#scope.step(towards) };
    this.element = h("div", { class: "run" },
      h("div", { class: "strip" }, this.#state, this.#strip.element, this.#case),
      this.#notice.element,
      h("section", { class: "panel page", "aria-labelledby": "run" }, h("h1", { id: "run" }, id), this.#facts),
      this.#scope.element, this.#causes.element, this.#results.element, this.#watch.element);
    this.#scope.element.hidden = this.#watch.element.hidden = true;
    void this.#load();
  }

  place(): void {
    void this.#show();
  }

  close(): void {
    this.#watch.close();
    this.#scope.close();
  }

  async #load(): Promise<void> {
    this.#details = await this.#notice.attempt(() => api.run(this.id));
    if (this.#details === null) {
      say(this.#state, "cannot be read");
      return;
    }
    const { manifest, summary, caveat, files } = this.#details;
    this.#case.replaceChildren(...summary.cases.map((one) => h("option", { value: one.case }, one.case)));
    say(this.#state, summary.complete ? "complete" : "not complete");
    const warnings = [...summary.warnings, ...summary.cases.flatMap((one) => [...one.violations, ...one.warnings])];
    this.#facts.replaceChildren(
      h("p", { class: "muted" }, `${manifest.scenario === manifest.rig ? "generator" : manifest.scenario} on ${manifest.rig}, started ${instant(manifest.started_utc)}, irqscope ${manifest.tool_version}`),
      ...(caveat === null ? [] : [h("p", { class: "caveat" }, caveat)]),
      h("p", {}, h("a", { href: `/api/runs/${encodeURIComponent(this.id)}/report`, target: "_blank", rel: "noopener" }, "Report"),
        " · ", h("a", { href: format({ ...START, page: "compare", base: this.id }) }, "Compare with another")),
      h("details", { open: !summary.complete },
        h("summary", {}, `Files${warnings.length === 0 ? "" : `, notes: ${grouped(new Set(warnings).size)}`}`),
        ...[...new Set(warnings)].map((text) => h("p", { class: "caveat" }, text)),
        h("p", { class: "muted" }, `digest ${summary.digest}`),
        downloads(this.id, files)));
    await this.#show();
  }

  #chosen(): CaseSummary | null {
    const cases = this.#details?.summary.cases ?? [];
    const wanted = this.context.place().case;
    return cases.find((one) => one.case === wanted) ?? cases[0] ?? null;
  }

  async #show(): Promise<void> {
    const chosen = this.#chosen();
    if (chosen === null) return;
    this.#case.value = chosen.case;
    if (this.#drawn?.case !== chosen.case) {
      const answer = await this.#notice.attempt(() => api.series(this.id, chosen.case));
      if (answer === null || this.#chosen() !== chosen) return;
      this.#drawn = answer;
    }
    this.#draw(this.#drawn);
    this.#results.update(this.#drawn);
    if (this.#drawn.series.length > 0) {
      this.#scope.element.hidden = false;
      void this.#scope.update(this.#drawn);
      void this.#causes.update(this.#drawn.case);
    }
    await this.#fetchWorst(this.#drawn);
    if (this.#chosen() === chosen) this.#draw(this.#drawn);
  }

  #draw(drawn: FinishedCase): void {
    this.#strip.update({ account: drawn.account, frames: null, rateMillihertz: null, unjoined: 0, planned: null });
    this.#watch.element.hidden = false;
    this.#watch.update(this.id, `Quantiles: ${this.#details?.summary.quantile_method ?? ""}.`, drawn, this.#worst.samples);
  }

  /** The chosen stage's, or the worst of each. */
  async #fetchWorst(drawn: FinishedCase): Promise<void> {
    const { view, worst } = this.context.place();
    const shown = shownView(drawn.series, view);
    const key = [drawn.case, shown, worst].join();
    if (key === this.#worst.key) return;
    const stages = drawn.series.filter((one) => one.view === shown && one.count > 0).map((one) => one.stage);
    const chosen = stages.filter((stage) => stage === worst);
    const asked = chosen.length > 0 ? chosen : stages;
    const limit = asked.length === 1 ? WORST : 1;
    const answers = await Promise.all(asked.map(async (stage) => {
      const answer = await this.#notice.attempt(() => api.worst(this.id, drawn.case, stage, shown, limit));
      return (answer?.samples ?? []).map((sample) => ({ ...sample, stage, view: shown }));
    }));
    this.#worst = { key, samples: answers.flat() };
  }
}
