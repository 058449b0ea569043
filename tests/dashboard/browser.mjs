// SPDX-License-Identifier: Apache-2.0 OR MIT
// Debian's Chromium, and the page as those who look at it find it. Every wait has
// a limit; whatever the page says on its console is a failure.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const LIMIT = 60_000;

export async function launch() {
  const root = process.getuid() === 0;
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: root ? ["--no-sandbox"] : [] });
}

/** Opens a window of a size and a theme; `complaints` is what the page said. */
export async function open(browser, url, { width = 1280, height = 900, theme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

/** Returns the table of figures: by `stage:view`, each column's text. */
export function figures(page) {
  return page.$$eval(".figures tr[data-series]", (rows) => Object.fromEntries(rows.map((row) => [
    row.dataset.series,
    Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) => [cell.dataset.column, cell.textContent])),
  ])));
}

/** Returns the accounting identity: by term, its number. */
export function account(page) {
  return page.$$eval("[data-account]", (terms) => Object.fromEntries(terms.map((term) => [
    term.dataset.account, Number(term.textContent.replaceAll(",", "")),
  ])));
}

export const number = (text) => Number(text.replaceAll(",", ""));

/** Asks again until it is so; says what it last saw. */
export async function until(what, ask, holds, limit = LIMIT) {
  const end = Date.now() + limit;
  for (;;) {
    const seen = await ask();
    if (holds(seen)) return seen;
    if (Date.now() > end) assert.fail(`not within ${limit / 1000} s: ${what}; last seen ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const state = (page, wanted, limit) =>
  until(`state ${wanted}`, () => page.getAttribute(".state", "data-state"), (now) => wanted.includes(now), limit);

/** Checks for serious defects of accessibility, by axe-core; all rules, or those that are named. */
export async function accessible(page, name, rules) {
  // The policy lets nothing in; evaluation by the debugger is not the page's own.
  await page.evaluate(AXE);
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } } : {}) };
  const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), options);
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const told = serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html).join(" ")}`);
  assert.deepEqual(told, [], `accessibility of ${name}`);
}

/** Checks that the page is no wider than its window. */
export async function fits(page, name) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${name} is ${content} px wide in a window of ${window}`);
}
