// SPDX-License-Identifier: Apache-2.0 OR MIT
// A scenario of one's own: written here, checked with the line of what is wrong, and started.

import { api, ApiError } from "../api/client.js";
import { grouped } from "../core/quantity.js";
import { h, say } from "../dom.js";

const EXAMPLE = `version = 1
about = "Which functions hold my softirqs up"
rig = "twin"
kernels = ["6.1", "6.1-rt"]
states = ["idle", "load"]
stages = ["irq", "softirq", "user"]
explain = true

[trigger]
kind = "line"
frequency = "1kHz"
count = 2000
`;
const KEY = "irqscope-scenario";

export class OwnScenario {
  readonly element: HTMLElement;
  readonly #text = h("textarea", { id: "own-text", rows: 14, spellcheck: "false", "aria-label": "Scenario, in TOML" });
  readonly #answer = h("p", { class: "answer", role: "status" });
  readonly #start = h("button", { type: "button", class: "go", onclick: () => void this.#send(true) }, "Run");

  constructor() {
    this.#text.value = localStorage.getItem(KEY) ?? EXAMPLE;
    this.element = h("details", { class: "own" }, h("summary", {}, "Write one"), this.#text, this.#answer,
      h("div", { class: "buttons" }, this.#start,
        h("button", { type: "button", onclick: () => void this.#send(false) }, "Check")));
  }

  update(busy: boolean): void {
    if (this.#start.disabled !== busy) this.#start.disabled = busy;
  }

  async #send(start: boolean): Promise<void> {
    const toml = this.#text.value;
    localStorage.setItem(KEY, toml);
    try {
      const { cases, count } = await api.checkScenario({ scenario: "own", toml });
      this.#say(`${cases.length === 1 ? "1 case" : `${cases.length} cases`} of ${grouped(count)} triggers: ${cases.join(", ")}`, false);
      if (start) await api.startScenario({ scenario: "own", toml });
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error), true);
      if (error instanceof ApiError) this.#mark(error.what);
    }
  }

  #say(text: string, bad: boolean): void {
    say(this.#answer, text);
    this.#answer.classList.toggle("bad", bad);
    this.#text.setAttribute("aria-invalid", String(bad));
  }

  /** Selects the line that the server names. */
  #mark(what: string): void {
    const [, number] = /own\.toml:(\d+)/.exec(what) ?? [];
    if (number === undefined) return;
    const lines = this.#text.value.split("\n");
    const before = lines.slice(0, Number(number) - 1).join("\n").length;
    const from = before + (Number(number) > 1 ? 1 : 0);
    this.#text.focus();
    this.#text.setSelectionRange(from, from + (lines[Number(number) - 1] ?? "").length);
  }
}
