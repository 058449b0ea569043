// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// One state machine of a PIO, stepped cycle by cycle.
//
// rp2040js executes instructions right, but not when they are due: it steps all
// machines in batches, forgets delays, and lets an instruction that has waited share
// its last cycle with the next one. Here every machine has its own clock: `at` is
// the cycle in which it executes its next instruction.
//
// Loops that only count are passed over at once, as far as nothing from outside can
// change them: the result is the same, in a fraction of the time (self-test.mjs
// compares both).

/** @typedef {import('rp2040js').RP2040['pio'][0]['machines'][0]} StateMachine */

const PULL_NOBLOCK = 0x8080;
const MOV_X_OSR = 0xa027;
const [X_DEC, NOT_X, Y_DEC, PIN] = [2, 1, 4, 6];

/** @param {number} op @param {number} sides bits of the delay that are for the side-set */
function jump(op, sides) {
  if (op >>> 13 !== 0) return null;
  return { condition: (op >>> 5) & 7, target: op & 31, cycles: 1 + ((op >>> 8) & (31 >>> sides)) };
}

export class Machine {
  /**
   * @param {StateMachine} sm
   * @param {boolean} stepwise never pass over anything
   */
  constructor(sm, stepwise) {
    this.sm = sm;
    this.stepwise = stepwise;
    this.at = 0;
    this.enabled = false;
    this.blocked = false;
    /** Nothing happens before this cycle, unless from outside. */
    this.due = Infinity;
  }

  /** The processor has written to a register, or a pin has changed. @param {number} cycle */
  touched(cycle) {
    if (this.sm.enabled && !this.enabled) {
      this.at = cycle;
      this.blocked = this.sm.waiting;
    }
    this.enabled = this.sm.enabled;
    this.due = this.enabled ? this.at + this.quiet() : Infinity;
  }

  /** Executes all that is due before this cycle. @param {number} cycle */
  advance(cycle) {
    if (!this.enabled) return;
    while (this.at < cycle) {
      this.skip(cycle);
      if (this.at < cycle) this.step();
    }
    this.due = this.at + this.quiet();
  }

  step() {
    const { sm } = this;
    if (this.blocked) {
      // The cycle in which a wait ends belongs to it.
      if (sm.waiting) sm.checkWait();
      this.blocked = sm.waiting;
      this.at += 1;
      return;
    }
    const before = sm.cycles;
    sm.updatePC = true;
    sm.executeInstruction(sm.pio.instructions[sm.pc]);
    if (sm.updatePC) sm.nextPC();
    this.blocked = sm.waiting;
    this.at += sm.waiting ? 1 : sm.cycles - before;
    sm.pio.checkChangedPins();
  }

  /** Cycles for which nothing can be seen of this machine. */
  quiet() {
    if (this.stepwise) return 0;
    if (this.blocked) return this.sm.waiting ? Infinity : 0;
    const loop = this.loop();
    return loop ? loop.turns * loop.cycles : 0;
  }

  /** @param {number} cycle */
  skip(cycle) {
    if (this.stepwise) return;
    if (this.blocked) {
      if (this.sm.waiting) this.at = cycle;
      return;
    }
    const loop = this.loop();
    if (!loop) return;
    const turns = Math.min(loop.turns, Math.floor((cycle - this.at) / loop.cycles));
    this.at += turns * loop.cycles;
    if (loop.counts === 'x') this.sm.x -= turns;
    else this.sm.y -= turns;
  }

  /**
   * The loop that begins here, if it does nothing but count.
   * @returns {{ turns: number, cycles: number, counts: 'x' | 'y' } | null}
   */
  loop() {
    const { sm } = this;
    const { pio, pc, sidesetCount } = sm;
    const first = pio.instructions[pc];
    const here = jump(first, sidesetCount);
    if (here?.condition === X_DEC && here.target === pc) {
      return { turns: sm.x, cycles: here.cycles, counts: 'x' };
    }
    if (here?.condition === PIN && here.cycles === 1) {
      const high = sm.rp2040.gpio[sm.jmpPin].inputValue;
      const next = jump(pio.instructions[high ? here.target : pc + 1], sidesetCount);
      if (next?.condition === X_DEC && next.target === pc && next.cycles === 1) {
        return { turns: sm.x, cycles: 2, counts: 'x' };
      }
    }
    if (first === PULL_NOBLOCK && sm.txFIFO.empty && sm.x === 0) {
      const test = jump(pio.instructions[pc + 2], sidesetCount);
      const back = test && jump(pio.instructions[test.target], sidesetCount);
      const counts = test?.condition === NOT_X && back?.condition === Y_DEC && back.target === pc;
      if (counts && pio.instructions[pc + 1] === MOV_X_OSR) {
        return { turns: sm.y, cycles: 4, counts: 'y' };
      }
    }
    return null;
  }
}
