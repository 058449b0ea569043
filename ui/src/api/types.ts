// SPDX-License-Identifier: Apache-2.0 OR MIT
// Written from the server's types by
// `UPDATE=1 cargo test -p irqscope-server --test integration page_types`; change those instead.

import type { Limits, Settings } from "./settings.js";

/** The outcomes of all triggers. Each is counted once: triggers = complete + missing + coalesced + dropped + unrecorded + open. */
export interface Account {
  /** Triggers that were sent. */
  readonly triggers: number;
  /** Triggers that every stage answered. */
  readonly complete: number;
  /** Triggers that lack an answer for no known reason. */
  readonly missing: number;
  /** Triggers of which an answer, or the interrupt itself, was that of an earlier one. */
  readonly coalesced: number;
  /** Triggers whose sample found no room. */
  readonly dropped: number;
  /** Triggers of which the log has no record, because it was cut off. */
  readonly unrecorded: number;
  /** Triggers that are none of these yet. */
  readonly open: number;
  /** Points of the time grid without a trigger; no term of the identity. */
  readonly skipped: number;
}

/** A thread that had the CPU before ksoftirqd. */
export interface Ahead {
  /** The thread. */
  readonly thread: string;
  /** Its priority. */
  readonly priority: string;
  /** Its time. */
  readonly ns: number;
}

/** The code of another CPU that asked for a disturbance. */
export interface Asked {
  /** The CPU. */
  readonly cpu: number;
  /** The thread that it ran; empty where that is not known. */
  readonly thread: string;
  /** The functions that called each other, the innermost first. */
  readonly callers: readonly string[];
}

/** A measurement that has begun. */
export interface Begun {
  /** The run directory's name; none as long as there is no directory. */
  readonly run: string | null;
}

/** Bins that hold something, ascending. Both ends of a bin belong to it. Bins are as wide as a power of two, wider where values are larger. */
export interface Bins {
  /** The lowest value that belongs to each bin. */
  readonly lower_ns: readonly number[];
  /** The highest value that belongs to each bin. */
  readonly upper_ns: readonly number[];
  /** How many values each bin holds, at least one. */
  readonly counts: readonly number[];
}

/** One burst. */
export interface Burst {
  /** Of its first trigger. */
  readonly seq: number;
  /** Interrupts that were asserted. */
  readonly asserted: number;
  /** Its stages. */
  readonly stages: readonly BurstStage[];
  /** How often softirqs were handed to ksoftirqd; only with `explain`. */
  readonly handed: readonly Handed[];
}

/** One stage's answers to the triggers at one place of every burst. */
export interface BurstPlace {
  /** The stage. */
  readonly stage: Stage;
  /** The place in the burst, from 0. */
  readonly place: number;
  /** Triggers that a run of the stage's own answered. */
  readonly answered: number;
  /** Triggers that were merged with an earlier one. */
  readonly coalesced: number;
  /** Triggers that were never answered. */
  readonly missing: number;
  /** Of those that were answered, the shortest latency. */
  readonly min_ns: number | null;
  /** The longest latency. */
  readonly max_ns: number | null;
}

/** One stage in one burst. */
export interface BurstStage {
  /** The stage. */
  readonly stage: Stage;
  /** How often it was asked for: triggers whose handler ran. */
  readonly raised: number;
  /** How often it ran. */
  readonly ran: number;
  /** Responses that never came. */
  readonly missing: number;
  /** Triggers that were merged, and into which. */
  readonly merged: readonly Merge[];
  /** Of its runs, in nanoseconds. */
  readonly min_ns: number | null;
  /** The greatest value. */
  readonly max_ns: number | null;
}

/** All bursts of one case. */
export interface Bursts {
  /** The case. */
  readonly case: string;
  /** The view. */
  readonly view: View;
  /** Triggers in each. */
  readonly triggers: number;
  /** From one trigger of a burst to the next. */
  readonly interval_ns: number;
  /** The stage's way with triggers that come while it is pending. */
  readonly compensate: unknown;
  /** Over all bursts, by stage and place in the burst. */
  readonly places: readonly BurstPlace[];
  /** The bursts, in order. */
  readonly bursts: readonly Burst[];
}

/** A trigger that is held. */
export interface Capture {
  /** Why. */
  readonly reason: Reason;
  /** The stage. */
  readonly stage: Stage;
  /** The view. */
  readonly view: View;
  /** The trigger's number, from 0. */
  readonly seq: number;
  /** Its latency; `None` where the stage did not answer. */
  readonly latency_ns: number | null;
  /** How many triggers were such ones until now; of the longest, how often there was a longer one. */
  readonly count: number;
  /** Its lines; empty where this capture was not asked for. */
  readonly lines: readonly ViewLines[];
}

/** The bursts of a case. */
export interface CaseBursts extends Bursts {
  /** Bursts that are not in the list; the figures by place are over them, too. */
  readonly left_out: number;
}

/** The isolated CPUs of a case. */
export interface CaseIsolation {
  /** One for each loop. */
  readonly cpus: readonly CpuIsolation[];
}

/** The critical sections of a case. */
export interface CaseLocks extends Locks {
  /** Sites that are not in the list; they are no longer than its last. */
  readonly left_out: number;
}

/** One case in the manifest. */
export interface CaseManifest {
  /** `kernel/state`, unique in its run; at a level of an axis `kernel/state/preempt-full`, in a sweep `kernel/state/frequency`, with one of several seeds `kernel/state/seed-7`. */
  readonly case: string;
  /** The case that this is one step of, in a sweep. */
  readonly step_of: string | null;
  /** The only stage that this step is about, in a sweep of one stage after the other. */
  readonly step_stage?: Stage | null;
  /** The case that this is with one of several seeds. */
  readonly seed_of?: string | null;
  /** The kernel's name in the scenario; its release is in `target`. */
  readonly kernel: string;
  /** The packages or files of a kernel that was booted, with their digests. */
  readonly kernel_origin?: readonly string[];
  /** The files, packages and modules that the scenario brought, with their digests. */
  readonly payload_origin?: readonly string[];
  /** The kernel parameters that the scenario asked for; the whole command line is in `target`. */
  readonly boot?: string;
  /** The level that this is of each of the scenario's axes, by the axis. */
  readonly levels?: Readonly<Partial<Record<string, string>>>;
  /** The system state. */
  readonly state: SystemState;
  /** The plan. */
  readonly plan: unknown;
  /** The settings that the target really took. */
  readonly target: unknown;
  /** The cost of stamping, by stage. */
  readonly costs: readonly unknown[];
  /** The driver's counters. */
  readonly counters: unknown;
  /** Warnings that only the executor knows. */
  readonly warnings: readonly string[];
  /** The console's log, relative to the run directory. */
  readonly console_log: string | null;
  /** Why it failed, if it did. */
  readonly failure: unknown;
  /** Nothing on the target takes part: a generator at an address, whose own account is the case's. */
  readonly without_agent?: boolean;
  /** The observer outside, and its known errors. */
  readonly generator?: unknown;
}

/** One case at one moment. */
export interface CaseSnapshot extends LiveFigures {
  readonly case: string;
  readonly kernel: string;
  readonly state: SystemState;
  readonly twin: boolean;
  readonly phase: string;
  readonly ended: boolean;
  readonly failure: Trouble | null;
  readonly planned: number;
  readonly rate_millihertz: number | null;
}

