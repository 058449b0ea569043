// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the page costs while a generator sends as fast as it is asked to:
//
//   node scripts/bench-page.mjs PAGE GENERATOR HERTZ SECONDS
//
// First paint, times between frames, also while the lines are zoomed, with and without sweeps piled up, what one snapshot takes, and the page's memory
// at the beginning and the end; and what the account says was lost.

import { account, launch, open, state } from "../tests/dashboard/browser.mjs";
import { set } from "../tests/dashboard/measure.mjs";

const [url, generator, hertz, seconds] = process.argv.slice(2);

/** Counts frames and long tasks from now on. */
function observe() {
  const seen = { frames: [], tasks: [] };
  let before = performance.now();
  const frame = (now) => {
    seen.frames.push(now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((entry) => entry.duration)))
    .observe({ type: "longtask" });
  globalThis.seen = seen;
}

/**
 * Zooms the lines in and out by the wheel for some seconds, once a frame. Returns times between frames,
 * and the time that each frame's drawing takes: what runs between a callback that was registered before
 * the page's own and one behind it.
 */
async function zoom(seconds) {
  const screen = document.querySelector(".screen");
  const { left, top, width } = screen.getBoundingClientRect();
  const frames = [];
  const work = [];
  const end = performance.now() + seconds * 1000;
  let before = null;
  for (let n = 0; performance.now() < end; n += 1) {
    const deltaY = Math.floor(n / 40) % 2 === 0 ? -60 : 60;
    const first = new Promise((done) => requestAnimationFrame((at) => done([at, performance.now()])));
    screen.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: left + width * 0.3, clientY: top + 20, cancelable: true, bubbles: true }));
    const last = new Promise((done) => requestAnimationFrame(() => done(performance.now())));
    const [[at, began], ended] = await Promise.all([first, last]);
    if (before !== null) frames.push(at - before);
    work.push(ended - began);
    before = at;
  }
  return { frames, work };
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}

async function heap(session) {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

const browser = await launch();
try {
  const { page } = await open(browser, url);
  const session = await page.context().newCDPSession(page);
  await page.waitForSelector("#address");
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.log(`first paint ${paint.toFixed(0)} ms`);

  await page.fill("#address", generator);
  await page.click("text=Connect");
  await page.waitForSelector("fieldset:not([disabled]) #frequency");
  await set(page, "frequency", `${hertz} Hz`, (now) => Math.round(now.frequency_millihertz / 1000) === Number(hertz));
  await set(page, "packet", "256", (now) => now.packet === 256);
  await set(page, "count", String(hertz * seconds), (now) => now.count === hertz * seconds);
  await page.click(".trigger >> text=Start");
  await page.waitForSelector(".screen canvas");
  const start = await heap(session);
  for (const [name, align] of [["one sweep", ""], ["sweeps piled up", "trigger"]]) {
    await page.selectOption("#align", align);
    await page.waitForTimeout(2_000);
    const { frames, work } = await page.evaluate(zoom, Math.min(seconds / 5, 10));
    const of = (values) => `p50 ${quantile(values, 0.5).toFixed(1)}, p99 ${quantile(values, 0.99).toFixed(1)}, max ${Math.max(...values).toFixed(1)} ms`;
    console.log(`zooming, ${name}: ${frames.length} frames; between them ${of(frames)}; drawing ${of(work)}; ${await page.textContent(".readout")}`);
  }
  await page.evaluate(observe);
  await state(page, ["done", "stopped", "failed", "deriving"], (Number(seconds) * 3 + 60) * 1000);
  const { frames, tasks } = await page.evaluate(() => globalThis.seen);
  const end = await heap(session);

  const total = frames.reduce((sum, one) => sum + one, 0) / 1000;
  console.log(`frames ${frames.length} in ${total.toFixed(1)} s: ${(frames.length / total).toFixed(1)} a second;` +
    ` between them p50 ${quantile(frames, 0.5).toFixed(1)}, p99 ${quantile(frames, 0.99).toFixed(1)}, max ${Math.max(...frames).toFixed(1)} ms`);
  console.log(`tasks above 50 ms: ${tasks.length}, the longest ${Math.max(0, ...tasks).toFixed(0)} ms`);
  console.log(`heap ${start.toFixed(1)} MB at the beginning, ${end.toFixed(1)} MB at the end`);
  const { triggers, dropped } = await account(page);
  console.log(`triggers ${triggers}, dropped samples ${dropped}, ${await page.textContent(".frames")}`);
} finally {
  await browser.close();
}
