// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From events to chains: what followed from an interrupt, or from a wakeup.
//!
//! A chain begins at an *origin* and is handed on: by the handler to the softirq that it raises, by
//! either to the thread that it wakes, by threads that serve interrupts to what they raise and wake
//! in turn. Each time that it arrives somewhere is an [`Answer`].

mod answer;
mod cpu;
mod names;
mod origin;
mod parts;
mod sent;
mod stack;
#[cfg(test)]
mod tests;

use hashbrown::HashMap;

pub use answer::{Answer, StageName};
pub use names::Names;
pub use parts::Part;
pub use sent::Sent;

use crate::event::{Comm, Event, What, is_housekeeping, text};
use crate::subject::Subject;
use cpu::{Cpu, Frame, Running};
use origin::Origin;
use sent::Senders;
use stack::{Texts, held_off};

/// A thread that was woken and has not run yet.
#[derive(Debug)]
struct Wake {
    origin: Origin,
    at: u64,
}

/// A thread that a chain has reached.
#[derive(Debug)]
struct Carrier {
    origin: Origin,
    /// The chain also has the softirqs that it raises and the threads that it wakes.
    serves: bool,
}

/// Builds chains out of events in the order of their stamps.
#[derive(Debug)]
pub struct Chains {
    subject: Subject,
    names: Names,
    cpus: Vec<Cpu>,
    wakes: HashMap<u32, Wake>,
    carriers: HashMap<u32, Carrier>,
    /// The frames of threads that were switched out in a softirq, as they can be on RT.
    suspended: HashMap<u32, Vec<Frame>>,
    chains: u64,
    merged: u64,
    sent: Senders,
    held_off: Texts,
}

impl Chains {
    /// Makes a builder.
    pub fn new(subject: Subject, names: Names) -> Chains {
        Chains {
            subject,
            names,
            cpus: Vec::new(),
            wakes: HashMap::new(),
            carriers: HashMap::new(),
            suspended: HashMap::new(),
            chains: 0,
            merged: 0,
            sent: Senders::default(),
            held_off: Texts::default(),
        }
    }

    /// Returns how many chains have begun.
    pub fn begun(&self) -> u64 {
        self.chains
    }

    /// Returns how many wakeups found their thread running: there is no latency of these.
    pub fn merged(&self) -> u64 {
        self.merged
    }

    /// Takes an event; appends the answers that it gives, of which [`Self::parts`] is to be asked before the next one.
    pub fn take(&mut self, event: &Event, answers: &mut Vec<Answer>) {
        let place = usize::from(event.cpu);
        if self.cpus.len() <= place {
            self.cpus.resize_with(place + 1, Cpu::default);
        }
        match event.what {
            What::IrqEntry(number) => self.enter_interrupt(event, number),
            What::IrqExit(number) => answers.extend(self.leave_interrupt(event, number)),
            What::SoftirqRaise(vector) => self.raise(place, vector),
            What::SoftirqEntry(vector) => answers.extend(self.enter_softirq(event, vector)),
            What::SoftirqExit(vector) => {
                drop(self.leave(event, |one| one == Running::Softirq(vector)));
            }
            What::NapiPoll { device } => answers.extend(self.polled(event, &device)),
            What::Waking { pid, name, .. } => answers.extend(self.wake(event, pid, &name)),
            What::Switch { next, previous, name } => {
                self.switch(event, next, previous, &name, answers);
            }
            What::TimerEntry { function, due } => answers.extend(self.expire(event, function, due)),
            What::Stacked { place, address, has_user_space } => {
                self.cpu(event).stacked(place, address, has_user_space)
            }
            What::TimerExit => {
                drop(self.leave(event, |one| matches!(one, Running::Timer(_))));
            }
            What::User { pid } => answers.extend(self.reached(event, pid)),
            What::VectorEntry(vector) => self.enter(event, Frame::of(Running::Local(vector))),
            What::VectorExit(vector) => {
                drop(self.leave(event, |one| one == Running::Local(vector)));
            }
            What::WorkEntry { function } => self.enter(event, Frame::of(Running::Work(function))),
            What::WorkExit => {
                drop(self.leave(event, |one| matches!(one, Running::Work(_))));
            }
            What::Send { to, from, name } => {
                let place = self.names.function(from).unwrap_or_else(|| format!("{from:#x}"));
                let (at, from) = (event.at, event.cpu);
                self.sent.keep(Sent { at, from, to, thread: text(&name), place });
            }
        }
    }

    fn cpu(&mut self, event: &Event) -> &mut Cpu {
        &mut self.cpus[usize::from(event.cpu)]
    }

    fn begin(&mut self, at: u64, cpu: u16) -> Origin {
        self.chains += 1;
        Origin::new(self.chains, at, cpu)
    }

    fn enter(&mut self, event: &Event, frame: Frame) {
        let cpu = self.cpu(event);
        cpu.tail = None;
        cpu.frames.push(frame);
        self.mark(event);
    }