/** The account of one case, its figures, and what speaks against them. */
export interface CaseSummary {
  /** `kernel/state`, unique in its run; in a sweep `kernel/state/frequency`, with one of several seeds `kernel/state/seed-7`. */
  readonly case: string;
  /** The case that this is one step of, in a sweep. */
  readonly step_of: string | null;
  /** The only stage that this step is about, in a sweep of one stage after the other. */
  readonly step_stage?: Stage | null;
  /** The case that this is with one of several seeds. */
  readonly seed_of?: string | null;
  /** The seed, of one of several. */
  readonly seed?: number | null;
  /** Of one of several seeds: the digest that a run of this seed and of nothing else has. */
  readonly seed_digest?: string | null;
  /** The kernel's name in the scenario; `release` is its own. */
  readonly kernel: string;
  /** As the kernel calls itself; empty if it never spoke. */
  readonly release: string;
  /** The system state's name in the scenario, such as `idle`. */
  readonly state: string;
  /** From trigger to trigger, as it was asked for; jitter comes on top. */
  readonly period_ns: number | null;
  /** Which stages one trigger asked. */
  readonly mode: unknown;
  /** The driver's counts; those of the samples where it never reported. Where a generator sent the triggers they are counted there. */
  readonly triggers: number;
  /** Triggers that every asked stage answered by a response of its own. */
  readonly complete: number;
  /** Per stage, how many triggers it did not answer. */
  readonly missing: Readonly<Partial<Record<Stage, number>>>;
  /** Triggers that lack at least one stage: the identity's term. */
  readonly missing_triggers: number;
  /** Triggers that were answered together with an earlier one; those that a generator sent and whose interrupt was lost in a pending one are among them. */
  readonly coalesced: number;
  /** Triggers whose sample found no room. */
  readonly dropped: number;
  /** Triggers of which the log has no record, because it was cut off. */
  readonly unrecorded: number;
  /** Triggers that were not accounted for when the log was cut off. */
  readonly open: number;
  /** Points of the time grid without a trigger; no term of the identity. */
  readonly skipped: number;
  /** Runs of a stage with no trigger pending, by the driver's count; 0 if it never reported. */
  readonly spurious: number;
  /** The driver reported its counters, and there is no violation of any kind. */
  readonly identity_holds: boolean;
  /** The driver reported its counters. */
  readonly finished: boolean;
  /** The rig or the target said why it could not go on. */
  readonly failed?: boolean;
  /** The clock counts executed instructions. */
  readonly twin: boolean;
  /** The length of one count of the target's cycle counter; `None` if neither the plan nor the target gave it. */
  readonly tick_femtoseconds: number | null;
  /** The virtual time that one instruction takes; the twin only. */
  readonly instruction_femtoseconds: number | null;
  /** Why the figures must not be used; empty in a valid measurement. */
  readonly violations: readonly string[];
  /** Why the figures may be doubtful, each with its remedy; in a sweep without the signs of overload, which it looks for. */
  readonly warnings: readonly string[];
  /** The generator's own account; None where there was none. */
  readonly outside: OutsideAccount | null;
  /** By stage; only where both views are on one clock. */
  readonly edge_offsets: readonly EdgeOffset[];
  /** In order of stage and view, outside first. A stage that was set up and never answered is here with a count of 0; of benchmarks there are no stages. */
  readonly stages: readonly StageSummary[];
  /** Every series of every benchmark, in order; there are none where stages were asked. */
  readonly benchmarks?: readonly unknown[];
  /** Benchmarks that the target could not run. */
  readonly unavailable?: readonly unknown[];
}

/** A kind, whose doing it was, and what is known besides (callers, a priority). */
export interface Cause {
  /** Its kind. */
  readonly kind: CauseKind;
  /** A function, an interrupt, a thread; empty where the kind says it all. */
  readonly name: string;
  /** More about it. */
  readonly detail: string;
}

export type CauseKind = "own path" | "own path prolonged" | "another stage" | "interrupts disabled" | "interrupt" | "NMI" | "hypervisor or firmware" | "softirq" | "softirqs disabled" | "work item" | "higher priority" | "same priority" | "not preempted" | "throttled" | "lock owner" | "priority inversion" | "blocked" | "another CPU" | "page fault" | "leaving idle" | "turn of another CPU" | "probes" | "unexplained";

/** A segment of a latency. */
export interface CausePart {
  readonly start_ns: number;
  readonly length_ns: number;
  readonly cause: string;
  readonly name: string;
  readonly detail: string;
  /** The cause in plain words; `None` where it is no interference. */
  readonly meaning: string | null;
}

/** The responses that one cause held up the most. */
export interface CauseRow {
  /** None: no single culprit held them up. */
  readonly kind: CauseKind | null;
  /** Empty: several, or the kind says it all. */
  readonly name: string;
  /** Latencies in the row. */
  readonly count: number;
  /** The median. */
  readonly p50_ns: number;
  /** The greatest value. */
  readonly max_ns: number;
  /** Responses by latency; bin n is from `edges_ns[n]` on. */
  readonly counts: readonly number[];
}

/** One stage of one case. */
export interface CauseRows {
  /** Lower edges of the bins, and the upper one of the last. */
  readonly edges_ns: readonly number[];
  /** Undisturbed ones first, then by the greatest latency, so that the greatest of all has a row of its own; those without one last. */
  readonly rows: readonly CauseRow[];
}

/** The causes of a case's late responses. */
export interface Causes {
  readonly case: string;
  /** In order of stage; empty where the case has no events. */
  readonly explanations: readonly Explanation[];
}

/** A scenario that was checked. */
export interface Checked {
  /** One line about it. */
  readonly about: string;
  /** Its cases, in their order. */
  readonly cases: readonly string[];
  /** Triggers of each case. */
  readonly count: number;
}

export interface CodedTrouble extends Trouble {
  readonly code: string;
}

/** A section beside a real-time process of some period. */
export interface Collision {
  /** The expected hold time. */
  readonly expected_ns: number;
  /** Of its entries, at whatever instant of a period they come, how many find too little time left. */
  readonly refused_per_cent: number;
  /** It does not fit into any period: only the limit of refusals lets it in. */
  readonly starves: boolean;
}

/** Two paths, and which functions the second has more of. */
export interface ComparedPaths {
  /** The path that the other is compared with. */
  readonly first: ShownPath;
  /** The other path. */
  readonly second: ShownPath;
  /** The instructions that the second executes more, by function. */
  readonly difference: Difference;
}

/** Two cases, compared. */
export interface Comparison {
  /** The format's version. */
  readonly version: number;
  /** The first side. */
  readonly base: string;
  /** The second side. */
  readonly other: string;
  /** Both were measured in the twin: measured again they give the same differences. Of other seeds that says nothing. */
  readonly exact: boolean;
  /** The confidence level. */
  readonly level: number;
  /** How quantiles are computed. */
  readonly quantile_method: string;
  /** None where differences are exact. */
  readonly interval_method: string | null;
  /** How maxima are compared. */
  readonly maximum_method: string | null;
  /** How the difference is tested. */
  readonly test_method: string | null;
  /** Differences besides the figures. */
  readonly differences: readonly ManifestDifference[];
  /** Why the figures must not be used; empty for valid measurements. */
  readonly violations: readonly string[];
  /** The series. */
  readonly series: readonly SeriesComparison[];
  /** Series that one side alone measured. */
  readonly base_only: readonly string[];
  /** Series that the second side alone has. */
  readonly other_only: readonly string[];
}

/** The cases of two runs, compared pair by pair. */
export interface Comparisons {
  readonly comparisons: readonly Comparison[];
}

/** The generator to connect to. */
export interface Connect {
  /** HOST:PORT, or another address of a generator. */
  readonly address: string;
}

/** The side that counted. */
export type Counter = "generator" | "target" | "samples";

/** The disturbances of one isolated CPU. */
export interface CpuIsolation extends Isolation {
  /** Kinds that are not in the list; each took no more time than its last. */
  readonly left_out: number;
}

/** A task that had to wait. */
export interface DelayedTask {
  /** The task. */
  readonly pid: number;
  /** Its name. */
  readonly name: string;
  /** How often it was refused. */
  readonly refused: number;
  /** How often it was let in by force. */
  readonly forced: number;
  /** Entries that waited. */
  readonly delays: number;
  /** All delays together. */
  readonly delay_ns: number;
  /** The longest delay. */
  readonly delay_max_ns: number;
}

