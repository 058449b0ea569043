// SPDX-License-Identifier: Apache-2.0 OR MIT
// What people type, with its unit, as a number: `1.5 kHz`, `250us`, `30 %`.

/** Units by their name in lower case. */
type Table = Readonly<Record<string, number>>;

const HERTZ: Table = { mhz: 1e6, khz: 1e3, hz: 1, "": 1 };
const SECONDS: Table = { s: 1e9, ms: 1e6, us: 1e3, "µs": 1e3, "μs": 1e3, ns: 1 };

/** Parses a frequency, in hertz; a time is taken for a period. Null: does not parse. */
export function parseFrequency(text: string): number | null {
  const value = parse(text, HERTZ);
  if (value !== null) return value > 0 ? value : null;
  const period = parseTime(text);
  return period !== null && period > 0 ? 1e9 / period : null;
}

/** Parses a time, in nanoseconds; the unit must be there. */
export function parseTime(text: string): number | null {
  return parse(text, SECONDS);
}

/** Parses a whole number: `10,000`, `10_000`, `10k`. */
export function parseCount(text: string): number | null {
  const value = parse(text.replace(/[,_ ]/g, ""), { "": 1, k: 1e3, m: 1e6, g: 1e9 });
  return value !== null && Number.isInteger(value) && value >= 0 ? value : null;
}

function parse(text: string, units: Table): number | null {
  const match = /^\s*(\d+(?:[.]\d+)?(?:e\d+)?)\s*([a-zµμ]*)\s*$/i.exec(text);
  const unit = units[(match?.[2] ?? "-").toLowerCase()];
  return match === null || unit === undefined ? null : Number(match[1]) * unit;
}
