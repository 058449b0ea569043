// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The secret that lets others than this machine in.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::ServeError;

/// 32 random bytes in hexadecimal.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Makes a random token.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn new() -> Result<Self, ServeError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| ServeError::NoRandomness(error.to_string()))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Compares in a time that does not depend on where they differ.
    pub fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }

    /// Returns it as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// It is not to be found in any log.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_only() {
        let (one, two) = (Token::new().unwrap(), Token::new().unwrap());
        assert!(one.is(one.as_str()) && !one.is(two.as_str()));
        assert!(!one.is("") && !one.is(&one.as_str()[1..]));
        assert_eq!(one.as_str().len(), 64);
        assert!(!format!("{one:?}").contains(one.as_str()));
    }
}
