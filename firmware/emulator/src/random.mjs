// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// Random numbers that are the same every time: mulberry32.

/** @param {number} seed @returns {() => number} from 0 to 1, without 1 */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
