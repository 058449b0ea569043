// SPDX-License-Identifier: Apache-2.0 OR MIT
// How a stage answers as triggers come faster, and where it stops keeping up, as irqscope sweep prints it.

import { api } from "../api/client.js";
import type { FinishedCase, Sweep, SweepPoint, SweepSeries } from "../api/types.js";
import { dot, frame, legend, line, logAxis, path, percent } from "../chart/frame.js";
import { grouped, hertz, micro, NONE, round } from "../core/quantity.js";
import { around, spanned } from "../core/scale.js";
import { kneeAt, kneeText, want } from "../core/sweep.js";
import { type Child, h } from "../dom.js";
import { ResultPanel, selection, table } from "./result.js";

const FIGURES = ["p50_ns", "p99_ns", "max_ns"] as const;
const NAMES = { p50_ns: "p50", p99_ns: "p99", max_ns: "max" } as const;

export class SweepPanel extends ResultPanel {
  #series: HTMLSelectElement | null = null;
  #sweep: Sweep | null = null;

  constructor(private readonly id: string) {
    super("sweep", "Sweep", "latency as triggers come faster, and the knee");
  }

  protected choose(): void {
    if (this.#sweep === null) this.#series = null;
  }

  protected wanted(): string | null {
    return this.#series?.value ?? "first";
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const sweep = this.#sweep ??= await api.sweep(this.id);
    if (this.#series === null) this.#offer(sweep, drawn);
    const series = sweep.series[Number(this.#series?.value ?? 0)];
    return series === undefined ? [h("p", { class: "muted" }, "No stage was swept.")]
      : [h("p", {}, "Kept up with ", h("strong", {}, kneeText(series.knee)), ": at each step up to there every trigger had a response of its own."),
        picture(series), figures(series)];
  }

  /** Lists all cases and stages, beginning with the one that the page shows. */
  #offer(sweep: Sweep, { case: shown }: FinishedCase): void {
    const { element, select } = selection("case and stage", sweep.series.map((one, index) => [String(index), `${one.case}, ${one.stage}`]), () => this.refresh());
    const first = sweep.series.findIndex(({ points }) => points.some((point) => point.case === shown));
    select.value = String(Math.max(first, 0));
    this.#series = select;
    this.controls.replaceChildren(element);
  }
}

function picture({ stage, points, knee }: SweepSeries): HTMLElement {
  const steps = points.map((point) => point.frequency_hz);
  const axis = logAxis("trigger frequency", spanned(steps), 5, hertz);
  // Between two steps of a short sweep there may be no round frequency.
  const x = axis.ticks.length > 1 ? axis : { ...axis, ticks: [Math.min(...steps), Math.max(...steps)] };
  const y = logAxis(`latency of ${stage}`, around(points.flatMap((point) => FIGURES.map((name) => point[name]))), 5, round);
  const of = (name: (typeof FIGURES)[number]) => points.flatMap((point: SweepPoint): (readonly [number, number])[] => {
    const value = point[name];
    return value === null || point.invalid ? [] : [[point.frequency_hz, value]];
  });
  const marks = FIGURES.flatMap((name) => [...path(x, y, of(name), NAMES[name]), ...of(name).map((point) => dot(x, y, point, `level ${NAMES[name]}`))]);
  const at = kneeAt(knee);
  const place = at === null ? 0 : percent(x, at);
  return h("div", {}, frame(`Latency of ${stage} against trigger frequency; it kept up with ${kneeText(knee)}`, x, y, [...marks, line(place, 0, place, 100, "seen")]),
    legend([...FIGURES.map((name) => ({ name: NAMES[name], text: NAMES[name] })), { name: "seen", text: `knee: ${kneeText(knee)}` }]));
}

function figures({ case: name, stage, points }: SweepSeries): HTMLElement {
  return table(`Steps of ${name}, ${stage}`, ["frequency", "triggers", "answered", "p50", "p99", "max", "keeps up"], points.map((point) => [
    hertz(point.frequency_hz), grouped(point.triggers), grouped(point.count),
    ...FIGURES.map((figure) => (point[figure] === null ? NONE : `${micro(point[figure])} µs`)), point.keeps_up ? "✓ yes" : `✗ ${want(point)}`]), [6]);
}
