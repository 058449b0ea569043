// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// As much of the boot ROM as the image calls: it erases and writes flash. The package
// has no ROM; here each function is a breakpoint, at which this file does its work.

/** @typedef {import('rp2040js').RP2040} RP2040 */

const [TABLE, LOOKUP] = [0x14, 0x18];
const CODE = 0x40;
/** `bkpt n`, then `bx lr`. @param {number} n */
const routine = (n) => [0xbe00 | n, 0x4770];
const SECTOR = 4096;
const [FLASH, RAM] = [0x10000000, 0x20000000];
const ERASED = 0xff;

/**
 * The effect of each on its arguments; the result is returned. @type {Record<string, (chip: RP2040,
 * args: number[]) => number>}
 */
const functions = {
  IF: () => 0,
  EX: () => 0,
  FC: () => 0,
  CX: () => 0,
  RE: (chip, [from, length]) => {
    if (from % SECTOR !== 0 || length % SECTOR !== 0) throw new Error('the image erases half a sector');
    chip.flash.fill(ERASED, from, from + length);
    return 0;
  },
  RP: (chip, [to, from, length]) => {
    for (let n = 0; n < length; n++) {
      // Writing clears bits; only erasing sets them.
      chip.flash[to + n] &= chip.sram[from - RAM + n];
    }
    return 0;
  },
  C4: (chip, [to, from, length]) => {
    const source = from >= RAM ? chip.sram.subarray(from - RAM) : chip.flash.subarray(from - FLASH);
    chip.sram.set(source.subarray(0, length), to - RAM);
    return to;
  },
};

/** Flash is read through a cache, which streams nothing. */
const cache = { readUint32: () => 0, writeUint32() {}, writeUint32Atomic() {} };
const CACHE_AT = (0x14000000 >>> 14) << 2;

/** @param {RP2040} chip */
export function attachRom(chip) {
  Object.assign(chip.peripherals, { [CACHE_AT]: cache });
  const names = Object.keys(functions);
  const halves = new Uint16Array(chip.bootrom.buffer);
  halves[TABLE / 2] = TABLE;
  halves[LOOKUP / 2] = CODE | 1;
  [...names, 'lookup'].forEach((_, n) => halves.set(routine(n), (CODE + 4 * n) / 2));
  halves[LOOKUP / 2] = (CODE + 4 * names.length) | 1;
  chip.onBreak = (number) => {
    const { registers } = chip.core;
    const name = names[number];
    if (name) {
      registers[0] = functions[name](chip, Array.from(registers.slice(0, 4), (it) => it >>> 0));
      return;
    }
    const wanted = String.fromCharCode(registers[1] & 0xff, (registers[1] >>> 8) & 0xff);
    const found = names.indexOf(wanted);
    if (found < 0) throw new Error(`the image looks for ${wanted} in the boot ROM`);
    registers[0] = (CODE + 4 * found) | 1;
  };
}
