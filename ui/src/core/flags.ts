// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a sample's flags mean, in words.

const TEXTS: Readonly<Record<string, string>> = {
  hit: "another interrupt came in between",
  missing: "never answered",
  coalesced: "one run of the stage answered this trigger and an earlier one",
  late: "a younger trigger was out already",
  unsure: "the latency is an upper bound",
  extra: "an edge that answered nothing followed",
};

export function flagText(flag: string): string {
  return TEXTS[flag] ?? flag;
}
