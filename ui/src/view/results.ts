// SPDX-License-Identifier: Apache-2.0 OR MIT
// Further results of a finished run: a panel for each that its case has data for.

import type { FinishedCase } from "../api/types.js";
import type { Context } from "../context.js";
import { h } from "../dom.js";
import { BurstsPanel } from "./bursts.js";
import { GatePanel } from "./gate.js";
import { IsolatePanel } from "./isolate.js";
import { LocksPanel } from "./locks.js";
import { PathPanel } from "./path.js";
import type { ResultPanel } from "./result.js";
import { SweepPanel } from "./sweep.js";
import { TailPanel } from "./tail.js";

export class RunResults {
  readonly element: HTMLElement;
  readonly #panels: readonly ResultPanel[];

  constructor(context: Context, id: string, cases: () => readonly string[]) {
    this.#panels = [new SweepPanel(id), new BurstsPanel(id), new GatePanel(context, id), new TailPanel(id), new PathPanel(id, cases), new LocksPanel(id), new IsolatePanel(id)];
    this.element = h("div", { class: "results" }, ...this.#panels.map(({ element }) => element));
  }

  update(drawn: FinishedCase): void {
    for (const panel of this.#panels) panel.update(drawn);
  }
}
