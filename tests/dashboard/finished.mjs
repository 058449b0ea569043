// SPDX-License-Identifier: Apache-2.0 OR MIT
// Runs: open, compare, download, link; the figures equal summary.json's to the digit.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { account, figures, number, open, until } from "./browser.mjs";
import { expectedAccount, expectedFigures, summaryOf } from "./expected.mjs";

export async function equalsSummary(page, runs, id) {
  const [one] = summaryOf(runs, id).cases;
  await page.click("text=both");
  const expected = expectedFigures(one);
  await until("both views are listed", () => figures(page), (now) => Object.keys(now).length === Object.keys(expected).length);
  assert.deepEqual(await figures(page), expected);
  assert.deepEqual(await account(page), expectedAccount(one));
  assert.match(await page.textContent(".verdict"), /holds/);
  return one;
}

/** Checks that a saved file is the one in the run directory, byte for byte. */
export async function download(page, runs, id) {
  const save = async (selector) => {
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
  };
  await page.click("summary >> text=Files");
  for (const name of ["summary.json", "samples.parquet", "manifest.json"]) {
    const saved = await save(`.downloads a:text-is("${name}")`);
    assert.ok(saved.bytes.equals(readFileSync(join(runs, id, name))), `${name} as on the disk`);
  }
  await page.click("summary >> text=pictures");
  for (const [kind, start] of [["SVG", "<svg"], ["PNG", "\x89PNG"]]) {
    const saved = await save(`.downloads details a:text-is("${kind}") >> nth=0`);
    assert.ok(saved.bytes.toString("latin1", 0, 200).includes(start), `${saved.name} is a picture`);
  }
  const csv = (await save('.downloads a:text-is("samples.csv")')).bytes.toString();
  const [one] = summaryOf(runs, id).cases;
  const answered = one.stages.reduce((sum, stage) => sum + stage.count, 0);
  assert.ok(csv.trim().split("\n").length > answered, "the CSV has every answer");
}

/** Opens the worst sample by keyboard; its causes add up to its latency. */
export async function worst(page, explained) {
  await page.focus(".worst button.row");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".worst .sample");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
  const row = page.locator(".worst li", { has: page.locator(".sample") });
  const latency = number((await row.locator(".row .number >> nth=0").textContent()).replace(" µs", ""));
  const shown = await page.$$eval(".worst .sample .plain.waits .number", (cells) => cells.map((cell) => cell.textContent));
  assert.equal(shown.length > 0, explained, "causes are listed where they were recorded");
  const sum = shown.reduce((total, text) => total + Math.round(number(text.replace(" µs", "")) * 1000), 0);
  if (explained) assert.equal(sum, Math.round(latency * 1000));
}

/** Checks that another window that follows the link shows the same. */
export async function link(browser, page) {
  // Both in one turn of the page's loop: the second press must not undo the first.
  await page.evaluate(() => ["inside", "linear"].forEach((name) => document.querySelector(`.toggles [data-choice="${name}"]`).click()));
  await page.click('.toggles.stages [data-choice="irq"]');
  const seen = (one) => one.$$eval('[aria-pressed="true"], .sample, .figures tr', (all) => all.map((each) => each.textContent));
  await until("the choice is shown", async () => ({ url: page.url(), seen: await seen(page) }), ({ url, seen: all }) =>
    /view=inside/.test(url) && /axis=linear/.test(url) && !all.some((text) => /^(both|log|irq)$|outside/.test(text)));
  const there = await open(browser, page.url());
  // Both are asked again each time: a page draws after its address has changed.
  await until("the link shows the same", async () => [await seen(page), await seen(there.page)],
    ([here, other]) => here.length > 1 && JSON.stringify(here) === JSON.stringify(other));
  await there.close();
}

/** Selects two runs; every difference is what their summaries say. */
export async function compare(page, runs, [base, other]) {
  await page.click("nav >> text=Runs");
  for (const id of [base, other]) await page.check(`tr[data-run="${id}"] input`);
  await page.click("button:text-is('Compare')");
  await page.waitForSelector(".shifts tbody tr");
  const shown = await page.$$eval(".shifts tbody tr", (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const stages = (id) => expectedFigures(summaryOf(runs, id).cases[0]);
  const [before, after] = [stages(base), stages(other)];
  let compared = 0;
  for (const [series, quantile, one, two, , , interval, verdict] of shown) {
    const [, stage] = /^(\w+) \(outside\)$/.exec(series) ?? assert.fail(`no series: ${series}`);
    if (quantile.startsWith("max of ")) {
      // The runs are of different lengths: maxima of as many samples of either are compared.
      const fewest = Math.min(...[before, after].map((side) => number(side[`${stage}:outside`].count)));
      assert.deepEqual([number(quantile.slice(7)), one, two], [Math.floor(fewest / 17), "–", "–"]);
      assert.match(interval, / … /);
      continue;
    }
    if (quantile === "max") assert.deepEqual([interval, verdict], ["–", "–"], "no interval belongs to a maximum");
    assert.deepEqual([one, two], [before[`${stage}:outside`][quantile], after[`${stage}:outside`][quantile]]);
    compared += 1;
  }
  const lines = Object.keys(before).filter((name) => name.endsWith(":outside")).length;
  assert.equal(compared, lines * 4, "four quantiles of every stage");
}
