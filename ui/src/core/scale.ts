// SPDX-License-Identifier: Apache-2.0 OR MIT
// Scales: what a slider's position means, and where an axis begins and ends.

/** Returns where a logarithmic slider of `steps` positions stands for a value. */
export function position(value: number, low: number, high: number, steps: number): number {
  const share = Math.log(value / low) / Math.log(high / low);
  return Math.round(Math.min(Math.max(share, 0), 1) * steps);
}

/** Returns the value of a position, to three digits; both ends are exact. */
export function valueAt(place: number, low: number, high: number, steps: number): number {
  if (place <= 0) return low;
  if (place >= steps) return high;
  return Number((low * (high / low) ** (place / steps)).toPrecision(3));
}

const ROUND = [1, 2, 5, 10] as const;

/** Returns the largest 1, 2 or 5 times a power of ten that is not above. */
export function roundDown(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  const step = ROUND.findLast((one) => one * decade <= value * (1 + 1e-9)) ?? 1;
  return step * decade;
}

/** Returns the smallest 1, 2 or 5 times a power of ten that is not below. */
export function roundUp(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  const step = ROUND.find((one) => one * decade >= value * (1 - 1e-9)) ?? 10;
  return step * decade;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns a logarithmic range around what is there. It only ever grows, in steps of 1, 2 and 5, so
 * that the picture does not move with every sample.
 */
export function grow(range: Range | null, min: number, max: number): Range {
  const low = roundDown(Math.max(min, 1));
  const high = Math.max(roundUp(Math.max(max, 1) * 1.001), low * 2);
  if (range === null) return { low, high };
  return { low: Math.min(range.low, low), high: Math.max(range.high, high) };
}

/** Returns ticks at 1, 2 and 5, or at powers of ten where there are too many. */
export function logTicks(range: Range, most: number): number[] {
  const ticks = (steps: readonly number[], every: number): number[] => {
    const first = Math.floor(Math.log10(range.low));
    const last = Math.ceil(Math.log10(range.high));
    const all: number[] = [];
    for (let power = first; power <= last; power += every) {
      for (const step of steps) all.push(step * 10 ** power);
    }
    return all.filter((tick) => tick >= range.low * 0.999 && tick <= range.high * 1.001);
  };
  const choices = [ticks([1, 2, 5], 1), ticks([1, 3], 1), ticks([1], 1), ticks([1], 2)];
  return choices.find((choice) => choice.length <= most) ?? ticks([1], 3);
}

/** Returns where a value lies in a range, from 0 to 1, on a logarithmic or a linear scale. */
export function share(value: number, { low, high }: Range, logarithmic = true): number {
  const part = logarithmic ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(Math.max(part, 0), 1);
}

/** Returns a logarithmic range from the least value to the greatest, both above zero, with a margin beside them. */
export function spanned(values: readonly number[]): Range {
  if (values.length === 0) return { low: 1, high: 10 };
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max((most / least) ** 0.03, 1.02);
  return { low: least / margin, high: most * margin };
}

/** Returns a logarithmic range around all values above zero, with round ends. */
export function around(values: readonly (number | null)[]): Range {
  const some = values.filter((value) => value !== null && value > 0) as number[];
  return some.length === 0 ? { low: 1, high: 10 } : grow(null, Math.min(...some), Math.max(...some));
}
