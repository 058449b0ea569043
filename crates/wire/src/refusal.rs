// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a generator did not do as it was asked, each with its limit or remedy.

use alloc::{format, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::Setting;

#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    #[error("{}", out_of_range(*setting, *asked, *lowest, *highest))]
    OutOfRange { setting: Setting, asked: u64, lowest: u64, highest: u64 },
    #[error("{setting} decides a whole run and one is active: stop it first")]
    RunActive { setting: Setting },
    #[error("a run is active: stop it before you start another")]
    AlreadyStarted,
    #[error("this generator cannot see the target arm its interrupt: start now instead")]
    CannotSeeArming,
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
    #[error("this generator has no lines to wire its trigger to: it is not calibrated")]
    CannotCalibrate,
    #[error("the host has no proof, or a wrong one, that it knows this generator's secret")]
    WrongSecret,
}

/// Formats the limits; of a named value, which has no range, all that are possible.
fn out_of_range(setting: Setting, asked: u64, lowest: u64, highest: u64) -> String {
    let text = |raw| setting.text_of(raw);
    if setting.descriptor().names.is_empty() {
        let unit = setting.unit().name();
        return format!("{setting} {asked} is out of range: {lowest} to {highest} {unit}");
    }
    let names: Vec<String> = (lowest..=highest.min(u64::from(u8::MAX))).map(text).collect();
    let (asked, possible) = (text(asked), names.join(" or "));
    format!("{setting} {asked} is not possible with this generator: ask for {possible}")
}
