// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel's configuration: tinyconfig and fragments, as the kernel itself merges
//! them, and a look at whether it took every option.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile::Make;
use super::parts::Part;
use crate::command::output;
use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;

/// Configures a tree, beginning with a target of its makefile; its release will end with `release`.
pub(super) fn configure(
    tree: &Path,
    base: &str,
    fragments: &[Part],
    release: &str,
    stop: &Stop,
) -> Result<()> {
    let own = format!("CONFIG_LOCALVERSION=\"{release}\"\n");
    let own = Part::new("release.config", own);
    let all = [fragments, &[own]].concat();
    Make::new(tree).run(base, stop)?;
    merge(tree, &all)?;
    Make::new(tree).run("olddefconfig", stop)?;
    let path = tree.join(".config");
    let taken =
        std::fs::read_to_string(&path).trying(|| format!("cannot read {}", path.display()))?;
    match first_not_taken(&all, &taken) {
        Some(lost) => Err(RigError::unready(
            format!("the kernel's configuration does not take {lost}"),
            "add to the fragment what the option depends on, or leave it out",
        )),
        None => Ok(()),
    }
}

fn merge(tree: &Path, fragments: &[Part]) -> Result<()> {
    let mut files = Vec::new();
    for (number, fragment) in fragments.iter().enumerate() {
        let file: PathBuf = tree.join(format!(".irqscope-{number}.config"));
        std::fs::write(&file, &fragment.contents)
            .trying(|| format!("cannot write {}", file.display()))?;
        files.push(file);
    }
    let mut script = Command::new("scripts/kconfig/merge_config.sh");
    script.args(["-m", ".config"]).args(files).current_dir(tree);
    output(&mut script, "make").map(drop)
}

/// The comment before an option that not every kernel has.
const OPTIONAL: &str = "# Optional:";

/// Returns `option of fragment`, where an option is not as the last fragment that has it says.
fn first_not_taken(fragments: &[Part], config: &str) -> Option<String> {
    let mut wanted = BTreeMap::new();
    for fragment in fragments {
        let text = String::from_utf8_lossy(&fragment.contents);
        let lines = text.lines().map(str::trim);
        let before = [""].into_iter().chain(lines.clone());
        for (line, _) in lines.zip(before).filter(|(_, before)| *before != OPTIONAL) {
            if let Some(option) = option(line) {
                wanted.insert(option.to_owned(), (line.to_owned(), &fragment.name));
            }
        }
    }
    let (line, name) = wanted.into_values().find(|(line, _)| !is_taken(line, config))?;
    Some(format!("{line} of {name}"))
}

/// Returns the option that a line sets or switches off.
fn option(line: &str) -> Option<&str> {
    match line.strip_prefix("# ") {
        Some(off) => off.strip_suffix(" is not set"),
        None => line.split_once('=').map(|(option, _)| option),
    }
    .filter(|option| option.starts_with("CONFIG_"))
}

/// Returns whether an option is taken; one that is off may be shown so, or not at all.
fn is_taken(line: &str, config: &str) -> bool {
    let off = line.strip_prefix("# ").and_then(|line| line.strip_suffix(" is not set"));
    match off {
        Some(option) => {
            let set = format!("{option}=");
            !config.lines().any(|line| line.starts_with(&set))
        }
        None if line.is_empty() || line.starts_with('#') => true,
        None => config.lines().any(|known| known == line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "CONFIG_SMP=y\n# CONFIG_NUMA is not set\nCONFIG_PARPORT=m\n";

    fn lost(fragment: &str) -> Option<String> {
        first_not_taken(&[Part::new("x.config", fragment)], CONFIG)
    }

    #[test]
    fn options_that_the_kernel_took_are_fine() {
        let fine = "# A reason.\n\nCONFIG_SMP=y\n# CONFIG_NUMA is not set\n\
                    # CONFIG_UNKNOWN is not set\nCONFIG_PARPORT=m\n";
        assert_eq!(lost(fine), None);
    }

    #[test]
    fn an_optional_one_need_not_be_taken_and_the_next_one_must() {
        let text = "# Optional:\nCONFIG_BASE_FULL=y\nCONFIG_NUMA=y\n";
        assert_eq!(lost(text).as_deref(), Some("CONFIG_NUMA=y of x.config"));
        assert_eq!(lost("# Optional:\nCONFIG_BASE_FULL=y\n"), None);
    }

    #[test]
    fn the_last_fragment_counts() {
        let part = |contents: &'static str| Part::new("x", contents);
        let (on, off) = (part("CONFIG_NUMA=y"), part("# CONFIG_NUMA is not set"));
        assert_eq!(first_not_taken(&[on.clone(), off.clone()], CONFIG), None);
        assert!(first_not_taken(&[off, on], CONFIG).is_some());
    }

    #[test]
    fn an_option_that_it_did_not_take_is_named() {
        assert_eq!(lost("CONFIG_NUMA=y\n").as_deref(), Some("CONFIG_NUMA=y of x.config"));
        assert_eq!(lost("CONFIG_PARPORT=y\n").as_deref(), Some("CONFIG_PARPORT=y of x.config"));
        assert_eq!(lost("CONFIG_SM=y\n").as_deref(), Some("CONFIG_SM=y of x.config"));
        let off = "# CONFIG_SMP is not set";
        assert_eq!(lost(off).as_deref(), Some("# CONFIG_SMP is not set of x.config"));
    }
}
