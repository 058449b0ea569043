// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The demands of a plan on any rig.

use irqscope_wire::{Frame, Line, Message, Plan, StagePlan, encode};

use crate::error::{Result, RigError};

/// Returns the stages that a plan asks of a rig that runs nothing else.
pub(crate) fn asked(plan: &Plan) -> Result<&StagePlan> {
    plan.stages().ok_or_else(|| {
        RigError::unready(
            "a generator alone runs no benchmarks",
            "reach the target: rig = \"ssh\" or \"local\"",
        )
    })
}

/// Returns whether the parallel port takes part.
pub(crate) fn needs_parport(plan: &Plan) -> bool {
    plan.line() == Line::Parport
}

/// Encodes the plan as the agent reads it: with the name that it has where there is one seed only. The
/// agent executes more instructions for a longer name, and in the twin a load would begin later.
pub(crate) fn encoded(plan: &Plan) -> Result<Vec<u8>> {
    let frame = Frame { number: 0, message: Message::Plan(plan.without_seed_in_name().into()) };
    encode(&frame).map_err(|error| RigError::unready(error.to_string(), "shorten the scenario"))
}
