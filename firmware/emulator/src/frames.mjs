// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// The protocol's frames (docs/protocol.md), as far as a test needs them: what the
// host says, and what a generator answers.
import { readFileSync } from 'node:fs';

import { crc32 } from './crc.mjs';

const [HELLO, NOTE, GENERATOR_HELLO, COMMAND, REPLY, PACKET, STATUS] = [0, 5, 8, 9, 10, 11, 12];
const CALIBRATION = 25;
const STATES = ['idle', 'waiting', 'running', 'draining', 'done'];
const ANSWERS = /** @type {const} */ (['prompt', 'late', 'missing', 'coalesced', 'named', 'unasked']);
/** @type {readonly (typeof ANSWERS[number])[]} */
const SPANLESS = ['missing', 'coalesced', 'unasked'];
const TOTALS = /** @type {const} */ ([
  'triggers', 'complete', 'missing', 'coalesced', 'dropped', 'open', 'skipped', 'edges', 'answers', 'extra',
]);

/**
 * @typedef {{ [name in (typeof TOTALS)[number]]: number }} Totals
 * @typedef {{ kind: (typeof ANSWERS)[number], span: number }} Answer
 * @typedef {{ seq: number, trigger: number, answers: Answer[], extra: number, widths: (number | null)[], window: number }} Sample
 * @typedef {{ run: number, state: string, period: number, high: number, totals: Totals, now: number }} Status
 * @typedef {{ run: number, samples: Sample[], extras: { line: number, at: number }[], totals: Totals }} Packet
 * @typedef {{ number: number, hello?: { protocol: number, lines: number, version: string }, note?: string, info?: string,
 *   reply?: { to: number | null, status?: Status, refusal?: number }, packet?: Packet, status?: Status,
 *   calibration?: (Loopback | null)[], other?: number }} Frame
 * @typedef {{ offset: number, lowest: number, highest: number, measurements: number }} Loopback
 */

/** A generator's settings in the order of the protocol, from what their table is written to. */
const SETTINGS = settingNames(readFileSync(new URL('../../../ui/src/api/settings.ts', import.meta.url), 'utf8'));

/** Reads the names without their units: `jitter_amount_ns` is `jitterAmount`. @param {string} table @returns {string[]} */
function settingNames(table) {
  const fields = table.slice(table.indexOf('interface Settings'), table.indexOf('frequency_millihertz'));
  const names = [...fields.matchAll(/readonly (\w+?)(?:_ns|_per_mille)?:/g)].map(([, name]) => name);
  return names.map((name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()));
}

/** Changes these settings; those that are not named have no value. @param {Record<string, number>} changes */
function set(changes) {
  return [0, ...SETTINGS.flatMap((name) => (changes[name] === undefined ? [0] : [1, changes[name] ?? 0]))];
}

/** The commands of a host. */
export const commands = {
  period: (/** @type {number} */ period) => set({ period }),
  duty: (/** @type {number} */ duty) => set({ duty }),
  packet: (/** @type {number} */ packet) => set({ packet }),
  count: (/** @type {number} */ count) => set({ count }),
  jitter: (/** @type {number} */ jitter, /** @type {number} */ jitterAmount) => set({ jitter, jitterAmount }),
  seed: (/** @type {number} */ seed) => set({ seed }),
  closed: (/** @type {boolean} */ closed) => set({ pacing: closed ? 1 : 0 }),
  timeout: (/** @type {number} */ timeout) => set({ timeout }),
  start: () => [1, 0],
  stop: () => [2],
  status: () => [3],
  burst: (/** @type {number} */ burst, /** @type {number} */ interval) => set({ burst, interval }),
  pulses: (/** @type {boolean} */ on) => set({ shape: on ? 1 : 0 }),
  falling: (/** @type {boolean} */ on) => set({ polarity: on ? 1 : 0 }),
  calibrate: () => [4],
  lines: (/** @type {number} */ lines) => set({ lines }),
};

/** @param {number} number @param {number} protocol */
export function helloFrame(number, protocol) {
  const text = (/** @type {string} */ it) => [it.length, ...Buffer.from(it)];
  return frame([...varint(number), HELLO, ...varint(protocol), ...text('host'), ...text('test'), 0]);
}

/** @param {number} number @param {number[]} command */
export function commandFrame(number, command) {
  return frame([...varint(number), COMMAND, ...command.flatMap(varint)]);
}

/** @param {number[]} body */
function frame(body) {
  const crc = crc32(body);
  return [...stuff([...body, ...[0, 8, 16, 24].map((shift) => (crc >>> shift) & 0xff)]), 0];
}

