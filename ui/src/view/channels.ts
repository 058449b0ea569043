// SPDX-License-Identifier: Apache-2.0 OR MIT
// One row per stage, as an oscilloscope has channels: its histogram, and its
// latency over time. All courses share one axis of time.

import type { Hello, LiveSeries } from "../api/types.js";
import { CourseChart } from "../chart/course.js";
import { HistogramChart } from "../chart/histogram.js";
import { stageInfo } from "../context.js";
import { grow, type Range, roundUp } from "../core/scale.js";
import { grouped, micro } from "../core/quantity.js";
import { bucketsOf, intervalsOf } from "../core/watched.js";
import { colourAs, h, say } from "../dom.js";

/** Axes before the first sample. */
const NOTHING: Range = { low: 1_000, high: 100_000 };

class Channel {
  readonly element: HTMLElement;
  readonly #texts: Readonly<Record<"p50" | "p99" | "max", HTMLElement>>;
  readonly #histogram: HistogramChart;
  readonly #course: CourseChart;
  readonly #pictures: readonly HTMLElement[];
  #range: Range | null = null;

  constructor(hello: Hello, readonly stage: string) {
    const info = stageInfo(hello, stage);
    const figure = (name: string) => h("dd", { "data-figure": name }, "");
    this.#texts = { p50: figure("p50"), p99: figure("p99"), max: figure("max") };
    const histogram = h("div", { class: "plot", role: "img" });
    const course = h("div", { class: "plot", role: "img" });
    this.#pictures = [histogram, course];
    this.#histogram = new HistogramChart(histogram, info.colour);
    this.#course = new CourseChart(course, info.colour);
    const pairs = Object.entries(this.#texts).map(([name, dd]) => h("div", {}, h("dt", {}, name), dd));
    this.element = h("article", { class: "channel", "data-stage": stage },
      h("div", { class: "label" },
        h("h3", {}, h("span", { class: "swatch" }), stage),
        h("p", { class: "about" }, info.text),
        h("dl", {}, ...pairs)),
      histogram, course);
    colourAs(this.element, stage);
  }

  update(series: LiveSeries, shared: Range | null, end: number, logarithmic: boolean): void {
    say(this.#texts.p50, `${micro(series.p50_ns)} µs`);
    say(this.#texts.p99, `${micro(series.p99_ns)} µs`);
    say(this.#texts.max, `${micro(series.max_ns)} µs`);
    if (series.min_ns !== null && series.max_ns !== null) {
      this.#range = grow(this.#range, series.min_ns, series.max_ns);
    }
    const own = this.#range ?? NOTHING;
    const { p5_ns: p5, p95_ns: p95 } = series;
    this.#histogram.draw({ buckets: bucketsOf(series.histogram), range: shared ?? own, p5, p95 }, logarithmic);
    this.#course.draw({
      intervals: intervalsOf(series), intervalNs: series.course?.interval_ns ?? 1,
      range: own, end,
    });
    this.#describe(series);
  }

  close(): void {
    this.#histogram.close();
    this.#course.close();
  }

  /** For readers who do not see the pictures; the table has the figures. */
  #describe(series: LiveSeries): void {
    const [histogram, course] = this.#pictures;
    const of = `of ${series.stage} from ${series.view}`;
    const span = `${micro(series.min_ns)} to ${micro(series.max_ns)} µs`;
    histogram?.setAttribute("aria-label", `Histogram ${of}: ${grouped(series.count)} responses, ${span}`);
    course?.setAttribute("aria-label", `Latency over time ${of}: ${span}`);
  }
}

export class Channels {
  readonly element: HTMLElement;
  readonly #rows = h("div", { class: "rows" });
  #channels: Channel[] = [];

  constructor(private readonly hello: Hello) {
    this.element = h("section", { class: "channels panel", "aria-labelledby": "channels" },
      h("div", { class: "heads" },
        h("h2", { id: "channels" }, "Stages"),
        h("p", {}, "samples by latency", h("span", { class: "muted" }, " · dashed: 5 %, 95 %")),
        h("p", {}, "latency over time", h("span", { class: "muted" }, " · min to max; line: mean"))),
      this.#rows);
  }

  update(all: readonly LiveSeries[], shared: Range | null, logarithmic: boolean): void {
    const stages = all.map((series) => series.stage);
    if (stages.join() !== this.#channels.map((channel) => channel.stage).join()) this.#make(stages);
    const end = timeEnd(all);
    all.forEach((series, index) => this.#channels[index]?.update(series, shared, end, logarithmic));
  }

  /** Another run or case: its axes begin anew. */
  reset(): void {
    this.#make([]);
  }

  close(): void {
    for (const channel of this.#channels) channel.close();
  }

  #make(stages: readonly string[]): void {
    this.close();
    this.#channels = stages.map((stage) => new Channel(this.hello, stage));
    this.#rows.replaceChildren(...this.#channels.map((channel) => channel.element));
  }
}

/** Returns the end of what has been seen, rounded up so that it moves seldom. */
function timeEnd(all: readonly LiveSeries[]): number {
  const ends = all.map(({ course }) =>
    course === null ? 0 : course.start_ns + course.count.length * course.interval_ns);
  const last = Math.max(1e6, ...ends);
  const step = roundUp(last) / 10;
  return Math.ceil(last / step) * step;
}
