// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which page is shown, and the address that says so.

import "uplot/dist/uPlot.min.css";
import "./style/theme.css";
import "./style/layout.css";
import "./style/controls.css";
import "./style/tables.css";
import "./style/charts.css";
import "./style/scope.css";
import "./style/results.css";
import "./style/lake.css";
import { api } from "./api/client.js";
import type { Hello } from "./api/types.js";
import type { Context, Screen } from "./context.js";
import { format, parse, type Place } from "./core/location.js";
import { h } from "./dom.js";
import { CompareScreen } from "./view/compare.js";
import { Header } from "./view/header.js";
import { keyboardHelp, listen } from "./view/keys.js";
import { LakeScreen } from "./view/lake.js";
import { LiveScreen } from "./view/live.js";
import { Notice } from "./view/notice.js";
import { RunScreen } from "./view/run.js";
import { RunsScreen } from "./view/runs.js";

class App {
  readonly #main = h("main", { id: "page", tabindex: -1 });
  readonly #header: Header;
  readonly #context: Context;
  #place: Place = parse(location.hash);
  #screen: Screen | null = null;

  constructor(hello: Hello) {
    this.#header = new Header(hello);
    this.#context = { hello, place: () => this.#place, go: (change) => this.#go(change), note: (change) => this.#note(change) };
    const help = keyboardHelp();
    document.body.replaceChildren(this.#header.element, this.#main, help);
    listen(help, () => this.#screen?.keys ?? {});
    addEventListener("hashchange", () => this.#follow());
    this.#open();
  }

  #go(change: Partial<Place>): void {
    location.hash = format({ ...this.#place, ...change });
    // The event comes later; a second press before it must find the first one's place.
    this.#follow();
  }

  #note(change: Partial<Place>): void {
    this.#place = { ...this.#place, ...change };
    history.replaceState(null, "", format(this.#place));
  }

  #follow(): void {
    const before = this.#place;
    this.#place = parse(location.hash);
    if (format(before) === format(this.#place)) return;
    const same = before.page === this.#place.page && before.run === this.#place.run;
    if (same) this.#screen?.place?.();
    else this.#open();
  }

  #open(): void {
    this.#screen?.close();
    this.#screen = this.#make();
    this.#header.update(this.#place);
    this.#main.replaceChildren(this.#screen.element);
    document.title = `irqscope: ${this.#place.run ?? this.#place.page}`;
    scrollTo(0, 0);
  }

  #make(): Screen {
    const { page, run } = this.#place;
    if (page === "run" && run !== null) return new RunScreen(this.#context, run);
    if (page === "runs") return new RunsScreen(this.#context);
    if (page === "lake") return new LakeScreen(this.#context);
    return page === "compare" ? new CompareScreen(this.#context) : new LiveScreen(this.#context);
  }
}

async function begin(): Promise<void> {
  const notice = new Notice();
  const hello = await notice.attempt(() => api.hello());
  if (hello === null) document.body.replaceChildren(h("main", {}, notice.element));
  else new App(hello);
}

void begin();
