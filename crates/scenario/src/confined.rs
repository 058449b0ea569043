// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios of strangers: text that came over a network. Nothing in one may name a file, a command, an
//! address or a device of this machine, whether it exists or not: only guests of the twin with kernels by
//! their names are measured. It is checked before anything of the text is looked up.

use toml::{Table, Value};

use crate::{KernelName, KernelSource, ScenarioFile};

/// Keys that say what happens in a guest, and reach nothing else.
const KEYS: [&str; 25] = [
    "version",
    "about",
    "rig",
    "kernels",
    "boot",
    "states",
    "stages",
    "views",
    "observer-effect",
    "explain",
    "explain-effect",
    "trigger",
    "bench",
    "idle-states",
    "priority",
    "state",
    "sysctl",
    "sweep",
    "devices",
    "twin",
    "test",
    "faults",
    "locks",
    "execution",
    "compensate",
];

/// Why text of strangers is not taken.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unconfined {
    #[error("`{0}` may reach beyond a guest, and is taken on the command line only")]
    Key(String),
    #[error("only rig \"twin\" is measured on, whose guests reach nothing: found `{0}`")]
    Rig(String),
    #[error("kernel `{0}` is named by files or commits, which are taken on the command line only")]
    Kernel(String),
}

/// Checks that a scenario stays in guests. Text that is no TOML passes: it has no keys, and
/// resolving it says what is wrong and where.
///
/// # Errors
/// The first thing that does not.
pub fn confined(file: &ScenarioFile) -> Result<(), Unconfined> {
    let Ok(table) = file.text.parse::<Table>() else { return Ok(()) };
    for (key, value) in &table {
        if !KEYS.contains(&key.as_str()) {
            return Err(Unconfined::Key(key.clone()));
        }
        match (key.as_str(), value) {
            ("rig", Value::String(rig)) if rig != "twin" => {
                return Err(Unconfined::Rig(rig.clone()));
            }
            ("kernels", Value::Array(all)) => all.iter().try_for_each(known)?,
            _ => {}
        }
    }
    Ok(())
}

fn known(kernel: &Value) -> Result<(), Unconfined> {
    let Value::String(text) = kernel else { return Ok(()) };
    match KernelName::parse(text).map(|name| name.source) {
        Ok(KernelSource::Known(_)) => Ok(()),
        _ => Err(Unconfined::Kernel(text.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), Unconfined> {
        confined(&ScenarioFile::new("own", "own.toml", text))
    }

    #[test]
    fn what_reaches_beyond_a_guest_is_refused_by_its_key() {
        for text in [
            "[load.x]\ncommand = \"./x\"",
            "load.x.files = [\"/etc/shadow\"]",
            "modules = [\"../driver\"]",
            "[ssh]\nhost = \"x\"",
            "[vm]\nmemory = 9",
            "[board]\naddress = \"serial:///dev/ttyS0\"",
            "[axes]\nlevel = [\"a\"]",
            "new-key = 1",
        ] {
            assert!(matches!(check(text), Err(Unconfined::Key(_))), "{text}");
        }
        for rig in ["local", "ssh", "vm", "board"] {
            assert_eq!(check(&format!("rig = \"{rig}\"")), Err(Unconfined::Rig(rig.into())));
        }
        for kernel in ["/src/linux", "x=~/src", "git:/src/linux@v6.1", "a.deb", "image:a,modules:b"]
        {
            let refused = check(&format!("kernels = [\"6.1\", \"{kernel}\"]"));
            assert_eq!(refused, Err(Unconfined::Kernel(kernel.into())));
        }
    }

    #[test]
    fn what_stays_in_a_guest_passes_and_so_does_what_is_no_toml() {
        for text in ["rig = \"twin\"\nkernels = [\"6.1-rt\"]\n[trigger]\ncount = 5", "rig = \"", ""]
        {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }
}
