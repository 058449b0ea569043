// SPDX-License-Identifier: Apache-2.0 OR MIT
// A month of a farm on the page: where its level moved, which place it was, and the way to it.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { accessible, fits, launch, LIMIT, open, until } from "./dashboard/browser.mjs";

const [url, planted, pictures] = process.argv.slice(2);
const { place, series, each, started } = JSON.parse(readFileSync(planted, "utf8"));
mkdirSync(pictures, { recursive: true });

const browser = await launch();
try {
  const first = await open(browser, url, { width: 1400 });
  const { page } = first;
  await page.getByRole("link", { name: "Lake", exact: true }).click();
  await page.waitForSelector(".lake .series canvas");
  // One change: the place, the day, and another kernel.
  const rows = page.locator(".changes li");
  assert.equal(await rows.count(), 1);
  const row = await rows.first().innerText();
  for (const part of [place, new Date(started).toISOString().slice(0, 16).replace("T", " "), "6.1/load"]) {
    assert.ok(row.includes(part), `${part} is not in ${row}`);
  }
  // Its series comes first, and all others follow.
  const names = await page.$$eval(".lake .series", (all) => all.map((one) => one.dataset.series));
  assert.equal(names.length, series);
  assert.ok(names[0].startsWith(place), names[0]);
  await page.screenshot({ path: `${pictures}/lake-light.png`, fullPage: true });
  await accessible(page, "the lake");

  // Opened, a series has its histograms over time and its runs; the address says which one.
  await page.locator(".lake .series").first().getByText("histograms and runs").click();
  await page.waitForSelector(".stack canvas");
  assert.equal(await page.locator(".stack tbody tr").count(), each);
  assert.ok(decodeURIComponent(page.url()).includes(`series=${place}`.replace(" ", "+")), page.url());
  await page.screenshot({ path: `${pictures}/lake-series.png`, fullPage: true });

  await page.setViewportSize({ width: 1400, height: 760 });
  await page.screenshot({ path: `${pictures}/lake.png` });
  await page.setViewportSize({ width: 1400, height: 900 });

  // A run's maxima over its own time.
  const opened = page.locator(".lake .series").first();
  await opened.locator("label.choice select").selectOption({ index: 1 });
  await until("the run's maxima", () => opened.locator(".maxima").innerText(), (text) => text.startsWith("one interval"), LIMIT);

  // A run whose directory is here is a link.
  const twin = page.locator('.lake .series[data-series^="twin"]');
  await twin.getByText("histograms and runs").click();
  const link = twin.getByRole("table").getByRole("link").first();
  assert.match(await link.getAttribute("href"), /^#\/run\/real-[12]$/);

  // Of the last days there are fewer runs, and no level before.
  await page.locator("label.choice", { hasText: /^time/ }).locator("select").selectOption("7");
  await until("fewer runs", () => page.locator(".changes").innerText(), (text) => text.includes("No level has moved"), LIMIT);
  assert.ok(page.url().includes("days=7"));
  await page.locator("label.choice", { hasText: /^time/ }).locator("select").selectOption("");
  await until("all runs", () => page.locator(".changes li").count(), (count) => count === 1, LIMIT);

  // Another figure is asked for anew.
  await page.getByLabel("figure").selectOption("lost");
  await until("no change of what was lost", () => page.locator(".changes").innerText(), (text) => text.includes("No level has moved"), LIMIT);
  await page.getByLabel("stage").selectOption("irq");
  await page.getByLabel("view").selectOption("inside");
  await until("another stage", () => page.locator("#series").innerText(), (text) => text === "irq, inside: lost over time", LIMIT);
  assert.deepEqual(first.complaints, []);
  await first.close();

  for (const [theme, width] of [["dark", 1400], ["light", 390]]) {
    const other = await open(browser, `${url}#/lake`, { width, theme });
    await other.page.waitForSelector(".lake .series canvas");
    await fits(other.page, `the lake at ${width}`);
    await accessible(other.page, `the lake, ${theme}, ${width}`);
    await other.page.screenshot({ path: `${pictures}/lake-${theme}-${width}.png`, fullPage: true });
    assert.deepEqual(other.complaints, []);
    await other.close();
  }
} finally {
  await browser.close();
}
