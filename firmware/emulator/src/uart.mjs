// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// The chip's UART with a transmitter that takes the time its baud rate says:
// rp2040js sends whatever is written to it at once. Registers that it lacks keep
// what is written to them.

/** @typedef {import('rp2040js').RP2040} RP2040 */

const [DATA, FLAGS] = [0x00, 0x18];
const [LEVELS, DMA] = [0x34, 0x48];
const [BUSY, TX_FULL, TX_EMPTY] = [1 << 3, 1 << 5, 1 << 7];
const TX_INTERRUPT = 1 << 5;
const DEPTH = 32;
/** Of a byte with start and stop bit. */
const BITS = 10;

/**
 * @param {RP2040} chip
 * @param {(byte: number) => void} said
 * @returns what feeds bytes, as fast as the line carries them
 */
export function attachUart(chip, said) {
  // Some of what is changed here is not meant to be.
  const uart = /** @type {any} */ (chip.uart[0]);
  /** @type {number[]} */
  const sending = [];
  /** @type {number[]} */
  const hearing = [];
  const byteTime = () => (BITS * uart.baudDivider * 16 * 1e9) / chip.clkPeri;
  const sent = chip.clock.createAlarm(() => {
    said(/** @type {number} */ (sending.shift()));
    if (sending.length > 0) sent.schedule(byteTime());
    if (sending.length === DEPTH / 2 || sending.length === 0) {
      uart.interruptStatus |= TX_INTERRUPT;
      uart.checkInterrupts();
    }
  });
  const heard = chip.clock.createAlarm(() => {
    if (!uart.rxFIFO.full) uart.feedByte(/** @type {number} */ (hearing.shift()));
    if (hearing.length > 0) heard.schedule(byteTime());
  });

  uart.checkInterrupts = () => {
    chip.setInterrupt(uart.irq, !!(uart.interruptStatus & uart.interruptMask));
  };
  /** @type {Map<number, number>} */
  const kept = new Map([[LEVELS, 0x12], [DMA, 0]]);
  const read = uart.readUint32.bind(uart);
  uart.readUint32 = (/** @type {number} */ offset) => {
    const value = kept.get(offset);
    if (value !== undefined) return value;
    if (offset !== FLAGS) return read(offset);
    const full = sending.length >= DEPTH ? TX_FULL : 0;
    const empty = sending.length === 0 ? TX_EMPTY : BUSY;
    return (read(FLAGS) & ~(TX_EMPTY | TX_FULL | BUSY)) | full | empty;
  };
  const write = uart.writeUint32.bind(uart);
  uart.writeUint32 = (/** @type {number} */ offset, /** @type {number} */ value) => {
    if (kept.has(offset)) return void kept.set(offset, value);
    if (offset !== DATA) return write(offset, value);
    if (sending.length >= DEPTH) throw new Error('the image writes to a UART that is full');
    sending.push(value & 0xff);
    if (sending.length === 1) sent.schedule(byteTime());
  };
  return {
    /** @param {Iterable<number>} bytes */
    feed(bytes) {
      const idle = hearing.length === 0;
      hearing.push(...bytes);
      if (idle && hearing.length > 0) heard.schedule(byteTime());
    },
  };
}
