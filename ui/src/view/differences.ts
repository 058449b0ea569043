// SPDX-License-Identifier: Apache-2.0 OR MIT
// The table of one comparison, and what was not measured alike.

import type { Comparison, Shift } from "../api/types.js";
import { decimals, grouped, micro, NONE, signed } from "../core/quantity.js";
import { h } from "../dom.js";

export function comparisonTable(one: Comparison): HTMLElement {
  const unit = () => h("small", {}, " µs");
  const heads = ["series", "quantile", ...["base", "other", "difference"].map((name) => [name, unit()]), "%", ...(one.exact ? [] : [["interval", unit()]]), "verdict"];
  const name = `${one.base} and ${one.other}`;
  return h("div", {},
    h("h2", {}, short(one.base), h("span", { class: "muted" }, " → "), short(one.other)),
    h("p", { class: "muted" }, one.exact
      ? "Virtual time: both are repeatable. One seed was seen on either side: another draws other samples."
      : `Intervals hold the truth with ${one.level * 100} %.`),
    ...one.violations.map((text) => h("p", { class: "caveat" }, text)),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Differences of ${name}` },
      h("table", { class: "figures shifts" },
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, ...[head].flat())))),
        h("tbody", {}, ...one.series.flatMap(({ series, shifts, identical }) =>
          shifts.flatMap((shift, index) => rows(series, shift, identical, one.exact, index === 0)))))),
    unlike(one));
}

/** Makes one row of a quantile, and of the maximum another: no interval belongs to it, but to that of a window. */
function rows(series: string, shift: Shift, identical: boolean, exact: boolean, first: boolean): HTMLElement[] {
  const { window, interval } = shift;
  if (window === null || interval === null) return [row(series, quantile(shift.quantile), shift, identical, exact, first)];
  const of: Shift = { ...shift, base_ns: null, other_ns: null, difference_ns: interval.estimate_ns, percent: null };
  return [
    row(series, quantile(shift.quantile), { ...shift, interval: null }, identical, exact, first),
    row(series, `max of ${grouped(window)}`, of, identical, exact, false),
  ];
}

function row(series: string, name: string, shift: Shift, identical: boolean, exact: boolean, first: boolean): HTMLElement {
  const { interval, percent, difference_ns: difference } = shift;
  const verdict = identical ? "identical" : verdictOf(shift, exact);
  return h("tr", { class: first ? "first" : "" },
    h("th", { scope: "row" }, first ? series : h("span", { class: "unseen" }, series)),
    h("td", {}, name),
    h("td", {}, micro(shift.base_ns)), h("td", {}, micro(shift.other_ns)), h("td", {}, difference === null ? NONE : signed(micro(difference))),
    h("td", {}, percent === null ? NONE : signed(decimals(percent, 1))),
    exact ? null : h("td", {}, interval === null ? NONE : `${signed(micro(interval.low_ns))} … ${signed(micro(interval.high_ns))}`),
    h("td", { class: verdict }, shift.needed === null ? verdict : `needs ${grouped(shift.needed)}`));
}

/** Decides whether a difference counts: its interval does not hold 0. */
function verdictOf({ difference_ns, interval }: Shift, exact: boolean): string {
  if (difference_ns === null) return NONE;
  if (exact) return difference_ns === 0 ? "same" : difference_ns > 0 ? "later" : "earlier";
  if (interval === null) return NONE;
  if (interval.low_ns > 0) return "later";
  return interval.high_ns < 0 ? "earlier" : "no difference found";
}

function quantile(share: number): string {
  // As many digits as there are: 0.999 * 100 is not 99.9 in floating point.
  return share === 1 ? "max" : `p${Number((share * 100).toPrecision(12))}`;
}

function unlike({ differences, base_only, other_only }: Comparison): HTMLElement | null {
  const only = [...base_only.map((name) => `${name}: only in base`), ...other_only.map((name) => `${name}: only in other`)];
  if (differences.length + only.length === 0) return null;
  return h("details", {}, h("summary", {}, "Not measured alike"),
    h("ul", {}, ...only.map((text) => h("li", {}, text)),
      ...differences.map(({ what, base, other, matters }) =>
        h("li", { class: matters ? "bad" : "" }, `${what}: ${base} → ${other}`))));
}

/** Shortens a name to one without the directory in front: `ID 6.1/idle`. */
function short(name: string): string {
  const [run = "", ...rest] = name.split("#");
  return [run.split("/").at(-1) ?? run, ...rest].join(" ");
}
