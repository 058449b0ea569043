// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope doctor`: what this machine can do, and what spoils its figures.

use super::Done;
use crate::exit::Exit;

pub fn doctor() -> Done {
    Ok(Exit::Fine)
}
