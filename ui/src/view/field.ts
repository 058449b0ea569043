// SPDX-License-Identifier: Apache-2.0 OR MIT
// One setting of the trigger: what is asked for, and what was really set.

import { h, say } from "../dom.js";

export interface FieldKind<T> {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly parse: (text: string) => T | null;
  readonly format: (value: T) => string;
  /** More about it, for a tip. */
  readonly about?: string;
}

/** A text with its unit; Enter or leaving it sends it. */
export class Field<T> {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #note = h("span", { class: "note" });
  #limits = "";

  constructor(private readonly kind: FieldKind<T>, private readonly send: (value: T) => void, beside: Node | null = null) {
    const note = `${kind.id}-note`;
    this.#note.id = note;
    this.input = h("input", {
      id: kind.id, type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": note,
      onchange: () => this.#changed(),
    });
    this.element = h("div", { class: "field" },
      h("label", { for: kind.id }, kind.label), this.input, this.#note, beside);
  }

  /** Shows the setting; not while somebody types. */
  show(value: T): void {
    if (document.activeElement === this.input) return;
    const text = this.kind.format(value);
    if (this.input.value !== text) this.input.value = text;
  }

  note(text: string, bad = false): void {
    say(this.#note, text);
    this.#note.classList.toggle("bad", bad);
    this.input.setAttribute("aria-invalid", String(bad));
  }

  set disabled(off: boolean) {
    if (this.input.disabled !== off) this.input.disabled = off;
  }

  /** Says what is possible, before it is refused. */
  limits(text: string): void {
    const title = this.kind.about === undefined ? text : `${this.kind.about}: ${text}`;
    if (this.input.title !== title) this.input.title = title;
    this.#limits = text;
  }

  /** Notes that it was refused, with what is possible. */
  refused(): void {
    this.note(this.#limits === "" ? "refused" : `refused; possible: ${this.#limits}`, true);
  }

  #changed(): void {
    const value = this.kind.parse(this.input.value);
    if (value === null) this.note(`such as ${this.kind.hint}${this.#limits === "" ? "" : `; ${this.#limits}`}`, true);
    else {
      this.note("");
      this.send(value);
    }
  }
}
