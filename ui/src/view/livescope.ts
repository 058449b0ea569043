// SPDX-License-Identifier: Apache-2.0 OR MIT
// The lines of what is measured: the newest trigger, or one that the server has held; single shot and
// hold; and the sweeps that came since they are piled up.

import { api } from "../api/client.js";
import type { Capture, CaseSnapshot, ViewLines } from "../api/types.js";
import type { Context } from "../context.js";
import { type Find, parseFind } from "../core/find.js";
import { grouped, micro } from "../core/quantity.js";
import { shownView } from "../core/watched.js";
import type { Sweeps } from "../core/wires.js";
import { h, say } from "../dom.js";
import { Finder } from "./finder.js";
import { Scope } from "./scope.js";

/** Answers of the server that are piled up: 4,096 sweeps. */
const PILED = 32;

export class LiveScope {
  readonly element: HTMLElement;
  readonly #scope: Scope;
  readonly #finder: Finder;
  readonly #hold = h("button", { type: "button", "aria-pressed": "false", title: "Keeps what is shown (space)", onclick: () => this.toggle() }, "Hold");
  readonly #single = h("button", { type: "button", "aria-pressed": "false", title: "Holds the next such trigger", onclick: () => this.#arm() }, "Single");
  #shown: CaseSnapshot | null = null;
  #held = false;
  /** Single shot: how many such triggers, or triggers, there were when it was armed. */
  #armed: number | null = null;
  #piled = new Map<string, Sweeps[]>();
  #subject = "";

  constructor(private readonly context: Context, private readonly asked: () => void) {
    this.#finder = new Finder(context, [["any", "newest"], ["worst", "worst until now"], ["above", "above"], ["missing", "missing"]],
      (find) => this.#look(find));
    const controls = h("span", { class: "controls" }, this.#finder.element, this.#single, this.#hold);
    this.#scope = new Scope(context, controls, (stage) => this.#choose(stage), () => {});
    this.element = this.#scope.element;
    const find = parseFind(context.place().find);
    if (find.least !== null) this.#threshold(find);
  }

  /** Returns the capture whose lines are wanted from the server. */
  wanted(view: string): string | null {
    const { what, stage } = parseFind(this.context.place().find);
    return what === "any" || stage === null ? null : `${what}:${stage}:${view}`;
  }

  toggle(): void {
    this.#held = !this.#held;
    this.#armed = null;
    this.#buttons();
    if (!this.#held && this.#shown !== null) this.#show(this.#shown);
  }

  get held(): boolean {
    return this.#held;
  }

  update(subject: string, shown: CaseSnapshot): void {
    if (subject !== this.#subject) {
      this.#subject = subject;
      this.#piled.clear();
      this.#held = false;
      this.#buttons();
    }
    this.#gather(shown.lines?.recent ?? []);
    this.#shown = shown;
    if (!this.#held) this.#show(shown);
  }

  place(): void {
    this.#scope.place();
    if (this.#shown !== null && !this.#held) this.#show(this.#shown);
  }

  close(): void {
    this.#scope.close();
  }

  #buttons(): void {
    this.#hold.setAttribute("aria-pressed", String(this.#held));
    say(this.#hold, this.#held ? "Run" : "Hold");
    this.#single.setAttribute("aria-pressed", String(this.#armed !== null));
  }

  #gather(recent: readonly ViewLines[]): void {
    if (this.#held) return;
    for (const lines of recent) {
      const all = this.#piled.get(lines.view) ?? [];
      const last = all.at(-1)?.lines.seq.at(-1) ?? -1;
      // Another case, or a record that came afterwards, begins anew.
      if ((lines.seq.at(-1) ?? 0) < last) all.length = 0;
      const from = lines.seq.findIndex((seq) => seq > (all.length === 0 ? -1 : last));
      if (from >= 0) all.push({ lines, from });
      if (all.length > PILED) all.shift();
      this.#piled.set(lines.view, all);
    }
  }

  #capture(shown: CaseSnapshot): Capture | null {
    const { what, stage } = parseFind(this.context.place().find);
    const view = shownView(shown.series, this.context.place().view);
    return shown.lines?.captures.find((one) => one.reason === what && one.stage === stage && one.view === view) ?? null;
  }

  #show(shown: CaseSnapshot): void {
    const wanted = this.context.place().view;
    const main = shownView(shown.series, wanted);
    const find = parseFind(this.context.place().find);
    const capture = this.#capture(shown);
    const holds = find.what !== "any";
    const count = holds ? capture?.count ?? 0 : shown.lines?.triggers ?? 0;
    if (this.#armed !== null && count <= this.#armed) return;
    const all = holds ? capture?.lines ?? [] : shown.lines?.recent ?? [];
    const views = all.filter(({ view }) => wanted === "both" || view === main);
    // Its lines come with the next answer of the stream.
    if (holds && capture !== null && views.length === 0) return;
    if (this.#armed !== null) {
      this.#armed = null;
      this.#held = true;
      this.#buttons();
    }
    this.#finder.update(shown.series.filter((one) => one.view === main).map((one) => one.stage), shown.series.at(-1)?.stage ?? null);
    const seq = holds ? capture?.seq ?? null : views[0]?.seq.at(-1) ?? null;
    this.#scope.update({
      views, seq, piled: views.map(({ view }) => this.#piled.get(view) ?? []), series: shown.series,
      parts: [], stage: find.stage, title: this.#title(find, capture, seq, shown),
      silent: shown.ended ? "The finished run has what it waited for." : "",
    });
  }

  #title(find: Find, capture: Capture | null, seq: number | null, shown: CaseSnapshot): string {
    const passed = `${grouped(shown.lines?.triggers ?? 0)} triggers until now`;
    if (find.what === "any") return seq === null ? passed : `trigger ${grouped(seq)}, the newest; ${passed}`;
    if (find.what === "above" && find.least === null) return "above which latency? such as 50 µs";
    if (capture === null) return `waiting for ${find.stage ?? "a stage"}: ${find.what}; ${passed}`;
    const latency = capture.latency_ns === null ? "no answer" : `${micro(capture.latency_ns)} µs`;
    return `trigger ${grouped(capture.seq)}: ${capture.stage} ${find.what}, ${latency}; ${find.what === "worst" ? "" : `${grouped(capture.count)} such of `}${passed}`;
  }

  #look(find: Find): void {
    this.#held = false;
    this.#armed = null;
    this.#buttons();
    this.#threshold(find);
    this.asked();
    if (this.#shown !== null) this.#show(this.#shown);
  }

  /** The server decides with each trigger: nothing between two snapshots is missed. */
  #threshold({ what, stage, least }: Find): void {
    if (what !== "above" || stage === null || least === null) return;
    void api.hold({ ...this.#shown?.lines?.above_ns, [stage]: Math.round(least) }).catch(() => null);
  }

  #arm(): void {
    const shown = this.#shown;
    if (shown === null) return;
    this.#held = false;
    const holds = parseFind(this.context.place().find).what !== "any";
    this.#armed = holds ? this.#capture(shown)?.count ?? 0 : shown.lines?.triggers ?? 0;
    this.#buttons();
  }

  #choose(stage: string): void {
    const find = parseFind(this.context.place().find);
    this.context.go({ find: find.what === "any" ? `any:${stage}` : [find.what, stage, ...(find.least === null ? [] : [find.least])].join(":") });
    this.#look({ ...find, stage });
  }
}
