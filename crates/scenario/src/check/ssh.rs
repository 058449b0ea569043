// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The way to the target of rig `ssh`: what of a file is passed to ssh without being asked for on
//! the command line.
//!
//! ssh runs programs by many of its options (ProxyCommand, LocalCommand, `Match exec`,
//! PKCS11Provider), reads more options from files (-F, Include) and writes others
//! (UserKnownHostsFile). Hence there is a list of those that do none of it, and no list of the
//! dangerous ones, which grows with every version of ssh.

use super::{Flaws, Rule};
use crate::raw::Text;

/// Flags of ssh without a value.
const FLAGS: [&str; 5] = ["-4", "-6", "-C", "-q", "-v"];
/// Flags of ssh with one.
const VALUED: [&str; 6] = ["-b", "-c", "-i", "-l", "-m", "-p"];
/// Keys of `-o`, in lower case.
const KEYS: [&str; 26] = [
    "addressfamily",
    "bindaddress",
    "bindinterface",
    "casignaturealgorithms",
    "ciphers",
    "compression",
    "connectionattempts",
    "connecttimeout",
    "hostkeyalgorithms",
    "hostkeyalias",
    "identitiesonly",
    "identityfile",
    "ipqos",
    "kexalgorithms",
    "loglevel",
    "macs",
    "passwordauthentication",
    "port",
    "preferredauthentications",
    "pubkeyacceptedalgorithms",
    "pubkeyauthentication",
    "rekeylimit",
    "requiredrsasize",
    "serveralivecountmax",
    "serveraliveinterval",
    "user",
];

pub(super) fn check(text: &Text, flaws: &mut Flaws<'_>) {
    if flaws.table.allows_ssh_options() {
        return;
    }
    let host = &text.ssh.host;
    let asked = flaws.table.is_option("ssh.host");
    flaws.when(!asked && !is_host(host), "ssh.host", Rule::SshHost);
    if flaws.table.is_option("ssh.options") {
        return;
    }
    if let Some(word) = first_other(&text.ssh.options) {
        flaws.add("ssh.options", Rule::SshOption(word.to_owned()));
    }
}

/// Returns the first word that is not known to be harmless.
fn first_other(options: &[String]) -> Option<&str> {
    let mut words = options.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let flag = word.get(..2).unwrap_or(word);
        let mut value = || match word.get(2..).unwrap_or_default() {
            "" => words.next().unwrap_or_default(),
            value => value,
        };
        let is_harmless = match flag {
            _ if FLAGS.contains(&word) => true,
            "-F" => value() == "none",
            "-o" => is_harmless_key(value()),
            flag if VALUED.contains(&flag) => is_value(value()),
            _ => false,
        };
        if !is_harmless {
            return Some(word);
        }
    }
    None
}

fn is_harmless_key(option: &str) -> bool {
    let (key, value) = option.split_once('=').unwrap_or((option, ""));
    is_value(value) && KEYS.contains(&key.to_ascii_lowercase().as_str())
}

fn is_host(text: &str) -> bool {
    is_plain(text) && !text.starts_with('-')
}

fn is_value(text: &str) -> bool {
    is_plain(text) && !text.is_empty()
}

/// Returns whether neither a shell nor ssh makes anything else of a text: a host and a user
/// become part of commands in users' own configurations.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "._-+@:/,[]~=^".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(words: &[&str]) -> Option<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        first_other(&words).map(str::to_owned)
    }

    #[test]
    fn options_that_only_lead_to_the_target_are_harmless() {
        for words in [
            &[][..],
            &["-p", "2222", "-i", "~/.ssh/board", "-4", "-F", "none"],
            &[
                "-p2222",
                "-Fnone",
                "-oPort=22",
                "-o",
                "ConnectTimeout=5",
                "-o",
                "identitiesonly=yes",
            ],
        ] {
            assert_eq!(other(words), None, "{words:?}");
        }
    }

    #[test]
    fn options_that_run_or_read_or_write_anything_are_found() {
        for words in [
            &["-o", "ProxyCommand=touch x"][..],
            &["-oproxycommand=x"],
            &["-o", "ProxyCommand touch"],
            &["-o", "LocalCommand=x", "-o", "PermitLocalCommand=yes"],
            &["-o", "KnownHostsCommand=x"],
            &["-o", "Match exec x"],
            &["-o", "Include=x"],
            &["-o", "PKCS11Provider=x"],
            &["-o", "UserKnownHostsFile=x"],
            &["-o", "StrictHostKeyChecking=no"],
            &["-o", "Port=22\nProxyCommand=x"],
            &["-o", "User=$(x)"],
            &["-F", "x"],
            &["-Fx"],
            &["-F"],
            &["-i"],
            &["-o"],
            &["-4oProxyCommand=x"],
            &["-J", "x"],
            &["-w", "0"],
            &["-I", "x"],
            &["-E", "x"],
            &["host"],
            &["--"],
            &["-S", "x"],
            &["-é"],
        ] {
            assert!(other(&[&["-p", "22"], words].concat()).is_some(), "{words:?}");
        }
    }
}