/** Largest difference first; functions that are the same in both are left out. */
export interface Difference {
  /** Instructions of the first path. */
  readonly before: number;
  /** Instructions of the second path. */
  readonly after: number;
  /** By function. */
  readonly functions: readonly FunctionDifference[];
}

/** Where a setting is not what was asked for. */
export interface Differs {
  /** Its key. */
  readonly setting: string;
  /** The value that was asked for. */
  readonly asked: number | string;
  /** The value in force. */
  readonly set: number | string;
}

/** Disturbances of one kind. */
export interface DisturbanceCause {
  /** How the CPU was taken: `timer interrupt`, `call interrupt` … */
  readonly entry: string;
  /** Timers, softirqs, works and threads that ran then, in order. */
  readonly acts: readonly string[];
  /** The code that asked for it: the CPU, its thread, and the functions from the innermost outwards. */
  readonly from: Asked | null;
  /** The settings that keep it away. */
  readonly remedies: readonly string[];
  /** How many there were. */
  readonly count: number;
  /** All of them together. */
  readonly total_ns: number;
  /** The longest of them. */
  readonly longest_ns: number;
}

/** How far a stage's edge lies behind its stamp, over all samples in which both views have an answer: instructions of the driver's own, in the twin. */
export interface EdgeOffset {
  /** The stage whose edge it is. */
  readonly stage: Stage;
  /** Samples in which both views have an answer of this stage. */
  readonly count: number;
  /** The smallest difference, outside minus inside. */
  readonly min_ns: number;
  /** The median difference, by nearest rank: that of `at_p50` samples. */
  readonly p50_ns: number;
  /** The largest difference, outside minus inside. */
  readonly max_ns: number;
  /** How many samples have exactly the median. */
  readonly at_p50: number;
}

/** An error's body. */
export interface ErrorBody {
  readonly error: CodedTrouble;
}

/** From a stage's response to the end of what it executed. */
export interface ExecutionSummary {
  /** Responses whose end was seen. */
  readonly count: number;
  /** The shortest execution. */
  readonly min_ns: number;
  /** The median, by nearest rank; it takes 20 responses. */
  readonly p50_ns: number | null;
  /** The 99th percentile, by nearest rank; it takes 1,000 responses. */
  readonly p99_ns: number | null;
  /** The longest execution. */
  readonly max_ns: number;
}

/** One stage of one case. */
export interface Explanation {
  /** The case. */
  readonly case: string;
  /** The stage. */
  readonly stage: Stage;
  /** The view. */
  readonly view: View;
  /** Latencies that were explained. */
  readonly count: number;
  /** The answers that could not be explained. */
  readonly left_out: LeftOut;
  /** From here on a latency is late. */
  readonly late_from_ns: number;
  /** How many of them were late. */
  readonly late: number;
  /** The causes, that with the longest segment first. */
  readonly shares: readonly Share[];
  /** The parts of the responses, in the order of time. */
  readonly parts: readonly unknown[];
  /** Of all responses. */
  readonly rows: CauseRows;
  /** The culprits of all responses, that of the greatest latency first. */
  readonly held_up: readonly HeldUp[];
  /** Late responses, the latest first. */
  readonly worst: readonly number[];
  /** Median share of a latency that has no cause, over all samples. */
  readonly unexplained_median_per_cent: number;
  /** The longest segment without a cause. */
  readonly unexplained_longest_ns: number;
  /** Latencies that are not the sum of their segments. */
  readonly violations: number;
  /** Tracepoints and functions that this kernel does not have: what they would report is missing. */
  readonly lacking: readonly string[];
}

export interface FileEntry {
  /** Below the run directory, with `/`. */
  readonly name: string;
  readonly bytes: number;
  readonly media_type: string;
  readonly url: string;
}

/** A case of a finished run, in the form in which the live stream has one. */
export interface FinishedCase {
  readonly case: string;
  readonly twin: boolean;
  readonly account: LiveAccount;
  /** Subcommands whose results it has. */
  readonly results: readonly ResultKind[];
  /** Names of stages or benchmarks that tails and limits may be asked of. */
  readonly measured: readonly string[];
  /** The limits that the run's scenario sets. */
  readonly limits: readonly string[];
  /** In order of stage and view. */
  readonly series: readonly FinishedSeries[];
}

/** The lines of some triggers of a case. */
export interface FinishedLines {
  readonly case: string;
  /** The case's first trigger. */
  readonly first: number;
  /** The case's last trigger. */
  readonly last: number;
  /** Outside before inside; empty where no trigger is in the range. */
  readonly views: readonly ViewLines[];
}

/** One stage in one view: its figures, and what is drawn of it. */
export interface FinishedSeries extends StageSummary {
  readonly histogram: Bins | null;
  readonly course: Points | null;
}

/** The bits of samples.parquet by name. */
export type Flag = "hit" | "missing" | "coalesced" | "late" | "unsure" | "extra" | "window";

/** The trigger that was looked for. */
export interface Found {
  /** None: there is no such one. */
  readonly seq: number | null;
}

/** Frames by what became of them. */
export interface Frames {
  /** Frames of target and generator; those of the host itself are not counted. */
  readonly received: number;
  /** Their numbers never came. */
  readonly missed: number;
  /** Bytes that were no frame. */
  readonly damaged: number;
}

/** The instructions of one function in all its places. */
export interface FunctionCount {
  /** The function. */
  readonly function: string;
  /** Instructions of its own. */
  readonly own: number;
  /** Its own instructions and those of all that it called. */
  readonly total: number;
}

/** The instructions of one function in two paths. */
export interface FunctionDifference {
  /** As the source has it. */
  readonly function: string;
  /** Instructions of its own. */
  readonly before: number;
  /** Instructions of the second path. */
  readonly after: number;
}

export type GeneratorKind = "twin" | "vm" | "cpu" | "board";

/** The connected generator. */
export interface GeneratorState {
  readonly address: string;
  readonly connected: boolean;
  readonly error: Trouble | null;
  readonly kind: GeneratorKind;
  readonly tool_version: string;
  readonly tick_femtoseconds: number;
  readonly lines: number;
  readonly default_stages: readonly Stage[];
  readonly limits: Limits;
  readonly status: GeneratorStatus;
}

export interface GeneratorStatus {
  readonly run: number;
  readonly state: RunState;
  readonly settings: Settings;
  readonly totals: Totals;
  readonly identity_holds: boolean;
}

/** Softirqs became the thread's. */
export interface Handed {
  /** Since the handler of the burst's first trigger. */
  readonly at_ns: number;
  /** Of softirqs right before; 0: none, they were raised for the thread at once. */
  readonly rounds: number;
  /** How long these took. */
  readonly rounds_ns: number;
  /** Of ksoftirqd. */
  readonly priority: string;
  /** Until it had the CPU; None: not before the samples were complete. */
  readonly waited_ns: number | null;
  /** The threads that had it meanwhile, the longest first. */
  readonly ahead: readonly Ahead[];
}

/** A cause that held responses of one stage up, each more than any other did. */
export interface HeldUp {
  /** Its kind. */
  readonly kind: CauseKind;
  /** Empty: the kind says it all. */
  readonly name: string;
  /** Responses. */
  readonly count: number;
  /** The time that it took of them, all together. */
  readonly stolen_ns: number;
  /** The most that it took of one. */
  readonly longest_ns: number;
  /** The trigger of that one. */
  readonly longest_seq: number;
  /** Settings of this kernel that are against it, without those that are made already. */
  readonly settings: readonly string[];
}

/** Facts that a page needs before anything happens. */
export interface Hello {
  readonly api: number;
  readonly version: string;
  readonly runs_directory: string;
  /** All of them, in their order. */
  readonly stages: readonly StageInfo[];
  readonly views: readonly View[];
  readonly case_colours: readonly string[];
  readonly quantile_method: string;
  readonly live_quantile_method: string;
  readonly scenarios: readonly ScenarioInfo[];
  readonly kernels: readonly string[];
  /** A lake can be asked. */
  readonly has_lake: boolean;
}

