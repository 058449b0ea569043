// SPDX-License-Identifier: Apache-2.0 OR MIT
// Pictures of the real page for README and docs, and its accessibility in each look.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { accessible, fits, open } from "./browser.mjs";

const WIDE = { name: "", width: 1280, height: 720 };
const NARROW = { name: "-narrow", width: 360, height: 740 };
const WALL = { name: "-wall", width: 2560, height: 1440 };
const CHART = ".screen canvas";

/** Takes one page in one size, light and dark. */
async function look(browser, url, dir, name, size, ready) {
  const { page, close } = await open(browser, url, size);
  // Pictures below the window's end are not drawn.
  if (size === NARROW && ready === CHART) {
    await page.waitForSelector(CHART);
    await page.$eval(".scope", (scope) => scope.scrollIntoView({ block: "center" }));
  }
  await page.waitForSelector(ready);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    // Charts are drawn in the frame after their data.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: join(dir, `${name}${size.name}-${theme}.png`) });
  }
  await fits(page, name);
  // A wall screen differs from a wide one in nothing that is looked for.
  if (size !== WALL) await looks(page, `${name}${size.name}`);
  await close();
}

/** Checks that a theme changes colours and nothing else. */
async function looks(page, name) {
  // The parts that are folded away must be in order, too.
  await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
  await accessible(page, `${name}, dark`, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  await accessible(page, `${name}, light`);
}

/** Takes pictures while it is being measured. */
export async function live(browser, url, dir) {
  mkdirSync(dir, { recursive: true });
  for (const size of [WIDE, NARROW, WALL]) await look(browser, `${url}#/live`, dir, "dashboard", size, CHART);
}

/** Runs, one run with its worst samples, two compared. */
export async function finished(browser, url, dir, run, [base, other]) {
  const pages = [
    ["runs", "#/runs", "tr[data-run]"],
    ["run", `#/run/${run}?worst=user`, ".worst button.row"],
    ["lines", `#/run/${run}?find=worst:work`, ".causes h3"],
    ["compare", `#/compare?base=${base}&other=${other}`, ".comparison canvas"],
  ];
  for (const [name, hash, ready] of pages) {
    for (const size of [WIDE, NARROW]) await look(browser, url + hash, dir, `dashboard-${name}`, size, ready);
  }
}