    fn leave(&mut self, event: &Event, is_it: impl Fn(Running) -> bool) -> Option<Frame> {
        let left = self.cpu(event).pop(is_it);
        self.mark(event);
        left
    }

    /// Returns the sender of the latest interrupt that a CPU was sent in a time.
    pub fn sender(&self, cpu: u16, from: u64, to: u64) -> Option<&Sent> {
        self.sent.latest(cpu, from..to)
    }

    /// Splits a time of a CPU into what it ran, in order; to be asked while it is remembered.
    pub fn ran(&self, cpu: u16, from: u64, to: u64) -> Vec<Part> {
        if self.cpus.len() <= usize::from(cpu) {
            return Vec::new();
        }
        self.split(&Origin::new(0, from, cpu), to)
    }

    /// Keeps what the CPU runs from here on.
    fn mark(&mut self, event: &Event) {
        let cpu = &self.cpus[usize::from(event.cpu)];
        let chain = match cpu.frames.last() {
            Some(frame) => frame.origin.as_ref().map(Origin::number),
            None => self.serving(cpu.task).map(Origin::number),
        };
        self.cpus[usize::from(event.cpu)].mark(event.at, chain);
    }

    /// Returns the chain of a thread that serves interrupts.
    fn serving(&self, task: Option<u32>) -> Option<&Origin> {
        self.carriers.get(&task?).filter(|one| one.serves).map(|one| &one.origin)
    }

    /// Returns the chain that what happens on a CPU now belongs to.
    fn current(&self, place: usize) -> Option<&Origin> {
        let cpu = &self.cpus[place];
        match cpu.frames.last() {
            // A timer within is none of it; a softirq within a serving thread is its own.
            Some(frame) => frame.origin.as_ref(),
            None => self.serving(cpu.task),
        }
    }

    fn enter_interrupt(&mut self, event: &Event, number: u32) {
        let wanted = matches!(&self.subject, Subject::Interrupts { numbers, .. } if numbers.contains(&number));
        let origin = wanted.then(|| self.begin(event.at, event.cpu));
        self.enter(event, Frame { origin, ..Frame::of(Running::Interrupt(number)) });
    }

    /// Enters a timer's callback; the chain of one that is watched begins where it was due.
    fn expire(&mut self, event: &Event, function: u64, due: Option<u64>) -> Option<Answer> {
        let wanted =
            matches!(&self.subject, Subject::Timers { functions } if functions.contains(&function));
        let since = due.unwrap_or(event.at).min(event.at);
        self.was_held_off(event, since);
        let origin = wanted.then(|| self.begin(since, event.cpu));
        let frame = Frame { due, origin: origin.clone(), ..Frame::of(Running::Timer(function)) };
        self.enter(event, frame);
        origin.map(|origin| Answer::new(StageName::Callback, event, &origin))
    }

    /// Keeps what let a timer's interrupt wait, where its stack came before it.
    fn was_held_off(&mut self, event: &Event, due: u64) {
        let cpu = self.cpu(event);
        let (stack, was_user_possible) = cpu.stack();
        if stack.is_empty() || !cpu.could_wait(due, event.at) {
            return;
        }
        let name = |address: &u64| self.names.function(*address).unwrap_or_default();
        let text = held_off(&stack.iter().map(name).collect::<Vec<_>>(), was_user_possible);
        if let Some(text) = text.and_then(|text| self.held_off.number(text)) {
            self.cpu(event).was_held_off(text);
        }
    }

    fn leave_interrupt(&mut self, event: &Event, number: u32) -> Option<Answer> {
        let frame = self.leave(event, |one| one == Running::Interrupt(number))?;
        // The kernel wakes the handler's thread after the handler has returned; that of another
        // interrupt within a chain is none of it.
        self.cpu(event).tail = Some((number, frame.origin.clone()));
        Some(Answer::new(StageName::Handler, event, &frame.origin?))
    }

    /// Hands a chain on to a softirq. One that raises itself again, as it does where its budget is
    /// used up, begins nothing new.
    fn raise(&mut self, place: usize, vector: u8) {
        if is_housekeeping(vector) {
            return;
        }
        let again = |frame: &Frame| frame.running == Running::Softirq(vector);
        if self.cpus[place].frames.last().is_some_and(again) {
            return;
        }
        let origin = self.current(place).cloned();
        let pending = &mut self.cpus[place].pending[usize::from(vector)];
        if pending.is_none() {
            *pending = origin;
        }
    }

    fn enter_softirq(&mut self, event: &Event, vector: u8) -> Option<Answer> {
        let origin = self.cpu(event).pending[usize::from(vector)].take();
        self.enter(event, Frame { origin: origin.clone(), ..Frame::of(Running::Softirq(vector)) });
        Some(Answer::new(StageName::Softirq(vector), event, &origin?))
    }

