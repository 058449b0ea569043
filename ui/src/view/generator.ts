// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which generator: its address, its kind and its limits.

import { api } from "../api/client.js";
import type { GeneratorState } from "../api/types.js";
import { grouped, hertz, round } from "../core/quantity.js";
import { h, say, show } from "../dom.js";
import { Notice } from "./notice.js";

export class GeneratorPanel {
  readonly element: HTMLElement;
  readonly #address = h("input", {
    id: "address", type: "text", value: "127.0.0.1:7000", autocomplete: "off", spellcheck: "false", inputmode: "url",
  });
  readonly #button = h("button", { type: "submit" }, "Connect");
  readonly #facts = h("dl", { class: "facts" });
  readonly #notice = new Notice();
  #generator: GeneratorState | null = null;
  #shown = "";

  constructor() {
    const form = h("form", { class: "line", onsubmit: (event) => this.#submit(event) },
      h("label", { for: "address" }, "Address"), this.#address, this.#button);
    this.element = h("section", { class: "panel", "aria-labelledby": "generator" },
      h("h2", { id: "generator" }, "Generator"), form, this.#notice.element, this.#facts);
  }

  update(generator: GeneratorState | null): void {
    this.#generator = generator;
    say(this.#button, generator === null ? "Connect" : "Disconnect");
    this.#address.readOnly = generator !== null;
    const shown = JSON.stringify([generator?.address, generator?.limits, generator?.connected, generator?.error, generator?.status.state]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (generator !== null) this.#address.value = generator.address;
    show(this.#facts, generator !== null);
    this.#facts.replaceChildren(...(generator === null ? [] : facts(generator).flatMap(([name, text]) => [
      h("dt", {}, name), h("dd", {}, text),
    ])));
    const error = generator?.error ?? null;
    if (error === null) this.#notice.clear();
    else this.#notice.say({ ...error, what: `${error.what}; trying again` });
  }

  #submit(event: Event): void {
    event.preventDefault();
    const connected = this.#generator !== null;
    this.#button.disabled = true;
    void this.#notice
      .attempt(() => (connected ? api.disconnect() : api.connect(this.#address.value.trim())))
      .finally(() => { this.#button.disabled = false; });
  }
}

function facts({ kind, lines, limits, tick_femtoseconds, status }: GeneratorState): (readonly [string, string])[] {
  const [slowest, fastest] = limits.frequency_millihertz;
  const [least, most] = limits.packet;
  return [
    ["kind", `${kind}, ${lines} lines`],
    ["state", status.state],
    ["clock", `ticks of ${round(tick_femtoseconds / 1e6)}`],
    ["frequency", `${slowest === 0 ? "up" : hertz(slowest / 1000)} to ${hertz(fastest / 1000)}`],
    ["pulse", `${round(limits.pulse_ns)} at least`],
    ["packet", `${grouped(least)} to ${grouped(most)} samples`],
  ];
}
