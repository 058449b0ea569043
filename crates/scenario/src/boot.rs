// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernel parameters: which a scenario may give a kernel that is booted, and whether a kernel has
//! them.

/// The longest text, well below the shortest command line that kernels take (2048 bytes).
pub(crate) const LONGEST: usize = 1024;

/// Parameters that the rig sets or depends on, and why a scenario cannot.
const OWNED: [(&[&str], &str); 8] = [
    (
        &["console", "earlycon", "earlyprintk", "keep_bootcon"],
        "the rig reads the kernel's log from its own console",
    ),
    (
        &["quiet", "debug", "loglevel", "ignore_loglevel"],
        "a console that says less hides complaints, and one that says more takes time",
    ),
    (&["panic", "oops", "reboot"], "a guest that fails has to end, so that the rig sees it"),
    (
        &["init", "rdinit", "initrd", "noinitrd", "root", "rootwait", "ro", "rw"],
        "the rig's own image has the agent as first process",
    ),
    (&["nokaslr", "kaslr"], "addresses have to be the same in each boot"),
    (
        &["tsc", "clocksource", "notsc", "no_timer_check"],
        "the clock is the rig's, and its figures depend on it",
    ),
    (&["random.trust_cpu", "random.trust_bootloader"], "a guest must not wait for entropy"),
    (&["net.ifnames"], "the rig sets it"),
];

/// Why a text is no kernel parameters of a scenario.
#[allow(missing_docs, reason = "each message says what is wrong")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BootError {
    #[error("{0:?} is no kernel parameter: they have printable ASCII characters without quotes")]
    Character(String),
    #[error("kernel parameters have at most {LONGEST} characters")]
    Length,
    #[error("`--` ends the kernel's parameters, and the rest would be the agent's: leave it out")]
    End,
    #[error("`{name}` is the rig's own: {why}; leave it out")]
    Owned { name: String, why: &'static str },
}

/// Checks kernel parameters that are separated by white space.
///
/// # Errors
/// The first of them that cannot be one.
pub(crate) fn check(text: &str) -> Result<(), BootError> {
    let wrong = |c: char| !(c == ' ' || c.is_ascii_graphic()) || matches!(c, '"' | '\'' | '\\');
    if text.chars().any(wrong) {
        return Err(BootError::Character(text.to_owned()));
    }
    if text.len() > LONGEST {
        return Err(BootError::Length);
    }
    text.split(' ').filter(|word| !word.is_empty()).try_for_each(word)
}

fn word(word: &str) -> Result<(), BootError> {
    if word == "--" {
        return Err(BootError::End);
    }
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    if name.is_empty() {
        return Err(BootError::Character(word.to_owned()));
    }
    // The kernel takes both for the same character.
    let plain = name.replace('-', "_");
    match OWNED.iter().find(|(names, _)| names.contains(&plain.as_str())) {
        Some((_, why)) => Err(BootError::Owned { name: name.to_owned(), why }),
        None => Ok(()),
    }
}

/// Returns texts of parameters as one, with one space between two words.
pub(crate) fn joined<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let words = texts.into_iter().flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the parameters that a kernel's command line, as `/proc/cmdline` has it, lacks. They have to
/// stand there in their order: of a parameter that comes twice the kernel takes the last.
pub fn missing_parameters(boot: &str, command_line: &str) -> Vec<String> {
    let mut there = command_line.split_whitespace();
    let lacks = |word: &&str| !there.by_ref().any(|other| other == *word);
    boot.split_whitespace().filter(lacks).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_rig_owns_is_refused_by_its_name_with_the_reason() {
        for (text, name) in [
            ("threadirqs console=tty0", "console"),
            ("panic=5", "panic"),
            ("nokaslr", "nokaslr"),
            ("rdinit=/bin/sh", "rdinit"),
            ("initrd=0x1,2", "initrd"),
            ("random.trust-cpu=off", "random.trust-cpu"),
        ] {
            let error = check(text).unwrap_err();
            assert!(matches!(&error, BootError::Owned { name: found, .. } if found == name));
            assert!(error.to_string().starts_with(&format!("`{name}` is the rig's own: ")));
        }
        // Names of parameters, and no beginnings of them.
        for good in ["", "highres=off idle=poll", "preempt=full  threadirqs", "isolcpus=nohz,1"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check("console_msg_format=syslog"), Ok(()));
    }

    #[test]
    fn what_is_no_parameter_is_refused() {
        for bad in ["a\nb", "a\tb", "a=\"b c\"", "naïve", "=1", "a\0b"] {
            assert!(matches!(check(bad), Err(BootError::Character(_))), "{bad:?}");
        }
        assert_eq!(check("a -- b"), Err(BootError::End));
        assert_eq!(check(&"a".repeat(LONGEST + 1)), Err(BootError::Length));
    }

    #[test]
    fn parameters_are_looked_for_as_words_and_in_their_order() {
        let missing = |boot| missing_parameters(boot, "quiet highres=off preempt=full");
        assert!(missing("").is_empty() && missing("highres=off preempt=full").is_empty());
        assert_eq!(missing("highres=of"), ["highres=of"]);
        assert_eq!(missing("preempt=full highres=off"), ["highres=off"]);
        assert_eq!(joined(["", " a=1  b ", "c"]), "a=1 b c");
    }
}
