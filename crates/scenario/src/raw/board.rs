// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario's settings of a generator at an address: where it is, and which lines of the target
//! it is wired to.

use serde::Deserialize;

/// A generator at an address: all that rig `board` reaches, and what triggers a target
/// of rig `local` or `ssh` by a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Board {
    /// `HOST:PORT`, `tcp://HOST:PORT` or `serial:///dev/ttyX[?baud=N]`.
    pub address: String,
    /// None: the target's device tree names them, or it has other lines.
    pub gpio: Option<Gpio>,
}

/// The target's GPIO lines that the board is wired to, each `LABEL:OFFSET[:low]`, as
/// `irqscope_gpio.ko` takes them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gpio {
    /// The line that the board asserts.
    pub trigger: String,
    /// Line 0 first; 8 at most.
    pub responses: Vec<String>,
}
