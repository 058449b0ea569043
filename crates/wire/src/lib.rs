// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The protocol between target, generator and host, and the records in it.
//!
//! Everything that crosses a process boundary is one [`Frame`]: a numbered
//! [`Message`] in postcard's encoding, followed by a CRC-32, the whole framed
//! with COBS so that a reader finds the next frame after any damage. The same
//! bytes are sent over TCP, a serial line or a virtio port and are what the run
//! log keeps. See docs/protocol.md.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

extern crate alloc;

mod account;
mod bench;
mod bench_check;
mod bench_samples;
mod bench_settings;
mod event;
mod execution;
#[cfg(any(test, feature = "fast"))]
pub mod fast;
mod fault;
mod frame;
mod generator;
mod isolate;
mod load;
mod locks;
mod message;
mod name;
mod path;
mod picture;
mod plan;
mod port;
mod refusal;
mod scheduling;
#[cfg(any(test, feature = "secret"))]
pub mod secret;
mod section;
mod settings;
mod stage;
mod stage_plan;
mod startup;
mod state;
mod symbol;
mod trigger;
mod turns;
mod units;
mod watch;

pub use account::Account;
pub use bench::{Benchmark, BenchmarkKind};
pub use bench_samples::{
    BenchEnd, BenchSample, BenchSamples, BenchValues, Beyond, SeriesCount, ValueCount, Values,
};
pub use bench_settings::{
    Async, Clock, Gtod, Instant, Inversion, LockProtocol, Middle, PeriodicJitter, Realfeel, Sched,
    Sleep, Spin, Wake,
};
pub use event::{
    Called, Context, Event, Explained, OtherEvents, Priority, Softirq, StageThread, Vector, What,
};
pub use execution::{Burst, Compensate, Execution, ExecutionTime, Shape, StageExecution};
pub use fault::{Fault, FaultKind, Faults};
pub use frame::{Decoder, FrameError, MAX_FRAME_BYTES, decode, encode, greeting_protocol};
pub use generator::{
    Answer, Calibration, Challenge, Command, ExtraEdge, GeneratorHello, GeneratorKind, Loopback,
    OutsideSample, Packet, Reply, RunState, SLOWEST_MILLIHERTZ, StartAt, Status, Totals,
};
pub use isolate::{
    Disturbance, Disturbances, Isolate, LOOP_END, LOOP_MARK, LOOP_PAGE, LOOP_THREAD, RanThread,
    Sender, Way,
};
pub use load::{AtEnd, LoadCpu, OwnLoad, Sysctl, WorkUnit};
pub use locks::{
    DelayedLocking, DelayedTask, HOLD_BINS, LoadWork, LockCount, LockMode, LockPolicy, LockSite,
    LockTotals, ShortPeriod,
};
pub use message::{
    Counters, Failure, Frame, Hello, Message, Note, Outcome, PROTOCOL, Proof, Response, Sample,
    Severity, StageCost, Started,
};
pub use name::{Names, UnknownName};
pub use path::{Mark, Path, PathEnd, PathEvent, Run};
pub use picture::{InterruptLine, Picture, Role, ThreadFact, ThreadPolicy};
pub use plan::{EXPLAINED, OUTSIDE_ONLY, Plan, SEED, Work};
pub use port::HostByte;
pub use refusal::Refusal;
pub use scheduling::{Class, Policy, Scheduling};
pub use section::{SECTION_CHUNK, SECTION_WAY, Section, SectionKind, Sections};
pub use settings::{
    Changes, Descriptor, Difference, Limits, Outside, Polarity, Range, Setting, Settings, Unit,
    Value, When, Whose,
};
pub use stage::{Place, Stage, StageFacts, View};
pub use stage_plan::{Delay, Inside, Jitter, JitterKind, Line, Mode, Pacing, StagePlan};
pub use startup::{Listening, TWIN_LISTENS, TWIN_UNUSABLE};
pub use state::{HOG, Load, SystemState};
pub use symbol::Symbol;
pub use trigger::{Trigger, TriggerFacts};
pub use turns::{Turn, Turns};
pub use units::{Cycles, Nanoseconds, Seq, Tick};
pub use watch::{Watch, WatchedLatency, WatchedPart};
