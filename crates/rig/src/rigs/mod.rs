// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rigs, one file each: how a target is reached and triggered.

pub mod local;
pub(crate) mod real;
pub mod ssh;
pub mod twin;
pub mod vm;
