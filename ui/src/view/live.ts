// SPDX-License-Identifier: Apache-2.0 OR MIT
// The live page: control on one side, what is measured on the other.

import type { CaseSnapshot, Measurement, Snapshot } from "../api/types.js";
import { Live } from "../api/live.js";
import type { Context, Screen } from "../context.js";
import { shownView } from "../core/watched.js";
import { grouped } from "../core/quantity.js";
import { h, say, show } from "../dom.js";
import { AccountStrip } from "./account.js";
import { GeneratorPanel } from "./generator.js";
import { LiveScope } from "./livescope.js";
import type { Keys } from "./keys.js";
import { ScenarioPanel } from "./scenario.js";
import { startPage } from "./start.js";
import { TargetPanel } from "./target.js";
import { TriggerPanel } from "./trigger.js";
import { Watch } from "./watch.js";

/** As in layout.css. */
const NARROW = "(max-width: 900px)";

export class LiveScreen implements Screen {
  readonly element: HTMLElement;
  readonly #strip = new AccountStrip();
  readonly #generator = new GeneratorPanel();
  readonly #trigger: TriggerPanel;
  readonly #scenario: ScenarioPanel;
  readonly #target: TargetPanel;
  readonly #watch: Watch;
  readonly #scope: LiveScope;
  readonly keys: Keys;
  readonly #state = h("span", { class: "state", role: "status" }, "waiting for the server");
  readonly #pause = h("button", { type: "button", "aria-pressed": "false", title: "Freezes the picture, not the measurement", onclick: () => this.#toggle() }, "Pause");
  /** Can be folded only where there is no room beside the pictures. */
  readonly #fold = h("details", { class: "fold", open: true });
  readonly #empty: HTMLElement;
  readonly #live: Live;
  #newest: Snapshot | null = null;
  /** The snapshot that is drawn: the newest, or the one at which it was paused. */
  #drawn: Snapshot | null = null;
  #paused = false;

  constructor(private readonly context: Context) {
    this.#trigger = new TriggerPanel(context.hello.stages.map(({ name }) => name));
    this.#scenario = new ScenarioPanel(context.hello);
    this.#target = new TargetPanel(context);
    this.#watch = new Watch(context);
    this.#empty = startPage(context.hello);
    this.#scope = new LiveScope(context, () => this.#ask());
    this.keys = { space: () => this.#scope.toggle() };
    this.element = h("div", { class: "live" },
      h("div", { class: "strip" }, this.#state, this.#strip.element, this.#pause),
      h("div", { class: "columns" },
        h("aside", { class: "control", "aria-label": "Control" }, this.#fold),
        h("div", { class: "stagearea" }, this.#empty, this.#scope.element, this.#watch.element)));
    this.#fold.append(h("summary", {}, "Control"),
      h("div", { class: "parts" }, this.#generator.element, this.#trigger.element, this.#scenario.element, this.#target.element));
    this.#live = new Live((snapshot) => this.#snapshot(snapshot), (up) => this.#link(up));
    this.#snapshotless();
    this.#ask();
  }

  place(): void {
    this.#ask();
    this.#scope.place();
    if (this.#drawn !== null) this.#draw(this.#drawn);
  }

  close(): void {
    this.#live.close();
    this.#watch.close();
    this.#scope.close();
  }

  /** Only the series that are drawn carry pictures. */
  #ask(): void {
    const place = this.context.place();
    const shown = this.#shown(this.#newest?.measurement ?? null);
    const view = shown === null || shown.series.length === 0 ? place.view : shownView(shown.series, place.view);
    const wanted = place.stages.length === 0 ? this.context.hello.stages.map(({ name }) => name) : place.stages;
    const series = view === null ? null : wanted.map((stage) => `${stage}:${view}`).join(",");
    this.#live.ask({ case: place.case, series, capture: this.#scope.wanted(view === "inside" ? "inside" : "outside") });
  }

  #shown(measurement: Measurement | null): CaseSnapshot | null {
    const wanted = this.context.place().case;
    const named = (name: string | null) => measurement?.cases.find((one) => one.case === name) ?? null;
    return named(wanted) ?? named(measurement?.shown ?? null);
  }

  #snapshot(snapshot: Snapshot): void {
    if (this.#newest === null && snapshot.measurement !== null && matchMedia(NARROW).matches) this.#fold.open = false;
    this.#newest = snapshot;
    const { generator, measurement } = snapshot;
    const busy = measurement?.active ?? false;
    this.#generator.update(generator);
    this.#trigger.update(generator, busy);
    // Without a generator there is nothing to set, and no pulse to draw.
    show(this.#trigger.element, generator !== null);
    this.#scenario.update(busy);
    this.#target.update(measurement);
    const shown = this.#shown(measurement);
    this.#strip.update(shown === null ? null : {
      account: shown.account, frames: shown.frames, unjoined: shown.unjoined, rateMillihertz: shown.rate_millihertz,
      planned: shown.planned,
    });
    this.#say(measurement);
    this.#ask();
    if (!this.#paused) this.#draw(snapshot);
  }

  #say(measurement: Measurement | null): void {
    const paused = this.#paused ? `, picture paused at ${grouped(this.#shown(this.#drawn?.measurement ?? null)?.samples ?? 0)}` : "";
    say(this.#state, `${measurement?.state ?? "idle"}${paused}`);
    this.#state.dataset["state"] = measurement?.state ?? "idle";
  }

  #draw(snapshot: Snapshot): void {
    this.#drawn = snapshot;
    const shown = this.#shown(snapshot.measurement);
    const some = shown !== null && shown.series.length > 0;
    show(this.#empty, snapshot.measurement === null);
    this.element.classList.toggle("blank", snapshot.measurement === null);
    show(this.#watch.element, some);
    show(this.#scope.element, some);
    const subject = `${snapshot.measurement?.started_utc} ${snapshot.measurement?.run}`;
    if (some) this.#scope.update(`${subject} ${shown.case}`, shown);
    if (some) this.#watch.update(subject, this.#method(shown.twin), shown, shown.worst);
  }

  #method(twin: boolean): string {
    const quantiles = `Quantiles: ${this.context.hello.live_quantile_method}.`;
    return twin ? `Virtual nanoseconds: executed instructions, the structure of a latency and no hardware's. ${quantiles}` : quantiles;
  }

  #snapshotless(): void {
    show(this.#watch.element, false);
    show(this.#scope.element, false);
    this.#trigger.update(null, false);
    show(this.#trigger.element, false);
    this.#target.update(null);
  }

  #link(up: boolean): void {
    if (!up) {
      say(this.#state, "no answer from the server; trying again");
      this.#state.dataset["state"] = "failed";
    }
  }

  #toggle(): void {
    this.#paused = !this.#paused;
    this.#pause.setAttribute("aria-pressed", String(this.#paused));
    say(this.#pause, this.#paused ? "Resume" : "Pause");
    this.element.classList.toggle("paused", this.#paused);
    if (this.#newest !== null) this.#snapshot(this.#newest);
  }
}
