// SPDX-License-Identifier: Apache-2.0 OR MIT
// Edges of a line in a window: as a trace, and of many sweeps as a density.

import type { ViewLines } from "../api/types.js";
import type { Window } from "./timebase.js";

/** Returns the place of the first value that is not below. */
export function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The level of a line in a column of the picture: one of both, or an edge. */
export enum Level { Low, High, Edge }

/**
 * Returns the level in each column. Where a line toggles, the trigger finds it low: what counts is that
 * it changes, and the picture does not turn over with every other trigger.
 */
export function levels(edges: readonly number[], zero: number, window: Window, columns: number, toggles: boolean): Uint8Array {
  const all = new Uint8Array(columns);
  const width = (window.to - window.from) / columns;
  let next = lowerBound(edges, zero + window.from);
  const turned = toggles ? lowerBound(edges, zero) & 1 : 0;
  for (let column = 0; column < columns; column += 1) {
    const end = zero + window.from + (column + 1) * width;
    const before = next;
    while (next < edges.length && (edges[next] ?? 0) < end) next += 1;
    all[column] = next > before ? Level.Edge : ((next & 1) ^ turned) === 1 ? Level.High : Level.Low;
  }
  return all;
}

/** Triggers of one answer, from a place on: what is before it is known already. */
export interface Sweeps {
  readonly lines: ViewLines;
  readonly from: number;
}

/** Instants that sweeps begin at, by an edge of the line of this name; those of triggers without a name. */
export function zeros({ lines, from }: Sweeps, align: string | null, window: Window): number[] {
  const line = align === null ? null : lines.lines.find(({ stage }) => stage === align);
  if (line === undefined) return [];
  const all: number[] = [];
  let free = -Infinity;
  for (let index = from; index < lines.seq.length; index += 1) {
    const latency = line === null ? 0 : line.latency_ns[index];
    if (latency === null || latency === undefined) continue;
    const at = (lines.trigger_ns[index] ?? 0) + latency;
    // As with an oscilloscope's hold-off: sweeps do not overlap.
    if (at + Math.min(window.from, 0) < free) continue;
    all.push(at);
    free = at + window.to;
  }
  return all;
}

export interface Density {
  /** By column, how many sweeps have an edge in it. */
  readonly edges: Uint32Array;
  /** By column, how many sweeps are high at its beginning. */
  readonly high: Uint32Array;
}

export function density(columns: number): Density {
  return { edges: new Uint32Array(columns), high: new Uint32Array(columns) };
}

/** Adds sweeps of one line. Of lines that toggle only the edges are counted. */
export function pile(into: Density, edges: readonly number[], begins: readonly number[], window: Window, toggles: boolean): void {
  const columns = into.edges.length;
  const width = (window.to - window.from) / columns;
  for (const zero of begins) {
    const start = zero + window.from;
    let next = lowerBound(edges, start);
    let seen = -1;
    let risen = (next & 1) === 1 ? 0 : -1;
    for (; next < edges.length; next += 1) {
      const column = Math.floor(((edges[next] ?? 0) - start) / width);
      if (column >= columns) break;
      if (column !== seen) into.edges[column] = (into.edges[column] ?? 0) + 1;
      seen = column;
      if (toggles) continue;
      if ((next & 1) === 0) risen = column;
      else {
        raise(into.high, risen, column);
        risen = -1;
      }
    }
    if (!toggles) raise(into.high, risen, columns - 1);
  }
}

function raise(high: Uint32Array, from: number, to: number): void {
  if (from < 0) return;
  for (let column = from; column <= to; column += 1) high[column] = (high[column] ?? 0) + 1;
}

/** Returns how dark a share is drawn, 0 to 1: what is rare is darker than its share, so that it is seen. */
export function depth(share: number): number {
  return share <= 0 ? 0 : 0.35 + 0.65 * Math.min(share, 1) ** 0.4;
}

/** Returns a number of the trigger that comes at an instant: beyond those that are there, by their mean distance. */
export function triggerAt({ seq, trigger_ns }: ViewLines, at: number): number {
  const [first = 0, last = first, begin = 0, end = begin] = [seq[0], seq.at(-1), trigger_ns[0], trigger_ns.at(-1)];
  if (at >= begin && at <= end) return seq[lowerBound(trigger_ns, at)] ?? last;
  const each = Math.max((end - begin) / Math.max(seq.length - 1, 1), 1);
  return Math.round(at < begin ? first + (at - begin) / each : last + (at - end) / each);
}

/** Returns the place of a trigger, or of the next one where it is not there. */
export function placeOf(lines: ViewLines, seq: number): number {
  return Math.min(lowerBound(lines.seq, seq), lines.seq.length - 1);
}

/** Returns the last answer to a trigger, in ns; 0 where there is none. */
export function lastAnswer(views: readonly ViewLines[], seq: number | null): number {
  let last = 0;
  for (const lines of views) {
    const place = seq === null ? -1 : placeOf(lines, seq);
    for (const { latency_ns } of lines.lines) {
      const some = place < 0 ? latency_ns : [latency_ns[place] ?? null];
      for (const latency of some) last = Math.max(last, latency ?? 0);
    }
  }
  return last;
}