/** The latencies from which on triggers are held, by stage. */
export interface Hold {
  /** Of all measurements from now on; what was held for other ones is forgotten. */
  readonly above_ns: Readonly<Partial<Record<Stage, number>>>;
}

/** One section: a place in the code, or on kernels without a monitor a function. */
export interface HoldTimes {
  /** The function. */
  readonly function: string;
  /** `net/ipv4/tcp.c:1300`, with its module. */
  readonly place: string;
  /** The function that takes the lock. */
  readonly kind: string;
  /** How often it was held. */
  readonly count: number;
  /** All holds together. */
  readonly total_ns: number;
  /** The longest hold. */
  readonly max_ns: number;
  /** The exponential average; of the monitor only, and only with the policy that needs it. */
  readonly average_ns: number | null;
  /** Its histogram. */
  readonly histogram: readonly number[];
  /** The manager's decisions, where there is one. */
  readonly manager: Manager | null;
  /** Its effect on a real-time process. */
  readonly collision: Collision | null;
}

/** The disturbances of one isolated CPU. */
export interface Isolation {
  /** The case. */
  readonly case: string;
  /** The kernel's release. */
  readonly release: string;
  /** The kernel's command line. */
  readonly cmdline: string;
  /** The CPU. */
  readonly cpu: number;
  /** Time from the loop's beginning to its end. In the twin it is that of all CPUs together, of which each busy one has its part. */
  readonly elapsed_ns: number;
  /** The CPU's own time that the loop had. */
  readonly loop_ns: number;
  /** The CPU's own time that all else had. */
  readonly disturbed_ns: number;
  /** Disturbances. */
  readonly count: number;
  /** The longest of them. */
  readonly longest_ns: number;
  /** Of how many the code is known only in part. */
  readonly cut: number;
  /** Of how many it is not known what they were. */
  readonly unexplained: number;
  /** The loop has come to its end. */
  readonly ended: boolean;
  /** By what they were; what took the most time first. */
  readonly causes: readonly DisturbanceCause[];
}

/** The generator, if there is one. */
export interface Known {
  readonly generator: GeneratorState | null;
}

/** A place at which the level of a figure moved. */
export interface LakeChange {
  /** The last run of the level before. */
  readonly before_run: string;
  /** The first run of the new level. */
  readonly run: string;
  /** With 95 % confidence the new level began no earlier, */
  readonly earliest_ms: number;
  /** and no later. */
  readonly latest_ms: number;
  readonly runs_before: number;
  readonly runs_after: number;
  /** The median of the level before. */
  readonly before: number;
  /** The median of the new level. */
  readonly after: number;
  readonly difference: number;
  /** The difference's interval with 95 % confidence, from here. */
  readonly low: number;
  readonly high: number;
  /** The probability of such a place if nothing had changed. */
  readonly chance: number;
}

/** The choices that a lake has. */
export interface LakeContents {
  readonly url: string;
  readonly runs: number;
  /** The first run's begin, in milliseconds since 1970. */
  readonly first_ms: number;
  /** The last run's begin, likewise. */
  readonly last_ms: number;
  /** The figures whose level can be followed. */
  readonly figures: readonly string[];
  readonly place: readonly string[];
  readonly scenario: readonly string[];
  readonly stage: readonly string[];
  readonly view: readonly string[];
}

/** A run's digest. */
export interface LakeHistogram {
  readonly run: string;
  readonly started_ms: number;
  /** Where each bucket begins. */
  readonly low_ns: readonly number[];
  /** How many samples it has. */
  readonly count: readonly number[];
}

/** Latencies of a series' runs against time. */
export interface LakeHistograms {
  readonly runs: readonly LakeHistogram[];
}

/** An interval in which a trigger was answered. */
export interface LakeInterval {
  readonly case: string;
  /** Its begin since the case's first trigger. */
  readonly since_ns: number;
  readonly count: number;
  readonly max_ns: number;
}

/** Maxima of one run over intervals of five minutes. */
export interface LakeMaxima {
  readonly intervals: readonly LakeInterval[];
}

/** A run's figure. */
export interface LakeRun {
  /** Its identity in the lake. */
  readonly run: string;
  readonly started_ms: number;
  /** The kernel's release. */
  readonly release: string | null;
  readonly tool_version: string;
  readonly count: number;
  readonly lost: number;
  /** Nanoseconds, or a number of triggers; none of too few samples. */
  readonly value: number | null;
}

/** Runs that can be compared with each other, and the changes among them. */
export interface LakeSeries {
  readonly place: string;
  readonly scenario: string;
  /** Its kernel, its state and the levels of its axes. */
  readonly case: string;
  /** Nanoseconds are the twin's. */
  readonly is_virtual: boolean;
  readonly stage: string;
  readonly view: string;
  /** In the order in which they began. */
  readonly runs: readonly LakeRun[];
  /** Likewise. */
  readonly changes: readonly LakeChange[];
}

/** One figure of every run of a scenario over time. */
export interface LakeTrend {
  readonly figure: string;
  /** The probability that any change is shown where nothing has changed. */
  readonly chance: number;
  /** In order of place and case. */
  readonly series: readonly LakeSeries[];
}

/** The reasons why one stage's answers to triggers of a case were not explained. The terms are disjoint. */
export interface LeftOut {
  /** Answers whose trigger is not certain; they may be late ones. */
  readonly unsure: number;
  /** Answered together with an earlier trigger. */
  readonly coalesced: number;
  /** The stage did not answer. */
  readonly missing: number;
  /** Answers at an instant that the case's clocks do not have. */
  readonly unplaced: number;
  /** Triggers of the case of which there is no sample of any stage: dropped, or not in the log. */
  readonly unrecorded: number;
}

/** One line. */
export interface LineEdges {
  /** None: the interrupt line. */
  readonly stage: Stage | null;
  /** Instants since `start_ns` at which the level changes, ascending: high, low, high and so on. Two at one instant are a pulse whose end was not seen. */
  readonly at_ns: readonly number[];
  /** By trigger, its latency; `None` where it has no answer of its own. Empty of the interrupt line. */
  readonly latency_ns: readonly (number | null)[];
  /** The places, among the triggers, of those that asked the stage and have no answer of its own; the other ones without a latency did not ask it. */
  readonly unanswered: readonly number[];
}

/** The account until now. */
export interface LiveAccount extends Account {
  /** None as long as no side has counted anything. */
  readonly from: Counter | null;
  /** The sum is right. */
  readonly holds: boolean;
}

/** See docs/dashboard-api.md. */
export interface LiveFigures {
  /** The kernel's release, once the target has said it. */
  readonly release: string | null;
  /** Samples that have arrived: the target's, or the generator's where the target takes none, or a benchmark's. */
  readonly samples: number;
  /** The outcomes of all triggers until now, as one side has counted them. */
  readonly account: LiveAccount;
  /** The frames of both streams until now. */
  readonly frames: Frames;
  /** Triggers whose record has not arrived: their latencies are those of the generator alone. */
  readonly unjoined: number;
  /** In order of stage and view. */
  readonly series: readonly LiveSeries[];
  /** The longest latencies of every series, at most `WORST` of each, longest first; empty where figures alone are wanted. */
  readonly worst: readonly Worst[];
  /** The newest triggers' lines and those that are held; `None` where they are not wanted. */
  readonly lines: LiveLines | null;
}

/** Lines while it is measured. */
export interface LiveLines {
  /** The newest triggers, `RECENT` at most. */
  readonly recent: readonly ViewLines[];
  /** One for each reason, stage and view that has had any, in that order. */
  readonly captures: readonly Capture[];
  /** Latencies from which on a trigger is held, by stage. */
  readonly above_ns: Readonly<Partial<Record<Stage, number>>>;
  /** Triggers that have passed. */
  readonly triggers: number;
}

