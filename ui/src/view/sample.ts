// SPDX-License-Identifier: Apache-2.0 OR MIT
// One sample, opened: where and when, what the other stages did, what it waited for.

import type { Worst, WorstSample } from "../api/types.js";
import { flagText } from "../core/flags.js";
import { grouped, micro, NONE } from "../core/quantity.js";
import { colourAs, h, svg } from "../dom.js";

/** A row's sample: the live list's, or a finished run's with all that is known. */
export type Sample = Worst & Partial<Pick<WorstSample, "others" | "segments" | "execution_ns">>;

export function details(sample: Sample): HTMLElement {
  const facts: readonly (readonly [string, string])[] = [
    ["trigger", `number ${grouped(sample.seq)}, at ${grouped(sample.trigger_ns)} ns of the ${sample.view} clock`],
    ["CPU", sample.cpu === null ? "not seen from outside" : String(sample.cpu)],
    ["interrupts", sample.interrupts === null ? NONE : `${grouped(sample.interrupts)} since stage irq`],
    ["flags", sample.flags.length === 0 ? "none" : sample.flags.map((flag) => `${flag}: ${flagText(flag)}`).join("; ")],
  ];
  return h("div", { class: "sample" },
    h("dl", { class: "facts" }, ...facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])),
    segments(sample), others(sample));
}

function segments(sample: Sample): HTMLElement | null {
  const all = sample.segments;
  if (all === undefined) return null;
  if (all === null) {
    return h("p", { class: "muted" }, "Its causes were not recorded: run with --explain.");
  }
  const total = Math.max(sample.latency_ns, 1);
  const bar = svg("svg", { class: "segments", viewBox: "0 0 1000 20", preserveAspectRatio: "none", role: "img", "aria-label": "Causes in order of time" },
    ...all.map((one, index) => svg("rect", {
      x: (one.start_ns / total) * 1000, width: Math.max((one.length_ns / total) * 1000, 1), y: 0, height: 20,
      class: `cause-${index % 2}`,
    })));
  return h("div", {}, h("h4", {}, "waited for"), h("div", {}, bar),
    h("table", { class: "plain waits" }, h("tbody", {}, ...all.map((one) => h("tr", {},
      h("td", { class: "number" }, `${micro(one.length_ns)} µs`), h("td", {}, one.cause),
      h("td", {}, one.name, one.detail === "" ? null : h("span", { class: "muted" }, ` ${one.detail}`)))))));
}

function others(sample: Sample): HTMLElement | null {
  if (sample.others === undefined) {
    return h("p", { class: "muted" }, "Other stages of this trigger, and what it waited for, are in the finished run.");
  }
  return h("div", {}, h("h4", {}, "the same trigger elsewhere"),
    h("table", { class: "plain" }, h("tbody", {}, ...sample.others.map((one) => {
      const name = h("td", {}, h("span", { class: "swatch" }), one.stage);
      colourAs(name, one.stage);
      const latency = one.latency_ns === null ? "no answer" : `${micro(one.latency_ns)} µs`;
      return h("tr", {}, name, h("td", {}, one.view), h("td", { class: "number" }, latency), h("td", {}, one.flags.join(", ")));
    }))));
}
