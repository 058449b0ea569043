// SPDX-License-Identifier: Apache-2.0 OR MIT
// The live stream. The newest snapshot is handed on once a frame at most.

import { query } from "./client.js";
import type { Snapshot } from "./types.js";

export interface LiveAsk {
  readonly case: string | null;
  /** `irq:outside` and so on, with commas. */
  readonly series: string | null;
  /** `worst:irq:outside` and so on: the trigger that is held, whose lines are wanted. */
  readonly capture: string | null;
}

export class Live {
  #source: EventSource | null = null;
  #ask = "";
  #newest: Snapshot | null = null;
  #waiting = false;

  constructor(
    private readonly onSnapshot: (snapshot: Snapshot) => void,
    private readonly onLink: (up: boolean) => void,
  ) {}

  /** Another stream, if other series are wanted than before. */
  ask(wanted: LiveAsk): void {
    const asked = query({ ...wanted, lines: "true" });
    if (this.#source !== null && asked === this.#ask) return;
    this.close();
    this.#ask = asked;
    const source = new EventSource(`/api/live${asked === "" ? "" : `?${asked}`}`);
    source.addEventListener("snapshot", (event: MessageEvent<string>) => {
      this.#newest = JSON.parse(event.data) as Snapshot;
      this.#schedule();
    });
    source.addEventListener("open", () => this.onLink(true));
    source.addEventListener("error", () => this.onLink(false));
    this.#source = source;
  }

  close(): void {
    this.#source?.close();
    this.#source = null;
  }

  #schedule(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      if (this.#newest !== null && this.#source !== null) this.onSnapshot(this.#newest);
    });
  }
}
