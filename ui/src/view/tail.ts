// SPDX-License-Identifier: Apache-2.0 OR MIT
// Latencies to be expected beyond the samples, as irqscope tail says it: those that are exceeded once in
// a number of samples, with their intervals, and the longest that was seen.

import { api } from "../api/client.js";
import type { FinishedCase, SeriesTail, Tail } from "../api/types.js";
import { dot, frame, legend, line, logAxis, path, percent } from "../chart/frame.js";
import { within } from "../core/limits.js";
import { brief, decimals, grouped, micro, round } from "../core/quantity.js";
import { around } from "../core/scale.js";
import { type Child, h } from "../dom.js";
import { ResultPanel, selection, table } from "./result.js";

export class TailPanel extends ResultPanel {
  #name: HTMLSelectElement | null = null;
  readonly #every = h("input", { type: "text", size: 14, autocomplete: "off", spellcheck: "false", placeholder: "1h, 1d", onchange: () => this.refresh() });

  constructor(private readonly id: string) {
    super("tail", "Tail", "what is to be expected beyond the samples");
  }

  protected choose({ measured }: FinishedCase): void {
    const { element, select } = selection("of", measured.map((name) => [name, name]), () => this.refresh());
    // The last stage is the one that users wait for.
    select.value = measured.at(-1) ?? "";
    this.#name = select;
    const every = h("label", { class: "choice" }, h("span", {}, "exceeded once in"), this.#every);
    this.controls.replaceChildren(element, every);
  }

  protected wanted(): string | null {
    return this.#name === null ? null : JSON.stringify([this.#name.value, this.#every.value.trim()]);
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const { tails } = await api.tail(this.id, drawn.case, this.#name?.value ?? "", this.#every.value.trim());
    return tails.map((one) => h("div", { "data-tail": one.series }, h("h3", {}, one.series), one.tail === null
      ? h("p", {}, h("strong", {}, "No tail: "), one.refusal ?? "") : estimated(one, one.tail)));
  }
}

function estimated(one: SeriesTail, tail: Tail): HTMLElement {
  return h("div", {},
    h("p", {}, `${grouped(tail.samples)} samples, the longest ${micro(tail.max_ns)} µs; ${grouped(tail.exceedances)} above ${micro(tail.threshold_ns)} µs in ${grouped(tail.peaks)} clusters.`),
    h("p", { class: "muted" }, ending(tail)),
    tail.levels.length === 0 ? null : picture(tail),
    table(`Return levels of ${one.series}`, ["once in samples", ...(one.period_ns === null ? [] : ["in a time"]), "latency", "at least", "at most"], tail.levels.map((level) => [
      grouped(Math.round(level.samples)), ...(one.period_ns === null ? [] : [within(level, one.period_ns)]), `${micro(level.ns)} µs`, `${micro(level.low_ns)} µs`,
      level.high_ns === null ? "no bound" : `${micro(level.high_ns)} µs`])),
    h("p", { class: "muted method" }, `Intervals are right with 95 %. Goodness of fit: p = ${decimals(tail.goodness_p, 3)}. Method: ${one.method}.`));
}

function ending({ shape, shape_interval: [low = shape, high = shape], end_ns }: Tail): string {
  const text = `Shape ${decimals(shape, 2)} [${decimals(low, 2)}, ${decimals(high, 2)}]: `;
  if (end_ns !== null && high < 0) return `${text}what was met ends at about ${micro(end_ns)} µs; a cause that was not met may take longer.`;
  return text + (low > 0 ? "the tail is heavy and has no end." : "whether the tail has an end, these samples do not say.");
}

/** Draws levels with their intervals; an open end leaves the picture. */
function picture({ levels, max_ns, samples }: Tail): HTMLElement {
  const x = logAxis("number of samples in which it is exceeded once", around([samples, ...levels.map((level) => level.samples)]), 5, brief);
  const y = logAxis("latency", around([max_ns, ...levels.flatMap((level) => [level.low_ns, level.ns, level.high_ns])]), 5, round);
  const seen = percent(y, max_ns, true);
  const marks = [
    line(0, seen, 100, seen, "seen"),
    ...path(x, y, levels.map((level) => [level.samples, level.ns]), "estimate"),
    ...levels.flatMap((level) => {
      const at = percent(x, level.samples);
      return [
        line(at, percent(y, level.low_ns, true), at, level.high_ns === null ? 0 : percent(y, level.high_ns, true), "interval"),
        dot(x, y, [level.samples, level.ns], "level"),
      ];
    }),
  ];
  const words = levels.map((level) => `${micro(level.ns)} µs once in ${grouped(Math.round(level.samples))}`).join(", ");
  return h("div", {}, frame(`Return levels: ${words}; the longest that was seen is ${micro(max_ns)} µs`, x, y, marks),
    legend([{ name: "estimate", text: "level" }, { name: "interval", text: "its interval" }, { name: "seen", text: "longest that was seen" }]));
}
