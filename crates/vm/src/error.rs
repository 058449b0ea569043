// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why the generator cannot work.

use std::path::PathBuf;

use irqscope_generator::server::ServerError;
use irqscope_generator::words::Broken;

/// Errors of the doorbell and its generator.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot {what}: {source}")]
    System { what: &'static str, source: std::io::Error },
    #[error("cannot listen on {}: {source}; name a path that may be made and is not there", path.display())]
    Socket { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Broken(#[from] Broken),
}

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Names what was tried when a system call fails.
pub(crate) trait Trying<T> {
    fn trying(self, what: &'static str) -> Result<T>;
}

impl<T, E: Into<std::io::Error>> Trying<T> for std::result::Result<T, E> {
    fn trying(self, what: &'static str) -> Result<T> {
        self.map_err(|error| Error::System { what, source: error.into() })
    }
}
