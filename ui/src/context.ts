// SPDX-License-Identifier: Apache-2.0 OR MIT
// What every part of the page is given.

import type { Hello, Snapshot, StageInfo } from "./api/types.js";
import type { Place } from "./core/location.js";
import type { Keys } from "./view/keys.js";

export interface Context {
  readonly hello: Hello;
  readonly place: () => Place;
  /** Shows something else; the address follows. */
  readonly go: (change: Partial<Place>) => void;
  /** Lets the address follow what the page shows already, without a step in the browser's history. */
  readonly note: (change: Partial<Place>) => void;
}

/** One page below the header. */
export interface Screen {
  readonly element: HTMLElement;
  /** The address has changed, but not to another page. */
  place?: () => void;
  snapshot?: (snapshot: Snapshot) => void;
  /** Keys of the whole page, and their effects here. */
  readonly keys?: Keys;
  close: () => void;
}

/** Returns a stage's name and colour; one that the server has not named is drawn in grey. */
export function stageInfo(hello: Hello, name: string): Omit<StageInfo, "name"> {
  return hello.stages.find((stage) => stage.name === name) ?? { colour: "#808890", text: "" };
}
