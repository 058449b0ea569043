// SPDX-License-Identifier: Apache-2.0 OR MIT
// The lines of a finished run: each trigger, the next or the last of a kind, and the causes of its latency.

import { api } from "../api/client.js";
import type { FinishedCase, FinishedLines, TriggerAnswer, TriggerDetails } from "../api/types.js";
import type { Context } from "../context.js";
import { type Find, formatFind, parseFind } from "../core/find.js";
import { grouped, micro, parseCount } from "../core/quantity.js";
import { EVERYTHING, type Window } from "../core/timebase.js";
import { shownView } from "../core/watched.js";
import { triggerAt } from "../core/wires.js";
import { h } from "../dom.js";
import { Finder } from "./finder.js";
import { Notice } from "./notice.js";
import { Scope, zeroOf } from "./scope.js";

/** Triggers that are fetched around the shown time, and of a pile or a wide window. */
const FEW = 48;
const MANY = 2_048;

export class RunScope {
  readonly element: HTMLElement;
  readonly #notice = new Notice();
  /** Says what a search did not find, whatever is fetched meanwhile. */
  readonly #sought = new Notice();
  readonly #scope: Scope;
  readonly #finder: Finder;
  readonly #number = h("input", { type: "text", id: "trigger-number", "aria-label": "Number of the trigger", autocomplete: "off", onchange: () => this.#typed() });
  #case: FinishedCase | null = null;
  #lines: FinishedLines | null = null;
  #asked = "";
  #details: TriggerDetails | null = null;

  constructor(private readonly context: Context, private readonly id: string) {
    this.#finder = new Finder(context, [["any", "any"], ["worst", "worst"], ["above", "above"], ["missing", "missing"]],
      (find) => this.#look(find));
    const button = (text: string, title: string, act: () => void) =>
      h("button", { type: "button", title, "aria-label": title, onclick: act }, text);
    const controls = h("span", { class: "controls" }, this.#finder.element,
      h("span", { class: "toggles", role: "group", "aria-label": "Which trigger" },
        button("|‹", "First trigger", () => this.#go(this.#lines?.first ?? 0)),
        button("‹", "Previous one of the kind (p)", () => void this.step(-1)),
        button("›", "Next one of the kind (n)", () => void this.step(1)),
        button("›|", "Last trigger", () => this.#go(this.#lines?.last ?? 0))),
      this.#number);
    this.#scope = new Scope(context, controls, (stage) => this.#choose(stage), () => void this.#fetch());
    this.element = h("div", { class: "scopes" }, this.#notice.element, this.#sought.element, this.#scope.element);
  }

  async update(shown: FinishedCase): Promise<void> {
    const other = this.#case?.case !== shown.case;
    this.#case = shown;
    if (other) {
      this.#lines = null;
      this.#sought.clear();
    }
    this.#scope.place();
    const find = parseFind(this.context.place().find);
    // A link to the worst names no trigger: it is looked up.
    if (this.context.place().trigger === null && find.what !== "any") await this.#seek(find, null);
    await this.#fetch();
  }

  /** Goes to the next of the kind, or the one before. */
  async step(towards: 1 | -1): Promise<void> {
    const find = parseFind(this.context.place().find);
    const from = this.#seq();
    await this.#seek(find.what === "worst" ? { ...find, what: "any" } : find, towards === 1 ? { after: from } : { before: from });
  }

  close(): void {
    this.#scope.close();
  }

  #stages(): string[] {
    return this.#series().map((one) => one.stage);
  }

  #series() {
    const all = this.#case?.series ?? [];
    const view = shownView(all, this.context.place().view);
    return all.filter((one) => one.view === view);
  }

  #stage(): string | null {
    return parseFind(this.context.place().find).stage;
  }

  #seq(): number {
    return this.context.place().trigger ?? this.#lines?.first ?? 0;
  }

  /** The stage whose causes are shown: the chosen one, or the one with the longest latency. */
  #told(): TriggerAnswer | null {
    const answers = this.#details?.answers ?? [];
    const explained = answers.filter(({ segments }) => segments.length > 0);
    const chosen = this.#stage();
    const longest = [...explained].sort((one, other) => (other.latency_ns ?? 0) - (one.latency_ns ?? 0))[0] ?? null;
    return chosen === null ? longest : explained.find(({ stage }) => stage === chosen) ?? null;
  }

