// SPDX-License-Identifier: Apache-2.0 OR MIT
// What 70-dashboard.sh says, by a browser:
//
//   node tests/70-dashboard.mjs PAGE GENERATOR RUNS PICTURES

import assert from "node:assert/strict";
import { launch, open, state, until } from "./dashboard/browser.mjs";
import * as finished from "./dashboard/finished.mjs";
import * as measure from "./dashboard/measure.mjs";
import * as pictures from "./dashboard/pictures.mjs";

const [url, generator, runs, pictureDir] = process.argv.slice(2);
const begin = Date.now();

async function step(what, act) {
  const result = await act();
  console.log(`${((Date.now() - begin) / 1000).toFixed(1)} s  ${what}`);
  return result;
}

/** Checks that the page is usable without a mouse: Tab comes by everything, and is seen. */
async function tabs(page) {
  const seen = new Set();
  for (let times = 0; times < 90; times += 1) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      const name = document.activeElement.id || document.activeElement.textContent.trim();
      return outlineStyle === "none" || outlineWidth === "0px" ? `${name} (not seen)` : name;
    }));
  }
  for (const name of ["Runs", "Pause", "address", "Disconnect", "frequency", "outside", "irq"]) {
    assert.ok(seen.has(name), `Tab reaches ${name} and shows it: ${[...seen].join(", ")}`);
  }
}

async function generatorRun(page, browser) {
  await step("connect", () => measure.connect(page, generator));
  await step("set", () => measure.settings(page));
  await page.click(".trigger >> text=Start");
  const lines = await page.evaluate(async () => (await (await fetch("/api/generator")).json()).generator.default_stages.length);
  await step("every stage's count grows, nothing moves", () => measure.watch(page, lines));
  await step("pause", () => measure.pause(page));
  await step("keyboard", () => tabs(page));
  await step("pictures, live", () => pictures.live(browser, url, pictureDir));
  await step("stop", () => measure.stop(page));
  const run = await measure.openRun(page);
  await step("figures equal summary.json", () => finished.equalsSummary(page, runs, run));
  return run;
}

async function again(page) {
  await page.click("nav >> text=Live");
  await measure.set(page, "count", "300", (now) => now.count === 300);
  const link = () => page.getAttribute("a:text-is('Open the run')", "href");
  const before = await link();
  await page.click(".trigger >> text=Start");
  // It takes less time than there is between two snapshots: none may show it running.
  await until("another run", link, (now) => now !== before);
  await state(page, ["done"]);
  return measure.openRun(page);
}

async function scenarioRun(page, browser) {
  await page.click("nav >> text=Live");
  await measure.scenario(page, "demo", "200");
  const run = await measure.openRun(page);
  await step("figures equal summary.json, from both views", () => finished.equalsSummary(page, runs, run));
  await step("the worst sample", () => finished.worst(page, true));
  await step("download", () => finished.download(page, runs, run));
  await step("a link reproduces the view", () => finished.link(browser, page));
  return run;
}

const browser = await launch();
try {
  const { page, complaints } = await open(browser, url);
  const first = await generatorRun(page, browser);
  const second = await step("a run that ends by itself", () => again(page));
  const third = await step("a bundled scenario", () => scenarioRun(page, browser));
  await step("compare", () => finished.compare(page, runs, [first, second]));
  await step("pictures, finished", () => pictures.finished(browser, url, pictureDir, third, [first, second]));
  // A refused setting is an answer of 4xx, which the browser reports by itself.
  const others = complaints.filter((text) => !/status of 4\d\d/.test(text));
  assert.deepEqual(others, [], "the page complains of nothing");
} finally {
  await browser.close();
}
