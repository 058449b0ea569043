// SPDX-License-Identifier: Apache-2.0 OR MIT
// Light or dark: as the system has it, or as it was chosen here.

import { newInk } from "../chart/ink.js";
import { h, say } from "../dom.js";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const KEY = "irqscope-theme";

export function themeSwitch(): HTMLElement {
  const button = h("button", { type: "button", class: "theme", title: "Light, dark, or as the system has it", onclick: () => apply(next(now())) });
  const apply = (theme: Theme) => {
    keep(theme);
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    say(button, `Theme: ${theme}`);
    newInk();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", newInk);
  apply(now());
  return button;
}

function next(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
}

function now(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? "auto";
}

function keep(theme: Theme): void {
  localStorage.setItem(KEY, theme);
}
