// SPDX-License-Identifier: Apache-2.0 OR MIT
// Quantities as people read and type them. Each kind has one table of units, for both.

/** Names with their sizes, the largest first. */
type Units = readonly (readonly [name: string, size: number])[];

const TIME: Units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
const FREQUENCY: Units = [["MHz", 1e6], ["kHz", 1e3], ["Hz", 1], ["mHz", 1e-3]];
const COUNT: Units = [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
const BYTES: Units = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]];

/** Stands where there is no figure. */
export const NONE = "–";

/** Formats with thousands set apart: `12,345`; text keeps its trailing zeros. */
export function grouped(count: number | string): string {
  const [whole = "0", fraction] = String(count).split(".");
  const set = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? set : `${set}.${fraction}`;
}

/** Formats microseconds with three decimals: every nanosecond is there, and a column's figures stay where they are. */
export function micro(ns: number | null | undefined): string {
  return ns === null || ns === undefined ? NONE : decimals(ns / 1_000, 3);
}

/** Formats with `places` decimals, and never as `-0.0`. */
export function decimals(value: number, places: number): string {
  const text = Math.abs(value).toFixed(places);
  const sign = value < 0 && /[1-9]/.test(text) ? "-" : "";
  return sign + grouped(text);
}

/** Adds the sign, also to a positive figure. */
export function signed(text: string): string {
  return /^[0-9]/.test(text) && /[1-9]/.test(text) ? `+${text}` : text;
}

/** Formats with at most `digits` significant digits, and no trailing zeros. */
export function trimmed(value: number, digits = 6): string {
  return grouped(Number(value.toPrecision(digits)));
}

/** Formats in the unit that a figure reads well in. */
function inUnit(value: number, units: Units, digits?: number, space = " "): string {
  const [name, size] = units.find(([, size]) => Math.abs(value) >= size) ?? units.at(-1) ?? ["", 1];
  return `${trimmed(value / size, digits)}${space}${name}`;
}

/** Formats a round time: `250 µs`, `1.5 ms`; for ticks and settings. */
export const round = (ns: number) => inUnit(ns, TIME);
export const hertz = (value: number) => inUnit(value, FREQUENCY);
/** Formats bytes in thousands: `1.2 MB`. */
export const bytes = (count: number) => inUnit(count, BYTES, 3);
/** Formats briefly, for ticks of a count axis: `1`, `100`, `1k`, `10M`. */
export const brief = (count: number) => inUnit(count, COUNT, 3, "");
/** Formats a rate: `998 samples/s`, `100k samples/s`. */
export const samplesPerSecond = (value: number) => `${brief(value)} samples/s`;
export const perMille = (value: number) => `${trimmed(value / 10)} %`;

/** Formats an instant of RFC 3339 to the second: `2026-01-01 12:00:00 UTC`. */
export function instant(utc: string): string {
  return utc.replace("T", " ").replace(/(\.\d+)?(Z|\+00:00)$/, " UTC");
}

/** Parses a frequency, in hertz; a time is taken for a period. Null: does not parse. */
export function parseFrequency(text: string): number | null {
  const value = parse(text, FREQUENCY, "Hz");
  if (value !== null) return value > 0 ? value : null;
  const period = parseTime(text);
  return period !== null && period > 0 ? 1e9 / period : null;
}

/** Parses a time, in nanoseconds; the unit must be there. */
export const parseTime = (text: string) => parse(text, TIME);

/** Parses a whole number: `10,000`, `10_000`, `10k`. */
export function parseCount(text: string): number | null {
  const value = parse(text, COUNT);
  return value !== null && Number.isInteger(value) ? value : null;
}

/** Parses `25 %` or `25`, in per mille. */
export function parsePerMille(text: string): number | null {
  const value = parse(text, [["%", 10]], "%");
  return value === null ? null : Math.round(value);
}

/** Parses what is formatted above; a unit may be in other letters where there is none in these. */
function parse(text: string, units: Units, without = ""): number | null {
  const [, number, name = ""] = /^(\d+(?:\.\d+)?(?:e\d+)?)(\D*)$/i.exec(text.replace(/[_\s]|,(?=\d{3}(?!\d))/g, "")) ?? [];
  const wanted = name === "" ? without : name.replace("μ", "µ").replace(/^us$/i, "µs");
  const same = (letters: (text: string) => string) => units.find(([unit]) => letters(unit) === letters(wanted));
  const [, size] = same((text) => text) ?? same((text) => text.toLowerCase()) ?? [];
  return number === undefined || size === undefined ? null : Number(number) * size;
}
