// SPDX-License-Identifier: Apache-2.0 OR MIT
// What 72-page-cause.sh says, by a browser:
//
//   node tests/72-page-cause.mjs PAGE RUN SUMMARY EXPLAINED
//
// EXPLAINED is what `irqscope explain --json --above max` prints of the same run.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, fits, launch, number, open, until } from "./dashboard/browser.mjs";

const [url, run, summaryFile, explainedFile] = process.argv.slice(2);
const [kernel] = JSON.parse(readFileSync(summaryFile, "utf8")).cases;
const explained = JSON.parse(readFileSync(explainedFile, "utf8"));
const MOST = 6;

/** Every press, choice and key goes through here. */
let actions = 0;
const act = (what) => {
  actions += 1;
  return what;
};

const text = (page, selector) => page.textContent(selector);
const cause = (page) => until("a cause in words", () => page.$$eval(".causes .found li", (all) => all.map((one) => one.textContent)), (all) => all.length > 0);
const trigger = (page) => page.inputValue("#trigger-number").then(number);
const settled = (page, part) => until(`the address has ${part}`, () => page.evaluate(() => location.hash), (hash) => hash.includes(part));

/** Finds what made the latest response of stage `user` late, beginning where the server says. */
async function find(page) {
  const of = explained.find(({ stage }) => stage === "user");
  const user = kernel.stages.find((one) => one.stage === "user" && one.view === "outside");
  const worst = user.max_ns / 1000;
  const [{ cause: { kind, name }, longest_seq: seq, longest_ns: ns }] = of.shares;
  assert.match(name, /^irqscope_fault_irqs_off/, "the fault is the culprit by the command line, too");

  await act(page.click("nav >> text=Runs"));
  await act(page.click(`a:text-is("${run}")`));
  await page.waitForSelector(".screen canvas");
  await act(page.selectOption("#find-stage", "user"));
  await act(page.selectOption("#find-what", "worst"));
  await until(`trigger ${seq}`, () => trigger(page), (now) => now === seq);
  const [first] = await cause(page);
  assert.ok(actions <= MOST, `${actions} actions`);
  assert.ok(first.includes(`${kind}: ${name}`) && first.includes("code of the kernel had interrupts switched off"), first);
  assert.equal(number(first.split(" µs")[0]), ns / 1000);
  console.log(`found in ${actions} actions: ${first}`);

  // The picture's figures are those of the run. Its lines are read beside the causes, and may come after them.
  const shown = await until("the latency of the shown trigger", () => page.$eval('tr[data-line="user:outside"]', (row) =>
    Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) => [cell.dataset.column, cell.textContent]))),
  (row) => number(row.this) === worst);
  for (const [column, value] of [["min", user.min_ns], ["mean", user.mean_ns], ["p50", user.p50_ns], ["max", user.max_ns], ["jitter", user.stddev_ns]]) {
    assert.equal(shown[column], (value / 1000).toFixed(3), column);
  }
  assert.equal(number(shown.count), user.count);
}

/** Returns what is painted in a column of the canvas: whether a lane is high there. */
const isHigh = (page, lane, ns) => page.$eval(".screen canvas", (canvas, [lane, ns, [from, to]]) => {
  const ratio = devicePixelRatio;
  const x = Math.round(((ns - from) / (to - from)) * canvas.width);
  const high = Math.round((24 + (lane + 1) * 28 - 6 - 16) * ratio);
  const [, , , alpha = 0] = canvas.getContext("2d").getImageData(x, high, 1, 1).data;
  return alpha > 100;
}, [lane, ns, [0, 300_000]]);

/** Returns the share of columns in which the trigger's line is drawn high, or covered because it was not read. */
const share = (page) => page.$eval(".screen canvas", (canvas) => {
  const y = Math.round((24 + 28 - 6 - 16) * devicePixelRatio);
  const { data } = canvas.getContext("2d").getImageData(0, y, canvas.width, 1);
  return Array.from({ length: canvas.width }, (_, x) => data[4 * x + 3] > 100).filter(Boolean).length / canvas.width;
});

/** Checks that a window far from the shown trigger is read, too: the whole run is one axis of time. */
async function far(page) {
  const before = await page.evaluate(() => location.hash);
  for (const window of ["200000000,210000000", "-200000000,-190000000"]) {
    await page.evaluate(([hash, window]) => { location.hash = `${hash.replace(/&t=[^&]*/, "")}&t=${window}`; }, [before, window]);
    // High for 250 µs of 1 ms; what is not read is covered from edge to edge.
    await until(`pulses in ${window}`, () => share(page), (now) => now > 0.1 && now < 0.5);
    assert.equal(await trigger(page), 300, "another window is no other trigger");
  }
  // Beyond the run's end there is nothing, and the screen stays.
  await page.evaluate((hash) => { location.hash = `${hash.replace(/&t=[^&]*/, "")}&t=9000000000,9100000000`; }, before);
  await page.waitForTimeout(500);
  assert.ok(await page.isVisible(".screen canvas"), "a window behind the run hides nothing");
  await page.evaluate((hash) => { location.hash = hash; }, before);
}

