// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hosts that a generator serves: all, or those that know its secret.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use irqscope_wire::secret::Secret;
use irqscope_wire::{Challenge, GeneratorHello, Message, Proof};

use super::ServerError;
use crate::Source;

/// Reads the secret that a generator's command line names by its file.
///
/// # Errors
/// The file cannot be read, or is too short for a secret.
pub fn read_secret(path: &Path) -> Result<Secret, ServerError> {
    let unusable = |why| ServerError::Secret { path: path.display().to_string(), why };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    Secret::new(&text).map_err(|error| unusable(error.to_string()))
}

/// Draws a secret, as text: for the program that has started a generator, and no other one.
///
/// # Errors
/// There are no random bytes.
pub fn new_secret() -> io::Result<String> {
    Ok(random()?.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[derive(Debug)]
pub struct Guard {
    hello: GeneratorHello,
    secret: Option<Secret>,
}

impl Guard {
    pub fn new(source: &Source, secret: Option<Secret>) -> Self {
        Self { hello: source.hello().clone(), secret }
    }

    /// Returns the hello of a new connection; with a secret it has a challenge of its own.
    pub fn hello(&self) -> io::Result<(Message, Option<Challenge>)> {
        let challenge = self.secret.as_ref().map(|_| random()).transpose()?;
        let hello = GeneratorHello { challenge, ..self.hello.clone() };
        Ok((Message::GeneratorHello(hello), challenge))
    }

    /// Judges the proof in a host's hello.
    pub fn admits(&self, challenge: Option<Challenge>, proof: Option<Proof>) -> bool {
        let Some(secret) = &self.secret else { return true };
        let given = challenge.as_ref().zip(proof.as_ref());
        given.is_some_and(|(challenge, proof)| secret.accepts(challenge, proof))
    }
}

/// Returns a number that no other connection has, and that cannot be guessed.
fn random() -> io::Result<Challenge> {
    let mut challenge = Challenge::default();
    File::open("/dev/urandom")?.read_exact(&mut challenge)?;
    Ok(challenge)
}
