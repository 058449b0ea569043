// SPDX-License-Identifier: Apache-2.0 OR MIT
// All that is drawn of one case: being measured, or finished.

import type { LiveSeries } from "../api/types.js";
import type { Context } from "../context.js";
import { grow, type Range } from "../core/scale.js";
import { toggled } from "../core/stages.js";
import { shownView, type Watched } from "../core/watched.js";
import { colourAs, h, say } from "../dom.js";
import { Channels } from "./channels.js";
import { FiguresTable } from "./figures.js";
import { Overlay } from "./overlay.js";
import type { Sample } from "./sample.js";
import { chosen, WorstList } from "./worst.js";

export class Watch {
  readonly element: HTMLElement;
  readonly #bar = h("div", { class: "choices", role: "group", "aria-label": "Shown part" });
  readonly #figures = new FiguresTable();
  readonly #method = h("p", { class: "muted method" });
  readonly #channels: Channels;
  readonly #overlay: Overlay;
  readonly #worst: WorstList;
  #bars = "";
  #range: Range | null = null;
  #subject = "";

  constructor(private readonly context: Context) {
    this.#channels = new Channels(context.hello);
    this.#overlay = new Overlay(context.hello);
    this.#worst = new WorstList(context);
    this.element = h("div", { class: "watch" },
      h("div", { class: "lead" },
        h("section", { class: "panel", "aria-label": "Figures" }, this.#bar, this.#figures.element, this.#method),
        this.#channels.element),
      h("div", { class: "beside" }, this.#overlay.element, this.#worst.element));
  }

  /** `method`: how the figures came about. `worst`: all samples from which those to be listed are chosen. */
  update(subject: string, method: string, watched: Watched, worst: readonly Sample[]): void {
    say(this.#method, method);
    const place = this.context.place();
    const view = shownView(watched.series, place.view);
    this.#begin(`${subject} ${watched.case} ${view}`);
    const wanted = (stage: string) => place.stages.length === 0 || place.stages.includes(stage);
    const all = watched.series.filter((series) => series.view === view);
    const drawn = all.filter((series) => wanted(series.stage));
    this.#choices(all.map((series) => series.stage), view, watched.series);
    const listed = place.view === "both" ? watched.series : all;
    this.#figures.update(listed.filter((series) => wanted(series.stage)));
    this.#grow(all);
    const range = this.#range ?? { low: 1_000, high: 100_000 };
    this.#channels.update(drawn, place.shared ? range : null, place.axis === "log");
    this.#overlay.update(drawn, range, place.axis === "log");
    this.#worst.stages(all.map((series) => series.stage));
    this.#worst.update(chosen(worst, view, place.worst));
  }

  close(): void {
    this.#channels.close();
    this.#overlay.close();
  }

  #begin(subject: string): void {
    if (subject === this.#subject) return;
    this.#subject = subject;
    this.#range = null;
    this.#channels.reset();
  }

  #grow(all: readonly LiveSeries[]): void {
    for (const { min_ns, max_ns } of all) {
      if (min_ns !== null && max_ns !== null) this.#range = grow(this.#range, min_ns, max_ns);
    }
  }

  #choices(stages: readonly string[], view: string, series: readonly LiveSeries[]): void {
    const place = this.context.place();
    const shown = [stages, view, place.view, place.stages, place.axis, place.shared, series.length].join("|");
    if (shown === this.#bars) return;
    this.#bars = shown;
    const focused = document.activeElement?.getAttribute("data-choice");
    this.#bar.replaceChildren(
      toggles("View", ["outside", "inside", "both"] as const, place.view === "both" ? "both" : view,
        (one) => this.context.go({ view: one, sample: null }),
        (one) => one !== "both" && !series.some((each) => each.view === one)),
      toggles("Axis of latency", ["log", "linear"] as const, place.axis, (axis) => this.context.go({ axis }), () => false),
      toggles("Range of histograms", ["own range", "shared range"] as const, place.shared ? "shared range" : "own range",
        (range) => this.context.go({ shared: range === "shared range" }), () => false),
      this.#stageToggles(stages));
    if (focused) this.#bar.querySelector<HTMLElement>(`[data-choice="${focused}"]`)?.focus();
  }

  #stageToggles(stages: readonly string[]): HTMLElement {
    const place = this.context.place();
    return h("span", { class: "toggles stages", role: "group", "aria-label": "Stages" }, ...stages.map((stage) => {
      const shown = place.stages.length === 0 || place.stages.includes(stage);
      const button = h("button", {
        type: "button", "aria-pressed": String(shown), "data-choice": stage,
        onclick: () => this.context.go({ stages: toggled(stages, place.stages, stage) }),
      }, h("span", { class: "swatch" }), stage);
      colourAs(button, stage);
      return button;
    }));
  }
}

function toggles<T extends string>(
  name: string, values: readonly T[], now: string, choose: (value: T) => void, off: (value: T) => boolean,
): HTMLElement {
  return h("span", { class: "toggles", role: "group", "aria-label": name }, ...values.map((value) => h("button", {
    type: "button", "aria-pressed": String(value === now), disabled: off(value), "data-choice": value,
    onclick: () => choose(value),
  }, value)));
}
