// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the server says; docs/dashboard-api.md has every field's meaning.

import type { Limits, Settings } from "./settings.js";

export type ViewName = "outside" | "inside";

export interface StageInfo {
  readonly name: string;
  readonly colour: string;
  readonly text: string;
}

export interface SystemState {
  readonly name: string;
  readonly loads: readonly string[];
}

export interface ScenarioInfo {
  readonly name: string;
  readonly about: string;
  readonly rig: string;
  readonly kernels: readonly string[];
  readonly states: readonly SystemState[];
  readonly count: number;
  readonly is_sweep: boolean;
  readonly is_benchmark: boolean;
}

export interface Hello {
  readonly api: number;
  readonly version: string;
  readonly runs_directory: string;
  readonly stages: readonly StageInfo[];
  readonly case_colours: readonly string[];
  readonly quantile_method: string;
  readonly live_quantile_method: string;
  readonly scenarios: readonly ScenarioInfo[];
  readonly kernels: readonly string[];
}

export interface Histogram {
  readonly lower_ns: readonly number[];
  readonly upper_ns: readonly number[];
  readonly counts: readonly number[];
}

export interface Course {
  readonly start_ns: number;
  readonly interval_ns: number;
  readonly count: readonly number[];
  readonly min_ns: readonly (number | null)[];
  readonly mean_ns: readonly (number | null)[];
  readonly max_ns: readonly (number | null)[];
}

export interface Figures {
  readonly stage: string;
  readonly view: ViewName;
  readonly count: number;
  readonly missing: number;
  readonly coalesced: number;
  readonly unsure: number;
  readonly hit: number;
  readonly min_ns: number | null;
  readonly mean_ns: number | null;
  readonly max_ns: number | null;
  readonly p5_ns: number | null;
  readonly p50_ns: number | null;
  readonly p95_ns: number | null;
  readonly p99_ns: number | null;
  readonly p99_9_ns: number | null;
  readonly p99_99_ns: number | null;
  readonly p99_999_ns: number | null;
}

export interface Series extends Figures {
  readonly histogram: Histogram | null;
  readonly course: Course | null;
}

export interface Worst {
  readonly stage: string;
  readonly view: ViewName;
  readonly seq: number;
  readonly trigger_ns: number;
  readonly latency_ns: number;
  readonly cpu: number | null;
  readonly interrupts: number | null;
  readonly flags: readonly string[];
}

export interface Account {
  readonly from: string | null;
  readonly triggers: number;
  readonly complete: number;
  readonly missing: number;
  readonly coalesced: number;
  readonly dropped: number;
  readonly unrecorded: number;
  readonly open: number;
  readonly skipped: number;
  readonly holds: boolean;
}

export interface Frames {
  readonly received: number;
  readonly missed: number;
  readonly damaged: number;
}

export interface LiveCase {
  readonly case: string;
  readonly kernel: string;
  readonly state: SystemState;
  readonly release: string | null;
  readonly twin: boolean;
  readonly phase: string;
  readonly ended: boolean;
  readonly failure: string | null | { readonly what: string; readonly remedy: string };
  readonly planned: number | null;
  readonly samples: number;
  readonly rate_millihertz: number | null;
  readonly account: Account;
  readonly frames: Frames;
  readonly unjoined: number;
  readonly series: readonly Series[];
  readonly worst: readonly Worst[] | null;
}

export type MeasurementState =
  | "preparing" | "running" | "stopping" | "deriving" | "done" | "failed" | "stopped";

export interface Trouble {
  readonly what: string;
  readonly remedy: string;
}

export interface Measurement {
  readonly run: string | null;
  readonly source: "scenario" | "generator";
  /** Null: a generator that was started by hand. */
  readonly scenario: string | null;
  readonly rig: string;
  readonly state: MeasurementState;
  readonly what: string;
  readonly error: Trouble | null;
  readonly started_utc: string;
  readonly elapsed_ms: number;
  readonly shown: string | null;
  readonly cases: readonly LiveCase[];
}

export interface Snapshot {
  readonly sequence: number;
  readonly generator: Generator | null;
  readonly measurement: Measurement | null;
}

export interface Generator {
  readonly address: string;
  readonly connected: boolean;
  readonly error: string | Trouble | null;
  readonly kind: string;
  readonly tool_version: string;
  readonly tick_femtoseconds: number;
  readonly lines: number;
  readonly default_stages: readonly string[];
  readonly limits: Limits;
  readonly status: {
    readonly run: number;
    readonly state: string;
    readonly settings: Settings;
    readonly totals: Readonly<Record<string, number>>;
    readonly identity_holds: boolean;
  };
}

export interface Difference {
  readonly setting: string;
  readonly asked: number | string;
  readonly set: number | string;
}
