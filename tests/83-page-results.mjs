// SPDX-License-Identifier: Apache-2.0 OR MIT
// What 83-page-results.sh says, by a browser:
//
//   node tests/83-page-results.mjs PAGE JSON LIMITS PICTURES
//
// JSON is a directory with what subcommands print with --json of the runs `plain`, `bursts`, `counted`, `sweep` and
// `isolate`.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { accessible, fits, launch, number, open, until } from "./dashboard/browser.mjs";

const [url, json, limitsFile, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const said = (name) => JSON.parse(readFileSync(join(json, `${name}.json`), "utf8"));

const panel = (kind) => `[data-result="${kind}"]`;
/** Returns the rows of a panel's first table, cell by cell. */
const rows = (page, within) => page.$$eval(`${within} table >> nth=0 >> tbody tr`, (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
/** Requires that a text is a number of nanoseconds in microseconds. */
const same = (text, ns, what) => assert.equal(Math.round(number(text.replace(" µs", "")) * 1000), Math.round(ns), what);
/** Requires that a text is a number of nanoseconds, rounded, in a unit of its own. */
const near = (text, ns, what) => {
  const [value, unit] = text.split(" ");
  assert.ok(Math.abs(number(value) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit] / ns - 1) < 0.001, `${what}: ${text} of ${ns}`);
};

/** Opens a run, and requires that it offers these results and no others. */
async function show(page, run, offered) {
  await page.goto(`${url}#/run/${run}`);
  const kinds = () => page.$$eval("[data-result]", (all) => all.filter((one) => !one.hidden).map((one) => one.dataset.result));
  const seen = await until(`results of ${run}`, kinds, (now) => now.length > 0);
  assert.deepEqual(seen.sort(), [...offered].sort(), run);
}

/** Opens a panel by the keyboard and waits for what it has to say. */
async function unfold(page, kind) {
  await page.focus(`${panel(kind)} summary`);
  await page.keyboard.press("Enter");
  if (kind !== "gate") await ready(page, kind);
}

const ready = (page, kind) => page.waitForSelector(`${panel(kind)} .result[aria-busy=false] > *`);

/** Looks at a panel in both themes, on a screen and on a phone. */
async function looks(page, kind, name = kind) {
  for (const [width, height] of [[1400, 900], [390, 844]]) {
    await page.setViewportSize({ width, height });
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      await accessible(page, `${kind}, ${width} px, ${theme}`);
      await page.locator(panel(kind)).screenshot({ path: join(pictures, `${name}-${width}-${theme}.png`) });
    }
    await fits(page, kind);
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.click(`${panel(kind)} summary >> nth=0`);
}

/** Requires that the tails of these stages, or else of the run's benchmark, are what the command line says of them. */
async function tail(page, stages, every) {
  await unfold(page, "tail");
  for (const stage of stages) {
    const [one] = said(`tail-${stage}`);
    const names = await page.$$eval(`${panel("tail")} option`, (all) => all.map(({ value }) => value));
    await page.selectOption(`${panel("tail")} select`, names.find((name) => name.startsWith(stage)));
    await page.fill(`${panel("tail")} input`, every);
    await page.press(`${panel("tail")} input`, "Enter");
    await page.waitForSelector(`[data-tail="${one.series}"]`);
    const text = await page.textContent(`[data-tail="${one.series}"]`);
    if (one.tail === null) {
      assert.ok(text.includes(one.refusal), text);
      continue;
    }
    same(/the longest ([\d.,]+ µs)/.exec(text)[1], one.tail.max_ns, "the observed maximum");
    // Until it has the answer with these times, the one before is shown.
    const asked = one.tail.levels.map((level) => Math.round(level.samples)).join();
    const shown = await until("these levels", () => rows(page, `[data-tail="${one.series}"]`),
      (all) => all.map(([samples]) => number(samples)).join() === asked);
    one.tail.levels.forEach((level, index) => {
      const [samples, ns, low, high] = one.period_ns === null ? shown[index] : shown[index].toSpliced(1, 1);
      assert.equal(number(samples), Math.round(level.samples));
      same(ns, level.ns, "a level");
      same(low, level.low_ns, "its lower bound");
      if (level.high_ns === null) assert.equal(high, "no bound");
      else same(high, level.high_ns, "its upper bound");
    });
    await looks(page, "tail");
    await unfold(page, "tail");
  }
  await page.click(`${panel("tail")} summary`);
}

async function gate(page) {
  const verdicts = said("gate");
  await unfold(page, "gate");
  await page.fill("#limits", "user");
  await page.press("#limits", "Enter");
  await until("an answer", () => page.textContent(`${panel("gate")} .notice`), (text) => text.includes("user<150us@p99.9"));
  await page.fill("#limits", readFileSync(limitsFile, "utf8").trim());
  await page.press("#limits", "Enter");
  await ready(page, "gate");
  const check = async (where) => {
    const shown = await rows(where, panel("gate"));
    assert.deepEqual(shown.map(([verdict]) => verdict.includes("✓")), verdicts.map(({ passed }) => passed));
    shown.forEach(([, asked, found, share], index) => {
      const { asked: limit, limit_ns, found_ns } = verdicts[index];
      assert.equal(asked, limit);
      same(found, found_ns, limit);
      assert.equal(number(share.replace(" %", "")), Number(((found_ns / limit_ns) * 100).toFixed(1)));
    });
    assert.equal(new Set(verdicts.map(({ passed }) => passed)).size, 2, "one is met and one is not");
  };
  await check(page);
  // Its address gives the same verdict to others.
  const other = await open(page.context().browser(), page.url());
  await ready(other.page, "gate");
  await check(other.page);
  await other.close();
  await looks(page, "gate");
}

/** Holds a run against another one, which is offered, and requires the command line's verdicts, also by the address alone. */
async function against(page) {
  await unfold(page, "gate");
  await page.focus("#against");
  await page.waitForSelector("#baselines option[value=base]", { state: "attached" });
  await page.fill("#against", "nowhere");
  await page.press("#against", "Enter");
  await until("an answer", () => page.textContent(`${panel("gate")} .notice`), (text) => text.includes("nowhere"));
  await page.fill("#against", "base");
  await page.fill("#allow", "25%");
  await page.press("#allow", "Enter");
  const check = async (where) => {
    await ready(where, "gate");
    const shown = await rows(where, panel("gate"));
    assert.deepEqual(shown.map(([verdict, asked, found]) => [verdict.includes("✓"), asked, found]),
      said("against").map(({ passed, asked, found }) => [passed, asked, found]));
  };
  await check(page);
  const other = await open(page.context().browser(), page.url());
  await check(other.page);
  await other.close();
  await looks(page, "gate");
}

async function path(page) {
  const { sample, functions } = said("path");
  await unfold(page, "path");
  const selects = page.locator(`${panel("path")} select`);
  await selects.nth(0).selectOption("user");
  await selects.nth(1).selectOption("max");
  const title = await until("the path", () => page.textContent(`${panel("path")} .result p`), (text) => text.includes(`stage user, trigger ${sample.seq.toLocaleString("en")}`));
  assert.equal(number(/^[\d,]+/.exec(title)[0]), sample.instructions);
  same(/in ([\d.,]+ µs)/.exec(title)[1], sample.latency_ns, "the latency");
  const shown = await rows(page, panel("path"));
  const listed = shown.filter(([, , , total]) => total !== "");
  assert.ok(listed.length > 10);
  listed.forEach(([, share, own, total, name], index) => {
    const one = functions[index];
    assert.deepEqual([name, number(own), number(total)], [one.function, one.own, one.total]);
    assert.equal(number(share.replace(" %", "")), Number(((one.own / sample.instructions) * 100).toFixed(1)));
  });
  assert.equal(shown.reduce((sum, [, , own]) => sum + number(own), 0), sample.instructions, "all instructions");
  // The flame graph is the command line's, and is seen in the page.
  await page.click(`${panel("path")} .flame summary`);
  const picture = page.locator(`${panel("path")} .flame img`);
  await until("the picture", () => picture.evaluate((one) => one.complete && one.naturalWidth), (width) => width > 300);
  const address = new URL(await picture.getAttribute("src"), url);
  assert.equal(await (await page.request.get(String(address))).text(), readFileSync(join(json, "path.svg"), "utf8"));
  await selects.nth(2).selectOption("at p50");
  const { second, difference } = said("paths");
  const more = `[aria-label="Functions by what the second executes more"]`;
  await page.waitForSelector(more);
  const compared = await rows(page, more);
  const signed = (text) => number(text.replace("+", ""));
  compared.slice(0, Math.min(difference.functions.length, 20)).forEach(([before, after, moved, name], index) => {
    const one = difference.functions[index];
    assert.deepEqual([number(before), number(after), signed(moved), name], [one.before, one.after, one.after - one.before, one.function]);
  });
  assert.equal(compared.reduce((sum, [, , moved]) => sum + signed(moved), 0), second.sample.instructions - sample.instructions);
  await looks(page, "path");
}

async function bursts(page) {
  const [one] = said("bursts");
  await unfold(page, "bursts");
  assert.equal(number(/^[\d,]+/.exec(await page.textContent(`${panel("bursts")} .result p`))[0]), one.bursts.length);
  for (const stage of ["irq", "softirq"]) {
    const shown = await rows(page, `[data-burst="${stage}"]`);
    const places = one.places.filter((place) => place.stage === stage);
    assert.deepEqual(shown.map((row) => row.slice(0, 4).map(number)), places.map((place) => [place.place, place.answered, place.coalesced, place.missing]));
    // By place and by burst the same triggers are merged.
    const merged = one.bursts.flatMap((burst) => burst.stages).filter((each) => each.stage === stage).reduce((sum, each) => sum + each.merged.length, 0);
    assert.equal(shown.reduce((sum, row) => sum + number(row[2]), 0), merged);
    shown.forEach((row, index) => places[index].max_ns === null || same(row[5], places[index].max_ns, "the longest"));
  }
  await looks(page, "bursts");
}

async function counted(page) {
  const [one] = said("counted");
  await unfold(page, "bursts");
  const shown = await rows(page, '[data-burst="ksoftirqd"]');
  const handed = one.bursts.flatMap((burst) => burst.handed.map((each) => ({ seq: burst.seq, ...each })));
  assert.ok(handed.length > 0, "softirqs were handed to ksoftirqd");
  assert.deepEqual(shown.map((row) => [number(row[0]), number(row[2]), row[4]]), handed.map((each) => [each.seq, each.rounds, each.priority]));
  shown.forEach((row, index) => {
    near(row[1], handed[index].at_ns, "when it was woken");
    near(row[5], handed[index].waited_ns, "how long it waited");
    for (const ahead of handed[index].ahead) assert.ok(row[6].includes(`${ahead.thread} (${ahead.priority})`), row[6]);
  });
  await looks(page, "bursts", "counted");
}

async function locks(page) {
  const one = said("locks").find((each) => each.case === "6.1/idle");
  await unfold(page, "locks");
  const shown = await rows(page, panel("locks"));
  assert.equal(shown.length, Math.min(one.sites.length, 20));
  assert.ok(shown.length > 0, "sections delayed some trigger");
  shown.forEach(([, longest, , count, name, place, kind], index) => {
    const site = one.sites[index];
    assert.deepEqual([name, place, kind, number(count)], [site.function, site.place, site.kind, site.count]);
    same(longest, site.max_ns, name);
  });
  const beside = said("locks-beside").find((each) => each.case === "6.1/idle");
  await page.fill(`${panel("locks")} input`, "40us");
  await page.press(`${panel("locks")} input`, "Enter");
  await page.waitForSelector(`${panel("locks")} th:text("would wait")`);
  (await rows(page, panel("locks"))).forEach(([, , , , wait], index) => {
    const { collision } = beside.sites[index];
    assert.equal(wait, collision.starves ? "always" : `${collision.refused_per_cent.toFixed(2)} %`);
  });
  await looks(page, "locks");
}

async function isolate(page) {
  const [one] = said("isolate");
  await unfold(page, "isolate");
  const shown = await rows(page, panel("isolate"));
  assert.equal(shown.length, Math.min(one.causes.length, 20));
  assert.ok(shown.length > 3, "the module's disturbances and the kernel's");
  shown.forEach(([, count, perSecond, mean, longest, what], index) => {
    const cause = one.causes[index];
    assert.equal(number(count), cause.count);
    assert.equal(number(perSecond), Number(((cause.count * 1e9) / one.elapsed_ns).toFixed(3)));
    same(mean, cause.total_ns / cause.count, "the mean");
    same(longest, cause.longest_ns, "the longest");
    assert.ok(what.startsWith(`${cause.entry}: ${cause.acts.join(", ")}`), what);
    assert.equal(what.includes("culprit_asks"), cause.from?.callers.some((caller) => caller.startsWith("culprit_asks")) ?? false);
    assert.equal(what.includes("to keep away: "), cause.remedies.length > 0);
    assert.ok(what.endsWith(cause.remedies.join("; ")), what);
  });
  const text = await page.textContent(`${panel("isolate")} .result p`);
  assert.equal(number(/^[\d,]+/.exec(text)[0]), one.count);
  await looks(page, "isolate");
}

/** Requires that the scenario's own limit is held as soon as the run is open. */
async function own(page) {
  await ready(page, "gate");
  assert.equal(await page.inputValue("#limits"), "isolate<1 s@max");
  const shown = await rows(page, panel("gate"));
  assert.ok(shown.length > 0 && shown.every(([verdict]) => verdict.includes("✓")), JSON.stringify(shown));
}

async function sweep(page) {
  const all = said("sweep");
  await unfold(page, "sweep");
  for (const [index, series] of all.series.entries()) {
    await page.selectOption(`${panel("sweep")} select`, String(index));
    await page.waitForSelector(`${panel("sweep")} [aria-label="Steps of ${series.case}, ${series.stage}"]`);
    const shown = await rows(page, panel("sweep"));
    assert.equal(shown.length, series.points.length);
    series.points.forEach((point, step) => {
      const [frequency, triggers, count, p50, p99, max, want] = shown[step];
      assert.equal(frequency, `${point.frequency_hz / 1000} kHz`);
      assert.deepEqual([number(triggers), number(count)], [point.triggers, point.count]);
      for (const [text, ns] of [[p50, point.p50_ns], [p99, point.p99_ns], [max, point.max_ns]]) ns === null ? assert.equal(text, "–") : same(text, ns, frequency);
      assert.equal(want.includes("✓"), point.keeps_up);
    });
    const { knee } = series;
    const text = await page.textContent(`${panel("sweep")} .result strong`);
    assert.equal(text.replace("at least ", "").replace("below ", ""), `${(knee.frequency_hz ?? knee.next_hz) / 1000} kHz`);
    assert.equal(text.includes("at least"), knee.kind === "beyond");
  }
  await looks(page, "sweep");
}

/** Looks at reports as files, all unfolded, and at one that the server shows in its sandbox. */
async function reports(browser) {
  for (const run of ["plain", "bursts", "isolate"]) {
    const file = pathToFileURL(resolve(json, "../runs", run, "report.html"));
    for (const width of [1400, 390]) {
      const { page, complaints, close } = await open(browser, String(file), { width });
      // A maximum leads to its response, which is unfolded, and is the same figure.
      const maxima = await page.$$eval(".figures.few td a", (all) => all.map((one) => [one.getAttribute("href"), one.textContent]));
      assert.ok(maxima.length >= (run === "isolate" ? 0 : 2), run);
      for (const [link, text] of maxima) {
        await page.click(`.figures.few td a[href="${link}"]`);
        const row = page.locator(`[id="${link.slice(1)}"]`);
        assert.ok(await row.isVisible(), link);
        const latency = await row.locator("td.number").nth(1).textContent();
        const scale = { ns: 0.001, µs: 1, ms: 1000 }[latency.split(" ")[1]];
        assert.ok(Math.abs(number(latency.split(" ")[0]) * scale - number(text)) < 0.006, `${latency} of ${text}`);
      }
      await page.$$eval("details", (all) => all.forEach((one) => { one.open = true; }));
      const files = await page.$$eval(".beside a", (all) => all.map((one) => one.getAttribute("href")));
      assert.ok(files.length === 4 && files.every((name) => existsSync(resolve(json, "../runs", run, name))), String(files));
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        await accessible(page, `report of ${run}, ${width} px, ${theme}`);
        await page.screenshot({ path: join(pictures, `report-${run}-${width}-${theme}.png`), fullPage: true });
      }
      await fits(page, `report of ${run}`);
      assert.deepEqual(complaints, []);
      await close();
    }
  }
  // From the sandbox in which the server shows it, a report reaches nothing, and offers nothing that it cannot reach.
  const served = await open(browser, String(new URL("/api/runs/plain/report", url)));
  const links = await served.page.$$eval("a", (all) => all.filter((one) => one.offsetParent !== null).map((one) => one.getAttribute("href")));
  assert.ok(links.length > 3 && links.every((href) => href.startsWith("#")), String(links));
  await served.close();
}

const browser = await launch();
try {
  await reports(browser);
  const { page, complaints } = await open(browser, url, { width: 1400, height: 900 });
  await show(page, "plain", ["tail", "gate", "path"]);
  await tail(page, ["irq", "softirq", "user"], "1s");
  await gate(page);
  await path(page);
  await show(page, "later", ["tail", "gate"]);
  await tail(page, ["sched"], "");
  assert.notEqual(said("tail-sched")[0].tail, null, "these samples have a tail");
  await against(page);
  await show(page, "bursts", ["tail", "gate", "bursts", "locks"]);
  await bursts(page);
  await locks(page);
  await show(page, "counted", ["tail", "gate", "bursts", "locks"]);
  await counted(page);
  await show(page, "sweep", ["tail", "gate", "sweep"]);
  await sweep(page);
  await show(page, "isolate", ["tail", "gate", "isolate"]);
  await own(page);
  await isolate(page);
  // A text that is not a limit is an answer of 4xx, which the browser reports by itself.
  assert.deepEqual(complaints.filter((words) => !/status of 4\d\d/.test(words)), [], "the page complains of nothing");
} finally {
  await browser.close();
}
