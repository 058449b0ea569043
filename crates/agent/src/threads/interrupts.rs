// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupt lines from /proc/interrupts and /proc/irq.

use std::fs;
use std::path::Path;

use irqscope_wire::{InterruptLine, Role, ThreadFact};

use crate::facts::{parse_cpus, read_line};

/// Returns every line that is in use; those that are no device last.
pub fn lines(root: &Path, threads: &[ThreadFact]) -> Vec<InterruptLine> {
    let text = fs::read_to_string(root.join("proc/interrupts")).unwrap_or_default();
    let mut rows = text.lines();
    let cpus = rows.next().map_or(0, |head| head.split_whitespace().count());
    let mut lines: Vec<InterruptLine> = rows.filter_map(|row| parse(row, cpus)).collect();
    for line in &mut lines {
        line.threads = threads_of(&line.line, threads);
        let list = read_line(&root.join(format!("proc/irq/{}/smp_affinity_list", line.line)));
        line.cpus = list.and_then(|list| parse_cpus(&list)).unwrap_or_default();
    }
    lines
}

/// Parses ` 24:  12  0  PCI-MSI 512000-edge  ahci[0000:00:1f.2]`. A line without a handler has no
/// name, and one that is no device is named by its text.
fn parse(row: &str, cpus: usize) -> Option<InterruptLine> {
    let (line, rest) = row.trim_start().split_once(':')?;
    let mut words = rest.split_whitespace().peekable();
    let mut count = 0u64;
    for _ in 0..cpus {
        let Some(number) = words.peek().and_then(|word| word.parse::<u64>().ok()) else { break };
        count = count.saturating_add(number);
        words.next();
    }
    let words: Vec<&str> = words.collect();
    let is_device = line.bytes().all(|byte| byte.is_ascii_digit());
    let name = if is_device { device(&words)? } else { words.join(" ") };
    Some(InterruptLine { line: line.into(), name, count, threads: Vec::new(), cpus: Vec::new() })
}

/// Returns what comes after the chip and the kind of trigger: `IO-APIC 7-edge parport0`, `GICv3 27
/// Level arch_timer`.
fn device(words: &[&str]) -> Option<String> {
    let kind = |word: &&str| {
        let word = word.to_ascii_lowercase();
        ["edge", "level", "fasteoi"].iter().any(|kind| word.ends_with(kind))
    };
    let at = words.iter().position(kind)?;
    let name = words.get(at + 1..)?.join(" ");
    (!name.is_empty()).then_some(name)
}

/// Finds `irq/24-ahci`, `irq/24-s-ahci`.
fn threads_of(line: &str, threads: &[ThreadFact]) -> Vec<u32> {
    let serves = |thread: &&ThreadFact| {
        let own = thread.name.strip_prefix("irq/").and_then(|rest| rest.split_once('-'));
        thread.role == Role::Interrupt && own.is_some_and(|(number, _)| number == line)
    };
    threads.iter().filter(serves).map(|thread| thread.pid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::ThreadPolicy;

    const TABLE: &str = "           CPU0       CPU1
  0:         38          0   IO-APIC   2-edge      timer
  5:          0          0   IO-APIC   5-edge
 24:       1200         34   PCI-MSI 512000-edge      ahci[0000:00:1f.2], other
 27:          9          9     GICv3  27 Level     arch_timer
LOC:     100000     200000   Local timer interrupts
ERR:          0
";

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/irq/24")).unwrap();
        fs::write(root.path().join("proc/interrupts"), TABLE).unwrap();
        fs::write(root.path().join("proc/irq/24/smp_affinity_list"), "0-1\n").unwrap();
        root
    }

    #[test]
    fn lines_in_use_have_names_counts_affinities_and_threads() {
        let thread = ThreadFact {
            pid: 99,
            name: "irq/24-ahci[0000:00:1f.2]".into(),
            role: Role::Interrupt,
            policy: ThreadPolicy::Fifo,
            priority: 50,
            cpus: vec![0],
        };
        let root = tree();
        let lines = lines(root.path(), &[thread]);
        let names: Vec<_> = lines.iter().map(|line| line.name.as_str()).collect();
        let devices = ["timer", "ahci[0000:00:1f.2], other", "arch_timer"];
        assert_eq!(names[..3], devices);
        assert_eq!(names[3], "Local timer interrupts");
        assert_eq!(
            (lines[1].count, &lines[1].cpus, &lines[1].threads),
            (1234, &vec![0, 1], &vec![99])
        );
        assert!(lines[0].threads.is_empty() && lines[3].count == 300_000);
    }

    #[test]
    fn this_machine_is_read_without_a_panic() {
        for line in lines(Path::new("/"), &[]) {
            assert!(!line.line.is_empty());
        }
    }
}
