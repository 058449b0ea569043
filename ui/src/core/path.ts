// SPDX-License-Identifier: Apache-2.0 OR MIT
// Functions of a path: the first ones, the sum of the others, and each one's share.

import type { FunctionCount } from "../api/types.js";

export interface Leading {
  readonly listed: readonly FunctionCount[];
  /** The others: how many there are, and their own instructions together. */
  readonly rest: { readonly count: number; readonly own: number };
}

/** Returns the first functions and the sum of the others, which have instructions of their own. */
export function leading(functions: readonly FunctionCount[], most: number): Leading {
  const rest = functions.slice(most);
  return { listed: functions.slice(0, most), rest: { count: rest.length, own: rest.reduce((sum, { own }) => sum + own, 0) } };
}

/** Adds each function's share of all instructions, in per cent. */
export function parts(functions: readonly FunctionCount[], all: number): readonly (FunctionCount & { readonly per_cent: number })[] {
  return functions.map((one) => ({ ...one, per_cent: (one.own / Math.max(all, 1)) * 100 }));
}
