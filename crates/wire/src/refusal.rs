// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a generator did not do as it was asked, each with its limit or remedy.

use serde::{Deserialize, Serialize};

use crate::Setting;

#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    #[error("{setting} {asked} is out of range: {lowest} to {highest} {}", setting.unit())]
    OutOfRange { setting: Setting, asked: u64, lowest: u64, highest: u64 },
    #[error("{setting} decides a whole run and one is active: stop it first")]
    RunActive { setting: Setting },
    #[error("a run is active: stop it before you start another")]
    AlreadyStarted,
    #[error("this generator cannot see the target arm its interrupt: start now instead")]
    CannotSeeArming,
    #[error("this generator sees lines change, not for how long they are high: set no pulses")]
    CannotSeePulses,
    #[error("the frame of {bytes} bytes was garbled (framing, checksum or content): send it again")]
    Garbled { bytes: u32 },
    #[error("the frame was longer than {limit} bytes, the limit")]
    Oversized { limit: u32 },
    #[error("frame {number} came where {expected} was due: lost or replayed, and not executed")]
    OutOfSequence { number: u64, expected: u64 },
    #[error("protocol {theirs} is not spoken here, only {ours}: use programs of one version")]
    OtherProtocol { theirs: u16, ours: u16 },
    #[error("a host speaks first with a hello; this was none")]
    NoHello,
    #[error("a host sends a hello and commands, nothing else")]
    NoCommand,
    #[error("another host is connected; one at a time")]
    OtherHost,
    #[error("this generator's interrupt line rests low: its trigger is a rising edge")]
    CannotInvert,
    #[error("this generator has no lines to wire its trigger to: it is not calibrated")]
    CannotCalibrate,
}
