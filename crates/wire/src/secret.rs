// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A secret that a generator shares with its hosts, and the proof of a host that it knows it: the
//! secret itself is never sent.
//!
//! The proof is HMAC-SHA-256 (RFC 2104) of a challenge that is new for each connection. It keeps
//! others from being the host; it neither hides nor protects what is sent afterwards.

use alloc::vec::Vec;
use core::fmt;

use sha2::{Digest, Sha256};

use crate::{Challenge, Proof};

/// Characters of a secret, at least.
pub const SHORTEST_SECRET: usize = 16;
/// A command that makes a secret.
pub const SECRET_RECIPE: &str = "(umask 077; head -c 24 /dev/urandom | base64 >FILE)";

/// The bytes of a block of SHA-256.
const BLOCK: usize = 64;
/// Goes before the challenge, so that a proof is good for nothing else.
const PURPOSE: &[u8] = b"irqscope host\0";

/// A text that a generator and its hosts know.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

/// The error where a text is too short for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret has {0} characters, fewer than {SHORTEST_SECRET}; make one: {SECRET_RECIPE}")]
pub struct ShortSecret(pub usize);

impl Secret {
    /// Takes a secret as a file or a variable has it; white space around it does not count.
    ///
    /// # Errors
    /// It is shorter than [`SHORTEST_SECRET`].
    pub fn new(text: &str) -> Result<Self, ShortSecret> {
        let text = text.trim();
        match text.chars().count() {
            length if length < SHORTEST_SECRET => Err(ShortSecret(length)),
            _ => Ok(Self(text.as_bytes().to_vec())),
        }
    }

    /// Returns the proof that is good for this challenge alone.
    #[must_use]
    pub fn proof(&self, challenge: &Challenge) -> Proof {
        hmac(&self.0, &[PURPOSE, challenge])
    }

    /// Judges a proof, in a time that says nothing about how much of it is right.
    #[must_use]
    pub fn accepts(&self, challenge: &Challenge, given: &Proof) -> bool {
        let right = self.proof(challenge);
        let differ = right.iter().zip(given).fold(0, |differ, (a, b)| differ | (a ^ b));
        core::hint::black_box(differ) == 0
    }
}

/// Shows nothing of it.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> Proof {
    let mut block = [0; BLOCK];
    match key.len() {
        0..=BLOCK => block[..key.len()].copy_from_slice(key),
        _ => block[..32].copy_from_slice(&Sha256::digest(key)),
    }
    let mut inner = Sha256::new_with_prefix(block.map(|byte| byte ^ 0x36));
    parts.iter().for_each(|part| inner.update(part));
    let mut outer = Sha256::new_with_prefix(block.map(|byte| byte ^ 0x5c));
    outer.update(inner.finalize());
    outer.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 4231, cases 1, 2 and 6.
    #[test]
    fn the_proof_is_hmac_sha_256() {
        for (key, text, expected) in [
            (
                vec![0x0b; 20],
                "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe".to_vec(),
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 131],
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac(&key, &[text.as_bytes()])), expected);
        }
    }

    #[test]
    fn a_proof_is_good_for_its_secret_and_its_challenge_alone() {
        let ours = Secret::new("correct horse battery\n").unwrap();
        assert_eq!(ours, Secret::new("  correct horse battery").unwrap());
        let theirs = Secret::new("correct horse batterx").unwrap();
        let (first, second) = ([1; 16], [2; 16]);
        assert!(ours.accepts(&first, &ours.proof(&first)));
        assert!(!ours.accepts(&second, &ours.proof(&first)));
        assert!(!ours.accepts(&first, &theirs.proof(&first)));
        for bit in 0..256 {
            let mut proof = ours.proof(&first);
            proof[bit / 8] ^= 1 << (bit % 8);
            assert!(!ours.accepts(&first, &proof), "bit {bit}");
        }
    }

    #[test]
    fn a_short_secret_is_refused_and_none_is_shown() {
        let error = Secret::new("fifteen chars..").unwrap_err();
        assert_eq!(error, ShortSecret(15));
        assert!(error.to_string().contains(SECRET_RECIPE));
        let shown = format!("{:?}", Secret::new("correct horse battery").unwrap());
        assert!(!shown.contains("horse"), "{shown}");
    }
}
