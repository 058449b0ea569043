// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[delayed-locking]`: what a scenario asks of a kernel that has it.

use irqscope_wire::{LockMode, LockPolicy, ShortPeriod};

use super::Named;

/// Each case once for each mode, in this order.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LocksText {
    pub modes: Vec<Named<LockMode>>,
    pub policy: Option<Named<LockPolicy>>,
    pub max_refusals: Option<u32>,
    pub short_period: Option<Named<ShortPeriod>>,
}