/** The known figures of a series, in nanoseconds; see docs/dashboard-api.md. */
export interface LiveSeries {
  /** The stage that was asked. */
  readonly stage: Stage;
  /** The clock behind the latencies: the generator's or the target's. */
  readonly view: View;
  /** Responses, which all have a latency; the figures are of these alone. */
  readonly count: number;
  /** Triggers that asked the stage and had no answer in time. */
  readonly missing: number;
  /** Triggers that one run of the stage answered together with an earlier one. */
  readonly coalesced: number;
  /** Answered, but the trigger is not certain: the latency is an upper bound. */
  readonly unsure: number;
  /** Answered, but another interrupt came in between. */
  readonly hit: number;
  /** The shortest latency, exact; `None`, as all figures, where `count` is 0. */
  readonly min_ns: number | null;
  /** The arithmetic mean, exact as the finished run's. */
  readonly mean_ns: number | null;
  /** The longest latency, exact. */
  readonly max_ns: number | null;
  /** The jitter: the sample's standard deviation (n - 1), by Welford's method; `None` of fewer than two. */
  readonly stddev_ns: number | null;
  /** The 5th percentile, from a histogram of three significant digits: within 0.1 % of nearest rank; it takes 200 latencies. */
  readonly p5_ns: number | null;
  /** The median, as near to nearest rank as `p5_ns`; it takes 20 latencies. */
  readonly p50_ns: number | null;
  /** The 95th percentile, likewise; it takes 200 latencies. */
  readonly p95_ns: number | null;
  /** The 99th percentile; it takes 1,000 latencies. */
  readonly p99_ns: number | null;
  /** The 99.9th percentile; it takes 10,000 latencies. */
  readonly p99_9_ns: number | null;
  /** The 99.99th percentile; it takes 100,000 latencies. */
  readonly p99_99_ns: number | null;
  /** The 99.999th percentile; it takes 1,000,000 latencies. */
  readonly p99_999_ns: number | null;
  /** None where they were not asked for. */
  readonly histogram: Bins | null;
  /** Minimum, mean and maximum over the triggers' time; `None` where `histogram` is. */
  readonly course: Points | null;
}

export type Load = "busy" | "busy256" | "tcp" | "copy" | "exec" | "hog" | "memory" | "hackbench" | "stress-ng" | "files" | "network";

export interface LockSettings {
  readonly mode: string;
  readonly policy: string;
  readonly max_refusals: number;
  readonly short_period: string;
}

/** Where the figures of a case come from. */
export type LockSource = "monitor" | "interference" | "instructions" | "tracepoints" | "loads";

/** The critical sections of one case. */
export interface Locks {
  /** The case. */
  readonly case: string;
  /** The source of the figures. */
  readonly source: LockSource;
  /** The settings. */
  readonly settings: LockSettings | null;
  /** The longest first. */
  readonly sites: readonly HoldTimes[];
  /** The manager's, by name. */
  readonly decisions: readonly (readonly [string, number])[];
  /** The tasks that waited. */
  readonly tasks: readonly DelayedTask[];
  /** A real-time process of a shorter period can keep others from a lock. */
  readonly safe_period_ns: number | null;
  /** The work of the loads. */
  readonly work: readonly Work[];
  /** Sections in no site, because there were too many places. */
  readonly others: number;
  /** The longest of those. */
  readonly longest_other_ns: number;
}

/** The decisions at a site. */
export interface Manager {
  /** Entries that were refused. */
  readonly refused: number;
  /** Entries that were forced. */
  readonly forced: number;
  /** Entries that cannot wait. */
  readonly cannot_wait: number;
  /** All delays together. */
  readonly delay_ns: number;
  /** The longest delay. */
  readonly delay_max_ns: number;
}

/** `manifest.json`. */
export interface Manifest {
  /** The format's version. */
  readonly version: number;
  /** Every case ran to its end and has a result. */
  readonly complete: boolean;
  /** The version of this program. */
  readonly tool_version: string;
  /** The scenario's name. */
  readonly scenario: string;
  /** The scenario's text. */
  readonly scenario_toml: string;
  /** The keys that were set outside it, one `KEY=VALUE` each, as `irqscope run --set` takes them. */
  readonly overrides: readonly string[];
  /** The limits that the scenario sets. */
  readonly limits?: readonly unknown[];
  /** The rig. */
  readonly rig: string;
  /** The command line. */
  readonly args: readonly string[];
  /** The beginning, by the host's clock. */
  readonly started_utc: string;
  /** None while the run goes on, and for ever if it was killed. */
  readonly finished_utc: string | null;
  /** How many records the log had when the run was finished. */
  readonly records: number | null;
  /** The host. */
  readonly host: unknown;
  /** The cases, in the order of their numbers. */
  readonly cases: readonly CaseManifest[];
}

/** Something that both manifests say differently. */
export interface ManifestDifference {
  /** The setting. */
  readonly what: string;
  /** The first side. */
  readonly base: string;
  /** The second side. */
  readonly other: string;
  /** It can change the figures by itself; else it is what is compared, or known to be without effect. */
  readonly matters: boolean;
}

/** The measurement at one moment. */
export interface Measurement {
  readonly run: string | null;
  readonly source: Source;
  readonly scenario: string | null;
  readonly rig: string;
  readonly state: State;
  /** It has not ended. */
  readonly active: boolean;
  readonly what: string;
  readonly error: Trouble | null;
  readonly started_utc: string;
  readonly elapsed_ms: number;
  readonly shown: string | null;
  readonly cases: readonly CaseSnapshot[];
}

/** Triggers by their number in the burst, from 0. A trigger may be merged into one of an earlier burst; then its number is negative. */
export interface Merge {
  /** The trigger's place in the burst. */
  readonly trigger: number;
  /** The place of the one that answered it. */
  readonly into: number;
}

/** One series' answer to the same trigger. */
export interface Other {
  /** The stage that was asked, which may be the same one in the other view. */
  readonly stage: Stage;
  /** The clock behind its latency. */
  readonly view: View;
  /** From the same trigger to its response; `None` where it has no answer of its own. */
  readonly latency_ns: number | null;
  /** The bits of its row in samples.parquet that are set. */
  readonly flags: readonly Flag[];
}

/** The generator's counts; see docs/protocol.md for the terms. */
export interface OutsideAccount {
  /** The kind of generator: `twin`, `vm`, `cpu` or `board`. */
  readonly generator: string;
  /** From trigger to trigger, as the generator really set it, without jitter; 0 if it never sent its settings. */
  readonly period_ns: number;
  /** How long the interrupt line stays high at each trigger; 0 if it never sent its settings. */
  readonly high_ns: number;
  /** Triggers that it sent. */
  readonly triggers: number;
  /** Triggers that were followed by an edge on every line. */
  readonly complete: number;
  /** Triggers that lack an edge on some line, for no known reason. */
  readonly missing: number;
  /** Triggers of which the target reported that a line's answer was merged with an earlier one. */
  readonly coalesced: number;
  /** Triggers whose sample was not kept: the generator had no memory left, or the host did not read. */
  readonly dropped: number;
  /** Points of the time grid without a trigger: a sample was open (closed pacing), or the generator was late. */
  readonly skipped: number;
  /** Changes of the response lines, of pulses the rising edges only; `answers` and `extra` add up to it. */
  readonly edges: number;
  /** Edges that the generator paired with a trigger. */
  readonly answers: number;
  /** Edges that it could not pair, also those that no packet had room to list. */
  readonly extra: number;
  /** Triggers whose interrupt never reached the handler: it was raised while an earlier one was pending. Known where the target kept a record. */
  readonly lost_interrupts: number | null;
  /** Answers whose trigger is not certain; their latencies are upper bounds. */
  readonly unsure: number;
  /** Extra edges that remain when the views are joined. */
  readonly unexplained_extra: number;
  /** Answers that were looked for in every cycle of the generator's clock. */
  readonly window: number;
  /** The known errors of the generator itself. */
  readonly facts: unknown;
}

