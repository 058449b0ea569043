// SPDX-License-Identifier: Apache-2.0 OR MIT
// The name, where one is, and the theme.

import type { Hello } from "../api/types.js";
import { format, type Page, type Place, START } from "../core/location.js";
import { h } from "../dom.js";
import { themeSwitch } from "./theme.js";

const PAGES: readonly (readonly [Page, string])[] = [["live", "Live"], ["runs", "Runs"], ["compare", "Compare"], ["lake", "Lake"]];

export class Header {
  readonly element: HTMLElement;
  readonly #links: readonly HTMLAnchorElement[];

  constructor({ version, has_lake }: Hello) {
    this.#links = PAGES.filter(([page]) => page !== "lake" || has_lake).map(([page, name]) => h("a", { href: format({ ...START, page }), "data-page": page }, name));
    this.element = h("header", { class: "bar" },
      h("a", { class: "skip", href: "#page", onclick: skip }, "To the content"),
      h("span", { class: "brand", title: `version ${version}` }, "irqscope"),
      h("nav", { "aria-label": "Pages" }, ...this.#links), themeSwitch());
  }

  update(place: Place): void {
    const page = place.page === "run" ? "runs" : place.page;
    for (const link of this.#links) {
      if (link.dataset["page"] === page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

/** Skips to the content: the address says what is shown, so it cannot say where to scroll. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("page")?.focus();
}
