// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A case that failed beside loads of real-time priority, which leave all that is less urgent no time.

use irqscope_rig::RigError;
use irqscope_wire::{Scheduling, SystemState};

/// Adds to the error of a lost or invalid case which of its loads may have starved the rest.
pub(crate) fn name_loads(error: RigError, state: &SystemState) -> RigError {
    let Some(reason) = reason(state) else { return error };
    let and = |what: String| format!("{what}\n  {reason}");
    match error {
        RigError::Lost { what, console, tail } => RigError::Lost { what: and(what), console, tail },
        RigError::Invalid { what, remedy } => RigError::Invalid { what: and(what), remedy },
        other => other,
    }
}

fn reason(state: &SystemState) -> Option<String> {
    let loads = state.urgent_loads().into_iter();
    let loads: Vec<String> = loads
        .map(|(name, Scheduling { policy, priority })| format!("{name} ({policy} {priority})"))
        .collect();
    (!loads.is_empty()).then(|| {
        format!(
            "beside loads of real-time priority: {}. If they never sleep, kworkers, ksoftirqd, RCU's threads and \
             the agent have what real-time throttling leaves them, 5 % of the time",
            loads.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Load, Policy};

    fn lost() -> RigError {
        RigError::Lost { what: "it is gone".into(), console: None, tail: String::new() }
    }

    #[test]
    fn loads_of_real_time_priority_are_named() {
        let mut state = SystemState::of("full", vec![Load::Copy, Load::Hog]);
        let said = name_loads(lost(), &state).to_string();
        assert!(said.contains("beside loads of real-time priority: hog (fifo 40)."), "{said}");
        state.hog = Some(Scheduling { policy: Policy::Rr, priority: 2 });
        let invalid = RigError::Invalid { what: "half of it".into(), remedy: "look".into() };
        let said = name_loads(invalid, &state).to_string();
        assert!(said.contains("half of it\n  beside") && said.contains("hog (rr 2)"), "{said}");
    }

    #[test]
    fn others_are_not() {
        let state = SystemState::of("load", vec![Load::Copy, Load::Exec]);
        assert_eq!(name_loads(lost(), &state).to_string(), "it is gone");
        let state = SystemState::of("hog", vec![Load::Hog]);
        assert_eq!(name_loads(RigError::Interrupted, &state).to_string(), "interrupted");
    }
}
