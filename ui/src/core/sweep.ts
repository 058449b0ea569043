// SPDX-License-Identifier: Apache-2.0 OR MIT
// A sweep's knee and what a stage lacked at a frequency, in words.

import type { SweepPoint, SweepSeries } from "../api/types.js";
import { grouped, hertz } from "./quantity.js";

/** Formats `22.6274 kHz`, `at least 100 kHz`, `below 1 kHz`. */
export function kneeText(knee: SweepSeries["knee"]): string {
  switch (knee.kind) {
    case "below": return `below ${hertz(knee.next_hz)}`;
    case "at": return hertz(knee.frequency_hz);
    case "beyond": return `at least ${hertz(knee.frequency_hz)}`;
  }
}

/** Returns the frequency up to which the stage kept up; null: it never did. */
export function kneeAt(knee: SweepSeries["knee"]): number | null {
  return knee.kind === "below" ? null : knee.frequency_hz;
}

/** Says what keeps a stage from having answered every trigger; empty where it kept up. */
export function want(point: SweepPoint): string {
  if (point.keeps_up) return "";
  if (point.invalid) return "no valid result";
  const all = [
    [point.coalesced, "coalesced"], [point.missing, "missing"], [point.unsure, "unsure"],
    [point.lost_interrupts, "interrupts lost"], [point.dropped, "dropped"], [point.skipped, "not sent"],
  ] as const;
  return all.filter(([count]) => count > 0).map(([count, what]) => `${grouped(count)} ${what}`).join(", ");
}
