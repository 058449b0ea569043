// SPDX-License-Identifier: Apache-2.0 OR MIT
// Lines over time: an oscilloscope's screen, for a run and for a measurement under way.

import type { CausePart, LineEdges, LiveSeries, ViewLines } from "../api/types.js";
import { Hand } from "../chart/hand.js";
import { type Lane, LinesChart, type Picture } from "../chart/lines.js";
import { type Context, stageInfo } from "../context.js";
import { grouped, hertz, micro, round } from "../core/quantity.js";
import { EVERYTHING, fitting, type Window } from "../core/timebase.js";
import { lastAnswer, placeOf, type Sweeps } from "../core/wires.js";
import { h, say, show } from "../dom.js";
import { causes } from "./causes.js";
import { Measurements, type Row } from "./measurements.js";

export interface ScopeData {
  /** Views that are drawn, outside before inside. */
  readonly views: readonly ViewLines[];
  /** The chosen trigger; null: there is none. */
  readonly seq: number | null;
  /** By view, the chosen trigger's instant on its clock where `views` may not have it. */
  readonly zeros?: ReadonlyMap<string, number>;
  /** The time around the chosen trigger that `views` covers; all of it where nothing is said. */
  readonly known?: Window;
  /** By view, all sweeps that are piled up. */
  readonly piled: readonly (readonly Sweeps[])[];
  readonly series: readonly LiveSeries[];
  /** The causes of the chosen stage's latency. */
  readonly parts: readonly CausePart[];
  readonly stage: string | null;
  /** In words: which trigger this is, and why it is shown. */
  readonly title: string;
  /** Why nothing is said about causes. */
  readonly silent: string;
}

/** The figures are below the picture; as in scope.css. */
const UNDER = "(max-width: 1350px)";
/** How long the address waits until nothing moves any more. */
const SETTLED = 250;

