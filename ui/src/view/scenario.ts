// SPDX-License-Identifier: Apache-2.0 OR MIT
// A bundled scenario, started from here.

import { api } from "../api/client.js";
import type { Hello, ScenarioInfo, StartScenario } from "../api/types.js";
import { grouped, parseCount } from "../core/quantity.js";
import { h, say } from "../dom.js";
import { Notice } from "./notice.js";
import { OwnScenario } from "./own.js";

export class ScenarioPanel {
  readonly element: HTMLElement;
  readonly #choice: HTMLSelectElement;
  readonly #about = h("p", { class: "muted" });
  readonly #kernels = h("fieldset", { class: "checks" });
  readonly #states = h("fieldset", { class: "checks" });
  readonly #count = h("input", { id: "scenario-count", type: "text", autocomplete: "off" });
  readonly #explain = h("input", { id: "explain", type: "checkbox" });
  readonly #start = h("button", { type: "submit", class: "go" }, "Run");
  readonly #stop = h("button", { type: "button", class: "halt", onclick: () => this.#halt() }, "Stop");
  readonly #notice = new Notice();
  readonly #own = new OwnScenario();

  constructor(private readonly hello: Hello) {
    this.#choice = h("select", { id: "scenario-name", onchange: () => this.#choose() },
      ...hello.scenarios.filter(drawable).map(({ name }) => h("option", { value: name }, name)));
    const form = h("form", { onsubmit: (event) => this.#submit(event) },
      h("div", { class: "field" }, h("label", { for: "scenario-name" }, "Name"), this.#choice),
      this.#about, this.#kernels, this.#states,
      h("div", { class: "field" }, h("label", { for: "scenario-count" }, "Count"), this.#count,
        h("label", { class: "check" }, this.#explain, "explain")),
      h("div", { class: "buttons" }, this.#start, this.#stop));
    this.element = h("details", { class: "panel" },
      h("summary", {}, h("h2", { id: "scenario" }, "Scenario")), form, this.#notice.element, this.#own.element);
    this.#choose();
  }

  update(busy: boolean): void {
    this.#start.disabled = busy;
    this.#stop.disabled = !busy;
    this.#own.update(busy);
  }

  #chosen(): ScenarioInfo | undefined {
    return this.hello.scenarios.find(({ name }) => name === this.#choice.value);
  }

  #choose(): void {
    const chosen = this.#chosen();
    if (chosen === undefined) return;
    say(this.#about, chosen.about);
    const others = this.hello.kernels.filter((kernel) => !chosen.kernels.includes(kernel));
    const kernels = chosen.boots ? [...chosen.kernels, ...others] : chosen.kernels;
    checks(this.#kernels, "Kernels", kernels, chosen.kernels);
    const states = chosen.states.map(({ name }) => name);
    checks(this.#states, "System states", states, states);
    this.#count.value = grouped(chosen.count);
  }

  #submit(event: Event): void {
    event.preventDefault();
    const body = this.#body();
    if (body === null) this.#notice.tell(new Error("the count is not a number, such as 2,000"));
    else void this.#notice.attempt(() => api.startScenario(body));
  }

  #body(): StartScenario | null {
    const count = parseCount(this.#count.value);
    const kernels = checked(this.#kernels);
    const states = checked(this.#states);
    if (count === null) return null;
    return {
      scenario: this.#choice.value, count, explain: this.#explain.checked,
      ...(kernels.length > 0 ? { kernels } : {}), ...(states.length > 0 ? { states } : {}),
    };
  }

  #halt(): void {
    void this.#notice.attempt(() => api.stop());
  }
}

/** Sweeps and benchmarks have pictures of their own, in their reports. */
function drawable({ is_sweep, is_benchmark }: ScenarioInfo): boolean {
  return !is_sweep && !is_benchmark;
}

function checks(set: HTMLFieldSetElement, name: string, all: readonly string[], on: readonly string[]): void {
  set.replaceChildren(h("legend", {}, name), ...all.map((value) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", value, checked: on.includes(value) }), value)));
  set.hidden = all.length < 2;
}

function checked(set: HTMLFieldSetElement): string[] {
  return [...set.querySelectorAll<HTMLInputElement>("input:checked")].map((input) => input.value);
}
