// SPDX-License-Identifier: Apache-2.0 OR MIT
// One function per request. Errors are the server's own words, with its remedy.

import type { SettingsAsked } from "./settings.js";
import type {
  Begun, CaseBursts, CaseIsolation, CaseLocks, Causes, Checked, ComparedPaths, Comparisons, Connect, ErrorBody, FinishedCase, FinishedLines, Found, Hello, Hold, Known, LakeContents, LakeHistograms, LakeMaxima, LakeTrend, RunDetails, RunList, SettingsSet,
  ShownPath, Stage, Start, StartScenario, Sweep, Tails, TriggerDetails, Verdicts, View, WorstSamples,
} from "./types.js";

/** Why a request was not answered as asked; `remedy` may be empty. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly what: string,
    readonly remedy: string,
  ) {
    super(remedy === "" ? what : `${what}: ${remedy}`);
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && "error" in body;
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`/api/${path}`, init).catch(() => {
    throw new ApiError("no_server", "the server does not answer", "is irqscope serve running?");
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  if (isErrorBody(body)) throw new ApiError(body.error.code, body.error.what, body.error.remedy);
  throw new ApiError("failed", `the server answered ${response.status}`, "");
}

function tell<T>(path: string, body: object): Promise<T> {
  return ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Formats `a=1&b=2`, without what is not set. */
export function query(values: Readonly<Record<string, string | null | undefined>>): string {
  const set = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") set.set(key, value);
  }
  return set.toString();
}

const run = (id: string) => `runs/${encodeURIComponent(id)}`;

export const api = {
  hello: () => ask<Hello>("hello"),
  connect: (address: string) => tell<Known>("generator/connect", { address } satisfies Connect),
  disconnect: () => tell<Known>("generator/disconnect", {}),
  set: (settings: SettingsAsked) => tell<SettingsSet>("generator/set", settings),
  start: (start: Start) => tell<Begun>("generator/start", start),
  startScenario: (start: StartScenario) => tell<Begun>("scenario/start", start),
  checkScenario: (start: StartScenario) => tell<Checked>("scenario/check", start),
  stop: () => tell<unknown>("stop", {}),
  runs: () => ask<RunList>("runs"),
  run: (id: string) => ask<RunDetails>(run(id)),
  series: (id: string, name: string) => ask<FinishedCase>(`${run(id)}/series?${query({ case: name })}`),
  worst: (id: string, name: string, stage: Stage, view: View, limit: number) =>
    ask<WorstSamples>(`${run(id)}/worst?${query({ case: name, stage, view, limit: String(limit) })}`),
  lines: (id: string, name: string, seq: number, count: number) =>
    ask<FinishedLines>(`${run(id)}/lines?${query({ case: name, seq: String(seq), count: String(count) })}`),
  causes: (id: string, name: string) => ask<Causes>(`${run(id)}/causes?${query({ case: name })}`),
  tail: (id: string, name: string, series: string, every: string | null) =>
    ask<Tails>(`${run(id)}/tail?${query({ case: name, name: series, every })}`),
  gate: (id: string, asked: Readonly<Record<string, string | null>>) => ask<Verdicts>(`${run(id)}/gate?${query(asked)}`),
  path: (id: string, name: string, stage: Stage, at: string) => ask<ShownPath>(`${run(id)}/path?${query({ case: name, stage, at })}`),
  pathPicture: (id: string, name: string, stage: string, at: string) => `/api/${run(id)}/path.svg?${query({ case: name, stage, at })}`,
  comparedPaths: (id: string, asked: Readonly<Record<string, string>>) => ask<ComparedPaths>(`${run(id)}/path/compared?${query(asked)}`),
  bursts: (id: string, name: string) => ask<CaseBursts>(`${run(id)}/bursts?${query({ case: name })}`),
  sweep: (id: string) => ask<Sweep>(`${run(id)}/sweep`),
  isolation: (id: string, name: string) => ask<CaseIsolation>(`${run(id)}/isolate?${query({ case: name })}`),
  locks: (id: string, name: string, period: string) => ask<CaseLocks>(`${run(id)}/locks?${query({ case: name, period })}`),
  trigger: (id: string, name: string, seq: number) =>
    ask<TriggerDetails>(`${run(id)}/trigger?${query({ case: name, seq: String(seq) })}`),
  find: (id: string, asked: Readonly<Record<string, string | null>>) => ask<Found>(`${run(id)}/find?${query(asked)}`),
  hold: (above: Hold["above_ns"]) => tell<Hold>("live/hold", { above_ns: above } satisfies Hold),
  lake: () => ask<LakeContents>("lake"),
  lakeTrend: (asked: Readonly<Record<string, string | null>>) => ask<LakeTrend>(`lake/trend?${query(asked)}`),
  lakeHistograms: (series: Readonly<Record<string, string>>) => ask<LakeHistograms>(`lake/histograms?${query(series)}`),
  lakeMaxima: (run: string, stage: string, view: string) => ask<LakeMaxima>(`lake/maxima?${query({ run, stage, view })}`),
  compare: (sides: Readonly<Record<string, string | null>>) => ask<Comparisons>(`compare?${query(sides)}`),
} as const;
