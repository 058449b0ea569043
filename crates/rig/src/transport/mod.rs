// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reaching a real target: a shell there, what it says of itself, and the
//! session in which one case is measured.

pub(crate) mod connection;
pub(crate) mod facts;
pub(crate) mod remote_build;
pub(crate) mod session;
pub(crate) mod shell;
pub(crate) mod signing;
