// SPDX-License-Identifier: Apache-2.0 OR MIT
// Causes of a run's late responses, as irqscope explain prints them: what held responses of each stage up the
// most, and the histogram of all of them in rows by cause. Each cause opens the trigger that it took the
// most of.

import { api } from "../api/client.js";
import type { CauseRow, Explanation } from "../api/types.js";
import type { Context } from "../context.js";
import { formatFind } from "../core/find.js";
import { decimals, grouped, micro, round } from "../core/quantity.js";
import { colourAs, h, svg } from "../dom.js";
import { Notice } from "./notice.js";

/** Causes of a stage that are listed; the rest are one line. */
const LISTED = 6;

export class RunCauses {
  readonly element: HTMLElement;
  readonly #notice = new Notice();
  readonly #stages = h("div", { class: "stages-of-causes" });
  #case = "";

  constructor(private readonly context: Context, private readonly id: string) {
    this.element = h("section", { class: "panel causes-of-run", "aria-labelledby": "causes", hidden: true },
      h("h2", { id: "causes" }, "Causes", h("span", { class: "muted" }, " · of each stage's responses from p99 on")),
      this.#notice.element, this.#stages);
  }

  /** Fetches them for another case; a run without events shows nothing. */
  async update(name: string): Promise<void> {
    if (name === this.#case) return;
    this.#case = name;
    const answer = await this.#notice.attempt(() => api.causes(this.id, name));
    if (answer === null || this.#case !== name) return;
    const some = answer.explanations.filter((one) => one.count > 0);
    this.element.hidden = some.length === 0;
    this.#stages.replaceChildren(...some.map((one, index) => this.#stage(one, index === 0)));
  }

  #stage(one: Explanation, open: boolean): HTMLElement {
    const [first] = one.shares;
    const summary = h("summary", {}, h("span", { class: "swatch" }), h("strong", {}, one.stage),
      ` ${grouped(one.late)} of ${grouped(one.count)} from ${round(one.late_from_ns)} on`,
      first === undefined ? null : h("span", { class: "muted" }, `, the longest wait ${micro(first.longest_ns)} µs: ${named(first.cause.kind, first.cause.name)}`));
    const element = h("details", { open, "data-causes": one.stage }, summary, this.#table(one), rows(one));
    colourAs(element, one.stage);
    return element;
  }

  #table(one: Explanation): HTMLElement {
    const listed = one.shares.slice(0, LISTED);
    const rest = one.shares.slice(LISTED).reduce((sum, { per_cent }) => sum + per_cent, 0);
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Causes of ${one.stage}` }, h("table", { class: "plain" },
      h("thead", {}, h("tr", {}, ...["share", "samples", "longest", "trigger", "cause"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...listed.map(({ per_cent, samples, longest_ns, longest_seq, cause }) => h("tr", {},
        h("td", { class: "number" }, `${decimals(per_cent, 1)} %`), h("td", { class: "number" }, grouped(samples)),
        h("td", { class: "number" }, `${micro(longest_ns)} µs`),
        h("td", {}, h("button", { type: "button", class: "link", title: "Show its lines", onclick: () => this.#open(one.stage, longest_seq) }, grouped(longest_seq))),
        h("td", { class: "wide" }, named(cause.kind, cause.name), cause.detail === "" ? null : h("span", { class: "muted" }, ` (${cause.detail})`)))),
      rest === 0 ? null : h("tr", {}, h("td", { class: "number" }, `${decimals(rest, 1)} %`), h("td", { colspan: 4 }, `${one.shares.length - LISTED} more causes`)))));
  }

  #open(stage: string, seq: number): void {
    this.context.go({ trigger: seq, find: formatFind({ what: "any", stage, least: null }), window: null, pile: null });
    document.querySelector(".scope")?.scrollIntoView({ block: "start" });
  }
}

function named(kind: string, name: string): string {
  return name === "" ? kind : `${kind}: ${name}`;
}

/** Draws each response in the row of what held it up the most. */
function rows({ stage, rows: { edges_ns, rows: all } }: Explanation): HTMLElement {
  const [least = 0, most = 0] = [edges_ns[0], edges_ns.at(-1)];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Responses of ${stage} by what held them up` },
    h("table", { class: "plain bycause" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `${round(least)} to ${round(most)}`),
        ...["count", "p50", "max", "held up the most by"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...all.map((row) => h("tr", {}, h("td", {}, bars(row)), h("td", { class: "number" }, grouped(row.count)),
        h("td", { class: "number" }, `${micro(row.p50_ns)} µs`), h("td", { class: "number" }, `${micro(row.max_ns)} µs`),
        h("td", { class: "wide" }, row.kind === null ? (row.name === "" ? "no single culprit" : row.name) : named(row.kind, row.name)))))));
}

function bars({ counts }: CauseRow): SVGElement {
  const top = Math.log1p(Math.max(...counts, 1));
  return svg("svg", { class: "bars", viewBox: `0 0 ${counts.length} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...counts.flatMap((count, bin) => {
      const height = (Math.log1p(count) / top) * 10;
      return count === 0 ? [] : svg("rect", { x: bin, y: 10 - height, width: 0.9, height });
    }));
}
