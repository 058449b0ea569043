// SPDX-License-Identifier: Apache-2.0 OR MIT
// Verdicts and return levels, as they are shown.

import type { ReturnLevel, Verdict } from "../api/types.js";
import { decimals, grouped } from "./quantity.js";

/** Counts verdicts: `2 of 3 limits are met`. */
export function counted(verdicts: readonly Verdict[]): string {
  const met = verdicts.filter(({ passed }) => passed).length;
  return `${grouped(met)} of ${grouped(verdicts.length)} ${verdicts.length === 1 ? "limit is" : "limits are"} met`;
}

/** Returns how much of the limit was taken, in per cent; null where there is no figure. */
export function taken({ limit_ns, found_ns }: Verdict): number | null {
  return limit_ns === null || found_ns === null || limit_ns <= 0 ? null : (found_ns / limit_ns) * 100;
}

const SPANS = [[86_400e9, "d"], [3_600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"]] as const;

/** Formats the time in which a level is exceeded once: `2.0 s`, `1.5 h`. */
export function within({ samples }: ReturnLevel, period_ns: number): string {
  const ns = samples * period_ns;
  const [size, name] = SPANS.find(([size]) => ns >= size) ?? SPANS[4];
  return `${decimals(ns / size, 1)} ${name}`;
}
