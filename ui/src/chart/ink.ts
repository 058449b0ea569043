// SPDX-License-Identifier: Apache-2.0 OR MIT
// What canvases are drawn with: the page's own colours and letters, read anew
// when the theme changes.

export interface Ink {
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly ground: string;
  readonly panel: string;
  readonly band: string;
  readonly line: string;
  readonly bad: string;
  readonly accent: string;
  readonly quantile: string;
  readonly font: string;
  /** The height of an ordinary letter, in CSS pixels. */
  readonly em: number;
}

let current: Ink | null = null;
const listeners = new Set<() => void>();

export function ink(): Ink {
  if (current === null) {
    const style = getComputedStyle(document.documentElement);
    const em = Number.parseFloat(style.fontSize);
    const read = (name: string) => style.getPropertyValue(name).trim();
    current = {
      text: read("--text"), muted: read("--muted"), grid: read("--grid"),
      ground: read("--ground"), panel: read("--panel"), band: read("--band"), line: read("--line"),
      bad: read("--bad"), accent: read("--accent"), quantile: read("--quantile"),
      font: `${Math.round(em * 0.85)}px ${read("--letters")}`, em,
    };
  }
  return current;
}

/** Calls a listener after the theme has changed, until the returned function is called. */
export function onInk(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function newInk(): void {
  current = null;
  for (const listener of listeners) listener();
}
