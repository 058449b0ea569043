// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// The image on the emulated board, tested in the board's own time:
//
//   node test.mjs IMAGE [NAME...]
//
// Every test begins with a board that has just been switched on. The longest tests come first.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Board } from './src/board.mjs';
import { commands as to } from './src/frames.mjs';
import { Host } from './src/host.mjs';
import { random } from './src/random.mjs';
import { answer } from './src/target.mjs';

const [image, ...named] = process.argv.slice(2);
const LINES = 7;
const US = 200;
const MS = 1000 * US;
/** The counters' resolution: both trigger and edge are seen within two cycles. */
const RESOLUTION = 1;
const BOOT = 10 * MS;
/** From where the stack grows down. */
const MEMORY_END = 0x20040000;

/** @type {Board[]} */
const boards = [];

/** @param {ConstructorParameters<typeof Board>[1]} [options] */
function switchedOn(options) {
  const board = new Board(image, options);
  boards.push(board);
  board.run(BOOT);
  const host = new Host(board);
  return { board, host };
}

/** @param {number} triggers @param {number} spread the longest delay, in cycles */
function logarithmic(triggers, spread) {
  const next = random(triggers);
  const delay = () => Math.max(2, Math.round(Math.exp(next() * Math.log(spread))));
  return Array.from({ length: triggers }, () => Array.from({ length: LINES }, delay));
}

/**
 * Compares each sample with what the target did. @param {import('./src/frames.mjs').Sample[]}
 * samples @param {ReturnType<typeof answer>} truth
 */
function compare(samples, truth) {
  assert.equal(samples.length, truth.length);
  const errors = new Map();
  samples.forEach((sample, index) => {
    assert.equal(sample.seq, index);
    sample.answers.forEach(({ kind, span }, line) => {
      const delay = truth[index].delays[line];
      if (delay === null) return assert.equal(kind, 'missing');
      assert.equal(kind, 'prompt', `trigger ${index}, line ${line}`);
      const error = span - delay;
      errors.set(error, (errors.get(error) ?? 0) + 1);
      assert.ok(Math.abs(error) <= RESOLUTION, `trigger ${index}, line ${line}: ${span} for ${delay}`);
    });
  });
  const instants = truth.map((it) => it.rose - truth[0].rose);
  samples.forEach((sample, index) => assert.equal(sample.trigger - samples[0].trigger, instants[index]));
  return [...errors].sort(([a], [b]) => a - b).map(([error, count]) => `${count} off by ${error}`).join(', ');
}

/** @param {import('./src/frames.mjs').Totals} totals */
function balanced(totals) {
  const { triggers, complete, missing, coalesced, dropped, open, edges, answers, extra } = totals;
  assert.equal(triggers, complete + missing + coalesced + dropped + open);
  assert.equal(edges, answers + extra);
}

