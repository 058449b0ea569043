// SPDX-License-Identifier: Apache-2.0 OR MIT
// The functions that were executed in one latency, as irqscope path prints them.

import { api } from "../api/client.js";
import type { ComparedPaths, FinishedCase, PathCheck, PathSample, ShownPath, Stage } from "../api/types.js";
import { bar } from "../chart/frame.js";
import { leading, parts } from "../core/path.js";
import { decimals, grouped, micro, signed } from "../core/quantity.js";
import { type Child, h } from "../dom.js";
import { ResultPanel, selection, table } from "./result.js";

/** Functions that are listed; the rest are one line. */
const LISTED = 20;
const SAMPLES = [["p50", "an ordinary one (p50)"], ["p99", "a late one (p99)"], ["max", "the latest (max)"], ["min", "the soonest (min)"]] as const;

export class PathPanel extends ResultPanel {
  #stage: HTMLSelectElement | null = null;
  #at: HTMLSelectElement | null = null;
  #beside: HTMLSelectElement | null = null;

  constructor(private readonly id: string, private readonly cases: () => readonly string[]) {
    super("path", "Path", "what was executed from a trigger to the response");
  }

  protected choose(drawn: FinishedCase): void {
    const again = () => this.refresh();
    const stage = selection("stage", drawn.measured.map((name) => [name, name]), again);
    const at = selection("response", SAMPLES, again);
    const others = this.cases().filter((name) => name !== drawn.case).map((name) => [`case ${name}`, name] as const);
    const beside = selection("compared with", [["", "nothing"], ...SAMPLES.map(([at, text]) => [`at ${at}`, text] as const), ...others], again);
    if (drawn.measured.includes("softirq")) stage.select.value = "softirq";
    [this.#stage, this.#at, this.#beside] = [stage.select, at.select, beside.select];
    this.controls.replaceChildren(stage.element, at.element, beside.element);
  }

  protected wanted(): string | null {
    return this.#stage === null ? null : JSON.stringify([this.#stage.value, this.#at?.value, this.#beside?.value]);
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const [stage = "", at = "", beside = ""] = JSON.parse(this.wanted() ?? "[]") as readonly string[];
    const [kind, other = ""] = beside === "" ? [""] : [beside.slice(0, beside.indexOf(" ")), beside.slice(beside.indexOf(" ") + 1)];
    const caveat = h("p", { class: "caveat" }, "Instructions of an emulated CPU, one after the other: it knows nothing of caches, buses or firmware.");
    if (kind === "") {
      const shown = await api.path(this.id, drawn.case, stage as Stage, at);
      return [title(shown.sample), listing(shown), flame(api.pathPicture(this.id, shown.case, stage, at)), checked(shown.check), caveat];
    }
    const [second, secondAt] = kind === "case" ? [other, at] : [drawn.case, other];
    const paths = await api.comparedPaths(this.id, { case: drawn.case, stage, at, other_case: second, other_at: secondAt });
    return [...compared(paths), flame(api.pathPicture(this.id, second, stage, secondAt)), checked(paths.first.check), caveat];
  }
}

function title(sample: PathSample): HTMLElement {
  return h("p", {}, h("strong", {}, `${grouped(sample.instructions)} instructions`), ` in ${micro(sample.latency_ns)} µs: stage ${sample.stage}, trigger ${grouped(sample.seq)}${sample.slept ? "; the CPU slept in between" : ""}`);
}

/** Draws the path's calls; a picture is fetched when it is unfolded. */
function flame(address: string): HTMLElement {
  const picture = h("img", { alt: "Flame graph: functions by instructions, callers below those they called", loading: "lazy" });
  return h("details", { class: "flame", ontoggle: () => { if (!picture.hasAttribute("src")) picture.src = address; } },
    h("summary", {}, "Flame graph"), picture,
    h("p", { class: "muted" }, h("a", { href: address, target: "_blank", rel: "noopener" }, "Open it alone"), ", where each box names its function and its share."));
}

/** Lists what the second of two paths executes more, function by function. */
function compared({ first, second, difference }: ComparedPaths): readonly HTMLElement[] {
  const more = difference.after - difference.before;
  const rows = difference.functions.slice(0, LISTED).map((one) => [grouped(one.before), grouped(one.after), moved(one.after - one.before), one.function]);
  const rest = difference.functions.slice(LISTED);
  const others = rest.reduce((sum, one) => sum + one.after - one.before, 0);
  return [h("p", {}, "First: ", first.case), title(first.sample), h("p", {}, "Second: ", second.case), title(second.sample),
    h("p", {}, h("strong", {}, `The second executes ${grouped(Math.abs(more))} instructions ${more < 0 ? "fewer" : "more"}.`)),
    table("Functions by what the second executes more", ["first", "second", "more", "function"],
      rest.length === 0 ? rows : [...rows, [null, null, moved(others), `${grouped(rest.length)} more functions`]], [3])];
}

function moved(count: number): string {
  return signed(grouped(count));
}

function listing({ sample, functions }: ShownPath): HTMLElement {
  const { listed, rest } = leading(functions, LISTED);
  const rows = parts(listed, sample.instructions).map(({ function: name, own, total, per_cent }) =>
    [bar(per_cent), `${decimals(per_cent, 1)} %`, grouped(own), grouped(total), name]);
  const more = rest.count === 0 ? [] : [[null, `${decimals((rest.own / Math.max(sample.instructions, 1)) * 100, 1)} %`, grouped(rest.own), null, `${grouped(rest.count)} more functions`]];
  return table("Functions by instructions of their own", ["", "share", "own", "with calls", "function"], [...rows, ...more], [0, 4]);
}

function checked({ samples, equal, slept, mismatches, cut_off }: PathCheck): HTMLElement {
  const all = [`${grouped(samples)} traced latencies; in ${grouped(equal)} of them the instructions are the latency`];
  if (slept > 0) all.push(`in ${grouped(slept)} the CPU slept`);
  if (cut_off > 0) all.push(`the path of ${grouped(cut_off)} is not whole`);
  if (mismatches.length > 0) all.push(`${grouped(mismatches.length)} do not agree`);
  return h("p", { class: "muted" }, `${all.join("; ")}.`);
}
