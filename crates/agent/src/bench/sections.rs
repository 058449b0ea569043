// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `watch sections`: every section with interrupts or preemption disabled, by the kernel's own tracepoints.
//! Their figures are added up in the kernel, and this thread sleeps until the time is over.

use std::time::{Duration, Instant};

use irqscope_quantity::CpuList;
use irqscope_watch::{FoundSections, Off, SectionFigures, SectionPlace, SectionProbes, WatchError};
use irqscope_wire::{
    BenchEnd, Class, Message, Note, Section, SectionKind, Sections, Severity, Watch,
};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::symbols::Symbols;

/// The function of the kernel's idle task, to which what follows on a sleep belongs.
const IDLE: &str = "do_idle";

/// Watches until its time is over.
///
/// # Errors
/// The kernel has no such tracepoints, cannot be watched, or what was seen cannot be sent.
pub fn watch(
    context: &Context<'_>,
    number: u16,
    asked: &Watch,
    cpus: &str,
    sink: &mut Sink,
) -> Result<()> {
    let cpus = match cpus {
        "" => CpuList::default(),
        list => list.parse().map_err(unknown)?,
    };
    let symbols = Symbols::read(context.root)?;
    let probes = SectionProbes::attach().map_err(Error::Watch)?;
    let seen = probes.kinds().to_vec();
    let (begin, duration) = (Instant::now(), Duration::from_nanos(asked.duration_ns));
    let mut slept = Ok(());
    while slept.is_ok() && begin.elapsed() < duration {
        slept = context.stop.nap(duration.saturating_sub(begin.elapsed()), None);
    }
    let found = probes.finish(&cpus.0).map_err(Error::Watch)?;
    notes(&seen, &found).into_iter().try_for_each(|note| sink.send(note))?;
    send(found, &symbols, sink)?;
    let (class, series) = (Class::Unknown, Vec::new());
    sink.send(Message::BenchEnd(BenchEnd { benchmark: number, class, series, unavailable: None }))?;
    slept
}

fn unknown(error: impl std::fmt::Display) -> Error {
    Error::Watch(WatchError::Unknown(error.to_string()))
}

/// Sends the sections and the names of their functions.
fn send(found: FoundSections, symbols: &Symbols, sink: &mut Sink) -> Result<()> {
    let idle = symbols.address_of(IDLE).unwrap_or(0);
    let FoundSections { places, others, longest_other, .. } = found;
    let sections: Vec<Section> =
        places.into_iter().map(|(place, figures)| section(place, figures, idle)).collect();
    let met = sections.iter().flat_map(|one| one.way.iter().copied().chain([one.begin]));
    // Not the end of a list: the host may ask for all of them.
    symbols.only(met).messages().try_for_each(|message| sink.send(message))?;
    let found = Sections { sections, others, longest_other };
    found.messages().into_iter().try_for_each(|message| sink.send(message))
}

fn section(place: SectionPlace, figures: SectionFigures, idle: u64) -> Section {
    let SectionPlace { off, begin, woken, way } = place;
    let SectionFigures { count, total, longest, histogram } = figures;
    let kind = match off {
        Off::Interrupts => SectionKind::InterruptsOff,
        Off::Preemption => SectionKind::PreemptionOff,
    };
    let (begin, way) = if woken { (idle, Vec::new()) } else { (begin.unwrap_or(0), way) };
    let used = histogram.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
    Section { kind, begin, way, count, total, longest, histogram: histogram[..used].to_vec() }
}

/// Says what was not seen.
fn notes(seen: &[Off], found: &FoundSections) -> Vec<Message> {
    let mut notes = Vec::new();
    for (kind, what, option) in [
        (Off::Interrupts, "interrupts", "CONFIG_IRQSOFF_TRACER"),
        (Off::Preemption, "preemption", "CONFIG_PREEMPT_TRACER"),
    ] {
        if !seen.contains(&kind) {
            notes.push(format!(
                "this kernel has no tracepoints of sections with {what} disabled: it was built without {option}"
            ));
        }
    }
    if found.missed > 0 {
        notes.push(format!(
            "{} beginnings or ends of sections were not seen: they came while a place was seen for the first time",
            found.missed
        ));
    }
    let note = |text| Message::Note(Note { severity: Severity::Warning, text });
    notes.into_iter().map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_on_a_sleep_is_the_idle_tasks() {
        let place = |begin: Option<u64>| SectionPlace {
            off: Off::Preemption,
            begin,
            woken: begin.is_none(),
            way: vec![0x30],
        };
        let figures = || {
            let mut figures = SectionFigures { count: 1, ..SectionFigures::default() };
            figures.histogram[3] = 1;
            figures
        };
        let woken = section(place(None), figures(), 0x99);
        assert_eq!((woken.begin, woken.way.len()), (0x99, 0));
        let other = section(place(Some(0x10)), figures(), 0x99);
        assert_eq!((other.begin, &other.way[..]), (0x10, &[0x30][..]));
        assert_eq!(other.histogram, [0, 0, 0, 1]);
    }

    #[test]
    fn what_a_kernel_does_not_show_is_said() {
        let missed = FoundSections { missed: 3, ..FoundSections::default() };
        let notes = notes(&[Off::Interrupts], &missed);
        let text = format!("{notes:?}");
        assert!(notes.len() == 2 && text.contains("CONFIG_PREEMPT_TRACER"), "{text}");
        assert!(text.contains("3 beginnings or ends"), "{text}");
    }
}