/** A load that the scenario brings: a command, and how it is run. */
export interface OwnLoad {
  /** Its name in the scenario. */
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Names and values that are added to the environment. */
  readonly environment: readonly unknown[];
  /** How many of it run at the same time. */
  readonly count: number;
  /** Its CPU. */
  readonly cpu: unknown;
  /** Its policy and priority; none: those of the agent, `other`. */
  readonly scheduling: Scheduling | null;
  /** The number or the name of the user that it runs as; none: the agent's, which is root as a rule. */
  readonly user: string | null;
  /** Its end. */
  readonly at_end: unknown;
  /** It runs in network namespace `peer`, which has the guest's other network card. */
  readonly peer: boolean;
  /** It has brought a root file system, and runs in it. */
  readonly has_root: boolean;
}

/** A segment of a latency, from its trigger on. */
export interface Part {
  /** Where it begins, counted from the trigger. */
  readonly start_ns: number;
  /** How long it lasts; the lengths of all segments add up to the latency. */
  readonly length_ns: number;
  /** The kind of cause, such as `irqs-off`. */
  readonly cause: string;
  /** The function, interrupt or thread behind it; empty where the kind says it all. */
  readonly name: string;
  /** Facts that are known besides, such as callers or a priority. */
  readonly detail: string;
}

/** Whether instructions and latencies are the same, over all traced samples. */
export interface PathCheck {
  /** Samples. */
  readonly samples: number;
  /** Samples whose instructions are their latency. */
  readonly equal: number;
  /** Of the others: in which the CPU slept. */
  readonly slept: number;
  /** Instructions that faulted in all of them. */
  readonly faults: number;
  /** Samples of which that is not so. */
  readonly mismatches: readonly PathSample[];
  /** Answered within the traced triggers, but the path is not whole. */
  readonly cut_off: number;
}

/** A traced sample of one stage. */
export interface PathSample {
  /** The trigger's number. */
  readonly seq: number;
  /** The stage. */
  readonly stage: Stage;
  /** The latency. */
  readonly latency_ns: number;
  /** Instructions. */
  readonly instructions: number;
  /** Instructions that faulted, and were executed after the fault or never. */
  readonly faults: number;
  /** The CPU slept in between: time passed without an instruction. */
  readonly slept: boolean;
  /** Virtual time that its instructions take. */
  readonly executed_ns: number;
  /** Of several CPUs: virtual time in which others had their turns. */
  readonly others_ns: number;
}

/** As it is drawn; see docs/dashboard-api.md. */
export interface Points {
  /** Where the first interval begins, counted from the first trigger: 0. */
  readonly start_ns: number;
  /** The length of an interval: a period at first, doubled each time that neighbours are folded. */
  readonly interval_ns: number;
  /** By interval, how many latencies it has. */
  readonly count: readonly number[];
  /** By interval, the shortest latency; `None` where `count` is 0. */
  readonly min_ns: readonly (number | null)[];
  /** By interval, the arithmetic mean; `None` where `count` is 0. */
  readonly mean_ns: readonly (number | null)[];
  /** By interval, the longest latency, which folding keeps; `None` where `count` is 0. */
  readonly max_ns: readonly (number | null)[];
}

/** The reason for which a trigger is held. */
export type Reason = "worst" | "above" | "missing";

/** A subcommand whose results the case has. */
export type ResultKind = "tail" | "gate" | "path" | "bursts" | "sweep" | "locks" | "isolate";

/** A level with the time in which it is exceeded once. */
export interface ReturnLevel {
  /** The number of samples in which it is exceeded once (by a cluster of exceedances). */
  readonly samples: number;
  /** The level. */
  readonly ns: number;
  /** The interval's lower end. */
  readonly low_ns: number;
  /** None if the samples set no limit. */
  readonly high_ns: number | null;
}

/** Everything of a run that is text already, byte for byte. */
export interface RunDetails {
  readonly id: string;
  readonly manifest: Manifest;
  readonly summary: Summary;
  readonly caveat: string | null;
  readonly files: readonly FileEntry[];
}

export interface RunEntry {
  readonly id: string;
  readonly scenario: string | null;
  readonly rig: string | null;
  readonly tool_version: string | null;
  readonly started_utc: string | null;
  readonly finished_utc: string | null;
  readonly complete: boolean | null;
  readonly under_way: boolean;
  readonly derived: boolean;
  readonly log_bytes: number;
  readonly cases: readonly string[];
  /** Why it cannot be read. */
  readonly error: Trouble | null;
}

/** The runs directory. */
export interface RunList {
  readonly directory: string;
  /** The newest first. */
  readonly runs: readonly RunEntry[];
}

export type RunState = "idle" | "waiting" | "running" | "draining" | "done";

/** A bundled scenario. */
export interface ScenarioInfo {
  readonly name: string;
  readonly about: string;
  readonly rig: string;
  /** Its rig boots kernels of the user's choice. */
  readonly boots: boolean;
  readonly kernels: readonly string[];
  readonly states: readonly SystemState[];
  /** Triggers of each case. */
  readonly count: number;
  readonly is_sweep: boolean;
  readonly is_benchmark: boolean;
}

/** A scheduling policy with its real-time priority (0 for `other`). */
export interface Scheduling {
  /** The policy. */
  readonly policy: unknown;
  /** The priority of a real-time policy, else 0. */
  readonly priority: number;
}

/** One series of both sides, compared. */
export interface SeriesComparison {
  /** Its title; with both names where a file of another tool does not say the policy. */
  readonly series: string;
  /** Values of the first side. */
  readonly base_count: number;
  /** Values of the second side. */
  readonly other_count: number;
  /** Triggers and rounds of which there is no figure. */
  readonly base_without: number;
  /** Triggers of the second side without a value. */
  readonly other_without: number;
  /** In which order the values of both sides came is known. */
  readonly in_order: boolean;
  /** Both sides have the same values in the same order. */
  readonly identical: boolean;
  /** The figures. */
  readonly shifts: readonly Shift[];
  /** Whether they differ at all; none where figures are exact. */
  readonly test: Test | null;
  /** How many samples of each side the test would take, where there are too few. */
  readonly test_needs: number | null;
}

/** The tail of one series, or why there is none. */
export interface SeriesTail {
  /** The run's and the case's name. */
  readonly case: string;
  /** The series' name. */
  readonly series: string;
  /** How a tail is estimated. */
  readonly method: string;
  /** Its nanoseconds are virtual ones. */
  readonly twin: boolean;
  /** From one sample to the next. */
  readonly period_ns: number | null;
  /** The estimate. */
  readonly tail: Tail | null;
  /** Why there is no estimate. */
  readonly refusal: string | null;
}

/** The generator after its settings were set, and where they are not what was asked for. */
export interface SettingsSet {
  readonly generator: GeneratorState;
  readonly differs: readonly Differs[];
}

export type Shape = "toggle" | "pulse";

/** The share of one cause in the late responses of one stage. */
export interface Share {
  /** The cause. */
  readonly cause: Cause;
  /** Its time. */
  readonly nanoseconds: number;
  /** Of all late responses' latencies. */
  readonly per_cent: number;
  /** Late responses that have it. */
  readonly samples: number;
  /** The longest segment, and whose it is. */
  readonly longest_ns: number;
  /** The trigger whose share was the longest. */
  readonly longest_seq: number;
}

/** One quantile, or the maximum, of a series (`other`) against the same of another one (`base`), in nanoseconds. */
export interface Shift {
  /** As a number between 0 and 1; 1 is the maximum. */
  readonly quantile: number;
  /** Of the first side; none of too few samples, and where it lies beyond an imported histogram. */
  readonly base_ns: number | null;
  /** Of the second side, likewise. */
  readonly other_ns: number | null;
  /** The second less the first. */
  readonly difference_ns: number | null;
  /** Of `base_ns`; none if that is not above zero. */
  readonly percent: number | null;
  /** None where the figures are exact, and where there are too few samples. Of the maximum: of the maximum of [`window`](Self::window) samples, see [`MAXIMUM_METHOD`](super::MAXIMUM_METHOD). */
  readonly interval: ShiftLimits | null;
  /** Of how many samples the interval of the maximum is; none elsewhere. */
  readonly window: number | null;
  /** How many samples of either side it takes for the figure itself, or about how many for an interval; none where nothing lacks. */
  readonly needed: number | null;
}

