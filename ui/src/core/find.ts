// SPDX-License-Identifier: Apache-2.0 OR MIT
// The trigger that is looked for, as the address and the stream name it.

export type What = "any" | "worst" | "above" | "missing";

export interface Find {
  readonly what: What;
  readonly stage: string | null;
  /** Of `above`. */
  readonly least: number | null;
}

/** Parses `worst:user`, `above:user:50000`. */
export function parseFind(text: string | null): Find {
  const [what = "", stage = "", least = ""] = (text ?? "").split(":");
  const known = what === "worst" || what === "missing" || what === "above" ? what : "any";
  const value = least === "" ? NaN : Number(least);
  return { what: known, stage: stage === "" ? null : stage, least: known === "above" && Number.isFinite(value) && value >= 0 ? value : null };
}

export function formatFind({ what, stage, least }: Find): string | null {
  if (what === "any" && stage === null) return null;
  return [what, stage ?? "", ...(what === "above" && least !== null ? [String(Math.round(least))] : [])].join(":");
}
