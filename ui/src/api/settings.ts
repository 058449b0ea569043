// SPDX-License-Identifier: Apache-2.0 OR MIT
// Written from the table in crates/wire/src/settings/table.rs by
// `UPDATE=1 cargo test -p irqscope-wire --test integration table`; change that instead.

/** The lowest and the highest, both allowed. */
export type Span = readonly [number, number];

/** The values in force. */
export interface Settings {
  /** The time from trigger to trigger, or from burst to burst, without jitter. */
  readonly period_ns: number;
  /** The part of the period, or of a burst's interval, for which the interrupt line is asserted. */
  readonly duty_per_mille: number;
  /** The samples in one packet. */
  readonly packet: number;
  /** The triggers in one run. */
  readonly count: number;
  /** How a random part of the period is distributed. */
  readonly jitter: "none" | "uniform" | "exponential";
  /** Half the width of uniform jitter, the mean of exponential jitter; 0 without. */
  readonly jitter_amount_ns: number;
  /** The seed of the jitter's random numbers. */
  readonly seed: number;
  /** Whether a trigger waits for the answers to the one before. */
  readonly pacing: "open" | "closed";
  /** How long a response is waited for before it is called missing. */
  readonly timeout_ns: number;
  /** The triggers in a burst, of which there is one in each period; 1: no bursts. */
  readonly burst: number;
  /** The time from one trigger of a burst to the next. */
  readonly interval_ns: number;
  /** How lines show responses. */
  readonly shape: "toggle" | "pulse";
  /** Which edge of the interrupt line is the trigger. */
  readonly polarity: "rising" | "falling";
  /** Which lines a trigger asks for an answer: all of them, or the first and one other in turn. */
  readonly mode: "together" | "isolated";
  /** The triggers in a row that ask the same stage, in mode `isolated`. */
  readonly turn_length: number;
  /** The response lines in use, the first ones: samples have an answer for each. */
  readonly lines: number;
  readonly frequency_millihertz: number;
  readonly high_ns: number;
}

/** Any of the settings; a refusal leaves all as they were. */
export type SettingsAsked = { -readonly [Key in Exclude<keyof Settings, "high_ns">]?: Settings[Key] };

/** The abilities of a generator. */
export interface Limits {
  readonly period_ns: Span;
  readonly duty_per_mille: Span;
  readonly packet: Span;
  readonly count: Span;
  readonly jitter: readonly ("none" | "uniform" | "exponential")[];
  readonly jitter_amount_ns: Span;
  readonly seed: Span;
  readonly pacing: readonly ("open" | "closed")[];
  readonly timeout_ns: Span;
  readonly burst: Span;
  readonly interval_ns: Span;
  readonly shape: readonly ("toggle" | "pulse")[];
  readonly polarity: readonly ("rising" | "falling")[];
  readonly mode: readonly ("together" | "isolated")[];
  readonly turn_length: Span;
  readonly lines: Span;
  readonly frequency_millihertz: Span;
  readonly period_step_ns: number;
  readonly pulse_ns: number;
  readonly sees_arming: boolean;
  readonly calibrates: boolean;
}

export interface SettingInfo {
  readonly key: Exclude<keyof Settings, "high_ns" | "frequency_millihertz">;
  readonly name: string;
  readonly unit: string;
  /** It may change during a run. */
  readonly always: boolean;
  /** Of its values; empty: numbers. */
  readonly names: readonly string[];
  readonly help: string;
}

/** The table. */
export const SETTINGS: readonly SettingInfo[] = [
  { key: "period_ns", name: "period", unit: "ns", always: true, names: [], help: "The time from trigger to trigger, or from burst to burst, without jitter." },
  { key: "duty_per_mille", name: "duty", unit: "per mille", always: true, names: [], help: "The part of the period, or of a burst's interval, for which the interrupt line is asserted." },
  { key: "packet", name: "packet", unit: "samples", always: true, names: [], help: "The samples in one packet." },
  { key: "count", name: "count", unit: "triggers", always: false, names: [], help: "The triggers in one run." },
  { key: "jitter", name: "jitter", unit: "", always: false, names: ["none", "uniform", "exponential"], help: "How a random part of the period is distributed." },
  { key: "jitter_amount_ns", name: "jitter-amount", unit: "ns", always: false, names: [], help: "Half the width of uniform jitter, the mean of exponential jitter; 0 without." },
  { key: "seed", name: "seed", unit: "", always: false, names: [], help: "The seed of the jitter's random numbers." },
  { key: "pacing", name: "pacing", unit: "", always: false, names: ["open", "closed"], help: "Whether a trigger waits for the answers to the one before." },
  { key: "timeout_ns", name: "timeout", unit: "ns", always: false, names: [], help: "How long a response is waited for before it is called missing." },
  { key: "burst", name: "burst", unit: "triggers", always: false, names: [], help: "The triggers in a burst, of which there is one in each period; 1: no bursts." },
  { key: "interval_ns", name: "interval", unit: "ns", always: false, names: [], help: "The time from one trigger of a burst to the next." },
  { key: "shape", name: "shape", unit: "", always: false, names: ["toggle", "pulse"], help: "How lines show responses." },
  { key: "polarity", name: "polarity", unit: "", always: false, names: ["rising", "falling"], help: "Which edge of the interrupt line is the trigger." },
  { key: "mode", name: "mode", unit: "", always: false, names: ["together", "isolated"], help: "Which lines a trigger asks for an answer: all of them, or the first and one other in turn." },
  { key: "turn_length", name: "turn-length", unit: "triggers", always: false, names: [], help: "The triggers in a row that ask the same stage, in mode `isolated`." },
  { key: "lines", name: "lines", unit: "lines", always: false, names: [], help: "The response lines in use, the first ones: samples have an answer for each." },
];
