// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys of a scenario that were set outside its file, on the command line or by the page.

use crate::kind::RigKind;

/// Keys with their values, in the order in which they were set; the last one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    settings: Vec<(String, String)>,
    running_kernel: Option<String>,
    ssh_options: bool,
    commands: bool,
}

impl Overrides {
    /// Sets a key to a TOML value; a text that is not one is taken as a string.
    pub fn set(&mut self, key: impl Into<String>, value: impl ToString) {
        self.settings.push((key.into(), value.to_string()));
    }

    /// Sets a key to a list of strings, unless there are none.
    pub fn set_list<T: AsRef<str>>(&mut self, key: &str, values: &[T]) {
        if !values.is_empty() {
            let list: Vec<_> = values.iter().map(AsRef::as_ref).collect();
            self.set(key, toml::Value::from(list));
        }
    }

    /// Sets a key to a string.
    pub fn set_text(&mut self, key: &str, text: &str) {
        self.set(key, toml::Value::from(text));
    }

    /// Chooses another rig than the file's.
    pub fn set_rig(&mut self, rig: RigKind) {
        self.set_text("rig", rig.name());
    }

    /// Trusts a file with options of ssh by which programs can be run.
    pub fn allow_ssh_options(&mut self) {
        self.ssh_options = true;
    }

    pub(crate) fn allows_ssh_options(&self) -> bool {
        self.ssh_options
    }

    /// Trusts a file whose commands run on this machine, or that takes files from anywhere on it.
    pub fn allow_commands(&mut self) {
        self.commands = true;
    }

    pub(crate) fn allows_commands(&self) -> bool {
        self.commands
    }

    /// Names the kernel that the target was found to run.
    pub fn found_running(&mut self, kernel: String) {
        self.running_kernel = Some(kernel);
    }

    pub(crate) fn running_kernel(&self) -> Option<&str> {
        self.running_kernel.as_deref()
    }

    pub(crate) fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns what was set, one `KEY=VALUE` each, as `irqscope run --set` takes it.
    pub fn lines(&self) -> Vec<String> {
        self.settings().map(|(key, value)| format!("{key}={value}")).collect()
    }
}
