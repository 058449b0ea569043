// SPDX-License-Identifier: Apache-2.0 OR MIT
// Pictures of the real page for README and docs, and its accessibility in each look.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { accessible, fits, open } from "./browser.mjs";

const WIDE = { width: 1280, height: 860 };
const WALL = { width: 2560, height: 1440 };
const NARROW = { width: 360, height: 740 };
const CHART = ".channel canvas";

/** What is looked at: its name, its size, its theme. A wall screen is wide, too. */
const LIVE = [
  ["dashboard-light", WIDE, "light"],
  ["dashboard-dark", WIDE, "dark"],
  ["dashboard-wall", WALL, "dark"],
  ["dashboard-narrow", NARROW, "light"],
  ["dashboard-narrow-dark", NARROW, "dark"],
];

async function look(browser, url, dir, [name, size, theme], ready) {
  const { page, close } = await open(browser, url, { ...size, theme });
  // Pictures below the window's end are not drawn.
  if (size === NARROW && ready === CHART) {
    await page.waitForSelector(".channel");
    await page.$eval(".channel .plot", (plot) => plot.scrollIntoView({ block: "center" }));
  }
  await page.waitForSelector(ready);
  // Charts are drawn in the frame after their data.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: join(dir, `${name}.png`) });
  await fits(page, name);
  if (size === WALL) return close();
  // What is folded away must be in order, too.
  await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
  await accessible(page, name);
  return close();
}

/** While it is being measured. */
export async function live(browser, url, dir) {
  mkdirSync(dir, { recursive: true });
  for (const one of LIVE) await look(browser, `${url}#/live`, dir, one, CHART);
}

/** Runs, one run with a sample open, two compared: light and dark, wide and narrow. */
export async function finished(browser, url, dir, run, [base, other]) {
  const pages = [
    ["runs", "#/runs", "tr[data-run]"],
    ["run", `#/run/${run}?worst=user`, ".worst button.row"],
    ["compare", `#/compare?base=${base}&other=${other}`, ".shifts tbody tr"],
  ];
  for (const [name, hash, ready] of pages) {
    await look(browser, url + hash, dir, [`dashboard-${name}`, WIDE, "light"], ready);
    await look(browser, url + hash, dir, [`dashboard-${name}-dark`, WIDE, "dark"], ready);
    await look(browser, url + hash, dir, [`dashboard-${name}-narrow`, NARROW, "light"], ready);
    await look(browser, url + hash, dir, [`dashboard-${name}-narrow-dark`, NARROW, "dark"], ready);
  }
}