/** Checks zoom, pan, cursors and the address that keeps them. */
async function instrument(page, browser) {
  const hash = async (change) => {
    const now = await page.evaluate(() => location.hash);
    await page.evaluate((next) => { location.hash = next; }, now.replace(/&t=[^&]*/, "") + change);
  };
  await hash("&t=0,300000");
  await page.focus(".screen");
  await until("the lines are painted", () => isHigh(page, 10, 290_000), Boolean);
  assert.equal(await isHigh(page, 10, 110_000), false, "user has not answered after 110 µs");
  assert.equal(await isHigh(page, 0, 110_000), true, "the trigger is high for 250 µs");

  await page.keyboard.press("+");
  await settled(page, "t=45000,255000");
  await page.keyboard.press("ArrowRight");
  await settled(page, "t=66000,276000");
  const box = await page.locator(".screen").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  await page.mouse.wheel(0, -400);
  await until("the wheel zooms", () => page.evaluate(() => location.hash), (now) => !now.includes("t=66000,276000"));
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 80, box.y + 100, { steps: 4 });
  await page.mouse.up();
  await hash("&t=0,300000");

  // Two cursors: on the fault's end and on the answer.
  await page.mouse.click(box.x + box.width / 3, box.y + 60);
  await page.keyboard.down("Shift");
  await page.mouse.click(box.x + (box.width * 2) / 3, box.y + 60);
  await page.keyboard.up("Shift");
  const delta = async () => number((/Δ ([-\d.,]+) µs/.exec(await text(page, ".readout")) ?? ["", "0"])[1]);
  await until("the delta of a third of 300 µs", delta, (now) => Math.abs(now - 100) < 1);
  const before = await delta();
  await page.focus(".screen");
  await page.keyboard.press("Shift+ArrowRight");
  await until("B moved by a pixel", delta, (now) => Math.abs(now - before - 300 / box.width) < 0.01);
  await settled(page, "&b=");

  // The address alone shows the same to somebody else.
  await settled(page, "&a=");
  await page.waitForTimeout(400);
  const address = page.url();
  const other = await open(browser, address);
  await other.page.waitForSelector(".screen canvas");
  await until("the same trigger", () => trigger(other.page), (now) => now > 0);
  await until("the same reading", () => text(other.page, ".readout"), (now) => now.includes("Δ"));
  for (const selector of [".scope .of", ".readout", ".causes"]) {
    const pointless = (words) => words.replace(/ {3}at [^Δ]*?(?= {3})/, "");
    assert.equal(pointless(await text(other.page, selector)), pointless(await text(page, selector)), selector);
  }
  await other.close();
  await page.keyboard.press("Escape");
  await until("no cursors", () => text(page, ".readout"), (now) => !now.includes("Δ"));
}

/** Checks all sweeps on top of each other, the search for triggers, and keys. */
async function more(page) {
  await page.selectOption("#align", "irq");
  await until("all sweeps", () => text(page, ".readout"), (now) => now.includes(`${kernel.triggers} sweeps`));
  await page.selectOption("#align", "");
  await page.selectOption("#find-what", "above");
  await page.fill("#find-least", "100 µs");
  await page.press("#find-least", "Enter");
  const of = explained.find(({ stage }) => stage === "user");
  await until("a trigger above 100 µs", () => text(page, ".scope .of"), (now) => /: user after [12]\d\d\.\d+ µs/.test(now));
  assert.ok(of.late >= 1);
  await page.selectOption("#find-what", "missing");
  await page.waitForSelector(".scopes .notice:visible");
  assert.match(await text(page, ".scopes .notice:visible"), /no trigger of stage user is missing/);
  await page.click('button[aria-label="First trigger"]');
  await until("trigger 0", () => trigger(page), (now) => now === 0);
  await page.selectOption("#find-what", "any");
  await page.focus(".screen");
  await page.keyboard.press("n");
  await until("trigger 1", () => trigger(page), (now) => now === 1);
  await page.fill("#trigger-number", "300");
  await page.press("#trigger-number", "Enter");
  await until("trigger 300", () => trigger(page), (now) => now === 300);
  await far(page);
  await page.focus(".screen");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog.help[open]");
  await accessible(page, "the keys");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog.help", { state: "hidden" });
}

/** Checks the table of causes: a row of it opens the trigger that it is about. */
async function causes(page) {
  await page.waitForSelector("[data-causes=user] summary");
  await page.$$eval("[data-causes]", (all) => all.forEach((one) => { one.open = one.dataset.causes === "user"; }));
  const of = explained.find(({ stage }) => stage === "user");
  const first = await text(page, "[data-causes=user] tbody tr");
  const { cause: { kind, name }, longest_seq: seq } = of.shares[0];
  assert.ok(first.includes(`${kind}: ${name}`), first);
  // Each response is in one row by its cause.
  const counts = await page.$$eval("[data-causes=user] .bycause tbody tr", (all) => all.map((row) => Number(row.children[1].textContent.replaceAll(",", ""))));
  assert.equal(counts.reduce((sum, one) => sum + one, 0), of.count);
  await page.click('button[aria-label="First trigger"]');
  await page.click("[data-causes=user] tbody .link >> nth=0");
  await until(`trigger ${seq}`, () => trigger(page), (now) => now === seq);
}

/** Checks that paper shows all pictures, also those that no window has shown. */
async function print(page) {
  await page.evaluate(() => scrollTo(0, 0));
  const empty = () => page.$$eval(".channel .plot", (all) => all.filter((plot) => plot.querySelector("canvas") === null).length);
  assert.ok(await empty() > 0, "some are not drawn yet");
  await page.pdf();
  assert.equal(await empty(), 0, "every histogram and course is drawn");
}

const browser = await launch();
try {
  const { page, complaints } = await open(browser, url, { width: 1400, height: 1000 });
  await find(page);
  await print(page);
  await causes(page);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await accessible(page, `the lines, ${theme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await instrument(page, browser);
  await more(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await fits(page, "the lines on a phone");
  // The test itself reads pixels back.
  const others = complaints.filter((text) => !text.includes("willReadFrequently"));
  assert.deepEqual(others, [], "the page complains of nothing");
} finally {
  await browser.close();
}
