// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The secrets that this host shares with generators: in files that addresses name, or in the
//! environment. A command line shows an address to every user of the machine, so it has none.

use std::path::Path;

use irqscope_wire::secret::Secret;

use super::error::{GeneratorError, Result};

/// The variable with the secret of a generator whose address names no file.
pub(crate) const SECRET_VARIABLE: &str = "IRQSCOPE_SECRET";

/// Reads the secret of a file; else that of the environment, if there is one.
pub(super) fn find(file: Option<&Path>) -> Result<Option<Secret>> {
    let (place, text) = match file {
        Some(path) => (path.display().to_string(), std::fs::read_to_string(path)),
        None => match std::env::var(SECRET_VARIABLE) {
            Ok(text) => (SECRET_VARIABLE.to_owned(), Ok(text)),
            Err(_) => return Ok(None),
        },
    };
    let unusable = |why| GeneratorError::UnusableSecret { place, why };
    let secret = text.map_err(|error| error.to_string());
    let secret = secret.and_then(|text| Secret::new(&text).map_err(|error| error.to_string()));
    secret.map(Some).map_err(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_no_secret_is_named_with_the_reason() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        std::fs::write(path, "too short\n").unwrap();
        let short = find(Some(path)).unwrap_err().to_string();
        assert!(short.contains(&path.display().to_string()) && short.contains("9 char"), "{short}");
        std::fs::write(path, "correct horse battery\n").unwrap();
        assert_eq!(find(Some(path)).unwrap(), Secret::new("correct horse battery").ok());
        let absent = find(Some(Path::new("/nowhere/secret"))).unwrap_err().to_string();
        assert!(absent.contains("/nowhere/secret"), "{absent}");
    }
}
