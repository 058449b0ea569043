// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which stage answers on which of the generator's lines.

import type { GeneratorState, Stage } from "../api/types.js";
import { h } from "../dom.js";

export class LinesPanel {
  readonly element: HTMLElement;
  readonly #set = h("fieldset", { class: "lines" }, h("legend", { class: "unseen" }, "Stage of each line"));
  #choices: HTMLSelectElement[] = [];
  #defaults = "";

  constructor(private readonly all: readonly Stage[]) {
    this.element = h("details", {}, h("summary", {}, "Lines"), this.#set);
  }

  update(generator: GeneratorState | null, busy: boolean): void {
    const defaults = generator?.default_stages ?? [];
    if (defaults.join() !== this.#defaults) this.#make(defaults);
    if (this.#set.disabled !== busy) this.#set.disabled = busy;
  }

  /** By line. */
  stages(): Stage[] {
    return this.#choices.flatMap((choice) => this.all[choice.selectedIndex] ?? []);
  }

  #make(defaults: readonly string[]): void {
    this.#defaults = defaults.join();
    this.#choices = defaults.map((stage, line) => h("select", { "aria-label": `Line ${line}` },
      ...this.all.map((name) => h("option", { value: name, selected: name === stage }, name))));
    this.#set.replaceChildren(...this.#choices.map((choice, line) => h("label", {}, h("span", {}, String(line)), choice)));
  }
}
