// SPDX-License-Identifier: Apache-2.0 OR MIT
// Nanoseconds, hertz and counts become text only here.

/** The unit of an axis: of what its largest figure reads well in. */
export interface Unit {
  readonly name: string;
  readonly ns: number;
}

const UNITS: readonly Unit[] = [
  { name: "s", ns: 1e9 },
  { name: "ms", ns: 1e6 },
  { name: "µs", ns: 1e3 },
  { name: "ns", ns: 1 },
];

const NS: Unit = { name: "ns", ns: 1 };

/** Stands where there is no figure. */
export const NONE = "–";

/** Formats with thousands set apart: `12,345`; text keeps its trailing zeros. */
export function grouped(count: number | string): string {
  const [whole = "0", fraction] = String(count).split(".");
  const set = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? set : `${set}.${fraction}`;
}

/**
 * Microseconds with three decimals: every nanosecond is there, and figures of
 * a column stay where they are.
 */
export function micro(ns: number | null | undefined): string {
  return ns === null || ns === undefined ? NONE : decimals(ns / 1_000, 3);
}

/** Formats with `places` decimals, and never as `-0.0`. */
export function decimals(value: number, places: number): string {
  const text = Math.abs(value).toFixed(places);
  const sign = value < 0 && /[1-9]/.test(text) ? "-" : "";
  return sign + grouped(text);
}

export function unitFor(largestNs: number): Unit {
  return UNITS.find((unit) => Math.abs(largestNs) >= unit.ns) ?? NS;
}

/** Formats a round figure: `250 µs`, `1.5 ms`; for ticks and settings. */
export function round(ns: number): string {
  const unit = unitFor(ns);
  return `${trimmed(ns / unit.ns)} ${unit.name}`;
}

/** Formats with at most `digits` significant digits, and no trailing zeros. */
export function trimmed(value: number, digits = 6): string {
  return grouped(Number(value.toPrecision(digits)));
}

export function hertz(value: number): string {
  const units: readonly (readonly [number, string])[] = [[1e6, "MHz"], [1e3, "kHz"], [1, "Hz"]];
  const [unit, name] = units.find(([one]) => value >= one) ?? [1e-3, "mHz"];
  return `${trimmed(value / unit)} ${name}`;
}

/** Formats a rate: `998 samples/s`, `100k samples/s`. */
export function samplesPerSecond(value: number): string {
  return `${brief(value)} samples/s`;
}

/** Formats briefly, for ticks of a count axis: `1`, `100`, `1k`, `10M`. */
export function brief(count: number): string {
  if (count >= 1e9) return `${trimmed(count / 1e9, 3)}G`;
  if (count >= 1e6) return `${trimmed(count / 1e6, 3)}M`;
  if (count >= 1e3) return `${trimmed(count / 1e3, 3)}k`;
  return trimmed(count, 3);
}

/** Formats a share: `99.97 %`. */
export function percent(share: number, places = 1): string {
  return `${(share * 100).toFixed(places)} %`;
}

/** Formats bytes in thousands: `1.2 MB`. */
export function bytes(count: number): string {
  const units: readonly (readonly [number, string])[] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];
  const [unit, name] = units.find(([one]) => count >= one) ?? [1, "B"];
  return `${trimmed(count / unit, 3)} ${name}`;
}

/** Formats an instant of RFC 3339 to the second: `2026-01-01 12:00:00 UTC`. */
export function instant(utc: string): string {
  return utc.replace("T", " ").replace(/(\.\d+)?(Z|\+00:00)$/, " UTC");
}

/** Adds the sign, also to a positive figure. */
export function signed(text: string): string {
  return /^[0-9]/.test(text) && /[1-9]/.test(text) ? `+${text}` : text;
}
