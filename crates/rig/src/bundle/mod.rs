// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bundles: all that this program would download in one file, for a machine without a network.
//!
//! A bundle is a tar archive. Its first member is the list of its parts; each part is an entry of the
//! cache, a tar archive by itself, compressed by gzip. `wanted` finds out which entries scenarios
//! need, `pack` writes a bundle, `unpack` puts its parts into another cache.

mod pack;
mod unpack;
mod wanted;

use std::io::{self, Read, Write};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::cache::hex;

pub use pack::pack;
pub use unpack::unpack;
pub use wanted::Wanted;

/// Rises when an older version of the program cannot read a bundle:
///
/// 1. the first one.
const FORMAT: u32 = 1;
/// The first member of a bundle.
const LIST: &str = "irqscope-bundle.json";
/// The machine that the programs in a bundle run on: kernels bring those of their build.
const HOST: &str = "x86_64";
/// The kinds of entries that are downloaded. Drivers, builds and snapshots are made of these.
const KINDS: [&str; 5] = ["kernels", "qemu", "roots", "apt", "sources"];

/// The list of a bundle's parts.
#[derive(Debug, Serialize, Deserialize)]
struct List {
    format: u32,
    /// The program's version that wrote it.
    irqscope: String,
    host: String,
    parts: Vec<Part>,
}

/// An entry of the cache, as it is packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    /// Its kind and its name, `kernels/6.1`.
    name: String,
    /// The length of its archive.
    bytes: u64,
    sha256: String,
}

impl Part {
    /// Returns the name of its archive in a bundle.
    fn member(&self) -> String {
        format!("{}.tar.gz", self.name)
    }

    /// Returns whether it is an entry of a cache, and nothing that leaves it.
    fn is_known(&self) -> bool {
        let parts: Vec<_> = Path::new(&self.name).components().collect();
        match parts[..] {
            [Component::Normal(kind), Component::Normal(name)] => {
                KINDS.iter().any(|known| kind == *known) && !name.to_string_lossy().starts_with('.')
            }
            _ => false,
        }
    }
}

/// A reader or writer that computes length and digest of what passes.
struct Measured<T> {
    inner: T,
    bytes: u64,
    sha: Sha256,
}

impl<T> Measured<T> {
    fn new(inner: T) -> Self {
        Self { inner, bytes: 0, sha: Sha256::new() }
    }

    fn part(self, name: &str) -> Part {
        Part { name: name.to_owned(), bytes: self.bytes, sha256: hex(&self.sha.finalize()) }
    }

    fn add(&mut self, passed: &[u8]) {
        self.bytes += passed.len() as u64;
        self.sha.update(passed);
    }
}

impl<T: Write> Write for Measured<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Measured<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.add(&buffer[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_an_entry_of_the_cache_and_nothing_outside_it() {
        let known = |name: &str| Part { name: name.into(), bytes: 0, sha256: String::new() };
        for good in ["kernels/6.1", "apt/trixie-amd64", "sources/linux-source-6.1_6.1.192-2"] {
            assert!(known(good).is_known(), "{good}");
        }
        for bad in [
            "kernels",
            "kernels/../../x",
            "/kernels/6.1",
            "kernels/.digests",
            "drivers/x",
            "",
            "..",
        ] {
            assert!(!known(bad).is_known(), "{bad}");
        }
    }
}
