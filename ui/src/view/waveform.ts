// SPDX-License-Identifier: Apache-2.0 OR MIT
// The pulse that the settings make, drawn.

import { path, pulse } from "../core/pulse.js";
import { perMille, round } from "../core/quantity.js";
import { h, say, svg } from "../dom.js";

const WIDTH = 240;
const HEIGHT = 28;

export class Waveform {
  readonly element: HTMLElement;
  readonly #line = svg("path", { class: "wave" });
  readonly #text = h("figcaption", {});

  constructor() {
    const picture = svg("svg", {
      viewBox: `-1 -2 ${WIDTH + 2} ${HEIGHT + 4}`, preserveAspectRatio: "none", "aria-hidden": "true",
    }, this.#line);
    this.element = h("figure", { class: "waveform" }, picture, this.#text);
  }

  update(periodNs: number, dutyPerMille: number): void {
    const duty = dutyPerMille / 1000;
    this.#line.setAttribute("d", path(pulse(duty, 3), WIDTH, HEIGHT));
    say(this.#text, `high ${round(trim(periodNs * duty))} of ${round(trim(periodNs))} (${perMille(dutyPerMille)})`);
  }
}

function trim(ns: number): number {
  return Number(ns.toPrecision(4));
}