/** @type {Record<string, () => string>} */
const tests = {
  'random delays from 10 ns to 100 ms on every line are measured to the cycle that two counters resolve': () => {
    const { board, host } = switchedOn();
    host.connect();
    const longest = 100 * MS;
    const delays = logarithmic(1000, longest);
    const truth = answer(board, LINES, (trigger) => delays[trigger]);
    // Closed: a trigger waits for the answers to the one before. The processor looks
    // four times in a period, which is what an emulated one is slow at.
    host.set(to.period(8 * MS), to.count(1000), to.timeout(longest * 2), to.closed(true));
    host.set(to.start());
    const run = host.finish(1000 * 110);
    balanced(run.totals);
    assert.equal(run.totals.complete, 1000);
    assert.deepEqual(run.extras, []);
    assert.deepEqual(run.notes, []);
    return compare(run.samples, truth);
  },

  'triggers come on the grid to the cycle, with jitter from the seed, and in bursts': () => {
    const { board, host } = switchedOn();
    host.connect();
    const distances = (/** @type {number[][]} */ ...settings) => {
      const truth = answer(board, LINES, () => Array(LINES).fill(300));
      host.set(to.count(40), ...settings, to.start());
      host.finish(1000);
      host.frames.got.length = 0;
      return truth.slice(1).map((it, index) => it.rose - truth[index].rose);
    };
    assert.deepEqual(new Set(distances(to.period(400_001))), new Set([400_001]));
    const jittered = distances(to.jitter(1, 5_000), to.seed(7));
    assert.ok(jittered.every((it) => it >= 395_001 && it <= 405_001));
    assert.ok(new Set(jittered).size > 30);
    assert.deepEqual(distances(to.seed(7)), jittered, 'the same seed makes the same grid');
    const bursts = distances(to.jitter(0, 0), to.burst(4, 2_000));
    bursts.forEach((it, index) => assert.equal(it, index % 4 === 3 ? 400_001 - 3 * 2_000 : 2_000));
    return `${jittered.length} jittered distances from ${Math.min(...jittered)} to ${Math.max(...jittered)} cycles`;
  },

  'high and low times are what the settings say': () => {
    const { board, host } = switchedOn();
    host.connect();
    /** @type {{ level: boolean, cycle: number }[]} */
    const changes = [];
    board.onTrigger = (level, cycle) => changes.push({ level, cycle });
    const said = [];
    for (const [period, duty] of [[15, 500], [24, 1], [24, 999], [1000, 250], [12_500_001, 1]]) {
      changes.length = 0;
      host.set(to.period(period), to.duty(duty), to.count(3), to.timeout(200));
      const { status } = host.ask(to.start());
      const { totals } = host.finish(1000);
      balanced(totals);
      const rises = changes.filter(({ level }) => level).map(({ cycle }) => cycle);
      const falls = changes.filter(({ level }) => !level).map(({ cycle }) => cycle).filter((it) => it > rises[0]);
      assert.equal(rises[1] - rises[0], period);
      assert.equal(falls[0] - rises[0], status?.high);
      host.frames.got.length = 0;
      said.push(`${status?.high} of ${period}`);
    }
    return `high for ${said.join(', ')} cycles`;
  },

  'pulses are measured at both edges': () => {
    const { board, host } = switchedOn();
    host.connect();
    const widths = logarithmic(50, 5000).map(([width]) => width + 6);
    let trigger = 0;
    board.onTrigger = (level, cycle) => {
      if (!level) return;
      const width = widths[trigger++];
      for (let line = 0; line < LINES; line++) {
        board.setLine(line, true, cycle + 100 + line);
        board.setLine(line, false, cycle + 100 + line + width);
      }
    };
    host.set(to.period(25_000), to.count(50), to.pulses(true), to.start());
    const { samples, totals } = host.finish(1000);
    balanced(totals);
    assert.equal(totals.complete, 50);
    samples.forEach((sample, index) =>
      sample.widths.forEach((width) => assert.ok(width !== null && Math.abs(width - widths[index]) <= RESOLUTION)),
    );
    return `${samples.length * LINES} pulses from ${Math.min(...widths)} to ${Math.max(...widths)} cycles`;
  },

  'responses later than the period are measured, and what is too early or too much is extra': () => {
    const { board, host } = switchedOn();
    host.connect();
    const truth = answer(board, LINES, (trigger) => Array(LINES).fill(trigger === 3 ? 10 * MS : 500));
    host.set(to.period(4 * MS), to.count(10), to.timeout(100 * MS), to.start());
    board.events.at(board.cycle + 100, () => {
      // A glitch before the first trigger.
      board.setLine(2, true, board.now + 10);
      board.setLine(2, false, board.now + 40);
    });
    const { samples, extras, totals } = host.finish(1000);
    balanced(totals);
    assert.equal(totals.complete, 10);
    assert.equal(truth.length, 10);
    assert.equal(extras.length, 2);
    assert.equal(extras[1].at - extras[0].at, 30);
    const late = samples.flatMap((sample) => sample.answers).filter(({ kind }) => kind === 'late');
    assert.ok(late.length > 0, 'edges that came after the next trigger say so');
    return `${late.length} late answers, ${extras.length} extra edges`;
  },

  'a line without a wire is missing, one that is stuck high is reported': () => {
    const { board, host } = switchedOn();
    host.connect();
    board.setLine(5, true, board.cycle);
    const truth = answer(board, LINES, () => [100, 200, 300, null, 500, null, 700]);
    host.set(to.period(50_000), to.count(20), to.timeout(MS), to.start());
    const { samples, notes, totals } = host.finish(1000);
    balanced(totals);
    assert.equal(totals.missing, 20);
    assert.equal(notes.length, 1);
    assert.match(notes[0], /line 5 is high before the first trigger/);
    compare(samples, truth);
    return notes[0];
  },

  'a trigger that does not reach its own input is reported, and measured nearly': () => {
    const { board, host } = switchedOn({ looped: false });
    host.connect();
    const truth = answer(board, LINES, () => Array(LINES).fill(4_000));
    host.set(to.period(50_000), to.count(20), to.timeout(MS), to.start());
    const { samples, notes, totals } = host.finish(1000);
    balanced(totals);
    assert.equal(totals.complete, 20);
    assert.equal(notes.length, 1);
    compare(samples, truth);
    return notes[0];
  },

  'a line that changes without end ends the run, and nothing is lost silently': () => {
    const { board, host } = switchedOn();
    host.connect();
    answer(board, LINES, () => Array(LINES).fill(100));
    let level = false;
    const storm = () => {
      level = !level;
      board.setLine(6, level, board.now + 1);
      board.events.at(board.now + 12, storm);
    };
    host.set(to.period(50_000), to.count(1000), to.start());
    board.events.at(board.cycle + 20 * MS, storm);
    const { notes, totals } = host.finish(1000);
    balanced(totals);
    assert.equal(totals.open, 0);
    assert.match(notes.join(), /line 6 changes faster than this board can read/);
    return `${totals.complete} complete, ${totals.dropped} dropped`;
  },

  'a host that reads nothing loses samples, counted, and one that vanishes finds the run again': () => {
    const { board, host } = switchedOn();
    host.connect();
    answer(board, LINES, () => Array(LINES).fill(100));
    host.set(to.period(10 * MS), to.count(1_000), to.start());
    board.run(board.cycle + 20 * MS);
    host.vanish();
    // The line is silent for five seconds, then the host counts as gone.
    board.run(board.cycle + 5_500 * MS);
    const heard = host.frames.got.length;
    board.run(board.cycle + 3_000 * MS);
    assert.equal(host.frames.got.length, heard, 'nothing is sent without a host');
    host.connect();
    const { totals } = host.finish(20_000);
    balanced(totals);
    assert.equal(totals.triggers, 1_000);
    assert.ok(totals.dropped > 0);
    const numbers = host.frames.got.map((frame) => frame.number);
    numbers.forEach((number, index) => assert.equal(number, numbers[0] + index, 'frames are counted on'));
    return `${totals.complete} complete, ${totals.dropped} dropped of ${totals.triggers}`;
  },

  'malformed frames are refused, each as the protocol says, and the next one is read': () => {
    const { board, host } = switchedOn();
    host.connect();
    const refusal = (/** @type {number[]} */ bytes) => {
      host.frames.got.length = 0;
      board.uart.feed(bytes);
      return host.wait((frame) => frame.reply?.refusal !== undefined, 'a refusal', 100).reply;
    };
    const [GARBLED, OVERSIZED, OUT_OF_SEQUENCE] = [4, 5, 6];
    assert.deepEqual(refusal([1, 2, 3, 4, 0]), { to: null, refusal: GARBLED });
    assert.deepEqual(refusal([...Array(2000).fill(7), 0]), { to: null, refusal: OVERSIZED });
    host.sent += 5;
    assert.equal(host.ask(to.status()).refusal, OUT_OF_SEQUENCE);
    host.sent -= 6;
    assert.equal(host.ask(to.period(0)).refusal, 0);
    assert.equal(host.ask(to.status()).status?.state, 'idle');
    assert.equal(board.resets, 0);
    return 'garbled, oversized, out of sequence, out of range';
  },

  'a falling trigger rests high, and is measured like a rising one': () => {
    const { board, host } = switchedOn();
    host.connect();
    /** @type {{ level: boolean, cycle: number }[]} */
    const changes = [];
    const next = random(3);
    let state = false;
    const delays = Array.from({ length: 20 }, () => Math.round(2 + next() * 2_000));
    board.onTrigger = (level, cycle) => {
      changes.push({ level, cycle });
      if (level) return;
      state = !state;
      board.setLine(1, state, cycle + (delays[(changes.length >> 1) - 1] ?? 2));
    };
    host.set(to.falling(true));
    assert.deepEqual(changes.map(({ level }) => level), [true], 'it rises once, to rest there');
    host.set(to.period(50_000), to.duty(200), to.count(20), to.timeout(MS), to.start());
    const { samples, totals } = host.finish(1000);
    balanced(totals);
    const falls = changes.filter(({ level }) => !level).map(({ cycle }) => cycle);
    const low = changes.slice(2).filter(({ level }) => level).map(({ cycle }, index) => cycle - falls[index]);
    assert.deepEqual(new Set(low), new Set([10_000]));
    samples.forEach(({ answers }, index) => {
      assert.equal(answers[1].kind, 'prompt');
      assert.ok(Math.abs(answers[1].span - delays[index]) <= RESOLUTION);
    });
    samples.forEach((sample, index) => assert.equal(sample.trigger - samples[0].trigger, falls[index] - falls[0]));
    return `${samples.length} triggers, low for ${low[0]} cycles`;
  },

  'a board with its trigger wired to its lines measures them, and keeps that when it is switched off': () => {
    const { board, host } = switchedOn();
    host.connect();
    host.set(to.period(123_456));
    // By wires and buffers of different lengths, two lines not at all.
    const ways = [0, 1, 2, 3, null, 7, null];
    const wired = (/** @type {Board} */ it) => {
      it.onTrigger = (level, cycle) =>
        ways.forEach((way, line) => way !== null && it.setLine(line, level, cycle + way));
    };
    wired(board);
    const calibrated = (/** @type {Host} */ it) => {
      it.frames.got.length = 0;
      const { status } = it.ask(to.calibrate());
      assert.equal(status?.state, 'idle', 'the host has no run');
      assert.equal(it.ask(to.start()).refusal, ALREADY_STARTED);
      return it.wait((frame) => frame.calibration !== undefined, 'a calibration', 1000).calibration;
    };
    const ALREADY_STARTED = 2;
    const found = calibrated(host);
    ways.forEach((way, line) => {
      const its = found?.[line];
      if (way === null) return assert.equal(its, null);
      assert.ok(its && its.measurements === 256 && Math.abs(its.offset - way) <= RESOLUTION);
      assert.ok(its.lowest <= its.offset && its.offset <= its.highest);
      assert.ok(its.lowest >= way - RESOLUTION && its.highest <= way + RESOLUTION);
    });
    const { status } = host.ask(to.status());
    assert.deepEqual([status?.run, status?.period, status?.totals.triggers], [0, 123_456, 0]);
    const again = switchedOn({ flash: board.chip.flash });
    again.host.connect();
    const kept = again.host.wait((frame) => frame.calibration !== undefined, 'what was kept', 100).calibration;
    assert.deepEqual(kept, found);
    // As often as erases the sector, on a board with a trigger that falls.
    wired(again.board);
    again.host.set(to.falling(true));
    for (let n = 0; n < 17; n++) assert.equal(calibrated(again.host)?.[3]?.measurements, 256);
    const last = again.host.frames.got.filter((frame) => frame.calibration !== undefined).at(-1)?.calibration;
    const third = switchedOn({ flash: again.board.chip.flash });
    third.host.connect();
    assert.deepEqual(third.host.wait((frame) => frame.calibration !== undefined, 'the last', 100).calibration, last);
    assert.equal(board.resets + again.board.resets, 0);
    return ways.map((way, line) => `${way}: ${found?.[line] ? `${found[line].lowest}..${found[line].highest}` : 'none'}`).join(', ');
  },

  'a board that samples measures without an error what its window holds': () => {
    const { board, host } = switchedOn({ samples: true });
    const { lines } = host.connect();
    assert.equal(lines, LINES - 1);
    const [COUNT, WINDOW] = [300, 8192];
    const delays = logarithmic(COUNT, 5 * WINDOW).map((all) => all.slice(0, lines));
    const truth = answer(board, lines, (trigger) => delays[trigger]);
    host.set(to.period(80_000), to.count(COUNT), to.timeout(MS), to.start());
    const { samples, totals } = host.finish(5_000);
    balanced(totals);
    assert.equal(totals.complete, COUNT);
    const errors = compare(samples, truth);
    let exact = 0;
    samples.forEach(({ answers, window }, index) =>
      answers.forEach(({ span }, line) => {
        if ((window >> line) % 2 === 0) return;
        exact += 1;
        assert.equal(span, delays[index][line], 'exactly');
        assert.ok(span < WINDOW);
      }),
    );
    const within = delays.flat().filter((delay) => delay > 2 && delay < WINDOW - 8).length;
    assert.ok(exact >= within, `${exact} of ${within}`);
    return `${exact} of ${COUNT * lines} in the window, all exact; in all ${errors}`;
  },

  'triggers faster than a window is armed are measured by the counters': () => {
    const { board, host } = switchedOn({ samples: true });
    const { lines } = host.connect();
    const truth = answer(board, lines, () => Array(lines).fill(1_000));
    host.set(to.period(2_000_000), to.burst(8, 3_000), to.count(80), to.timeout(MS), to.start());
    const { samples, totals } = host.finish(5_000);
    balanced(totals);
    compare(samples, truth);
    const windowed = samples.filter(({ window }) => window !== 0);
    assert.ok(windowed.length >= 10 && windowed.length < 40, `${windowed.length}`);
    assert.deepEqual(new Set(windowed.map(({ window }) => window)), new Set([(1 << lines) - 1]));
    windowed.forEach(({ answers }) => answers.forEach(({ span }) => assert.equal(span, 1_000)));
    return `${windowed.length} of ${samples.length} triggers in a window`;
  },

  'lines that are not in use are not waited for, and edges on them are not counted': () => {
    const { board, host } = switchedOn();
    host.connect();
    const truth = answer(board, LINES, () => [300, 500, 700, null, 100, 900, null]);
    host.set(to.lines(3), to.period(100_000), to.count(20), to.start());
    const { samples, totals } = host.finish(1000);
    balanced(totals);
    assert.deepEqual([totals.complete, totals.edges], [20, 60]);
    samples.forEach(({ answers }) => assert.equal(answers.length, 3));
    compare(samples, truth);
    return `${samples.length} samples of 3 lines`;
  },

  'networks without a cable, and a W5500 that is not there, are reported and disturb nothing': () => {
    const { board, host } = switchedOn();
    host.connect();
    const { info } = host.wait((frame) => frame.info !== undefined, 'the networks', 1000);
    assert.match(info ?? '', /port 7110 over USB at 192.168.77.1; no W5500 answers/);
    const truth = answer(board, LINES, () => Array(LINES).fill(300));
    host.set(to.period(100_000), to.count(20), to.start());
    const { samples, totals } = host.finish(1000);
    balanced(totals);
    compare(samples, truth);
    assert.equal(board.resets, 0);
    return info ?? '';
  },

  'a host of another protocol is refused with the reason': () => {
    const { board, host } = switchedOn();
    host.connect(9);
    const OTHER_PROTOCOL = 7;
    host.wait((frame) => frame.reply?.refusal === OTHER_PROTOCOL, 'the refusal', 100);
    board.uart.feed([]);
    return 'refused';
  },

  'a panic survives the reset and is sent to the next host, and so is a hang': () => {
    const { board, host } = switchedOn();
    host.connect();
    // The allocator's complaint, as if memory had run out.
    const failed = [...board.elf.symbols].find(([name]) => /handle_alloc_error/.test(name));
    assert.ok(failed, 'the image has a way to run out of memory');
    board.chip.core.registers[0] = 4;
    board.chip.core.registers[1] = 12345;
    board.chip.core.PC = failed[1] & ~1;
    board.chip.core.waiting = false;
    board.run(board.cycle + 50 * MS);
    assert.equal(board.resets, 1);
    host.connect();
    const { note } = host.wait((frame) => frame.note !== undefined, 'a note', 1000);
    assert.match(note ?? '', /panicked[^]*memory allocation of (4|12345) bytes failed/);
    // Waits for an interrupt that never comes.
    board.chip.core.waiting = true;
    board.chip.core.enabledInterrupts = 0;
    board.run(board.cycle + 3_000 * MS);
    assert.equal(board.resets, 2);
    host.connect();
    const hang = host.wait((frame) => frame.note !== undefined, 'a note', 1000).note;
    assert.match(hang ?? '', /hung/);
    return `${note}; ${hang}`;
  },

  'the highest rate at which seven lines are followed without a loss': () => {
    const { board, host } = switchedOn();
    host.connect();
    const COUNT = 400;
    const delays = Array.from({ length: LINES }, (_, line) => 250 + 200 * line);
    /** Triggers that were left out, or whose samples were. @param {number} period */
    const lost = (period) => {
      const truth = answer(board, LINES, () => delays);
      host.set(to.period(period), to.count(COUNT), to.start());
      const { samples, totals } = host.finish(5_000);
      host.frames.got.length = 0;
      balanced(totals);
      assert.equal(totals.dropped + samples.length, COUNT, 'what is not sent is counted');
      if (totals.skipped + totals.dropped === 0) compare(samples, truth);
      return totals.skipped + totals.dropped;
    };
    let [fails, works] = [10_000, 40_000];
    assert.equal(lost(works), 0);
    while (works - fails > 1_000) {
      const period = (works + fails) / 2;
      if (lost(period) === 0) works = period;
      else fails = period;
    }
    return `${Math.floor((1e6 * US) / works)} triggers a second (every ${works} cycles)`;
  },

  'passing over counting loops changes nothing': () => {
    const run = (/** @type {boolean} */ stepwise) => {
      const { board, host } = switchedOn({ stepwise });
      host.connect();
      const delays = logarithmic(12, 20_000);
      answer(board, LINES, (trigger) => delays[trigger]);
      host.set(to.period(25_000), to.count(12), to.start());
      return host.finish(100).samples;
    };
    assert.deepEqual(run(true), run(false));
    return 'the same samples';
  },
};

/** @param {string} name */
function run(name) {
  const began = performance.now();
  const found = tests[name]();
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const stack = MEMORY_END - Math.min(...boards.map((board) => board.deepest));
  console.log(`ok  ${name} (${took}, ${stack} bytes of stack): ${found}`);
}

const chosen = Object.keys(tests).filter((name) => named.length === 0 || named.some((part) => name.includes(part)));
if (chosen.length === 1) {
  run(chosen[0]);
} else {
  // Each in a process of its own, as many at a time as there are processors.
  const next = async () => {
    for (let name = chosen.shift(); name !== undefined; name = chosen.shift()) {
      const child = spawn(process.execPath, [process.argv[1], image, name], { stdio: 'inherit' });
      const [status] = await once(child, 'exit');
      if (status !== 0) process.exitCode = 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
}
