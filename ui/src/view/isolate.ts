// SPDX-License-Identifier: Apache-2.0 OR MIT
// Everything that took isolated CPUs away from their loops, as irqscope isolate prints it.

import { api } from "../api/client.js";
import type { CpuIsolation, DisturbanceCause, FinishedCase } from "../api/types.js";
import { bar } from "../chart/frame.js";
import { decimals, grouped, micro, round } from "../core/quantity.js";
import { type Child, h } from "../dom.js";
import { ResultPanel, table } from "./result.js";

const LISTED = 20;

export class IsolatePanel extends ResultPanel {
  constructor(private readonly id: string) {
    super("isolate", "Isolation", "what took a CPU away from its loop");
  }

  protected choose(): void {}

  protected wanted(): string | null {
    return "all";
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const { cpus } = await api.isolation(this.id, drawn.case);
    return cpus.map(ofCpu);
  }
}

function ofCpu(one: CpuIsolation): HTMLElement {
  const rest = one.causes.length - LISTED + one.left_out;
  const share = (100 * one.disturbed_ns) / Math.max(one.loop_ns + one.disturbed_ns, 1);
  return h("div", { "data-cpu": one.cpu }, h("h3", {}, `CPU ${one.cpu} on ${one.release}`),
    h("p", {}, `${grouped(one.count)} disturbances in ${round(one.elapsed_ns)} took ${decimals(share, 4)} % of its time, the longest ${micro(one.longest_ns)} µs.`),
    one.causes.length === 0 ? h("p", {}, "Nothing disturbed it.") : causes(one),
    rest > 0 ? h("p", { class: "muted" }, `${grouped(rest)} further kinds took less time.`) : null,
    one.unexplained > 0 ? h("p", {}, h("strong", {}, `Of ${grouped(one.unexplained)} it is not known what they were.`)) : null,
    one.cut > 0 ? h("p", { class: "muted" }, `The code of ${grouped(one.cut)} was too long to be kept whole.`) : null,
    one.ended ? null : h("p", {}, h("strong", {}, "The loop did not come to its end.")));
}

function causes(one: CpuIsolation): HTMLElement {
  const most = Math.max(...one.causes.map((cause) => cause.total_ns), 1);
  const rate = (cause: DisturbanceCause) => decimals((cause.count * 1e9) / Math.max(one.elapsed_ns, 1), 3);
  return table(`Disturbances of CPU ${one.cpu}`, ["", "count", "per second", "mean", "longest", "what it was"], one.causes.slice(0, LISTED).map((cause) => [
    bar((100 * cause.total_ns) / most), grouped(cause.count), rate(cause), `${micro(cause.total_ns / Math.max(cause.count, 1))} µs`, `${micro(cause.longest_ns)} µs`,
    what(cause)]), [0, 5]);
}

/** Says by which way it came, what ran, the code that asked for it, and the setting that keeps it away. */
function what({ entry, acts, from, remedies }: DisturbanceCause): HTMLElement {
  const asked = from === null ? null : `from CPU ${from.cpu}${from.thread === "" ? "" : `, ${from.thread}`}: ${from.callers.join(" < ")}`;
  return h("div", { class: "disturbance" }, h("div", {}, `${entry}: ${acts.length === 0 ? "not known" : acts.join(", ")}`),
    asked === null ? null : h("div", { class: "muted" }, asked),
    remedies.length === 0 ? null : h("div", {}, h("span", { class: "muted" }, "to keep away: "), remedies.join("; ")));
}