/** Both limits of a difference, in nanoseconds and in per cent. */
export interface ShiftLimits {
  /** The estimate. */
  readonly estimate_ns: number;
  /** The interval's lower end. */
  readonly low_ns: number;
  /** The interval's upper end. */
  readonly high_ns: number;
  /** None where a limit of either side is not above zero. */
  readonly percent: readonly number[] | null;
}

/** One path with its calls. */
export interface ShownPath {
  /** The case. */
  readonly case: string;
  /** The sample whose path it is. */
  readonly sample: PathSample;
  /** Every function, most instructions of its own first. */
  readonly functions: readonly FunctionCount[];
  /** Whether instructions and latencies of all traced samples agree. */
  readonly check: PathCheck;
}

/** The state at one moment. */
export interface Snapshot {
  readonly sequence: number;
  readonly generator: GeneratorState | null;
  readonly measurement: Measurement | null;
}

/** The subject of a measurement. */
export type Source = "scenario" | "generator";

export type Stage = "irq" | "softirq" | "tasklet_hi" | "tasklet" | "work_bh" | "work_hi" | "work" | "work_unbound" | "thread" | "kthread" | "user";

/** A stage, and its looks. */
export interface StageInfo {
  readonly name: Stage;
  readonly colour: string;
  readonly text: string;
}

/** Statistics are over every answered trigger, those hit by another interrupt included. */
export interface StageSummary {
  /** The stage that was asked. */
  readonly stage: Stage;
  /** The clock behind the latencies: the generator's (outside) or the target's cycle counter (inside). */
  readonly view: View;
  /** Responses, which all have a latency; the figures are of these alone. */
  readonly count: number;
  /** The shortest latency; `None`, as all figures down to `mean_ns`, where `count` is 0. */
  readonly min_ns: number | null;
  /** The 5th percentile, by nearest rank as the others; it takes 200 latencies. */
  readonly p5_ns: number | null;
  /** The median; of an even number of latencies the lower of the two in the middle; it takes 20. */
  readonly p50_ns: number | null;
  /** The 95th percentile; it takes 200 latencies. */
  readonly p95_ns: number | null;
  /** The 99th percentile; it takes 1,000 latencies. */
  readonly p99_ns: number | null;
  /** The 99.9th percentile; it takes 10,000 latencies. */
  readonly p99_9_ns: number | null;
  /** The 99.99th percentile; it takes 100,000 latencies. */
  readonly p99_99_ns: number | null;
  /** The 99.999th percentile; it takes 1,000,000 latencies. */
  readonly p99_999_ns: number | null;
  /** The longest latency. */
  readonly max_ns: number | null;
  /** The arithmetic mean. */
  readonly mean_ns: number | null;
  /** The sample's standard deviation (n - 1); `None` of fewer than two latencies. */
  readonly stddev_ns: number | null;
  /** The cost of one stamp, in instructions; known in the twin only. */
  readonly cost_instructions: number | null;
  /** The cost of one stamp and answer in counts of the target's counter, measured when the driver is loaded; the same in both views, `None` if the target never sent it. */
  readonly cost_cycles: number | null;
  /** The same cost as time; `None` as well where the counter's tick is not known. */
  readonly cost_ns: number | null;
  /** Triggers that asked the stage and had no answer within `trigger.timeout`. */
  readonly missing: number;
  /** Triggers that one run of the stage answered together with an earlier one. */
  readonly coalesced: number;
  /** Answered, but the trigger is not certain: the latency is an upper bound. */
  readonly unsure: number;
  /** Answered, but another interrupt came in between. */
  readonly hit: number;
  /** None where stages have no execution times. */
  readonly execution?: ExecutionSummary | null;
}

/** How a measurement with the connected generator begins. */
export interface Start {
  /** Of the lines, in their order; none: the default ones. */
  readonly stages?: readonly Stage[];
  /** When it starts; at once, where nothing is said. */
  readonly at?: StartAt;
}

export type StartAt = "now" | "armed";

/** The parts of a scenario to execute. */
export interface StartScenario {
  /** The name of a bundled one; of one's own, `own`. */
  readonly scenario: string;
  /** One's own: its text, instead of a bundled one's. */
  readonly toml?: string;
  /** Instead of the scenario's. */
  readonly kernels?: readonly string[];
  /** Of the scenario's; all, where none is named. */
  readonly states?: readonly string[];
  /** Triggers of each case. */
  readonly count?: number;
  /** Records events, and explains late responses. */
  readonly explain?: boolean;
}

/** The state of a measurement. */
export type State = "preparing" | "running" | "stopping" | "deriving" | "done" | "failed" | "stopped";

/** The contents of summary.json: what a run's log says about each of its cases. */
export interface Summary {
  /** The file's format, which is `VERSION` of the program that wrote it. */
  readonly version: number;
  /** SHA-256 over all samples; the form is in the crate `run`. */
  readonly digest: string;
  /** How the quantiles of all cases are made: by nearest rank, which is type 1 of Hyndman and Fan (1996). */
  readonly quantile_method: string;
  /** The version of irqscope that has measured, which may be older than the one that made this file. */
  readonly tool_version: string;
  /** The scenario's name, as the manifest has it. */
  readonly scenario: string;
  /** Every case ran to its end. */
  readonly complete: boolean;
  /** About the run as a whole. */
  readonly warnings: readonly string[];
  /** In the manifest's order. */
  readonly cases: readonly CaseSummary[];
  /** Of the cases that were measured with and without the view from inside. */
  readonly observer_effects: readonly unknown[];
  /** Of each case that was measured with several seeds, its figures over them. */
  readonly seeds?: readonly unknown[];
}

/** All steps of a run, in order of case and stage. */
export interface Sweep {
  /** The file's format, which is [`VERSION`] of the program that wrote it. */
  readonly version: number;
  /** The summary's: over all samples. */
  readonly digest: string;
  /** How the quantiles of all points are made; see [`QUANTILE_METHOD`]. */
  readonly quantile_method: string;
  /** The version of irqscope that has measured. */
  readonly tool_version: string;
  /** The scenario's name. */
  readonly scenario: string;
  /** By swept case in the manifest's order, and then by stage. */
  readonly series: readonly SweepSeries[];
}

/** One stage at one frequency. */
export interface SweepPoint {
  /** The case of the run: `kernel/state/frequency`. */
  readonly case: string;
  /** One by the period that was really set. */
  readonly frequency_hz: number;
  /** From trigger to trigger: as the generator really set it, without one as it was asked for; 0 if it is not known. */
  readonly period_ns: number;
  /** Every trigger had a response of its own, and nothing is in doubt. */
  readonly keeps_up: boolean;
  /** The case has no valid result: no figure here may be used. */
  readonly invalid: boolean;
  /** Those that asked this stage. */
  readonly triggers: number;
  /** Responses; the figures are over these alone. */
  readonly count: number;
  /** The median latency, by nearest rank; `None`, as the other two figures, where `count` is 0. */
  readonly p50_ns: number | null;
  /** The 99th percentile, by nearest rank. */
  readonly p99_ns: number | null;
  /** The longest latency. */
  readonly max_ns: number | null;
  /** Triggers that an earlier one's response answered as well. */
  readonly coalesced: number;
  /** Triggers that the stage did not answer within `trigger.timeout`. */
  readonly missing: number;
  /** Responses whose trigger is not certain. */
  readonly unsure: number;
  /** Of all stages: interrupts that never reached the handler. */
  readonly lost_interrupts: number;
  /** Of all stages: samples that the generator could not keep. */
  readonly dropped: number;
  /** Of all stages: triggers that were due and were not sent. */
  readonly skipped: number;
}

