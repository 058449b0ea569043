// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the server says of finished runs.

import type { Course, Figures, Histogram, SystemState, ViewName } from "./types.js";

export interface RunEntry {
  readonly id: string;
  readonly scenario: string | null;
  readonly rig: string | null;
  readonly started_utc: string | null;
  readonly finished_utc: string | null;
  readonly complete: boolean | null;
  readonly under_way: boolean;
  readonly log_bytes: number | null;
  readonly cases: readonly string[] | null;
  readonly error: string | null;
}

export interface RunFile {
  readonly name: string;
  readonly bytes: number;
  readonly media_type: string;
  readonly url: string;
}

export interface CaseSummary {
  readonly case: string;
  readonly kernel: string;
  readonly release: string;
  readonly state: string;
  readonly triggers: number;
  readonly complete: number;
  readonly missing_triggers: number;
  readonly coalesced: number;
  readonly dropped: number;
  readonly unrecorded: number;
  readonly open: number;
  readonly skipped: number;
  readonly identity_holds: boolean;
  readonly twin: boolean;
  readonly violations: readonly string[];
  readonly warnings: readonly string[];
  readonly outside: { readonly dropped: number } | null;
  readonly stages: readonly Figures[];
}

export interface Summary {
  readonly digest: string;
  readonly quantile_method: string;
  readonly scenario: string;
  readonly complete: boolean;
  readonly warnings: readonly string[];
  readonly cases: readonly CaseSummary[];
}

export interface Manifest {
  readonly scenario: string;
  readonly rig: string;
  readonly started_utc: string;
  readonly finished_utc: string | null;
  readonly tool_version: string;
  readonly cases: readonly { readonly case: string; readonly state: SystemState }[];
}

export interface RunDetails {
  readonly id: string;
  readonly manifest: Manifest;
  readonly summary: Summary;
  readonly caveat: string | null;
  readonly files: readonly RunFile[];
}

export interface RunSeries {
  readonly stage: string;
  readonly view: ViewName;
  readonly histogram: Histogram | null;
  readonly course: Course | null;
}

export interface Segment {
  readonly start_ns: number;
  readonly length_ns: number;
  readonly cause: string;
  readonly name: string;
  readonly detail: string;
}

export interface OtherAnswer {
  readonly stage: string;
  readonly view: ViewName;
  readonly latency_ns: number | null;
  readonly flags: readonly string[];
}

export interface WorstSample {
  readonly seq: number;
  readonly trigger_ns: number;
  readonly latency_ns: number;
  readonly cpu: number | null;
  readonly interrupts: number | null;
  readonly flags: readonly string[];
  readonly execution_ns: number | null;
  readonly others: readonly OtherAnswer[];
  readonly segments: readonly Segment[] | null;
}

export interface Shift {
  /** Between 0 and 1; 1 is the maximum. */
  readonly quantile: number;
  readonly base_ns: number;
  readonly other_ns: number;
  readonly difference_ns: number;
  readonly percent: number | null;
  readonly interval: { readonly low_ns: number; readonly high_ns: number } | null;
  readonly needed: number | null;
}

export interface Comparison {
  readonly base: string;
  readonly other: string;
  readonly exact: boolean;
  readonly level: number;
  readonly differences: readonly {
    readonly what: string;
    readonly base: string;
    readonly other: string;
    readonly matters: boolean;
  }[];
  readonly violations: readonly string[];
  readonly series: readonly {
    readonly series: string;
    readonly base_count: number;
    readonly other_count: number;
    readonly identical: boolean;
    readonly shifts: readonly Shift[];
    readonly test: { readonly p: number } | null;
  }[];
  readonly base_only: readonly string[];
  readonly other_only: readonly string[];
}
