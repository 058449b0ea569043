// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// A host on the board's serial line, in the board's own time.
import { Frames, commandFrame, helloFrame } from './frames.mjs';

/** @typedef {import('./board.mjs').Board} Board */
/** @typedef {import('./frames.mjs').Frame} Frame */

const MS = 200_000;
const WAKE_UP = [0, 0, 0, 0];

export class Host {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.frames = new Frames();
    this.sent = 0;
    board.onByte = (byte) => this.frames.push(byte);
  }

  /** Sends the wake-up sequence, waits for the hello and says hello. @param {number} [protocol] */
  connect(protocol) {
    this.sent = 0;
    this.frames.got.length = 0;
    this.frames.pending = [];
    this.board.uart.feed(WAKE_UP);
    const hello = this.wait((frame) => frame.hello !== undefined, 'a hello').hello;
    if (!hello) throw new Error('unreachable');
    this.board.uart.feed(helloFrame(this.sent++, protocol ?? hello.protocol));
    this.keepAlive(++this.connection);
    return hello;
  }

  connection = 0;

  /** As the host's end of a serial line does. @param {number} connection */
  keepAlive(connection) {
    this.board.events.at(this.board.cycle + 1000 * MS, () => {
      if (connection !== this.connection) return;
      this.board.uart.feed([0]);
      this.keepAlive(connection);
    });
  }

  /** Says nothing more. */
  vanish() {
    this.connection += 1;
  }

  /** The status after a command, or the number of its refusal. @param {number[]} command */
  ask(command) {
    const number = this.sent++;
    this.board.uart.feed(commandFrame(number, command));
    const reply = this.wait((frame) => frame.reply?.to === number, `a reply to ${command}`).reply;
    return /** @type {NonNullable<Frame['reply']>} */ (reply);
  }

  /** @param {number[][]} settings */
  set(...settings) {
    for (const setting of settings) {
      const { refusal } = this.ask(setting);
      if (refusal !== undefined) throw new Error(`refused (${refusal}): ${setting}`);
    }
  }

  /**
   * The first frame of that kind among those that came, or that come in time.
   * @param {(frame: Frame) => boolean} wanted @param {string} what @param {number} [ms]
   */
  wait(wanted, what, ms = 5_000) {
    const until = this.board.cycle + ms * MS;
    for (let looked = 0; ; ) {
      for (; looked < this.frames.got.length; looked++) {
        if (wanted(this.frames.got[looked])) return this.frames.got[looked];
      }
      if (this.board.cycle >= until) throw new Error(`${what}: not within ${ms} ms`);
      this.board.run(Math.min(this.board.cycle + MS / 10, until));
    }
  }

  /** Until the run is over: all samples, extra edges, notes, and the totals. @param {number} ms */
  finish(ms) {
    const last = this.wait((frame) => frame.status?.state === 'done', 'the end of the run', ms);
    const packets = this.frames.got.flatMap((frame) => frame.packet ?? []);
    return {
      samples: packets.flatMap((packet) => packet.samples),
      extras: packets.flatMap((packet) => packet.extras),
      notes: this.frames.got.flatMap((frame) => frame.note ?? []),
      totals: /** @type {import('./frames.mjs').Status} */ (last.status).totals,
    };
  }
}
