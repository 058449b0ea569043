// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The subject of a watch, from the word that names it.

use std::fs;
use std::path::Path;

use crate::WatchError;
use crate::interrupts::{Line, lines};

/// Whose latencies are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Interrupts and all that follows from them.
    Interrupts {
        /// Their numbers.
        numbers: Vec<u32>,
        /// The network device whose polls belong to them; any, where none is known.
        device: Option<String>,
    },
    /// Expiries of the timers that call a function, and all that follows from them.
    Timers {
        /// The function's addresses: several may have one name.
        functions: Vec<u64>,
    },
    /// The wakeups of one thread.
    Thread(u32),
    /// The wakeups of all threads of a real-time policy.
    RealTime,
    /// All that runs on some CPUs; no chains.
    Cpus(Vec<u16>),
}

impl Subject {
    /// Returns whether chains are handed on from where they begin. Those of threads begin and end
    /// with a wakeup.
    pub fn hands_on(&self) -> bool {
        matches!(self, Subject::Interrupts { .. } | Subject::Timers { .. })
    }

    /// Understands `irq:42`, `eth0`, `timer:FUNCTION`, `thread:1234` and `rt` on the machine at
    /// `root`.
    ///
    /// # Errors
    /// There is no such interrupt, device, function or thread; the text names the nearest one.
    pub fn find(root: &Path, word: &str) -> Result<Subject, WatchError> {
        if word == "rt" {
            return Ok(Subject::RealTime);
        }
        if let Some(pid) = word.strip_prefix("thread:") {
            return thread(root, pid);
        }
        if let Some(function) = word.strip_prefix("timer:") {
            return timer(root, function);
        }
        let known = lines(root);
        if let Some(number) = word.strip_prefix("irq:") {
            return interrupt(number, &known);
        }
        device(root, word, &known)
    }
}

fn unknown(text: String) -> WatchError {
    WatchError::Unknown(text)
}

fn thread(root: &Path, pid: &str) -> Result<Subject, WatchError> {
    let number = pid.parse().ok().filter(|number| *number > 0);
    let number: u32 = number.ok_or_else(|| {
        unknown(format!("`{pid}` is no thread's number; `ps -eLo tid,comm` lists them"))
    })?;
    match root.join(format!("proc/{number}")).exists() {
        true => Ok(Subject::Thread(number)),
        false => Err(unknown(format!(
            "there is no thread {number}; `ps -eLo tid,comm` lists those that there are"
        ))),
    }
}

/// Finds the functions of a name, modules' as well.
fn timer(root: &Path, function: &str) -> Result<Subject, WatchError> {
    let list = fs::read_to_string(root.join("proc/kallsyms")).unwrap_or_default();
    let address = |line: &str| -> Option<u64> {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        (words.nth(1)? == function).then_some(address)
    };
    let functions: Vec<u64> = list.lines().filter_map(address).collect();
    if functions.is_empty() {
        return Err(unknown(format!(
            "the kernel has no function `{function}`; /proc/kallsyms lists them"
        )));
    }
    if functions.contains(&0) {
        return Err(WatchError::Rights(vec!["CAP_SYSLOG, which shows functions' addresses"]));
    }
    Ok(Subject::Timers { functions })
}

fn interrupt(number: &str, known: &[Line]) -> Result<Subject, WatchError> {
    let asked: Option<u32> = number.parse().ok();
    if let Some(number) = asked.filter(|asked| known.iter().any(|line| line.number == *asked)) {
        return Ok(Subject::Interrupts { numbers: vec![number], device: None });
    }
    let near = known.iter().min_by_key(|line| line.number.abs_diff(asked.unwrap_or(0)));
    let near = near.map_or_else(String::new, |line| {
        format!("; the nearest is irq:{}, {}", line.number, line.name)
    });
    Err(unknown(format!("no handler is installed for interrupt `{number}`{near}")))
}

/// Finds the interrupts of a network device, of a handler by its name, or of a part of one.
fn device(root: &Path, word: &str, known: &[Line]) -> Result<Subject, WatchError> {
    let mut numbers = of_network(root, word);
    let network = root.join("sys/class/net").join(word).exists();
    let named = |test: &dyn Fn(&str) -> bool| -> Vec<u32> {
        known.iter().filter(|line| line.names().any(test)).map(|line| line.number).collect()
    };
    if numbers.is_empty() {
        numbers = named(&|name| name == word);
    }
    if numbers.is_empty() {
        numbers = named(&|name| name.starts_with(word) && !word.is_empty());
    }
    numbers.retain(|number| known.iter().any(|line| line.number == *number));
    if !numbers.is_empty() {
        return Ok(Subject::Interrupts { numbers, device: network.then(|| word.to_owned()) });
    }
    if network {
        return Err(unknown(format!("network device {word} has no interrupt of its own")));
    }
    Err(unknown(format!("no device or handler is called `{word}`{}", nearest(root, word, known))))
}

