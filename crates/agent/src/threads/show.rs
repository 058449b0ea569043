// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The picture in words, for a terminal.

use std::fmt::Write;

use irqscope_quantity::Column::{Numbers, Words};
use irqscope_quantity::{CpuList, aligned};
use irqscope_wire::{InterruptLine, Picture, ThreadFact, ThreadPolicy};

pub fn show(picture: &Picture) -> String {
    let mut text = String::new();
    head(picture, &mut text);
    threads(picture, &mut text);
    shared(picture, &mut text);
    interrupts(picture, &mut text);
    for advice in &picture.advice {
        let _ = writeln!(text, "advice: {advice}");
    }
    text
}

fn head(picture: &Picture, text: &mut String) {
    let handlers = if picture.threaded_interrupts { "threads" } else { "hard" };
    let inherits = if picture.priority_inheritance { "yes" } else { "no" };
    let throttled = picture.throttled_us.map_or("off".into(), |us| format!("{us} us"));
    let isolated = match &picture.isolated_cpus[..] {
        [] => "none".into(),
        cpus => ranges(cpus),
    };
    let facts = [
        ("kernel", picture.kernel.as_str()),
        ("preemption", &picture.preemption),
        ("handlers", handlers),
        ("priority inheritance", inherits),
        ("real-time throttling", &throttled),
        ("isolated CPUs", &isolated),
    ];
    let rows = facts.map(|(name, fact)| [name.to_owned(), fact.to_owned()]);
    text.push_str(&aligned(&rows, &[Words]));
}

fn threads(picture: &Picture, text: &mut String) {
    let mut rows = vec![["pid", "policy", "role", "cpus", "name"].map(str::to_owned)];
    rows.extend(picture.threads.iter().map(|thread| {
        let (pid, role) = (thread.pid.to_string(), thread.role.to_string());
        [pid, policy(thread), role, ranges(&thread.cpus), thread.name.clone()]
    }));
    let _ = write!(text, "\n{}", aligned(&rows, &[Numbers, Numbers, Words]));
}

fn policy(thread: &ThreadFact) -> String {
    match thread.policy {
        ThreadPolicy::Fifo | ThreadPolicy::Rr => format!("{} {}", thread.policy, thread.priority),
        other => other.to_string(),
    }
}

/// Lists threads of equal priority on one CPU: they run first-in, first-out.
fn shared(picture: &Picture, text: &mut String) {
    let mut lines = Vec::new();
    for group in picture.threads.chunk_by(|a, b| a.priority == b.priority) {
        let names: Vec<&str> =
            group.iter().filter(|one| one.priority > 0).map(|one| one.name.as_str()).collect();
        if names.len() > 1 {
            lines.push(format!("  {:>2}  {}", group[0].priority, names.join(", ")));
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(text, "\nshared priorities\n{}", lines.join("\n"));
    }
}

fn interrupts(picture: &Picture, text: &mut String) {
    let mut rows = vec![["line", "count", "handler", "cpus", "name"].map(str::to_owned)];
    rows.extend(picture.interrupts.iter().map(|line| {
        let InterruptLine { line: number, name, count, threads, cpus } = line;
        let handler = if threads.is_empty() { "hard" } else { "thread" };
        let cpus = if cpus.is_empty() { "-".into() } else { ranges(cpus) };
        [number.to_string(), count.to_string(), handler.to_owned(), cpus, name.clone()]
    }));
    let _ = writeln!(text, "\n{}", aligned(&rows, &[Numbers, Numbers, Words]));
}

/// Formats 0, 1, 2, 5 as `0-2,5`.
pub fn ranges(cpus: &[u32]) -> String {
    CpuList(cpus.to_vec()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::picture::picture;

    #[test]
    fn this_machine_is_shown_with_its_kernel_and_threads() {
        let picture = picture(std::path::Path::new("/"));
        let text = show(&picture);
        assert!(text.contains(&picture.kernel));
        assert!(picture.threads.iter().all(|thread| text.contains(&thread.name)));
        assert!(picture.advice.iter().all(|advice| text.contains(advice.as_str())));
    }
}
