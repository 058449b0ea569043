// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// A target that answers on the board's lines, and keeps in mind when it did.

/** @typedef {import('./board.mjs').Board} Board */

/**
 * Toggles every line `delays` cycles after a trigger has risen; null: never. @param {Board} board
 * @param {number} lines @param {(trigger: number) => (number | null)[]} delays by line, for the
 * trigger of this number @returns {{ rose: number, delays: (number | null)[] }[]} what it did, by
 * trigger
 */
export function answer(board, lines, delays) {
  /** @type {{ rose: number, delays: (number | null)[] }[]} */
  const truth = [];
  const levels = Array.from({ length: lines }, () => false);
  board.onTrigger = (level, cycle) => {
    if (!level) return;
    const these = delays(truth.length);
    truth.push({ rose: cycle, delays: these });
    these.forEach((delay, line) => {
      if (delay === null) return;
      board.events.at(cycle + delay, () => {
        levels[line] = !levels[line];
        board.setLine(line, levels[line], cycle + delay);
      });
    });
  };
  return truth;
}
