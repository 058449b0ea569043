// SPDX-License-Identifier: Apache-2.0 OR MIT
// A picture with two axes whose marks are in per cent, so that it is as wide as there is room and its letters
// keep their size.

import { logTicks, type Range, share } from "../core/scale.js";
import { h, svg } from "../dom.js";

export interface FrameAxis {
  /** The quantity that is drawn. */
  readonly label: string;
  readonly range: Range;
  readonly logarithmic: boolean;
  readonly ticks: readonly number[];
  readonly text: (value: number) => string;
}

/** Makes a logarithmic axis with at most `most` ticks. */
export function logAxis(label: string, range: Range, most: number, text: (value: number) => string): FrameAxis {
  return { label, range, logarithmic: true, ticks: logTicks(range, most), text };
}

/** Returns where a value lies from the left or from the top, in per cent of the picture. */
export function percent(axis: FrameAxis, value: number, upwards = false): number {
  const part = share(value, axis.range, axis.logarithmic) * 100;
  return upwards ? 100 - part : part;
}

type Point = readonly [number, number];

/** Draws lines between points, which are values of both axes. */
export function path(x: FrameAxis, y: FrameAxis, points: readonly Point[], name: string): SVGElement[] {
  return points.slice(1).map(([to, high], index) => {
    const [from, low] = points[index] as Point;
    return line(percent(x, from), percent(y, low, true), percent(x, to), percent(y, high, true), name);
  });
}

export function line(x1: number, y1: number, x2: number, y2: number, name: string): SVGElement {
  return svg("line", { x1: `${x1}%`, y1: `${y1}%`, x2: `${x2}%`, y2: `${y2}%`, class: name });
}

export function dot(x: FrameAxis, y: FrameAxis, [at, value]: Point, name: string): SVGElement {
  return svg("circle", { cx: `${percent(x, at)}%`, cy: `${percent(y, value, true)}%`, r: 4, class: name });
}

/** Draws the picture; `name` says in words what it shows. */
export function frame(name: string, x: FrameAxis, y: FrameAxis, marks: readonly SVGElement[]): HTMLElement {
  const grid = [
    ...x.ticks.map((tick) => line(percent(x, tick), 0, percent(x, tick), 100, "rule")),
    ...y.ticks.map((tick) => line(0, percent(y, tick, true), 100, percent(y, tick, true), "rule")),
  ];
  const label = (axis: FrameAxis, tick: number, side: "left" | "top") => {
    const element = h("span", {}, axis.text(tick));
    element.style.setProperty(side, `${percent(axis, tick, side === "top")}%`);
    return element;
  };
  return h("figure", { class: "frame" },
    h("figcaption", { class: "muted" }, y.label),
    h("div", { class: "ylabels", "aria-hidden": "true" }, ...y.ticks.map((tick) => label(y, tick, "top"))),
    svg("svg", { role: "img", "aria-label": name }, ...grid, ...marks),
    h("div", { class: "xlabels", "aria-hidden": "true" }, ...x.ticks.map((tick) => label(x, tick, "left"))),
    h("p", { class: "muted xname" }, x.label));
}

/** Draws a share of 0 to 100 per cent as a bar, beside the figure that says it. */
export function bar(per_cent: number, name = ""): SVGElement {
  return svg("svg", { class: `part ${name}`, "aria-hidden": "true" },
    svg("rect", { class: "whole", width: "100%", height: "100%" }),
    svg("rect", { class: "filled", width: `${Math.min(Math.max(per_cent, 0), 100)}%`, height: "100%" }));
}

export interface Key {
  readonly name: string;
  readonly text: string;
}

/** Explains strokes and fillings: they differ by form, not only by colour. */
export function legend(keys: readonly Key[]): HTMLElement {
  return h("ul", { class: "keys" }, ...keys.map(({ name, text }) => h("li", {},
    svg("svg", { "aria-hidden": "true" }, name.startsWith("fill")
      ? svg("rect", { class: name, width: "100%", height: "100%" })
      : line(0, 50, 100, 50, name)), text)));
}
