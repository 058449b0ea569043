// SPDX-License-Identifier: Apache-2.0 OR MIT
// The accounting identity and what became of the frames: always in sight.

import type { LiveAccount, Frames } from "../api/types.js";
import { accounted } from "../core/watched.js";
import { grouped, samplesPerSecond } from "../core/quantity.js";
import { h, say } from "../dom.js";

const TERMS = ["complete", "missing", "coalesced", "dropped", "unrecorded", "open"] as const;
const ABOUT: Readonly<Record<(typeof TERMS)[number], string>> = {
  complete: "every stage answered",
  missing: "a stage never answered",
  coalesced: "one run of a stage answered two triggers",
  dropped: "there was no room for the sample",
  unrecorded: "the log was cut off before its record",
  open: "on their way",
};

export interface Accounted {
  readonly account: LiveAccount;
  readonly frames: Frames | null;
  readonly rateMillihertz: number | null;
  readonly unjoined: number;
  /** How many triggers are to come: there is room for as many from the start. */
  readonly planned: number | null;
}

export class AccountStrip {
  readonly element: HTMLElement;
  readonly #numbers = new Map<string, HTMLElement>();
  readonly #verdict = h("span", { class: "verdict" });
  readonly #frames = h("span", { class: "frames" });

  constructor() {
    const term = (name: string, about: string) => {
      const number = h("b", { "data-account": name }, "0");
      this.#numbers.set(name, number);
      return h("span", { class: "term", title: about }, number, h("span", {}, ` ${name}`));
    };
    const terms = TERMS.flatMap((name, index) => [
      h("span", { class: "sign", "aria-hidden": "true" }, index === 0 ? "=" : "+"),
      term(name, ABOUT[name]),
    ]);
    this.element = h("section", { class: "account", "aria-label": "Accounting identity" },
      h("span", { class: "identity" }, term("triggers", "all that were sent"), ...terms, this.#verdict),
      this.#frames);
  }

  update(one: Accounted | null): void {
    const account = one?.account ?? null;
    const most = Math.max(one?.planned ?? 0, account?.triggers ?? 0);
    this.element.style.setProperty("--digits", `${grouped(most).length}ch`);
    for (const name of ["triggers", ...TERMS] as const) {
      const number = this.#numbers.get(name);
      if (number === undefined) continue;
      const count = account?.[name] ?? 0;
      say(number, grouped(count));
      const bad = name !== "triggers" && name !== "complete" && name !== "open" && count > 0;
      number.classList.toggle("bad", bad);
    }
    say(this.#verdict, account === null ? "" : verdict(account));
    this.#verdict.classList.toggle("bad", account !== null && !account.holds);
    say(this.#frames, one === null ? "no frames yet" : framesText(one));
    this.#frames.classList.toggle("bad", (one?.frames?.missed ?? 0) + (one?.frames?.damaged ?? 0) > 0);
  }
}

function verdict(account: LiveAccount): string {
  if (account.holds) return "✓ holds";
  return `✗ ${grouped(accounted(account) - account.triggers)} too many`;
}

function framesText({ frames, rateMillihertz, unjoined }: Accounted): string {
  const parts: string[] = [];
  if (frames !== null) {
    const { received, missed, damaged } = frames;
    parts.push(`frames ${grouped(received)}`, `missed ${grouped(missed)}`, `damaged ${grouped(damaged)}`);
  }
  if (unjoined > 0) parts.push(`unjoined ${grouped(unjoined)}`);
  if (rateMillihertz !== null) parts.push(samplesPerSecond(rateMillihertz / 1000));
  return parts.join(" · ");
}
