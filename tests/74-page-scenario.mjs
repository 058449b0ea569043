// SPDX-License-Identifier: Apache-2.0 OR MIT
// What 74-page-scenario.sh says, by a browser:
//
//   node tests/74-page-scenario.mjs PAGE PICTURES

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { accessible, fits, launch, number, open, state, until } from "./dashboard/browser.mjs";

const [url, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });

const OWN = `version = 1
about = "Three stages for a while"
rig = "twin"
kernels = ["6.1"]
states = ["idle"]
stages = ["irq", "softirq", "user"]
[trigger]
kind = "line"
period = "1ms"
count = 40000
`;

const text = (page, selector) => page.textContent(selector);

/** Checks that a page with nothing to show offers one thing to do, in each look. */
async function nothing(page) {
  await page.waitForSelector("button:text-is('Run the demo'):visible");
  assert.equal(await page.locator(".scope:visible").count(), 0, "no empty screen");
  for (const [width, height] of [[1400, 900], [390, 844]]) {
    await page.setViewportSize({ width, height });
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      await accessible(page, `the start, ${width} px, ${theme}`);
      await page.screenshot({ path: join(pictures, `start-${width}-${theme}.png`) });
    }
    await fits(page, "the start");
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

/** Writes a scenario that is wrong, one that is refused, and one that is right. */
async function own(page) {
  await page.click("summary:has-text('Scenario')");
  await page.click("summary:text-is('Write one')");
  const check = async (toml, holds) => {
    await page.fill("#own-text", toml);
    await page.click("button:text-is('Check')");
    return until("an answer", () => text(page, ".own .answer"), holds);
  };
  await check(OWN.replace("period", "perdio"), (answer) => /own\.toml:9:1: .*perdio/.test(answer));
  const selected = await page.$eval("#own-text", (area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.equal(selected, 'perdio = "1ms"', "the line that is wrong is selected");
  await check(`${OWN}[load.x]\ncommand = "touch /tmp/x"\n`, (answer) => answer.includes("`load` may reach beyond a guest"));
  assert.equal(await page.getAttribute("#own-text", "aria-invalid"), "true");
  await check(OWN, (answer) => answer.includes("1 case of 40,000 triggers: 6.1/idle"));
  await page.click(".own button:text-is('Run')");
  await state(page, ["running"], 60_000);
}

/** Checks lines while it is measured: newest, hold, worst, single shot. */
async function live(page) {
  const title = () => text(page, ".scope .of");
  await page.waitForSelector(".screen canvas");
  const first = await until("a newest trigger", title, (now) => /trigger [\d,]+, the newest/.test(now));
  await until("another one", title, (now) => /the newest/.test(now) && now !== first);
  await page.focus(".screen");
  await page.keyboard.press(" ");
  await page.waitForSelector("button:text-is('Run')[aria-pressed=true]");
  const held = await title();
  const seen = await page.textContent("[data-account=triggers]");
  await until("the account goes on", () => page.textContent("[data-account=triggers]"), (now) => now !== seen);
  assert.equal(await title(), held, "what is held stays");
  await page.keyboard.press(" ");

  // The worst that the server has is the maximum of the table.
  await page.selectOption("#find-stage", "user");
  await page.selectOption("#find-what", "worst");
  const worst = await until("the worst", title, (now) => /user worst, [\d.]+ µs/.test(now));
  assert.ok(number(/worst, ([\d.,]+) µs/.exec(worst)[1]) > 0);
  await page.selectOption("#find-what", "above");
  await page.fill("#find-least", "1 µs");
  await page.press("#find-least", "Enter");
  await until("one above", title, (now) => /user above, [\d.]+ µs; [\d,]+ such/.test(now));
  await page.click("button:text-is('Single')");
  await page.waitForSelector("button:text-is('Run')[aria-pressed=true]");
  const shot = await title();
  await page.waitForTimeout(600);
  assert.equal(await title(), shot, "a single shot is held");
  await page.screenshot({ path: join(pictures, "live.png") });
  await page.selectOption("#find-what", "any");
}

const browser = await launch();
try {
  const { page, complaints } = await open(browser, url, { width: 1400, height: 900 });
  await nothing(page);
  await own(page);
  await live(page);
  await state(page, ["done"], 240_000);
  await page.click("a:text-is('Open the run')");
  // The measurement stays on the page until the run has come.
  await until("the run's page", () => text(page, "h1"), (now) => /-own$/.test(now));
  await page.waitForSelector(".screen canvas");
  // A scenario that is wrong is an answer of 4xx, which the browser reports by itself.
  const others = complaints.filter((words) => !/status of 4\d\d/.test(words));
  assert.deepEqual(others, [], "the page complains of nothing");
} finally {
  await browser.close();
}
