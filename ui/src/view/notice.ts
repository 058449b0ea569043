// SPDX-License-Identifier: Apache-2.0 OR MIT
// What went wrong, where it went wrong, with its remedy.

import { ApiError } from "../api/client.js";
import type { Trouble } from "../api/types.js";
import { h } from "../dom.js";

/** A place for one message; empty until there is one. */
export class Notice {
  readonly element = h("p", { class: "notice", role: "alert", hidden: true });

  tell(error: unknown): void {
    this.say(error instanceof ApiError ? error : { what: error instanceof Error ? error.message : String(error), remedy: "" });
  }

  say({ what, remedy }: Trouble): void {
    const rest = remedy === "" ? "" : ` — ${remedy}`;
    // Screen readers announce every change.
    if (this.element.textContent !== what + rest) this.element.replaceChildren(h("strong", {}, what), rest);
    this.element.hidden = false;
  }

  clear(): void {
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  /** Does it, and says here if it cannot be done. */
  async attempt<T>(act: () => Promise<T>): Promise<T | null> {
    try {
      const done = await act();
      this.clear();
      return done;
    } catch (error) {
      this.tell(error);
      return null;
    }
  }
}
