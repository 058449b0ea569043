// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can go wrong between a host and its generator.

use std::io;

use irqscope_wire::{PROTOCOL, Refusal};

#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    #[error(
        "no generator can be reached at {address}: {source}\n  remedy: start it, and give the \
         address on which it listens"
    )]
    Unreachable { address: String, source: io::Error },
    #[error(
        "what answers at {address} is no generator\n  remedy: give the address of a generator of \
         this version of irqscope"
    )]
    NoGenerator { address: String },
    #[error(
        "the generator at {address} speaks protocol {theirs}, this program {PROTOCOL}\n  remedy: \
         use programs of one version"
    )]
    OtherProtocol { address: String, theirs: u16 },
    #[error(
        "the generator at {address} serves another host, and one at a time\n  remedy: end the \
         other one, or wait for it"
    )]
    Busy { address: String },
    /// It stays as it was. The text names the limit.
    #[error("the generator refuses: {0}")]
    Refused(Refusal),
    #[error("the generator cannot work: {what}\n  remedy: {remedy}")]
    Failed { what: String, remedy: String },
    /// [`super::Client::reconnect`] may find it again.
    #[error("the generator at {address} was lost: {what}")]
    Lost { address: String, what: String },
    #[error(
        "the generator at {address} is not the one of before: it was started anew, and its run \
         is lost"
    )]
    Anew { address: String },
    #[error("interrupted")]
    Interrupted,
}

impl GeneratorError {
    /// A moment later it may be different.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Busy { .. } | Self::Lost { .. })
    }
}
