// SPDX-License-Identifier: Apache-2.0 OR MIT
// Keys of the whole page, and the list of all of them.

import { h } from "../dom.js";

export interface Keys {
  /** Runs or stops what is under way, or holds the picture. */
  readonly space?: () => void;
  readonly step?: (towards: 1 | -1) => void;
}

const LIST: readonly (readonly [string, string])[] = [
  ["space", "hold the lines, and let them run again"],
  ["n, p", "the next trigger of the kind, the one before"],
  ["← →", "pan"],
  ["+ −", "zoom; also the wheel, or two fingers"],
  ["Home", "show all of the trigger"],
  ["a, b", "place cursor A or B, or choose it; also press and Shift with press"],
  ["Shift ← →", "move the chosen cursor by a pixel; also drag it"],
  ["Esc", "take the cursors away"],
  ["?", "this list"],
];

/** Returns the list as a dialog, which is part of the page once. */
export function keyboardHelp(): HTMLDialogElement {
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help" },
    h("h2", { id: "help" }, "Keys"),
    h("dl", { class: "facts" }, ...LIST.flatMap(([keys, text]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, text)])),
    h("p", { class: "muted" }, "Arrows, zoom and cursors are those of the lines while the focus is on them."),
    h("form", { method: "dialog" }, h("button", { type: "submit" }, "Close")));
  return dialog;
}

/** Hands keys on that are not somebody's text or button. */
export function listen(dialog: HTMLDialogElement, keys: () => Keys): void {
  addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const typing = target?.closest("input, select, textarea, dialog") ?? null;
    if (typing !== null || event.ctrlKey || event.metaKey || event.altKey) return;
    const { space, step } = keys();
    const act = event.key === "?" ? () => dialog.showModal()
      : event.key === " " && target?.closest("button, summary, a") == null ? space
      : event.key === "n" && step ? () => step(1)
      : event.key === "p" && step ? () => step(-1) : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
