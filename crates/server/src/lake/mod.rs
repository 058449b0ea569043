// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A lake, as the Python package reads it (docs/lake.md): a process of it answers one question after the
//! other. Delta tables are read by delta-rs, which that package wraps, and users of a lake have the package; in
//! this program delta-rs and DataFusion would be compiled for all others, too.

mod answers;
mod helper;

use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use answers::{LakeContents, LakeHistograms, LakeMaxima, LakeTrend};
use helper::Helper;
pub use helper::LakeError;

/// A lake that is asked by one page at a time.
#[derive(Debug)]
pub struct Lake {
    url: String,
    helper: Mutex<Option<Helper>>,
}

impl Lake {
    /// Opens the lake at an address, once it has answered what is in it.
    ///
    /// # Errors
    /// Python or the package is missing, or there is no lake.
    pub fn open(url: &str) -> Result<Self, LakeError> {
        let lake = Self { url: url.to_owned(), helper: Mutex::new(None) };
        let _: LakeContents = lake.ask("contents", Map::new())?;
        Ok(lake)
    }

    /// Asks, and reads the answer. A process that has ended is started anew.
    ///
    /// # Errors
    /// The lake has no answer, or the process has none.
    pub fn ask<T: DeserializeOwned>(
        &self,
        ask: &'static str,
        mut keys: Map<String, Value>,
    ) -> Result<T, LakeError> {
        keys.insert("ask".into(), ask.into());
        let mut held = self.helper.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that failed is not used again: its late answer would be taken for the next one's.
        let mut helper = match held.take() {
            Some(helper) => helper,
            None => Helper::start(&self.url)?,
        };
        let line = helper.ask(&Value::Object(keys).to_string())?;
        *held = Some(helper);
        drop(held);
        read(ask, &line)
    }
}

fn read<T: DeserializeOwned>(ask: &str, line: &str) -> Result<T, LakeError> {
    let strange = |error: serde_json::Error| LakeError::Strange(error.to_string());
    let mut answer: Map<String, Value> = serde_json::from_str(line).map_err(strange)?;
    if let Some(refused) = answer.remove("error") {
        return Err(LakeError::Refused(serde_json::from_value(refused).map_err(strange)?));
    }
    serde_json::from_value(answer.remove(ask).unwrap_or_default()).map_err(strange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_was_asked_for_or_an_error() {
        let interval = r#"{"case": "a", "since_ns": 0, "count": 1, "max_ns": 7}"#;
        let line = format!(r#"{{"maxima": {{"intervals": [{interval}]}}}}"#);
        assert_eq!(read::<LakeMaxima>("maxima", &line).unwrap().intervals[0].max_ns, 7);
        let refused = r#"{"error": {"message": "no such lake", "remedy": "make one"}}"#;
        let said = read::<LakeMaxima>("maxima", refused).unwrap_err().to_string();
        assert_eq!(said, "no such lake\n  remedy: make one");
        for strange in ["", "[]", "{}", r#"{"trend": {}}"#, r#"{"maxima": {"intervals": 3}}"#] {
            let found = read::<LakeMaxima>("maxima", strange);
            assert!(matches!(found, Err(LakeError::Strange(_))), "{strange}: {found:?}");
        }
    }
}
