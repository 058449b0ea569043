// SPDX-License-Identifier: Apache-2.0 OR MIT
// Connect, set, start, watch, pause, stop: by the page alone.

import assert from "node:assert/strict";
import { account, figures, number, state, until } from "./browser.mjs";

export async function connect(page, generator) {
  await page.fill("#address", generator);
  await page.click("text=Connect");
  await page.waitForSelector(".facts >> text=twin");
}

/** Types a setting as somebody would, and waits until the generator has it. */
export async function set(page, id, text, holds) {
  await page.fill(`#${id}`, text);
  await page.press(`#${id}`, "Enter");
  const settings = () => page.evaluate(async () => (await (await fetch("/api/generator")).json()).generator.status.settings);
  return until(`${id} is ${text}`, settings, holds);
}

export async function settings(page) {
  await set(page, "frequency", "2 kHz", (now) => now.frequency_millihertz === 2_000_000);
  await set(page, "duty", "10 %", (now) => now.duty_per_mille === 100);
  assert.match(await page.textContent(".waveform figcaption"), /^high 50 µs of 500 µs \(10 %\)$/);
  await set(page, "packet", "8", (now) => now.packet === 8);
  await set(page, "count", "100k", (now) => now.count === 100_000);

  // Nothing that the limits forbid is set, and the page says so.
  await page.fill("#duty", "0 %");
  await page.press("#duty", "Enter");
  await page.waitForSelector(".trigger .notice:visible");
  assert.equal(await page.getAttribute("#duty", "aria-invalid"), "true");
  assert.match(await page.textContent("#duty-note"), /refused; possible: 0\.1 % to 99\.9 %/);
  assert.match(await page.getAttribute("#packet", "title"), /^1 to [\d,]+$/);
  await set(page, "duty", "25 %", (now) => now.duty_per_mille === 250);
}

/** Returns how far the page has moved by itself since the first call. */
export function shifts(page) {
  return page.evaluate(() => {
    globalThis.moved ??= { sum: 0, what: [] };
    globalThis.observer ??= new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        globalThis.moved.sum += entry.value;
        globalThis.moved.what.push(...entry.sources.map(({ node }) => node?.className ?? String(node)));
      }
    });
    globalThis.observer.observe({ type: "layout-shift" });
    return globalThis.moved;
  });
}

const counts = async (page) => Object.entries(await figures(page)).map(([name, row]) => [name, number(row.count)]);
const least = (all) => Math.min(...all.map(([, count]) => count));

/** Checks that every stage's count grows, and that nothing moves while it does. */
export async function watch(page, lines) {
  const first = await until("every stage has answered", () => counts(page), (all) => all.length === lines && least(all) > 0);
  await shifts(page);
  const grown = (now) => now.every(([name, count], index) => name === first[index][0] && count >= first[index][1] + 100);
  await until("every stage's count grows", () => counts(page), grown);
  const moved = await shifts(page);
  assert.equal(moved.sum, 0, `moved while data arrived: ${moved.what.join(", ")}`);
  for (const plot of await page.$$(".channel .plot canvas")) assert.ok((await plot.boundingBox()).width > 50);
}

/** Checks that the picture stands still, and the measurement does not. */
export async function pause(page) {
  await page.click("text=Pause");
  const [frozen, before] = [await figures(page), await account(page)];
  await until("the measurement goes on", () => account(page), (now) => now.triggers > before.triggers + 100);
  assert.deepEqual(await figures(page), frozen, "the picture is frozen");
  await page.click("text=Resume");
  await until("the picture goes on", () => figures(page), (now) => JSON.stringify(now) !== JSON.stringify(frozen));
}

export async function stop(page) {
  await page.click(".trigger >> text=Stop");
  await state(page, ["done", "stopped"]);
}

/** Returns the run's name, from the link that opens it. */
export async function openRun(page) {
  await page.click("text=Open the run");
  await page.waitForSelector(".figures tr[data-series]");
  return decodeURIComponent(new URL(page.url()).hash.split(/[/?]/)[2]);
}

/** Runs a scenario by name, with one kernel and state. */
export async function scenario(page, name, count) {
  await page.click("summary >> text=Scenario");
  await page.selectOption("#scenario-name", name);
  for (const box of await page.$$("fieldset.checks input:checked")) {
    if (!["6.1", "idle"].includes(await box.getAttribute("value"))) await box.uncheck();
  }
  await page.fill("#scenario-count", count);
  await page.check("#explain");
  await page.click("button:text-is('Run')");
  await state(page, ["preparing", "running"]);
  await state(page, ["done"], 180_000);
}
