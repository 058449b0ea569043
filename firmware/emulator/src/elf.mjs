// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// What an image puts where.
import { readFileSync } from 'node:fs';

const LOAD = 1;
const SYMBOLS = 2;

/**
 * Segments by their address in flash, and the addresses of symbols.
 * @param {string} path
 */
export function readElf(path) {
  const file = readFileSync(path);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (view.getUint32(0) !== 0x7f454c46) throw new Error(`${path} is no ELF file`);
  const u16 = (/** @type {number} */ at) => view.getUint16(at, true);
  const u32 = (/** @type {number} */ at) => view.getUint32(at, true);
  const segments = [];
  for (let i = 0; i < u16(44); i++) {
    const header = u32(28) + i * u16(42);
    const [type, offset, , address, size] = [0, 4, 8, 12, 16].map((field) => u32(header + field));
    if (type === LOAD && size > 0) {
      segments.push({ address, bytes: file.subarray(offset, offset + size) });
    }
  }
  /** @type {Map<string, number>} */
  const symbols = new Map();
  for (let i = 0; i < u16(48); i++) {
    const header = u32(32) + i * u16(46);
    if (u32(header + 4) !== SYMBOLS) continue;
    const names = u32(u32(32) + u32(header + 24) * u16(46) + 16);
    for (let at = u32(header + 16); at < u32(header + 16) + u32(header + 20); at += 16) {
      const begin = names + u32(at);
      symbols.set(file.toString('latin1', begin, file.indexOf(0, begin)), u32(at + 4));
    }
  }
  return { segments, symbols };
}
