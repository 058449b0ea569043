// SPDX-License-Identifier: Apache-2.0 OR MIT
//! System states: the ones that every scenario knows, and a scenario's own.

use irqscope_wire::{Load, OwnLoad, SystemState};

use crate::raw::{LoadText, StateText, Text};

/// States that every scenario knows.
const STATES: [(&str, &[Load]); 12] = [
    ("idle", &[]),
    ("one", &[Load::Busy]),
    ("many", &[Load::Busy256]),
    ("tcp", &[Load::Tcp]),
    ("copy", &[Load::Copy]),
    ("exec", &[Load::Exec]),
    ("memory", &[Load::Memory]),
    ("hog", &[Load::Hog]),
    ("hackbench", &[Load::Hackbench]),
    ("stress-ng", &[Load::StressNg]),
    ("files", &[Load::Files]),
    ("network", &[Load::Network]),
];

/// Returns a state by its name, without loads that are not there; none if there is no such state.
pub(crate) fn state(text: &Text, name: &str) -> Option<SystemState> {
    match text.state.get(name) {
        Some(own) => Some(of_text(text, name, own)),
        None => STATES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, loads)| SystemState::of(name, loads.to_vec())),
    }
}

/// Returns the names of all states that a scenario may ask for.
pub(crate) fn names(text: &Text) -> Vec<&str> {
    STATES.iter().map(|state| state.0).chain(text.state.keys().map(String::as_str)).collect()
}

/// Returns the names of all loads that a state may have.
pub(crate) fn load_names(text: &Text) -> Vec<&str> {
    Load::NAMES.iter().copied().chain(text.load.keys().map(String::as_str)).collect()
}

/// Returns the states of a scenario's cases.
pub(crate) fn of(text: &Text) -> Vec<SystemState> {
    text.states.iter().filter_map(|name| state(text, name)).collect() // all were checked
}

fn of_text(text: &Text, name: &str, state: &StateText) -> SystemState {
    let ours = state.loads.iter().filter_map(|name| name.parse().ok()).collect();
    let brought = |name: &String| text.load.get(name).map(|load| own(name, load));
    SystemState {
        hog: state.hog.map(|priority| priority.0),
        own: state.loads.iter().filter_map(brought).collect(),
        ..SystemState::of(name, ours)
    }
}

fn own(name: &str, load: &LoadText) -> OwnLoad {
    let variable = |(name, value): (&String, &String)| (name.clone(), value.clone());
    OwnLoad {
        name: name.to_owned(),
        command: command(load),
        environment: load.environment.iter().map(variable).collect(),
        count: load.count,
        cpu: load.cpu.0,
        scheduling: load.priority.map(|priority| priority.0),
        user: load.user.clone(),
        at_end: load.at_end.0,
        peer: load.peer,
        has_root: load.root.is_some(),
    }
}

/// Returns the words that the agent starts a load by.
fn command(load: &LoadText) -> Vec<String> {
    if load.calls.is_empty() {
        return load.command.0.clone();
    }
    irqscope_calls::command(&load.calls)
}
