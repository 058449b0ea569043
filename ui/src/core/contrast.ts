// SPDX-License-Identifier: Apache-2.0 OR MIT
// Colours that can be seen on the page's ground: WCAG 2's contrast, 3:1 for what is drawn.

type Rgb = readonly [number, number, number];

function parsed(colour: string): Rgb | null {
  const [, hex = ""] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(colour.trim()) ?? [];
  if (hex === "") return null;
  const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
  const part = (at: number) => Number.parseInt(full.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

function luminance([r, g, b]: Rgb): number {
  const linear = (part: number) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Returns the ratio of two colours, 1 to 21; 21 where one is not understood. */
export function contrast(one: string, other: string): number {
  const [a, b] = [parsed(one), parsed(other)];
  if (a === null || b === null) return 21;
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Returns a colour of the same hue that is seen on the ground, mixed with as little ink as it takes. */
export function legible(colour: string, ground: string, ink: string, least = 3): string {
  const [from, to] = [parsed(colour), parsed(ink)];
  if (from === null || to === null) return colour;
  for (let share = 0; share <= 1; share += 0.05) {
    const mixed = from.map((part, at) => Math.round(part + ((to[at] ?? 0) - part) * share));
    const hex = `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    if (contrast(hex, ground) >= least) return hex;
  }
  return ink;
}
