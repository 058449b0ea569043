// SPDX-License-Identifier: Apache-2.0 OR MIT
// Critical sections by how long they were held, and the decisions of delayed locking, as irqscope locks
// prints them.

import { api } from "../api/client.js";
import type { CaseLocks, FinishedCase, HoldTimes, LockSource } from "../api/types.js";
import { bar } from "../chart/frame.js";
import { decimals, grouped, micro, NONE, round } from "../core/quantity.js";
import { type Child, h } from "../dom.js";
import { ResultPanel, table } from "./result.js";

const LISTED = 20;
const SOURCES: Readonly<Record<LockSource, string>> = {
  monitor: "Hold times of every section, by the kernel's monitor.",
  interference: "The rest, after a trigger, of sections that delayed it, by its events.",
  loads: "No section was recorded; the work of the loads alone.",
  tracepoints: "Every section that the kernel has a tracepoint of; a long one by the function that its stack showed at the end.",
  instructions: "Every section from its first instruction to its last, as the twin executed it.",
};

export class LocksPanel extends ResultPanel {
  readonly #period = h("input", { type: "text", size: 8, autocomplete: "off", spellcheck: "false", placeholder: "4ms", onchange: () => this.refresh() });

  constructor(private readonly id: string) {
    super("locks", "Locks", "critical sections by hold time");
    this.controls.append(h("label", { class: "choice" }, h("span", {}, "beside a real-time process of period"), this.#period));
  }

  protected choose(): void {}

  protected wanted(): string | null {
    return `period ${this.#period.value.trim()}`;
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const locks = await api.locks(this.id, drawn.case, this.#period.value.trim());
    const { settings } = locks;
    return [h("p", { class: "muted" }, SOURCES[locks.source]),
      settings === null ? null : h("p", {}, `Mode ${settings.mode}, policy ${settings.policy}, forced after ${grouped(settings.max_refusals)} refusals, short periods: ${settings.short_period}.`),
      locks.source === "loads" ? null : locks.sites.length === 0 ? h("p", {}, "No section was seen.") : sites(locks),
      decisions(locks)];
  }
}

function sites({ sites: all, left_out, others }: CaseLocks): HTMLElement {
  const longest = Math.max(...all.map((site) => site.max_ns), 1);
  const decided = all.some(({ manager }) => manager !== null);
  const beside = all.some(({ collision }) => collision !== null);
  const columns = ["", "longest", "mean", "count", ...(beside ? ["would wait"] : []), ...(decided ? ["refused", "forced"] : []), "section", "place", "kind"];
  const more = all.length - LISTED + left_out;
  const rest = [more > 0 ? `${grouped(more)} more sites are shorter` : "", others > 0 ? `${grouped(others)} sections at still other places` : ""].filter((text) => text !== "");
  return h("div", {},
    table("Critical sections", columns, all.slice(0, LISTED).map((site) => [
      bar((site.max_ns / longest) * 100), `${micro(site.max_ns)} µs`, site.count === 0 ? NONE : `${micro(site.total_ns / site.count)} µs`, grouped(site.count),
      ...(beside ? [wait(site)] : []), ...(decided ? [grouped(site.manager?.refused ?? 0), grouped(site.manager?.forced ?? 0)] : []), site.function, site.place, site.kind]), [0, ...["section", "place", "kind"].map((name) => columns.indexOf(name))]),
    rest.length === 0 ? null : h("p", { class: "muted" }, `${rest.join("; ")}.`));
}

/** Formats how many of a section's entries would wait for a real-time process. */
function wait({ collision }: HoldTimes): string {
  if (collision === null) return NONE;
  return collision.starves ? "always" : `${decimals(collision.refused_per_cent, 2)} %`;
}

function decisions({ decisions: all, safe_period_ns }: CaseLocks): HTMLElement | null {
  if (all.length === 0) return null;
  const row = ([name, value]: readonly [string, number]) => {
    const time = name.endsWith("_ns");
    return [h("dt", {}, name.replace(/_ns$/, "").replaceAll("_", " ")), h("dd", {}, time ? `${micro(value)} µs` : grouped(value))];
  };
  return h("div", {}, h("h3", {}, "Decisions"),
    h("dl", { class: "facts" }, ...all.flatMap(row)),
    safe_period_ns === null || safe_period_ns === 0 ? null : h("p", {}, `Shortest safe period: ${round(safe_period_ns)}.`));
}
