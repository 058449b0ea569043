// SPDX-License-Identifier: Apache-2.0 OR MIT
// The answers to triggers by their place in a burst, over all bursts of a case: irqscope bursts.

import { api } from "../api/client.js";
import type { Burst, BurstPlace, CaseBursts, FinishedCase, Handed } from "../api/types.js";
import { frame, type FrameAxis, legend, percent } from "../chart/frame.js";
import { byStage, type StagePlaces, wholeTicks } from "../core/bursts.js";
import { grouped, micro, NONE, round } from "../core/quantity.js";
import { type Child, colourAs, h, svg } from "../dom.js";
import { ResultPanel, table } from "./result.js";

const KINDS = ["answered", "coalesced", "missing"] as const;
/** Of a place, the part that its column takes. */
const WIDTH = 0.7;

export class BurstsPanel extends ResultPanel {
  constructor(private readonly id: string) {
    super("bursts", "Bursts", "what was raised against what ran, by place in the burst");
  }

  protected choose(): void {}

  protected wanted(): string | null {
    return "all";
  }

  protected async show(drawn: FinishedCase): Promise<readonly Child[]> {
    const bursts = await api.bursts(this.id, drawn.case);
    return [h("p", {}, `${grouped(bursts.bursts.length + bursts.left_out)} bursts of ${grouped(bursts.triggers)} triggers, ${round(bursts.interval_ns)} apart; compensation: ${bursts.compensate}.`),
      legend([{ name: "fill-answered", text: "answered by a run of its own" }, { name: "fill-coalesced", text: "coalesced with an earlier one" }, { name: "fill-missing", text: "missing" }]),
      ...byStage(bursts.places).map((one) => stage(one, bursts)), ...handed(bursts)];
  }
}

/** Shows how often the softirqs of a burst became those of ksoftirqd, and what it waited for. */
function handed({ bursts, left_out }: CaseBursts): Child[] {
  const rows = bursts.flatMap((burst) => burst.handed.map((one) => handedRow(burst, one)));
  const scope = left_out === 0 ? "" : ` (of the first ${grouped(bursts.length)} bursts)`;
  return rows.length === 0 ? [] : [h("div", { "data-burst": "ksoftirqd" },
    h("h3", {}, `ksoftirqd${scope}: `, h("span", { class: "muted" }, "softirqs that were left to its thread, and what had the CPU before it")),
    table("Softirqs handed to ksoftirqd", ["trigger", "woken at", "rounds before", "in", "its priority", "waited", "had the CPU meanwhile"], rows))];
}

function handedRow(burst: Burst, { at_ns, rounds, rounds_ns, priority, waited_ns, ahead }: Handed): string[] {
  return [grouped(burst.seq), round(at_ns), grouped(rounds), rounds === 0 ? NONE : round(rounds_ns), priority,
    waited_ns === null ? "not before the samples were complete" : round(waited_ns),
    ahead.map((one) => `${one.thread} (${one.priority}) ${round(one.ns)}`).join(", ") || NONE];
}

function stage(one: StagePlaces, { triggers }: CaseBursts): HTMLElement {
  const element = h("div", { "data-burst": one.stage },
    h("h3", {}, h("span", { class: "swatch" }), `${one.stage}: `, h("span", { class: "muted" }, KINDS.map((kind) => `${grouped(one[kind])} ${kind}`).join(", "))),
    picture(one, triggers),
    h("details", {}, h("summary", {}, "Figures"), table(`Bursts: ${one.stage} by place`, ["place", ...KINDS, "shortest", "longest"], one.places.map((place) => [
      grouped(place.place), ...KINDS.map((kind) => grouped(place[kind])), ...[place.min_ns, place.max_ns].map((ns) => (ns === null ? NONE : `${micro(ns)} µs`))]))));
  colourAs(element, one.stage);
  return element;
}

function picture({ stage, places, most }: StagePlaces, triggers: number): HTMLElement {
  const text = (value: number) => grouped(value);
  const x: FrameAxis = { label: "place of the trigger in its burst", range: { low: -0.5, high: triggers - 0.5 }, logarithmic: false, ticks: wholeTicks(triggers - 1, 9), text };
  const y: FrameAxis = { label: "triggers", range: { low: 0, high: most }, logarithmic: false, ticks: wholeTicks(most, 4), text };
  return frame(`Triggers of ${stage} by place in the burst`, x, y, places.flatMap((place) => column(place, x, y, 100 / triggers)));
}

/** Draws a column of what was answered, with what was not on top of it. */
function column(place: BurstPlace, x: FrameAxis, y: FrameAxis, room: number): SVGElement[] {
  let below = 0;
  return KINDS.flatMap((kind) => {
    const from = below;
    below += place[kind];
    const height = percent(y, below) - percent(y, from);
    return place[kind] === 0 ? [] : [svg("rect", {
      x: `${percent(x, place.place) - (room * WIDTH) / 2}%`, y: `${percent(y, below, true)}%`, width: `${room * WIDTH}%`, height: `${height}%`, class: `fill-${kind}`,
    })];
  });
}
