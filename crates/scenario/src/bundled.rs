// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scenarios that come with the program.

/// A scenario's name and the text of its file.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// Its name.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

macro_rules! scenarios {
    ($($name:literal),+ $(,)?) => {
        &[$(Bundled { name: $name, text: include_str!(concat!("../../../scenarios/", $name, ".toml")) }),+]
    };
}

/// Returns a scenario to begin with, which says what each key is for.
pub const fn template() -> &'static str {
    include_str!("template.toml")
}

/// Returns all of them, in the order in which `irqscope scenario list` shows them.
pub fn bundled() -> &'static [Bundled] {
    scenarios![
        "demo",
        "matrix",
        "machines",
        "intspect",
        "thesis",
        "observer",
        "explain-effect",
        "sleeps",
        "vm",
        "spare-cpu",
        "board",
        "knee",
        "faults",
        "lock-faults",
        "callback-faults",
        "remote-faults",
        "rt-benchmarks",
        "isolate",
        "network",
        "network-path",
        "bursts",
        "bursts-counter",
        "bursts-hog",
        "scope",
        "delayed-locking",
    ]
}