export class Scope {
  readonly element: HTMLElement;
  readonly #box = h("div", {
    class: "screen", tabindex: 0, role: "group",
    "aria-label": "Lines over time: arrows pan, plus and minus zoom, Home shows all, a and b place cursors, Shift with arrows moves them",
  });
  readonly #title = h("p", { class: "of", role: "status" });
  readonly #readout = h("p", { class: "readout" });
  readonly #causes = h("div", { class: "causes" });
  readonly #measurements: Measurements;
  readonly #align: HTMLSelectElement;
  readonly #empty = h("p", { class: "muted" }, "No trigger to show yet.");
  readonly #chart: LinesChart;
  #data: ScopeData | null = null;
  #fit: Window = fitting(1e5);
  #fitted = "";
  #window: Window | null = null;
  #cursors: readonly [number | null, number | null];
  #pointed: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #said: readonly CausePart[] = [];

  /** `moved`: another part of time is shown; more triggers may be needed. */
  constructor(private readonly context: Context, controls: HTMLElement, choose: (stage: string) => void, private readonly moved: () => void) {
    const place = context.place();
    this.#window = windowOf(place.window);
    this.#cursors = place.cursors;
    this.#measurements = new Measurements(choose);
    this.#align = h("select", { id: "align", onchange: () => this.#piling() });
    this.#chart = new LinesChart(this.#box, () => this.#read());
    new Hand(this.#box, {
      window: () => this.window(), cursors: () => this.#cursors,
      show: (window) => this.#show(window), fit: () => this.#show(null),
      mark: ([a, b]) => { this.#cursors = [whole(a), whole(b)]; this.#later(); this.redraw(); },
      point: (at) => { this.#pointed = at; this.#read(); },
    });
    this.element = h("section", { class: "scope panel", "aria-labelledby": "scope" },
      h("div", { class: "heads" }, h("h2", { id: "scope" }, "Lines"), controls,
        h("label", { for: "align" }, "Pile up"), this.#align,
        h("span", { class: "toggles", role: "group", "aria-label": "Zoom" },
          ...([["−", "Show more time", 1 / 0.7], ["+", "Show less time", 0.7]] as const).map(([sign, title, factor]) =>
            h("button", { type: "button", title, "aria-label": title, onclick: () => this.#zoom(factor) }, sign)),
          h("button", { type: "button", title: "Show all of the trigger (Home)", onclick: () => this.#show(null) }, "Fit"))),
      this.#title, this.#empty,
      h("div", { class: "instrument" }, this.#box, this.#measurements.element),
      this.#readout, this.#causes);
    addEventListener("beforeprint", this.#print);
  }

  window(): Window {
    return this.#window ?? this.#fit;
  }

  update(data: ScopeData): void {
    this.#data = data;
    const some = data.views.length > 0;
    show(this.#empty, !some);
    show(this.#box, some);
    show(this.#measurements.element, some);
    say(this.#title, data.title);
    if (!some) return;
    this.#refit(data);
    this.#choices(data);
    this.#measurements.update(this.#rows(data), data.stage);
    if (this.#said !== data.parts || this.#causes.childElementCount === 0) {
      this.#said = data.parts;
      this.#causes.replaceChildren(causes(data.parts, data.stage, data.silent));
    }
    this.redraw();
  }

  /** The address has changed. */
  place(): void {
    const place = this.context.place();
    this.#window = windowOf(place.window);
    this.#cursors = place.cursors;
    this.redraw();
  }

  redraw(): void {
    if (this.#data !== null) this.#chart.draw(this.#picture(this.#data));
  }

  close(): void {
    removeEventListener("beforeprint", this.#print);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#chart.close();
  }

  readonly #print = (): void => this.#chart.paint(true);

  /** Fits to one trigger, and to what is piled up or comes live only grows. */
  #refit({ views, seq, piled }: ScopeData): void {
    const key = `${seq ?? "live"}|${this.context.place().pile ?? ""}|${views.map(({ view }) => view).join()}`;
    let last = lastAnswer(views, seq);
    if (this.context.place().pile !== null) {
      for (const some of piled) last = Math.max(last, lastAnswer(some.slice(-1).map(({ lines }) => lines), null));
    }
    const fit = fitting(last);
    if (key !== this.#fitted || fit.to > this.#fit.to || last < this.#fit.to / 20) this.#fit = fit;
    this.#fitted = key;
  }

  #picture(data: ScopeData): Picture {
    const { pile } = this.context.place();
    const several = data.views.length > 1;
    const lanes = data.views.flatMap((lines, view) => lines.lines.map((line, number): Lane => ({
      name: `${line.stage ?? "trigger"}${several ? ` ${lines.view}` : ""}`,
      colour: line.stage === null ? null : stageInfo(this.context.hello, line.stage).colour,
      edges: line.at_ns,
      toggles: line.stage !== null && lines.shape === "toggle",
      zero: zeroOf(data, lines),
      line: number,
      piled: data.piled[view] ?? [],
    })));
    const align = pile === null ? null : pile === "trigger" ? "" : pile;
    const parts = align === null || align === "" ? data.parts : [];
    return { lanes, window: this.window(), align, parts, cursors: this.#cursors, known: data.known ?? EVERYTHING, named: matchMedia(UNDER).matches };
  }

  #rows({ views, seq, series }: ScopeData): Row[] {
    const piled = this.context.place().pile !== null;
    const here = (lines: ViewLines, { latency_ns, unanswered }: LineEdges) => {
      const place = seq === null ? -1 : placeOf(lines, seq);
      return piled || place < 0 ? undefined : latency_ns[place] ?? (unanswered.includes(place) ? null : undefined);
    };
    return views.flatMap((lines) => lines.lines.map((line): Row => ({
      name: line.stage ?? "trigger", stage: line.stage, view: lines.view,
      latency: here(lines, line),
      series: series.find((one) => one.stage === line.stage && one.view === lines.view) ?? null,
    })));
  }

  #choices({ views }: ScopeData): void {
    const names = ["trigger", ...(views[0]?.lines ?? []).flatMap(({ stage }) => stage ?? [])];
    const have = [...this.#align.options].slice(1).map((option) => option.value);
    if (have.join() !== names.join()) {
      this.#align.replaceChildren(h("option", { value: "" }, "one sweep"),
        ...names.map((name) => h("option", { value: name }, `on ${name}`)));
    }
    const wanted = this.context.place().pile ?? "";
    if (document.activeElement !== this.#align) this.#align.value = names.includes(wanted) ? wanted : "";
  }

  #piling(): void {
    this.#window = null;
    this.context.go({ pile: this.#align.value || null, window: null });
  }

  #zoom(factor: number): void {
    const { from, to } = this.window();
    const [middle, half] = [(from + to) / 2, ((to - from) / 2) * factor];
    this.#show({ from: middle - half, to: middle + half });
  }

  #show(window: Window | null): void {
    this.#window = window;
    this.#later();
    this.redraw();
    this.moved();
  }

  /** The address follows when nothing moves any more. */
  #later(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const window = this.#window;
      this.context.note({ window: window === null ? null : [Math.round(window.from), Math.round(window.to)], cursors: this.#cursors });
    }, SETTLED);
  }

  #read(): void {
    const [a, b] = this.#cursors;
    const { from, to } = this.window();
    const texts = [`shown ${round(Math.round(to - from))}`];
    if (this.#pointed !== null) texts.push(`at ${micro(this.#pointed)} µs${this.#clock(this.#pointed)}${this.#under(this.#pointed)}`);
    if (a !== null) texts.push(`A ${micro(a)} µs`);
    if (b !== null) texts.push(`B ${micro(b)} µs`);
    if (a !== null && b !== null) {
      const apart = Math.abs(b - a);
      texts.push(`Δ ${micro(b - a)} µs${apart >= 1 ? ` (${hertz(1e9 / apart)})` : ""}`);
    }
    if (a === null && b === null) texts.push("press for cursor A, Shift for B");
    if (this.context.place().pile !== null) texts.push(`${grouped(this.#chart.sweeps)} sweeps`);
    say(this.#readout, texts.join("   "));
  }

  /** Returns an instant of one sweep by the clock of the first view: in the twin virtual time. */
  #clock(at: number): string {
    const lines = this.#data?.views[0];
    if (lines === undefined || this.#data === null || this.context.place().pile !== null) return "";
    const ns = Math.round(lines.start_ns + zeroOf(this.#data, lines) + at);
    return `, ${lines.view} clock ${grouped((ns / 1e9).toFixed(9))} s`;
  }

  /** Returns what was waited for at an instant. */
  #under(at: number): string {
    const part = this.#data?.parts.find(({ start_ns, length_ns }) => at >= start_ns && at < start_ns + length_ns);
    if (part === undefined) return "";
    return `: ${part.cause}${part.name === "" ? "" : `: ${part.name}`}, ${micro(part.length_ns)} µs`;
  }
}

/** Returns the chosen trigger's instant since the first one of some lines. */
export function zeroOf({ seq, zeros }: Pick<ScopeData, "seq" | "zeros">, lines: ViewLines): number {
  const zero = zeros?.get(lines.view);
  if (zero !== undefined) return zero - lines.start_ns;
  return seq === null ? 0 : lines.trigger_ns[placeOf(lines, seq)] ?? 0;
}

/** Returns an instant in whole nanoseconds, as the address has it. */
function whole(at: number | null): number | null {
  return at === null ? null : Math.round(at);
}

function windowOf(window: readonly [number, number] | null): Window | null {
  return window === null ? null : { from: window[0], to: window[1] };
}
