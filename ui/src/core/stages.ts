// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which stages are drawn.

/** Returns the next choice; all of them is the empty one, and none is never chosen. */
export function toggled(all: readonly string[], now: readonly string[], stage: string): string[] {
  const shown = now.length === 0 ? all : all.filter((one) => now.includes(one));
  const next = all.filter((one) => shown.includes(one) !== (one === stage));
  return next.length === 0 || next.length === all.length ? [] : next;
}
