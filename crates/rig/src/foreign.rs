// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The wordings of programs that are not ours, where nothing but their words distinguishes one
//! failure from another.

/// QEMU's, about a plugin that it cannot load or whose API it does not take.
const NOT_LOADED: [&str; 3] = ["ould not load plugin", "plugin ", "TCG plugin"];
/// The exit status of setpriv, as of a shell, for a program that is not there.
const NOT_FOUND: i32 = 127;

/// Returns whether a line of QEMU's says that it does not take a plugin.
pub(crate) fn plugin_is_not_loaded(line: &str) -> bool {
    NOT_LOADED.iter().any(|known| line.contains(known))
}

/// Returns whether QEMU may not open /dev/kvm.
pub(crate) fn kvm_is_forbidden(said: &str) -> bool {
    said.contains("Permission denied")
}

/// Returns whether setpriv did not find the program that it was to run.
pub(crate) fn was_not_executed(status: Option<i32>, said: &str) -> bool {
    status == Some(NOT_FOUND) || said.contains("failed to execute")
}

/// Why ssh did not connect, where the user can mend it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SshRefusal {
    UnknownHostKey,
    NoKey,
    NotInstalled,
    WrongOptions,
}

/// Returns what ssh's words say; `None`: the host was not reached.
pub(crate) fn ssh_refusal(said: &str) -> Option<SshRefusal> {
    const KNOWN: [(&str, SshRefusal); 5] = [
        ("Host key verification failed", SshRefusal::UnknownHostKey),
        ("Permission denied", SshRefusal::NoKey),
        ("failed to execute ssh", SshRefusal::NotInstalled),
        ("Bad configuration", SshRefusal::WrongOptions),
        ("unknown option", SshRefusal::WrongOptions),
    ];
    KNOWN.into_iter().find(|(words, _)| said.contains(words)).map(|(_, refusal)| refusal)
}