    fn polled(&mut self, event: &Event, polled: &Comm) -> Option<Answer> {
        let Subject::Interrupts { device, .. } = &self.subject else { return None };
        if device.as_ref().is_some_and(|device| *device != text(polled)) {
            return None;
        }
        let frame = self.cpus[usize::from(event.cpu)].frames.last_mut()?;
        let first = !std::mem::replace(&mut frame.polled, true);
        Some(Answer::new(StageName::Napi, event, frame.origin.as_ref().filter(|_| first)?))
    }

    fn wake(&mut self, event: &Event, pid: u32, name: &Comm) -> Option<Answer> {
        if self.cpus.iter().any(|cpu| cpu.task == Some(pid)) {
            self.merged += u64::from(self.belongs(event, pid, name).is_some());
            return None;
        }
        if self.wakes.contains_key(&pid) {
            return None;
        }
        let Some((origin, since)) = self.belongs(event, pid, name) else {
            self.carriers.remove(&pid);
            return None;
        };
        let origin = origin.unwrap_or_else(|| self.begin(since, event.cpu));
        let known = since < event.at || self.subject.hands_on();
        let stage = if self.subject.hands_on() { StageName::Wakeup } else { StageName::Timer };
        let answer = known.then(|| Answer::new(stage(*name), event, &origin));
        self.wakes.insert(pid, Wake { origin, at: event.at });
        answer
    }

    /// Returns whether a wakeup is of interest, by its chain if it has one, and since when its thread
    /// was due.
    fn belongs(&self, event: &Event, pid: u32, name: &Comm) -> Option<(Option<Origin>, u64)> {
        let cpu = &self.cpus[usize::from(event.cpu)];
        match &self.subject {
            Subject::Interrupts { .. } | Subject::Timers { .. } => {
                if executes_softirqs(name) {
                    return None;
                }
                let of_tail = cpu.tail.as_ref().filter(|(number, _)| is_thread_of(name, *number));
                let origin = match of_tail {
                    Some((_, origin)) => origin.as_ref()?,
                    None => self.current(usize::from(event.cpu))?,
                };
                Some((Some(origin.clone()), origin.at()))
            }
            Subject::Thread(wanted) if *wanted != pid => None,
            Subject::Cpus(_) => None,
            Subject::Thread(_) | Subject::RealTime => {
                let due = cpu.frames.last().and_then(|frame| frame.due);
                Some((None, due.filter(|due| *due < event.at).unwrap_or(event.at)))
            }
        }
    }

    fn switch(
        &mut self,
        event: &Event,
        next: u32,
        previous: u32,
        name: &Comm,
        answers: &mut Vec<Answer>,
    ) {
        self.names.learn(next, name);
        // Only on RT are there any.
        let resumed = match self.suspended.is_empty() {
            true => Vec::new(),
            false => self.suspended.remove(&next).unwrap_or_default(),
        };
        let left = self.cpu(event).switch(next, resumed);
        if !left.is_empty() && previous != 0 {
            self.suspended.insert(previous, left);
        }
        if let Some(Wake { mut origin, at }) = self.wakes.remove(&next) {
            origin.moves(at, event.cpu);
            let on_cpu = StageName::OnCpu(*name);
            if self.subject.hands_on() {
                answers.push(Answer::new(on_cpu, event, &origin));
            } else {
                if origin.at() < at {
                    answers.push(Answer::new(StageName::Release(*name), event, &origin));
                }
                answers.push(Answer::new(on_cpu, event, &origin.since(at)));
            }
            self.carriers.insert(next, Carrier { origin, serves: serves(name) });
        }
        self.mark(event);
    }

    /// Ends a chain in user space: only the first arrival after a wakeup answers it.
    fn reached(&mut self, event: &Event, pid: u32) -> Option<Answer> {
        let carrier = self.carriers.remove(&pid)?;
        Some(Answer::new(StageName::User(self.names.thread(pid)), event, &carrier.origin))
    }

    /// Splits an answer's time into what its CPUs ran, in order; to be asked before the next event.
    pub fn parts(&self, answer: &Answer) -> Vec<Part> {
        self.split(&answer.origin, answer.at)
    }

    fn split(&self, origin: &Origin, end: u64) -> Vec<Part> {
        parts::parts(&self.cpus, &self.names, &self.held_off, origin, end)
    }
}

/// Returns whether a thread's name is that of an interrupt's handler: `irq/27-virtio0`.
fn is_thread_of(name: &Comm, number: u32) -> bool {
    let name = text(name);
    let own = name.strip_prefix("irq/").and_then(|rest| rest.split('-').next());
    own.and_then(|own| own.parse().ok()) == Some(number)
}

/// Returns whether what a thread raises and wakes belongs to the interrupt that woke it.
fn serves(name: &Comm) -> bool {
    name.starts_with(b"irq/") || name.starts_with(b"napi/")
}

/// Returns whether a thread only executes softirqs, which have stages of their own.
fn executes_softirqs(name: &Comm) -> bool {
    name.starts_with(b"ksoftirqd/") || name.starts_with(b"ktimers/")
}