  #choose(stage: string): void {
    const find = parseFind(this.context.place().find);
    this.context.note({ find: formatFind({ ...find, stage }) });
    this.#show();
  }

  #look(find: Find): void {
    this.#sought.clear();
    if (find.what === "above" && find.least === null) return;
    if (find.what === "any") this.#show();
    else void this.#seek(find, null);
  }

  async #seek(find: Find, where: { readonly after: number } | { readonly before: number } | null): Promise<void> {
    const shown = this.#case;
    const series = this.#series();
    const stage = find.stage ?? series.at(-1)?.stage;
    if (shown === null || stage === undefined) return;
    const asked = {
      case: shown.case, stage, view: series[0]?.view ?? "outside", what: find.what,
      above_ns: find.least === null ? null : String(find.least),
      ...(where === null ? {} : Object.fromEntries(Object.entries(where).map(([key, value]) => [key, String(value)]))),
    };
    const found = await this.#sought.attempt(() => api.find(this.id, asked));
    if (found === null) return;
    if (found.seq !== null) this.#go(found.seq);
    else this.#sought.tell(new Error(`no ${where === null ? "" : "after" in where ? "later " : "earlier "}trigger of stage ${stage} is ${find.what}`));
  }

  #typed(): void {
    const seq = parseCount(this.#number.value);
    if (seq !== null) this.#go(seq);
  }

  #go(seq: number): void {
    this.#sought.clear();
    const { first = 0, last = seq } = this.#lines ?? {};
    this.context.note({ trigger: Math.min(Math.max(seq, first), last) });
    void this.#fetch();
  }

  /** Fetches what the window needs and is not there, then shows it. */
  async #fetch(again = true): Promise<void> {
    const shown = this.#case;
    if (shown === null) return;
    const seq = this.context.place().trigger;
    const [begin, count] = this.#range(seq ?? 0);
    const key = [shown.case, begin, count].join();
    const wanted: Promise<unknown>[] = [];
    if (key !== this.#asked) {
      this.#asked = key;
      wanted.push(this.#notice.attempt(() => api.lines(this.id, shown.case, begin, count)).then((lines) => {
        if (lines !== null && key === this.#asked) this.#lines = lines;
      }));
    }
    if (this.#details?.case !== shown.case || this.#details.seq !== (seq ?? 0)) {
      wanted.push(this.#notice.attempt(() => api.trigger(this.id, shown.case, seq ?? 0)).then((details) => {
        if (details !== null && details.seq === (this.context.place().trigger ?? 0)) this.#details = details;
      }));
    }
    await Promise.all(wanted);
    this.#show();
    // Where the shown trigger is, and how far apart triggers are, may be known only now.
    if (again && wanted.length > 0) await this.#fetch(false);
  }

  /** Returns the first trigger and how many are fetched. A window far from the shown trigger has its own. */
  #range(seq: number): readonly [number, number] {
    if (this.context.place().pile !== null) return [Math.max(seq - MANY / 4, 0), MANY];
    const count = this.#isWide() ? MANY : FEW;
    const lines = this.#lines?.views[0];
    const { from, to } = this.#scope.window();
    const middle = lines === undefined ? seq : triggerAt(lines, zeroOf({ seq, zeros: this.#zeros() }, lines) + (from + to) / 2);
    // In steps, so that not each movement fetches.
    const away = Math.round((middle - seq) / (count / 8)) * (count / 8);
    const begin = seq + away - (count === MANY ? count / 2 : count / 4);
    const { first = 0, last = Infinity } = this.#lines ?? {};
    return [Math.max(Math.min(begin, last - count + 1), first), count];
  }

  /** Returns the shown trigger's instant by the clock of each view. */
  #zeros(): Map<string, number> {
    const details = this.#details?.seq === this.#seq() && this.#details.case === this.#case?.case ? this.#details : null;
    return new Map((details?.answers ?? []).map(({ view, trigger_ns }) => [view, trigger_ns]));
  }

  /** Returns the time around the shown trigger in which all triggers of a view were fetched. */
  #known(): Window {
    const lines = this.#lines;
    const view = lines?.views[0];
    if (lines === null || view === undefined) return EVERYTHING;
    const zero = zeroOf({ seq: this.#seq(), zeros: this.#zeros() }, view);
    const [begin = 0, end = 0] = [view.trigger_ns[0], view.trigger_ns.at(-1)];
    return {
      from: view.seq[0] === lines.first ? -Infinity : begin - zero,
      to: view.seq.at(-1) === lines.last ? Infinity : end - zero,
    };
  }

  /** Whether the window shows more triggers than are there. */
  #isWide(): boolean {
    const { from, to } = this.#scope.window();
    const lines = this.#lines?.views[0];
    const span = (lines?.trigger_ns.at(-1) ?? 0) - (lines?.trigger_ns[0] ?? 0);
    const each = lines === undefined || lines.seq.length < 2 ? Infinity : span / (lines.seq.length - 1);
    return (to - from) / each > FEW / 4;
  }

  #show(): void {
    const shown = this.#case;
    if (shown === null) return;
    const wanted = this.context.place().view;
    const main = shownView(shown.series, wanted);
    const views = (this.#lines?.views ?? []).filter(({ view }) => wanted === "both" || view === main);
    const seq = this.#lines === null ? null : this.#seq();
    const answer = this.#told();
    this.#finder.update(this.#stages(), answer?.stage ?? null);
    if (document.activeElement !== this.#number) this.#number.value = seq === null ? "" : grouped(seq);
    this.#scope.update({
      views, seq, zeros: this.#zeros(), known: this.#known(), piled: views.map((lines) => [{ lines, from: 0 }]), series: shown.series,
      parts: answer?.segments ?? [], stage: answer?.stage ?? this.#stage(),
      title: this.#title(seq), silent: this.#silent(),
    });
  }

  #title(seq: number | null): string {
    if (seq === null) return "reading";
    const { last = seq } = this.#lines ?? {};
    const { what, stage } = parseFind(this.context.place().find);
    const latency = this.#details?.answers.find((one) => one.stage === stage)?.latency_ns;
    const of = stage === null || latency === undefined ? "" : `: ${stage} ${latency === null ? "has no answer" : `after ${micro(latency)} µs`}`;
    return `trigger ${grouped(seq)}, the last is ${grouped(last)}${of}${what === "worst" ? ", the longest" : ""}`;
  }

  #silent(): string {
    const { explained_view = null } = this.#details ?? {};
    if (explained_view === null) return "Causes were not recorded: measure with --explain, or with the box “explain”.";
    return "This answer was not explained.";
  }
}
