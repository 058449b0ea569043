// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Latencies of a running kernel without a module: probes at the kernel's own tracepoints push
//! compact events, and [`Chains`] makes of them what followed from an interrupt or a wakeup, stage
//! by stage, and what else the CPU executed meanwhile.
//!
//! Only [`Probes`] knows BPF, and [`SectionProbes`], whose figures are added up in the kernel; all else is
//! plain arithmetic over [`Event`]s.

mod chains;
mod error;
mod event;
mod interrupts;
mod order;
mod probes;
mod reach;
mod rights;
mod sections;
mod subject;

pub use chains::{Answer, Chains, Names, Part, Sent, StageName};
pub use error::WatchError;
pub use event::{Event, What};
pub use order::Order;
pub use probes::Probes;
pub use reach::{Place, Reach};
pub use sections::{FoundSections, Off, SECTION_BINS, SectionFigures, SectionPlace, SectionProbes};
pub use subject::Subject;
