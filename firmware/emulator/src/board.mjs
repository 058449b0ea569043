// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// An RP2040 with the image in its flash: processor, PIO and pins on one clock.
import { ConsoleLogger, GPIOPinState, LogLevel, RP2040 } from 'rp2040js';
import { readElf } from './elf.mjs';
import { Events } from './events.mjs';
import { Machine } from './machine.mjs';
import { attachRom } from './rom.mjs';
import { attachUart } from './uart.mjs';

/** A cycle of the system clock, in nanoseconds. */
export const CYCLE_NS = 5;
/** A pin's change passes two flip-flops before a PIO sees it. */
const SYNCHRONISER = 2;
const FLASH = 0x10000000;
const VECTORS = 0x10000100;
const [TRIGGER, TRIGGER_SEEN, SYNC, SAMPLES] = [10, 11, 12, 13];
const FIRST_LINE = 2;

/**
 * @typedef {import('rp2040js').RP2040['clock'] & { nextAlarm: { nanos: number } | null,
 *   tick(nanos: number): void }} Clock
 */

export class Board {
  /** Made by `boot`. @type {RP2040} */
  chip = /** @type {any} */ (undefined);
  /** @type {Machine[]} */
  machines = [];
  booted = 0;
  resetDue = false;
  /** The cycle that is being executed, while machines are behind the processor. @type {number | undefined} */
  stepping = undefined;

  /**
   * @param {string} image
   * @param {{ stepwise?: boolean, looped?: boolean, samples?: boolean, flash?: Uint8Array }} options
   *   looped: a wire from the trigger to its own input; samples: one that makes it
   *   sample; flash: another board's, which was switched off
   */
  constructor(image, options = {}) {
    this.options = { stepwise: false, looped: true, samples: false, ...options };
    this.elf = readElf(image);
    this.cycle = 0;
    this.events = new Events();
    this.resets = 0;
    /** @type {(level: boolean, cycle: number) => void} */
    this.onTrigger = () => {};
    /** @type {(byte: number) => void} */
    this.onByte = () => {};
    /** Cycles in which the processor has executed. */
    this.busy = 0;
    /** The lowest that the stack has come down to. */
    this.deepest = Infinity;
    this.uart = this.boot(null);
  }

  /** @param {RP2040 | null} before whose memory a reset has left as it was */
  boot(before) {
    const chip = new RP2040();
    chip.logger = new ConsoleLogger(LogLevel.Error, true);
    chip.flash.fill(0xff);
    const flash = before?.flash ?? this.options.flash;
    if (flash) chip.flash.set(flash);
    for (const { address, bytes } of this.elf.segments) chip.flash.set(bytes, address - FLASH);
    if (before) chip.sram.set(before.sram);
    chip.core.VTOR = VECTORS;
    chip.core.reset();
    attachRom(chip);
    chip.gpio[SAMPLES].setInputValue(this.options.samples);
    this.chip = chip;
    this.booted = this.cycle;
    this.machines = chip.pio.flatMap((pio) => pio.machines.map((sm) => new Machine(sm, this.options.stepwise)));
    for (const pio of chip.pio) this.takeOver(pio);
    this.wire();
    this.watch(chip, before);
    return attachUart(chip, (byte) => this.onByte(byte));
  }

  /** The PIO does not run by itself. @param {RP2040['pio'][0]} pio */
  takeOver(pio) {
    pio.run = () => {};
    const write = pio.writeUint32.bind(pio);
    pio.writeUint32 = (offset, value) => {
      this.advance(this.cycle);
      for (const machine of this.machines) machine.advance(this.cycle);
      write(offset, value);
      pio.checkChangedPins();
      this.touched();
    };
  }

  wire() {
    const { gpio } = this.chip;
    gpio[TRIGGER].addListener((state) => {
      const level = state === GPIOPinState.High;
      const cycle = this.now + 1;
      if (this.options.looped) this.setPin(TRIGGER_SEEN, level, cycle);
      this.onTrigger(level, cycle);
    });
    gpio[SYNC].addListener((state) => this.setPin(SYNC, state === GPIOPinState.High, this.cycle + 1));
  }

  /** @param {RP2040} chip @param {RP2040 | null} before */
  watch(chip, before) {
    const watchdog = /** @type {any} */ (chip.peripherals[0x40058]);
    if (before) {
      const old = /** @type {any} */ (before.peripherals[0x40058]);
      watchdog.reason = old.reason;
      watchdog.scratchData.set(old.scratchData);
    }
    watchdog.onWatchdogTrigger = () => {
      this.resetDue = true;
      // It would bite again at once, for ever.
      watchdog.alarm.enable = false;
    };
    this.resetDue = false;
  }

  /** The level of one of the board's pins, from this cycle on. @param {number} pin @param {boolean} level @param {number} cycle */
  setPin(pin, level, cycle) {
    const { chip } = this;
    this.events.at(cycle + SYNCHRONISER, () => {
      if (chip !== this.chip) return;
      chip.gpio[pin].setInputValue(level);
      this.touched();
    });
  }

  /** @param {number} line @param {boolean} level @param {number} cycle */
  setLine(line, level, cycle) {
    this.setPin(FIRST_LINE + line, level, cycle);
  }

  touched() {
    for (const machine of this.machines) machine.touched(this.now);
  }

  /** The cycle that is being executed. */
  get now() {
    return this.stepping ?? this.cycle;
  }

  /** Machines and pins, up to this cycle. @param {number} cycle */
  advance(cycle) {
    for (;;) {
      let due = Infinity;
      for (const machine of this.machines) due = Math.min(due, machine.due);
      const next = Math.min(due, this.events.next);
      if (next >= cycle) break;
      this.stepping = next;
      if (this.events.next <= next) {
        for (const machine of this.machines) machine.advance(next);
        this.events.take().act();
      } else {
        for (const machine of this.machines) if (machine.due <= next) machine.advance(next + 1);
      }
    }
    this.stepping = undefined;
  }

  /** One instruction, or as much silence as there is, but no further than `until`. @param {number} until */
  step(until) {
    const { core } = this.chip;
    const clock = /** @type {Clock} */ (this.chip.clock);
    if (core.waiting) {
      const alarm = clock.nextAlarm ? this.booted + Math.ceil(clock.nextAlarm.nanos / CYCLE_NS) : Infinity;
      let due = this.events.next + 1;
      for (const machine of this.machines) due = Math.min(due, machine.due + 1);
      this.cycle = Math.max(this.cycle + 1, Math.min(alarm, due, until));
    } else {
      const cycles = core.executeInstruction();
      this.cycle += cycles;
      this.busy += cycles;
      if (core.SP < this.deepest) this.deepest = core.SP;
    }
    this.advance(this.cycle);
    clock.tick((this.cycle - this.booted) * CYCLE_NS - clock.nanos);
    if (this.resetDue) {
      this.resets += 1;
      this.uart = this.boot(this.chip);
    }
  }

  /** @param {number} until */
  run(until) {
    while (this.cycle < until) this.step(until);
  }
}
