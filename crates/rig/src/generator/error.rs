// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors between a host and its generator.

use std::io;
use std::path::{Path, PathBuf};

use irqscope_wire::{PROTOCOL, Refusal};

use super::secret::SECRET_VARIABLE;

pub(crate) type Result<T, E = GeneratorError> = std::result::Result<T, E>;

/// Errors between a host and its generator.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    #[error(
        "`{address}` is no address of a generator\n  remedy: write HOST:PORT, tcp://HOST:PORT or \
         serial:///dev/ttyACM0 (?baud=N where the image has another speed, ?secret-file=FILE \
         where the generator has a secret)"
    )]
    WrongAddress { address: String },
    #[error("a serial line has no speed of {baud} baud\n  remedy: take one of {known}")]
    Speed { baud: u32, known: String },
    #[error("cannot use {} as a serial line: {source}\n  remedy: {remedy}", path.display())]
    Unusable { path: PathBuf, source: io::Error, remedy: &'static str },
    #[error(
        "{} at {address}\n  remedy: check that the board has power and irqscope's image, that \
         its pins 1 and 2 lead to the adapter's input and output, and the speed (?baud=N)",
        if *.heard { "something speaks, but no generator," } else { "nobody answers" }
    )]
    NoAnswer { address: String, heard: bool },
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
         use programs of one version; a board's image is replaced by: irqscope generator flash"
    )]
    OtherProtocol { address: String, theirs: u16 },
    #[error(
        "the generator at {address} serves another host, and one at a time\n  remedy: end the \
         other one, or wait for it"
    )]
    Busy { address: String },
    #[error(
        "the generator at {address} has a secret, and serves only hosts that know it\n  remedy: \
         put the secret into a file that you alone can read and name it with the address, \
         tcp://HOST:PORT?secret-file=FILE, or set {SECRET_VARIABLE}"
    )]
    NeedsSecret { address: String },
    #[error(
        "the generator at {address} has another secret\n  remedy: give the one that the \
         generator was started with, by ?secret-file=FILE or {SECRET_VARIABLE}"
    )]
    WrongSecret { address: String },
    #[error(
        "cannot use the secret in {place}: {why}\n  remedy: copy the generator's secret there, \
         for you alone to read"
    )]
    UnusableSecret { place: String, why: String },
    /// It stays as it was. The text names the limit.
    #[error("the generator refuses: {0}")]
    Refused(Refusal),
    #[error("the generator cannot work: {what}\n  remedy: {remedy}")]
    Failed { what: String, remedy: String },
    /// [`super::Client::reconnect`] may find it again.
    #[error("the generator at {address} was lost: {what}")]
    Lost { address: String, what: String },
    #[error(
        "what answers at {address} sent more than {mebibytes} MiB that nothing had asked for\n  \
         remedy: give the address of a generator that you trust"
    )]
    Flooded { address: String, mebibytes: usize },
    #[error(
        "the generator at {address} is not the one of before: it was started anew, and its run \
         is lost"
    )]
    Anew { address: String },
    #[error("interrupted")]
    Interrupted,
}

impl GeneratorError {
    /// Returns whether it may be different a moment later.
    pub(super) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Unusable { .. }
                | Self::NoAnswer { .. }
                | Self::Busy { .. }
                | Self::Lost { .. }
        )
    }

    /// Makes the error for a terminal device that cannot be one of ours.
    pub(super) fn unusable(path: &Path, source: io::Error) -> Self {
        let remedy = match source.kind() {
            io::ErrorKind::NotFound => {
                "plug the board in; irqscope generator list shows where it is"
            }
            io::ErrorKind::PermissionDenied => {
                "join the group that owns it, and log in anew: sudo usermod -aG dialout $USER"
            }
            _ => "give a terminal device; irqscope generator list shows where the board is",
        };
        Self::Unusable { path: path.to_owned(), source, remedy }
    }
}
