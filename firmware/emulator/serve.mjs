// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// The emulated board as a generator on TCP, with a target that answers on all lines:
//
//   node serve.mjs [--uart] [--script FILE] IMAGE [PORT]
//
// Says on which port it listens. Between socket and serial line it does what a host does there: it
// sends the wake-up sequence, passes over what was meant for the host before, and sends a zero in
// every second. With --uart nothing stands between: the socket is the serial line, and the client
// is the host. FILE has the delays in cycles by line for one trigger after the other, as JSON;
// null: no answer. The board's time is no faster than the clock's.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { Board } from './src/board.mjs';
import { Frames } from './src/frames.mjs';
import { answer } from './src/target.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { uart: { type: 'boolean', default: false }, script: { type: 'string' } },
});
const [image, port = '0'] = positionals;
const MS = 200_000;
const WAKE_UP = [0, 0, 0, 0];
const DELAYS = [250, 500, 1_000, 2_000, 5_000, 10_000, 20_000];
/** Cycles between two looks at the socket. */
const TURN = MS / 2;

const board = new Board(image);
/** @type {(number | null)[][]} */
const script = options.script ? JSON.parse(readFileSync(options.script, 'utf8')) : [DELAYS];
answer(board, script[0].length, (trigger) => script[trigger % script.length]);
/** @type {import('node:net').Socket | null} */
let host = null;

/** @param {import('node:net').Socket} socket */
function connect(socket) {
  // The one before may have gone just now. The last to connect is the host.
  host?.destroy();
  host = socket;
  const frames = new Frames();
  let said_hello = false;
  /** The host's bytes before the hello: the board receives only wake-up sequences until then.
   * @type {Buffer[]} */
  const early = [];
  /** @type {number[]} */
  let pending = [];
  board.onByte = (byte) => {
    pending.push(byte);
    if (byte !== 0) return;
    if (!said_hello) {
      for (const it of pending) frames.push(it);
      said_hello = frames.got.at(-1)?.hello !== undefined;
      if (said_hello) early.forEach((bytes) => board.uart.feed(bytes));
    }
    if (said_hello) socket.write(Uint8Array.from(pending));
    pending = [];
  };
  // Repeated until the hello: right behind another sequence it is a part of that one.
  const wake = () => {
    if (host !== socket || said_hello) return;
    board.uart.feed(WAKE_UP);
    board.events.at(board.cycle + 300 * MS, wake);
  };
  wake();
  const alive = () => {
    if (host !== socket) return;
    board.uart.feed([0]);
    board.events.at(board.cycle + 1000 * MS, alive);
  };
  board.events.at(board.cycle + 1000 * MS, alive);
  socket.setNoDelay(true);
  socket.on('data', (data) => {
    const bytes = /** @type {Buffer} */ (data);
    if (said_hello) board.uart.feed(bytes);
    else early.push(bytes);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (host !== socket) return;
    host = null;
    board.onByte = () => {};
  });
}

/** Passes bytes on as they are, both ways. @param {import('node:net').Socket} socket */
function join(socket) {
  host?.destroy();
  host = socket;
  /** @type {number[]} */
  let pending = [];
  board.onByte = (byte) => {
    pending.push(byte);
    if (byte !== 0) return;
    socket.write(Uint8Array.from(pending));
    pending = [];
  };
  socket.setNoDelay(true);
  socket.on('data', (bytes) => board.uart.feed(/** @type {Buffer} */ (bytes)));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (host === socket) host = null;
  });
}

let [wall, virtual] = [performance.now(), 0];

function turn() {
  const ahead = (board.cycle - virtual) / MS - (performance.now() - wall);
  if (ahead > 0) return void setTimeout(turn, ahead);
  // Time that was lost on a slow machine is not caught up with.
  if (ahead < -100) [wall, virtual] = [performance.now(), board.cycle];
  board.run(board.cycle + TURN);
  setImmediate(turn);
}

const server = createServer(options.uart ? join : connect);
server.listen(Number(port), '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`listens on 127.0.0.1:${address.port}`);
  turn();
});
