// SPDX-License-Identifier: Apache-2.0 OR MIT
//! System states: the ones that every scenario knows, and a scenario's own.

use irqscope_wire::{Load, SystemState};

use crate::raw::Text;

/// States that every scenario knows.
const STATES: [(&str, &[Load]); 11] = [
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
];

/// Returns the loads of a state; none if there is no such state.
pub(crate) fn loads(text: &Text, name: &str) -> Option<Vec<Load>> {
    match text.state.get(name) {
        Some(own) => Some(own.loads.iter().map(|load| load.0).collect()),
        None => STATES.iter().find(|(known, _)| *known == name).map(|(_, loads)| loads.to_vec()),
    }
}

/// Returns the names of all states that a scenario may ask for.
pub(crate) fn names(text: &Text) -> Vec<&str> {
    STATES.iter().map(|state| state.0).chain(text.state.keys().map(String::as_str)).collect()
}

/// Returns the states of a scenario's cases.
pub(crate) fn of(text: &Text) -> Vec<SystemState> {
    let state = |name: &String| SystemState {
        name: name.clone(),
        loads: loads(text, name).unwrap_or_default(), // was checked
        hog: text.state.get(name).and_then(|own| own.hog).map(|priority| priority.0),
    };
    text.states.iter().map(state).collect()
}
