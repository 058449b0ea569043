// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernel's functions by address, from /proc/kallsyms: what turns an
//! instruction pointer into a name. A distribution's System.map does not serve:
//! Debian's is a stub, and none knows where modules lie.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use irqscope_wire::{Message, Symbol};

use crate::error::{Error, Result};

/// Far below a frame's limit with the longest names that a kernel takes (512).
const CHUNK: usize = 1024;

/// Beginnings of names that are no function's: on Arm and RISC-V `$x` and `$d`, and in modules for
/// RISC-V, whose relocations need them, the compiler's labels.
const MARKS: [&str; 3] = ["$", ".L", "L0"];

/// In ascending order of address, one symbol for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(Vec<Symbol>);

impl Symbols {
    /// Reads what the kernel shows now: modules that are loaded later are not
    /// in it.
    ///
    /// # Errors
    /// /proc/kallsyms cannot be read.
    pub fn read(root: &Path) -> Result<Symbols> {
        let path = root.join("proc/kallsyms");
        let read = File::open(&path).map(BufReader::new).and_then(parse);
        let symbols = read.map_err(|source| Error::Read { path, source })?;
        if symbols.0.is_empty() { Err(Error::NoSymbols) } else { Ok(symbols) }
    }

    /// Returns the function that an address lies in, and how far behind its start; see
    /// [`Symbol::at`].
    pub fn at(&self, address: u64) -> Option<(&Symbol, u64)> {
        Symbol::at(&self.0, address)
    }

    /// Returns where a function of the kernel's own begins.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }

    /// Returns those in which at least one of the addresses lies.
    pub fn only(&self, addresses: impl IntoIterator<Item = u64>) -> Symbols {
        let found = addresses.into_iter().filter_map(|address| self.at(address));
        sorted(found.map(|(symbol, _)| symbol.clone()).collect())
    }

    /// Returns them as frames take them.
    pub fn messages(&self) -> impl Iterator<Item = Message> + '_ {
        self.0.chunks(CHUNK).map(|chunk| Message::Symbols(chunk.to_vec()))
    }
}

fn parse(list: impl BufRead) -> std::io::Result<Symbols> {
    let mut symbols = Vec::new();
    for line in list.lines() {
        symbols.extend(symbol(&line?));
    }
    Ok(sorted(symbols))
}

/// Sorts symbols. Where several have one address the kernel lists the best one first
/// (`compare_symbols()` in its scripts/kallsyms.c): no section's mark, no weak one.
fn sorted(mut symbols: Vec<Symbol>) -> Symbols {
    symbols.sort_by_key(|symbol| symbol.address); // stable
    symbols.dedup_by_key(|symbol| symbol.address);
    Symbols(symbols)
}

/// Parses `ffffffffc0001000 t handler [irqscope]`. Code only; a reader without the privilege sees
/// zeros for addresses. Left out are marks of code and data, and labels within functions
/// (`is_mapping_symbol()` in include/linux/module_symbol.h).
fn symbol(line: &str) -> Option<Symbol> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
    let name = words.next().filter(|name| !MARKS.iter().any(|mark| name.starts_with(mark)))?;
    let name = match words.next() {
        Some(module) => format!("{name} {module}"),
        None => name.to_owned(),
    };
    (is_code && address != 0).then_some(Symbol { address, name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Frame, MAX_FRAME_BYTES, encode};

    const LIST: &str = "\
0000000000000000 A fixed_percpu_data
ffffffff81000000 T startup_64
ffffffff81000000 T _stext
ffffffffc0001040 t $x\t[irqscope]
ffffffffc0001040 t handler\t[irqscope]
ffffffffc0001044 t .L63\t[irqscope]
ffffffff81e00000 T __do_softirq
ffffffff81e00000 T __softirqentry_text_start
ffffffff82000000 D init_task
ffffffffc0001000 t thread_fn\t[irqscope]
";

    #[test]
    fn functions_come_in_order_of_address_with_their_modules() {
        let symbols = parse(LIST.as_bytes()).unwrap();
        let names: Vec<&str> = symbols.0.iter().map(|symbol| &*symbol.name).collect();
        let expected = ["startup_64", "__do_softirq", "thread_fn [irqscope]", "handler [irqscope]"];
        assert_eq!(names, expected);
        let (handler, offset) = symbols.at(0xffffffffc0001048).unwrap();
        assert_eq!((&*handler.name, offset), ("handler [irqscope]", 8));
        assert_eq!(symbols.address_of("startup_64"), Some(0xffffffff81000000));
        assert_eq!(symbols.address_of("handler"), None);
    }

    #[test]
    fn only_the_symbols_that_were_met_are_kept_once() {
        let symbols = parse(LIST.as_bytes()).unwrap();
        let met = symbols.only([0xffffffff81e00010, 0x1000, 0xffffffff81e00020]);
        assert_eq!(met.0.len(), 1);
        assert_eq!(met.0[0].name, "__do_softirq");
    }

    #[test]
    fn hidden_addresses_are_told_with_their_remedy() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("proc")).unwrap();
        let hidden = "0000000000000000 T startup_64\n";
        std::fs::write(root.path().join("proc/kallsyms"), hidden).unwrap();
        let error = Symbols::read(root.path()).unwrap_err();
        assert!(matches!(error, Error::NoSymbols), "{error}");
        assert!(error.remedy().contains("kptr_restrict"));
    }

    #[test]
    fn the_longest_names_fit_into_frames() {
        let long = |n: usize| Symbol { address: u64::MAX - n as u64, name: "x".repeat(600) };
        let symbols = sorted((0..3 * CHUNK + 1).map(long).collect());
        let mut count = 0;
        for message in symbols.messages() {
            assert!(encode(&Frame { number: 0, message }).unwrap().len() < MAX_FRAME_BYTES);
            count += 1;
        }
        assert_eq!(count, 4);
    }
}
