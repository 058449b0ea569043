// SPDX-License-Identifier: Apache-2.0 OR MIT
// What one answer waited for, in words: interference first by length, then the rest.

import type { CausePart } from "../api/types.js";
import { micro } from "../core/quantity.js";
import { h } from "../dom.js";

/** Causes that have a line. */
const LISTED = 4;

export function causes(parts: readonly CausePart[], stage: string | null, silent: string): HTMLElement {
  if (parts.length === 0) return h("p", { class: "muted" }, silent);
  const total = parts.reduce((sum, { length_ns }) => sum + length_ns, 0);
  const found = parts.filter(({ meaning }) => meaning !== null).sort((one, other) => other.length_ns - one.length_ns);
  const rest = total - found.slice(0, LISTED).reduce((sum, { length_ns }) => sum + length_ns, 0);
  return h("div", {},
    h("h3", {}, `${stage ?? "the stage"} waited for`),
    found.length === 0 ? h("p", {}, "Nothing disturbed it.") : null,
    h("ol", { class: "found" }, ...found.slice(0, LISTED).map((part) => h("li", {},
      h("span", { class: "number" }, `${micro(part.length_ns)} µs`),
      h("span", {}, h("strong", {}, part.name === "" ? part.cause : `${part.cause}: ${part.name}`),
        part.detail === "" ? null : ` (${part.detail})`,
        h("span", { class: "muted" }, `: ${part.meaning ?? ""}`))))),
    h("p", { class: "muted" }, `${micro(rest)} µs of ${micro(total)} µs are its own path and shorter waits.`));
}
