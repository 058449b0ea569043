// SPDX-License-Identifier: Apache-2.0 OR MIT
// Where nothing has been measured yet: one thing to do, and the others in words.

import { api } from "../api/client.js";
import type { Hello } from "../api/types.js";
import { format, START } from "../core/location.js";
import { h } from "../dom.js";
import { Notice } from "./notice.js";

/** The scenario that needs nothing but this machine. */
const DEMO = "demo";

export function startPage(hello: Hello): HTMLElement {
  const notice = new Notice();
  const demo = hello.scenarios.find(({ name }) => name === DEMO);
  const begin = () => void notice.attempt(() => api.startScenario({ scenario: DEMO, explain: true }));
  return h("section", { class: "panel begin", "aria-labelledby": "begin" },
    h("h1", { id: "begin" }, "Nothing measured yet"),
    demo === undefined ? null : h("p", {}, demo.about),
    demo === undefined ? null : h("p", {}, h("button", { type: "button", class: "go big", onclick: begin }, "Run the demo")),
    notice.element,
    h("p", { class: "muted" }, "It boots guests on a virtual clock and needs no hardware. Or connect a generator, run another scenario, or ",
      h("a", { href: format({ ...START, page: "runs" }) }, "look at finished runs"), "."));
}
