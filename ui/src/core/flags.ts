// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a sample's flags mean, in words.

import type { Flag } from "../api/types.js";

const TEXTS: Readonly<Record<Flag, string>> = {
  hit: "another interrupt came in between",
  missing: "never answered",
  coalesced: "one run of the stage answered this trigger and an earlier one",
  late: "a younger trigger was out already",
  unsure: "the latency is an upper bound",
  extra: "an edge that answered nothing followed",
  window: "looked for in every cycle of the generator's clock",
};

export function flagText(flag: Flag): string {
  return TEXTS[flag];
}
