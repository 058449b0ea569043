// SPDX-License-Identifier: Apache-2.0 OR MIT
// Answers by place in a burst, gathered by stage.

import type { BurstPlace } from "../api/types.js";
import { roundUp } from "./scale.js";

export interface StagePlaces {
  readonly stage: string;
  readonly places: readonly BurstPlace[];
  /** Triggers at the place that has the most. */
  readonly most: number;
  readonly answered: number;
  readonly coalesced: number;
  readonly missing: number;
}

const all = (place: BurstPlace) => place.answered + place.coalesced + place.missing;

/** Gathers places by stage, in the order in which stages come. */
export function byStage(places: readonly BurstPlace[]): StagePlaces[] {
  return [...new Set(places.map(({ stage }) => stage))].map((stage) => {
    const mine = places.filter((place) => place.stage === stage);
    const sum = (of: (place: BurstPlace) => number) => mine.reduce((total, place) => total + of(place), 0);
    return {
      stage, places: mine, most: Math.max(...mine.map(all)),
      answered: sum((one) => one.answered), coalesced: sum((one) => one.coalesced), missing: sum((one) => one.missing),
    };
  });
}

/** Returns ticks of whole numbers from 0 on, at most `most` of them, in steps of 1, 2 or 5. */
export function wholeTicks(high: number, most: number): number[] {
  // One more than `high` lies beyond the last tick.
  let step = roundUp(Math.max(1, (high + 1) / most));
  if (Math.floor(high / step) + 1 > most) step = roundUp(step * 1.001);
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, index) => index * step);
}
