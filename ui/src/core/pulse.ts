// SPDX-License-Identifier: Apache-2.0 OR MIT
// The interrupt line over time, as a path in a box of 0..1 by 0..1.

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns the corners of `periods` periods that are high for the first `duty` (0 to 1) of each. */
export function pulse(duty: number, periods: number): Point[] {
  const points: Point[] = [{ x: 0, y: 0 }];
  for (let period = 0; period < periods; period += 1) {
    const rise = period / periods;
    const fall = (period + duty) / periods;
    points.push({ x: rise, y: 0 }, { x: rise, y: 1 }, { x: fall, y: 1 }, { x: fall, y: 0 });
  }
  points.push({ x: 1, y: 0 });
  return points;
}

/** Formats points as the `d` of an SVG path in a box of `width` by `height`, up being up. */
export function path(points: readonly Point[], width: number, height: number): string {
  const place = (point: Point) =>
    `${(point.x * width).toFixed(2)} ${((1 - point.y) * height).toFixed(2)}`;
  return points.map((point, index) => `${index === 0 ? "M" : "L"}${place(point)}`).join("");
}