/** One stage of one case at every frequency. */
export interface SweepSeries {
  /** `kernel/state`. */
  readonly case: string;
  /** The kernel's name in the scenario. */
  readonly kernel: string;
  /** The system state's name in the scenario. */
  readonly state: string;
  /** The stage that was asked. */
  readonly stage: Stage;
  /** The main view of its cases: outside, where there is a generator. */
  readonly view: View;
  /** Where the stage stops keeping up. */
  readonly knee: { readonly kind: "below"; readonly next_hz: number } | { readonly kind: "at"; readonly frequency_hz: number; readonly next_hz: number; readonly ratio: number } | { readonly kind: "beyond"; readonly frequency_hz: number };
  /** By frequency, ascending. */
  readonly points: readonly SweepPoint[];
}

/** A named set of loads. */
export interface SystemState {
  /** The state's name. */
  readonly name: string;
  /** The loads that run in it. */
  readonly loads: readonly Load[];
  /** Policy and priority of load `hog`; none: [`HOG`]. */
  readonly hog: Scheduling | null;
  /** Loads that the scenario brings; they run beside the others. */
  readonly own: readonly OwnLoad[];
}

/** The tail of one series. */
export interface Tail {
  /** Samples. */
  readonly samples: number;
  /** The greatest sample. */
  readonly max_ns: number;
  /** Values above it make the tail. */
  readonly threshold_ns: number;
  /** The number of thresholds that fit, over which the intervals reach. */
  readonly thresholds: number;
  /** Values above the threshold. */
  readonly exceedances: number;
  /** Clusters of exceedances, each with its largest value. */
  readonly peaks: number;
  /** One over the mean size of a cluster. */
  readonly extremal_index: number;
  /** The distribution's scale. */
  readonly scale_ns: number;
  /** Below zero the tail has an end; zero is exponential; above zero it is heavy. */
  readonly shape: number;
  /** The shape's interval. */
  readonly shape_interval: readonly number[];
  /** Where a tail with an end ends. */
  readonly end_ns: number | null;
  /** How likely chance lies as far off as the data do from the fit. */
  readonly goodness_p: number;
  /** The return levels. */
  readonly levels: readonly ReturnLevel[];
}

/** The tails of the series that answer to a name. */
export interface Tails {
  readonly tails: readonly SeriesTail[];
}

/** A test of whether two series differ. */
export interface Test {
  /** Of the cut whose probability is the larger one. */
  readonly statistic: number;
  /** How likely chance gives as large a statistic where nothing differs. */
  readonly p: number;
  /** Values from which on nothing is known of the first. */
  readonly correlation: number;
  /** Values in a window. */
  readonly window: number;
  /** Of each side. */
  readonly windows: readonly number[];
}

/** Counts since the start of the run. */
export interface Totals {
  /** Triggers that were sent. */
  readonly triggers: number;
  /** Samples with an edge on every line. */
  readonly complete: number;
  /** Samples that lack an edge on some line, for no known reason. */
  readonly missing: number;
  /** Samples of which the target said that a line's answer was merged. */
  readonly coalesced: number;
  /** Triggers whose sample was not kept: no memory was left for it, or the host did not read. */
  readonly dropped: number;
  /** Triggers that are none of these yet. */
  readonly open: number;
  /** Grid points without a trigger: a sample was open (closed pacing), or the generator was late. */
  readonly skipped: number;
  /** Of lines that show pulses the rising ones. */
  readonly edges: number;
  /** Edges that answered a trigger. */
  readonly answers: number;
  /** Edges that did not; all are counted, even if not all fit a packet. */
  readonly extra: number;
}

/** The answer of one stage in one view. */
export interface TriggerAnswer {
  readonly stage: Stage;
  readonly view: View;
  readonly trigger_ns: number;
  readonly latency_ns: number | null;
  readonly execution_ns: number | null;
  readonly cpu: number | null;
  readonly interrupts: number;
  readonly flags: readonly Flag[];
  /** In order of time; empty where this view is not the explained one, or it was not explained. */
  readonly segments: readonly CausePart[];
}

/** One trigger with all that is known of it. */
export interface TriggerDetails {
  readonly case: string;
  readonly seq: number;
  /** Of the view in which latencies are explained; `None` where the run has no events. */
  readonly explained_view: View | null;
  /** In order of stage and view; empty where there is no such trigger. */
  readonly answers: readonly TriggerAnswer[];
}

/** An error as people read it. */
export interface Trouble {
  /** The event, in one sentence. */
  readonly what: string;
  /** How to mend it; may be empty. */
  readonly remedy: string;
}

/** Whether one limit was met in one case. */
export interface Verdict {
  /** The case. */
  readonly case: string;
  /** The limit: `user < 150 us at p99.9`. */
  readonly asked: string;
  /** Whether it has passed. */
  readonly passed: boolean;
  /** The figure, or why there is none. */
  readonly found: string;
  /** The limit as a number; `None` against a baseline. */
  readonly limit_ns: number | null;
  /** The figure as a number, where one is known that is held against a limit. */
  readonly found_ns: number | null;
}

/** A verdict for each limit and series. */
export interface Verdicts {
  readonly verdicts: readonly Verdict[];
  /** Settings that differ from the baseline and can change the figures by themselves. */
  readonly changed: readonly ManifestDifference[];
}

export type View = "outside" | "inside";

/** The lines of some triggers in one view. */
export interface ViewLines {
  /** The view. */
  readonly view: View;
  /** `pulse`: a response line is high while its stage executes. `toggle`: each change is a response. */
  readonly shape: Shape;
  /** The first trigger's instant, on the view's own clock. */
  readonly start_ns: number;
  /** The triggers' numbers, ascending. */
  readonly seq: readonly number[];
  /** By trigger, its instant since `start_ns`. */
  readonly trigger_ns: readonly number[];
  /** The interrupt line, then the stages in their order. */
  readonly lines: readonly LineEdges[];
}

/** The work of a load while a benchmark ran. */
export interface Work {
  readonly benchmark: number;
  readonly load: Load;
  readonly units: number;
  readonly ns: number;
  /** The cost of one: of a KiB sent, of a file. */
  readonly per: string;
  readonly ns_per: number | null;
}

/** One of them. */
export interface Worst {
  /** The stage that answered. */
  readonly stage: Stage;
  /** The clock behind the latency. */
  readonly view: View;
  /** The trigger's number, from 0. */
  readonly seq: number;
  /** On the view's own clock. */
  readonly trigger_ns: number;
  /** From the trigger to the stage's response. */
  readonly latency_ns: number;
  /** The CPU on which the stage answered; `None` if only the generator saw it until now. */
  readonly cpu: number | null;
  /** Other interrupts on that CPU since stage `irq`; 0 if only the generator saw the answer. */
  readonly interrupts: number;
  /** The bits that its row in samples.parquet will have, as far as they are known now. */
  readonly flags: readonly Flag[];
}

/** A long latency with all that is known of its trigger. */
export interface WorstSample {
  /** The trigger's number, from 0. */
  readonly seq: number;
  /** On the view's own clock. */
  readonly trigger_ns: number;
  /** From the trigger to the stage's response; exact, as samples.parquet has it. */
  readonly latency_ns: number;
  /** The CPU on which the stage answered; `None` if only the generator saw it. */
  readonly cpu: number | null;
  /** Other interrupts on that CPU since stage `irq`; 0 if only the generator saw the answer. */
  readonly interrupts: number;
  /** The bits of its row in samples.parquet that are set. */
  readonly flags: readonly Flag[];
  /** From the response to the end of what the stage executed; `None` where stages have no execution times, or the end was not seen. */
  readonly execution_ns: number | null;
  /** All other series of the same trigger. */
  readonly others: readonly Other[];
  /** None where the run has no events, or this view is not the explained one. */
  readonly segments: readonly Part[] | null;
}

/** The longest latencies of one series. */
export interface WorstSamples {
  readonly case: string;
  readonly stage: Stage;
  readonly view: View;
  /** The view in which latencies are explained. */
  readonly explained_view: View | null;
  /** Longest first. */
  readonly samples: readonly WorstSample[];
}