/** @param {number} value @returns {number[]} */
function varint(value) {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** Encodes with COBS. @param {number[]} bytes */
function stuff(bytes) {
  const out = [0];
  let code = 0;
  for (const byte of bytes) {
    if (byte !== 0) out.push(byte);
    const length = out.length - code;
    if (byte === 0 || length === 255) {
      out[code] = length;
      code = out.length;
      out.push(0);
    }
  }
  out[code] = out.length - code;
  return out;
}

/** @param {number[]} bytes */
function unstuff(bytes) {
  /** @type {number[]} */
  const out = [];
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at];
    out.push(...bytes.slice(at + 1, at + code));
    at += code;
    if (code < 255 && at < bytes.length) out.push(0);
  }
  return out;
}

/** Cuts a stream of bytes into frames. */
export class Frames {
  constructor() {
    /** @type {number[]} */
    this.pending = [];
    /** @type {Frame[]} */
    this.got = [];
  }

  /** @param {number} byte */
  push(byte) {
    if (byte !== 0) return void this.pending.push(byte);
    if (this.pending.length > 0) this.got.push(decode(this.pending));
    this.pending = [];
  }
}

/** @param {number[]} stuffed @returns {Frame} */
function decode(stuffed) {
  const bytes = unstuff(stuffed);
  const body = bytes.slice(0, -4);
  const crc = bytes.slice(-4).reduceRight((value, byte) => value * 256 + byte, 0);
  if (crc !== crc32(body)) throw new Error('a frame with a wrong checksum');
  const reader = new Reader(body);
  const number = reader.varint();
  const kind = reader.varint();
  switch (kind) {
    case GENERATOR_HELLO: {
      const protocol = reader.varint();
      reader.varint();
      const version = reader.text();
      reader.varint();
      return { number, hello: { protocol, version, lines: reader.byte() } };
    }
    case NOTE:
      return reader.varint() === 0 ? { number, info: reader.text() } : { number, note: reader.text() };
    case REPLY: {
      const to = reader.byte() === 1 ? reader.varint() : null;
      if (reader.varint() === 0) return { number, reply: { to, status: status(reader) } };
      return { number, reply: { to, refusal: reader.varint() } };
    }
    case PACKET:
      return { number, packet: packet(reader) };
    case STATUS:
      return { number, status: status(reader) };
    case CALIBRATION:
      return { number, calibration: reader.list(() => (reader.byte() === 1 ? loopback(reader) : null)) };
    default:
      return { number, other: kind };
  }
}

/** @param {Reader} reader @returns {Status} */
function status(reader) {
  const run = reader.varint();
  const state = STATES[reader.varint()];
  const [period] = SETTINGS.map(() => reader.varint());
  const high = reader.varint();
  return { run, state, period, high, totals: totals(reader), now: reader.varint() };
}

/** @param {Reader} reader @returns {Loopback} */
function loopback(reader) {
  const [offset, lowest, highest] = [reader.signed(), reader.signed(), reader.signed()];
  return { offset, lowest, highest, measurements: reader.varint() };
}

/** @param {Reader} reader @returns {Packet} */
function packet(reader) {
  const run = reader.varint();
  const samples = reader.list(() => ({
    seq: reader.varint(),
    trigger: reader.varint(),
    answers: reader.list(() => {
      const kind = ANSWERS[reader.varint()];
      return { kind, span: SPANLESS.includes(kind) ? 0 : reader.varint() };
    }),
    extra: reader.varint(),
    widths: reader.list(() => (reader.byte() === 1 ? reader.varint() : null)),
    window: reader.varint(),
  }));
  const extras = reader.list(() => ({ line: reader.byte(), at: reader.varint() }));
  return { run, samples, extras, totals: totals(reader) };
}

/** @param {Reader} reader */
function totals(reader) {
  return /** @type {Totals} */ (Object.fromEntries(TOTALS.map((name) => [name, reader.varint()])));
}

class Reader {
  /** @param {number[]} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    if (this.at >= this.bytes.length) throw new Error('a frame ends too soon');
    return this.bytes[this.at++];
  }

  varint() {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte();
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  }

  /** Zigzag. */
  signed() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text() {
    return Buffer.from(Array.from({ length: this.varint() }, () => this.byte())).toString();
  }

  /** @template T @param {() => T} one @returns {T[]} */
  list(one) {
    return Array.from({ length: this.varint() }, one);
  }
}
