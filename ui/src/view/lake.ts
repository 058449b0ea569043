// SPDX-License-Identifier: Apache-2.0 OR MIT
// The runs of months and of many places: one figure over time, and where its level moved.

import { api } from "../api/client.js";
import type { LakeContents, LakeTrend, RunEntry } from "../api/types.js";
import type { Span } from "../chart/trend.js";
import type { Context, Screen } from "../context.js";
import { grouped } from "../core/quantity.js";
import { ordered, seriesName } from "../core/trend.js";
import { h, say } from "../dom.js";
import { changesList } from "./lakechanges.js";
import { SeriesOverTime } from "./lakeseries.js";
import { Notice } from "./notice.js";
import { selection } from "./result.js";

/** The first choice, where the lake has it. */
const FIRST = { stage: "user", view: "outside", figure: "p50_ns" } as const;
/** Series that are drawn before the reader asks for all. */
const MOST = 24;

/** Times that can be chosen: the last days of the lake, in words. */
const TIMES = [["", "all"], ["365", "a year"], ["90", "90 days"], ["30", "30 days"], ["7", "a week"]] as const;
const DAY = 86_400_000;

interface Asked {
  readonly scenario: string;
  readonly stage: string;
  readonly view: string;
  readonly figure: string;
  /** An instant of RFC 3339. */
  readonly since: string | null;
}

export class LakeScreen implements Screen {
  readonly element: HTMLElement;
  readonly #about = h("p", { class: "muted" }, "…");
  readonly #choice = h("div", { class: "choices" });
  readonly #notice = new Notice();
  readonly #body = h("div", { class: "lakebody", "aria-live": "polite" });
  #contents: LakeContents | null = null;
  #runs: readonly RunEntry[] = [];
  #shown: SeriesOverTime[] = [];
  #asked = "";

  constructor(private readonly context: Context) {
    this.element = h("div", { class: "lake" },
      h("section", { class: "panel page", "aria-labelledby": "lake" },
        h("div", { class: "heads" }, h("h1", { id: "lake" }, "Lake"), this.#about), this.#choice, this.#notice.element),
      this.#body);
    void this.#load();
  }

  place(): void {
    void this.#show();
  }

  close(): void {
    for (const one of this.#shown) one.close();
    this.#shown = [];
  }

  async #load(): Promise<void> {
    this.#contents = await this.#notice.attempt(() => api.lake());
    if (this.#contents === null) return;
    const { runs, url, first_ms, last_ms } = this.#contents;
    say(this.#about, `${grouped(runs)} runs in ${url}, begun from ${day(first_ms)} to ${day(last_ms)}`);
    // A run of the lake is a link where its directory is here, too.
    this.#runs = (await this.#notice.attempt(() => api.runs()))?.runs ?? [];
    this.place();
  }

  #chosen(contents: LakeContents): Asked {
    const { scenario, stages, view, figure, days } = this.context.place();
    const one = (wanted: string | null | undefined, all: readonly string[], first: string) =>
      [wanted, first].find((name) => name !== null && name !== undefined && all.includes(name)) ?? all[0] ?? "";
    return {
      scenario: one(scenario, contents.scenario, "demo"), stage: one(stages[0], contents.stage, FIRST.stage),
      view: one(view, contents.view, FIRST.view), figure: one(figure, contents.figures, FIRST.figure),
      since: days === null ? null : new Date(contents.last_ms - days * DAY).toISOString(),
    };
  }

  #offer(contents: LakeContents, chosen: Asked): void {
    const choose = (label: string, values: readonly (readonly [string, string])[], now: string, go: (value: string) => void) => {
      const { element, select } = selection(label, values, () => go(select.value));
      select.value = now;
      return element;
    };
    const make = (label: string, values: readonly string[], now: string, go: (value: string) => void) =>
      choose(label, values.map((value) => [value, figureName(value)]), now, go);
    const { go, place } = this.context;
    this.#choice.replaceChildren(
      make("scenario", contents.scenario, chosen.scenario, (scenario) => go({ scenario })),
      make("stage", contents.stage, chosen.stage, (stage) => go({ stages: [stage] })),
      make("view", contents.view, chosen.view, (view) => go({ view: view === "inside" ? view : "outside" })),
      make("figure", contents.figures, chosen.figure, (figure) => go({ figure })),
      choose("time", TIMES, String(place().days ?? ""), (days) => go({ days: days === "" ? null : Number(days) })));
  }

  async #show(): Promise<void> {
    if (this.#contents === null) return;
    const chosen = this.#chosen(this.#contents);
    this.#offer(this.#contents, chosen);
    const asked = JSON.stringify(chosen);
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#body.setAttribute("aria-busy", "true");
    const trend = await this.#notice.attempt(() => api.lakeTrend({ ...chosen }));
    if (asked !== this.#asked) return;
    this.#body.setAttribute("aria-busy", "false");
    this.close();
    this.#body.replaceChildren(...(trend === null ? [] : this.#parts(trend, chosen, this.#contents)));
  }

  #parts(trend: LakeTrend, { scenario, stage, view, since }: Asked, { first_ms, last_ms }: LakeContents): HTMLElement[] {
    if (trend.series.length === 0) {
      return [h("p", { class: "panel page muted" }, `No run of ${scenario} has ${stage} in this view.`)];
    }
    const from = since === null ? first_ms : Math.max(first_ms, Date.parse(since));
    const room = Math.max((last_ms - from) * 0.01, 60_000);
    const span: Span = [from - room, last_ms + room];
    const title = `${stage}, ${view}: ${figureName(trend.figure)}`;
    const list = h("div", {});
    const all = ordered(trend.series);
    const more = h("button", { type: "button", onclick: () => this.#draw(list, all, trend, span, more) }, `Show all ${all.length} series`);
    this.#draw(list, all.slice(0, MOST), trend, span, more);
    more.hidden = all.length <= MOST;
    return [
      changesList(trend, this.#runs),
      h("section", { class: "panel page", "aria-labelledby": "series" }, h("h2", { id: "series" }, `${title} over time`),
        h("p", { class: "muted" }, "A point is a run. Lines are medians of levels; a red line is the first run of a new one, and its band where the level moved with 95 % confidence. Dashed: another kernel."),
        list, more),
    ];
  }

  #draw(list: HTMLElement, series: LakeTrend["series"], { figure }: LakeTrend, span: Span, more: HTMLElement): void {
    this.close();
    const { series: open } = this.context.place();
    this.#shown = series.map((one) => new SeriesOverTime(one, figure, span, this.#runs, {
      open: seriesName(one) === open,
      opened: (isOpen) => this.context.note({ series: isOpen ? seriesName(one) : null }),
    }));
    list.replaceChildren(...this.#shown.map(({ element }) => element));
    more.hidden = true;
  }
}

/** Formats `p99.9` for `p99_9_ns`; other words stay. */
export function figureName(name: string): string {
  return name.endsWith("_ns") ? name.replace(/_ns$/, "").replace("_", ".") : name;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
