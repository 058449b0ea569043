// SPDX-License-Identifier: Apache-2.0 OR MIT
// The part of time that is shown, in nanoseconds since the trigger, and what moves it.

export interface Window {
  readonly from: number;
  readonly to: number;
}

export const EVERYTHING: Window = { from: -Infinity, to: Infinity };

/** A generator's tick is 1 ns and more: there is nothing to see in less. */
const NARROWEST = 20;
/** An hour. */
const WIDEST = 3.6e12;

/** Returns the window narrowed (or widened, above 1) around an instant, which stays where it is. */
export function zoomed(window: Window, at: number, factor: number): Window {
  const width = window.to - window.from;
  const next = Math.min(Math.max(width * factor, NARROWEST), WIDEST);
  const share = (at - window.from) / width;
  return { from: at - share * next, to: at + (1 - share) * next };
}

export function panned(window: Window, by: number): Window {
  return { from: window.from + by, to: window.to + by };
}

/** Returns the window in which two instants lie where two fingers hold them. */
export function pinched(window: Window, held: readonly [number, number], places: readonly [number, number]): Window {
  const apart = places[1] - places[0];
  if (Math.abs(apart) < 1e-3) return window;
  const width = Math.min(Math.max(Math.abs((held[1] - held[0]) / apart), NARROWEST), WIDEST);
  const middle = (held[0] + held[1]) / 2;
  const from = middle - ((places[0] + places[1]) / 2) * width;
  return { from, to: from + width };
}

/** Returns a window that has everything up to an instant, a little room on both sides, and a round end. */
export function fitting(last: number): Window {
  const to = Math.max(last, NARROWEST) * 1.06;
  const step = 10 ** Math.floor(Math.log10(to)) / 10;
  const end = Math.ceil(to / step) * step;
  return { from: -end / 25, to: end };
}

/** Returns round instants of a window, `most` of them at most. */
export function ticks(window: Window, most: number): number[] {
  const rough = (window.to - window.from) / Math.max(most, 1);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].map((one) => one * decade).find((one) => one >= rough * (1 - 1e-9)) ?? decade, 1);
  const all: number[] = [];
  for (let n = Math.ceil(window.from / step); n * step <= window.to; n += 1) all.push(n * step + 0); // no -0
  return all;
}