/// Returns the interrupts that the bus has given to a network device, or to its parent, as with
/// virtio.
fn of_network(root: &Path, word: &str) -> Vec<u32> {
    let device = root.join("sys/class/net").join(word).join("device");
    let Ok(device) = device.canonicalize() else { return Vec::new() };
    for place in device.ancestors().take(2) {
        let listed = fs::read_dir(place.join("msi_irqs")).into_iter().flatten().flatten();
        let mut numbers: Vec<u32> = listed
            .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
            .collect();
        if numbers.is_empty() {
            let line = fs::read_to_string(place.join("irq")).unwrap_or_default();
            numbers.extend(line.trim().parse::<u32>().ok().filter(|number| *number > 0));
        }
        if !numbers.is_empty() {
            numbers.sort_unstable();
            return numbers;
        }
    }
    Vec::new()
}

fn nearest(root: &Path, word: &str, known: &[Line]) -> String {
    let networks = fs::read_dir(root.join("sys/class/net")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        networks.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.extend(known.iter().flat_map(Line::names).map(str::to_owned));
    names.retain(|name| name != "lo");
    let best = names.iter().map(|name| (strsim::jaro_winkler(name, word), name));
    match best.max_by(|(a, _), (b, _)| a.total_cmp(b)) {
        Some((likeness, name)) if likeness > 0.6 => format!("; did you mean `{name}`?"),
        _ => "; /proc/interrupts and /sys/class/net list them".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "           CPU0
 24:         38   PCI-MSI 512000-edge      ahci[0000:00:1f.2]
 27:          0   PCI-MSI 65536-edge      virtio0-input.0, shared
 28:          0   PCI-MSI 65537-edge      virtio0-output.0
LOC:     100000   Local timer interrupts
";

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let path = root.path();
        fs::create_dir_all(path.join("proc/77")).unwrap();
        fs::write(path.join("proc/interrupts"), TABLE).unwrap();
        let symbols = "ffff10 t tick\n0000 t hidden\nffff20 t tick [module]\n";
        fs::write(path.join("proc/kallsyms"), symbols).unwrap();
        let device = path.join("sys/devices/pci/virtio0");
        fs::create_dir_all(&device).unwrap();
        fs::create_dir_all(path.join("sys/devices/pci/msi_irqs")).unwrap();
        for number in ["26", "27", "28"] {
            fs::write(path.join("sys/devices/pci/msi_irqs").join(number), "msix").unwrap();
        }
        fs::create_dir_all(path.join("sys/class/net/eth0")).unwrap();
        std::os::unix::fs::symlink(&device, path.join("sys/class/net/eth0/device")).unwrap();
        root
    }

    fn numbers(word: &str) -> Vec<u32> {
        match Subject::find(tree().path(), word) {
            Ok(Subject::Interrupts { numbers, .. }) => numbers,
            other => panic!("{word}: {other:?}"),
        }
    }

    #[test]
    fn a_device_is_found_by_its_bus_a_handler_by_its_name() {
        assert_eq!(numbers("eth0"), [27, 28]);
        assert_eq!(numbers("irq:24"), [24]);
        assert_eq!(numbers("shared"), [27]);
        assert_eq!(numbers("virtio0"), [27, 28]);
        let root = tree();
        assert_eq!(Subject::find(root.path(), "thread:77").unwrap(), Subject::Thread(77));
        assert_eq!(Subject::find(root.path(), "rt").unwrap(), Subject::RealTime);
        let functions = vec![0xffff10, 0xffff20];
        assert_eq!(
            Subject::find(root.path(), "timer:tick").unwrap(),
            Subject::Timers { functions }
        );
    }

    #[test]
    fn what_is_not_there_is_answered_with_what_is_near() {
        let said = |word: &str| Subject::find(tree().path(), word).unwrap_err().to_string();
        assert!(said("eth1").contains("did you mean `eth0`?"), "{}", said("eth1"));
        assert!(said("ahic").contains("did you mean `ahci"), "{}", said("ahic"));
        assert!(said("irq:25").contains("irq:24, ahci"), "{}", said("irq:25"));
        assert!(said("irq:x").contains("nearest"));
        assert!(said("thread:78").contains("no thread 78"));
        assert!(said("thread:x").contains("ps -eLo"));
        assert!(said("timer:tock").contains("no function `tock`"));
        assert!(said("timer:hidden").contains("CAP_SYSLOG"));
    }
}
