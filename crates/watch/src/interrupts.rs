// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupts that have a handler, from /proc/interrupts.

use std::fs;
use std::path::Path;

/// One interrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub number: u32,
    /// Its handlers' names, as the kernel lists them.
    pub name: String,
}

impl Line {
    /// Returns the handlers' names, of which a shared line has several.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.name
            .split(", ")
            .flat_map(|name| name.split_once('[').map_or([name, name], |(head, _)| [name, head]))
    }
}

/// Returns the interrupts of the machine at `root` that have a handler.
pub fn lines(root: &Path) -> Vec<Line> {
    let text = fs::read_to_string(root.join("proc/interrupts")).unwrap_or_default();
    let mut rows = text.lines();
    let cpus = rows.next().map_or(0, |head| head.split_whitespace().count());
    rows.filter_map(|row| parse(row, cpus)).collect()
}

/// Parses ` 24:  12  0  PCI-MSI 512000-edge  ahci[0000:00:1f.2]`: the names come after the chip and
/// the kind of trigger, which every chip calls edge, level or fasteoi.
fn parse(row: &str, cpus: usize) -> Option<Line> {
    let (number, rest) = row.trim_start().split_once(':')?;
    let number = number.parse().ok()?;
    let words: Vec<&str> = rest.split_whitespace().skip(cpus).collect();
    let is_kind = |word: &&str| {
        let word = word.to_ascii_lowercase();
        ["edge", "level", "fasteoi"].iter().any(|kind| word.ends_with(kind))
    };
    let kind = words.iter().position(is_kind)?;
    let name = words.get(kind + 1..)?.join(" ");
    (!name.is_empty()).then_some(Line { number, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_names_of_its_handlers() {
        let line = parse(" 24:  12  0  PCI-MSI 512000-edge  ahci[0000:00:1f.2], other", 2).unwrap();
        assert_eq!(line.number, 24);
        let names: Vec<&str> = line.names().collect();
        assert!(names.contains(&"ahci") && names.contains(&"other"), "{names:?}");
        assert_eq!(parse("LOC:  1  2  Local timer interrupts", 2), None);
        assert_eq!(parse(" 5:  0  0  IO-APIC 5-edge", 2), None);
    }
}
