// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The page: built in, or in a directory for those who work on it.

use std::fs;
use std::path::PathBuf;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use include_dir::{Dir, include_dir};
use irqscope_report::{case_colour, stage_colour};
use irqscope_wire::Stage;
use sha2::{Digest, Sha256};

use crate::ServeError;
use crate::api_error::ApiError;

static BUILT_IN: Dir<'_> = include_dir!("$OUT_DIR/page");
const INDEX: &str = "index.html";
/// Colours of cases before they repeat.
pub const CASES: usize = 8;

/// The page's files.
#[derive(Clone, Debug)]
pub enum Page {
    /// Those in this program.
    BuiltIn,
    /// Those in a directory, for work on the page.
    Directory(PathBuf),
}

impl Page {
    /// Checks that the page can be served.
    ///
    /// # Errors
    /// There is none, and what to do about it.
    pub fn check(&self) -> Result<(), ServeError> {
        match self {
            Self::BuiltIn if BUILT_IN.contains(INDEX) => Ok(()),
            Self::BuiltIn => Err(ServeError::NoPage),
            Self::Directory(dir) if dir.join(INDEX).is_file() => Ok(()),
            Self::Directory(dir) => Err(ServeError::NoPageIn(dir.clone())),
        }
    }

    /// Returns a file of the page by the path of a URL.
    pub fn get(&self, path: &str, headers: &HeaderMap) -> Response {
        let name = match path.trim_start_matches('/') {
            "" => INDEX,
            name => name,
        };
        if name == "stages.css" {
            return answer(name, colours().into_bytes(), headers);
        }
        match self.read(name) {
            Some(content) => answer(name, content, headers),
            None => {
                ApiError::not_found("not_found", "there is nothing at this address").into_response()
            }
        }
    }

    /// Names with a step up, or anything that is not plain, are refused.
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let plain = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if !name.split('/').all(plain) {
            return None;
        }
        match self {
            Self::BuiltIn => BUILT_IN.get_file(name).map(|file| file.contents().to_vec()),
            Self::Directory(dir) => fs::read(dir.join(name)).ok(),
        }
    }
}

fn answer(name: &str, content: Vec<u8>, headers: &HeaderMap) -> Response {
    let digest = Sha256::digest(&content);
    let tag: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let known =
        headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    let kind = match kind.type_().as_str() {
        "text" => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    };
    let head = [
        (header::CONTENT_TYPE, kind),
        (header::ETAG, tag),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
    ];
    match known {
        true => (StatusCode::NOT_MODIFIED, head).into_response(),
        false => (head, content).into_response(),
    }
}

/// Writes the report's colours, as the style sheet takes them.
fn colours() -> String {
    let stage = |stage: &Stage| {
        format!("  --stage-{}: {};\n", stage.name().replace('_', "-"), stage_colour(*stage))
    };
    let case = |index| format!("  --case-{index}: {};\n", case_colour(index));
    let stages: String = Stage::ALL.iter().map(stage).collect();
    let cases: String = (0..CASES).map(case).collect();
    format!(":root {{\n{stages}{cases}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_its_colour() {
        let css = colours();
        assert!(css.contains("--stage-tasklet-hi: #009e73;") && css.contains("--case-7: "));
        assert_eq!(css.matches("--stage-").count(), Stage::COUNT);
    }

    #[test]
    fn a_directory_gives_its_own_files_only() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(INDEX), "page").unwrap();
        fs::write(dir.path().join(".secret"), "no").unwrap();
        let page = Page::Directory(dir.path().to_owned());
        assert!(page.check().is_ok());
        assert!(page.read(INDEX).is_some());
        for bad in [".secret", "../index.html", "a/../index.html", "", "/etc/passwd", "a%2f", "x\0"]
        {
            assert!(page.read(bad).is_none(), "{bad:?}");
        }
        let none = Page::Directory(dir.path().join("none"));
        assert!(matches!(none.check(), Err(ServeError::NoPageIn(_))));
    }
}
