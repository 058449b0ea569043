// SPDX-License-Identifier: Apache-2.0 OR MIT
//! compare.html with its figures, into a directory of their own.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use irqscope_run::RunError;

use crate::compare::Compared;
use crate::figure::{Layout, Overlay};
use crate::png::Painter;
use crate::{Result, html};

const PAGE: &str = "compare.html";
const DATA: &str = "compare.json";

/// Writes the page, the same as data, and all figures as SVG and PNG. The directory
/// must not exist.
///
/// # Errors
/// The disk's, or a drawing cannot be painted.
pub fn write_comparisons(dir: &Path, all: &[Compared<'_>], json: &str) -> Result<PathBuf> {
    fs::create_dir_all(dir.parent().unwrap_or(Path::new("")))
        .map_err(|error| RunError::io("create", dir, error))?;
    fs::create_dir(dir).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => RunError::Exists { path: dir.to_owned() },
        _ => RunError::io("create", dir, error),
    })?;
    let overlays: Vec<Vec<Overlay<'_>>> = all.iter().map(Overlay::all).collect::<Result<_>>()?;
    let page = html::comparison_page(all, &overlays);
    write(&dir.join(DATA), json.as_bytes())?;
    write(&dir.join(PAGE), page.as_bytes())?;
    let mut files = Vec::new();
    for (number, overlays) in (1..).zip(&overlays) {
        // One comparison needs no number.
        let prefix = if all.len() == 1 { String::new() } else { format!("{number}-") };
        for overlay in overlays {
            let drawn = overlay.drawings(Layout::Wide, true);
            files.extend(
                drawn
                    .into_iter()
                    .map(|(what, svg)| (format!("{prefix}{what}-{}", overlay.file_name()), svg)),
            );
        }
    }
    let figures = dir.join("figures");
    fs::create_dir(&figures).map_err(|error| RunError::io("create", &figures, error))?;
    for (name, svg) in &files {
        write(&figures.join(format!("{name}.svg")), svg.as_bytes())?;
    }
    let painter = Painter::new()?;
    for (name, svg) in &files {
        write(&figures.join(format!("{name}.png")), &painter.paint(name, svg)?)?;
    }
    Ok(dir.join(PAGE))
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    Ok(fs::write(path, content).map_err(|error| RunError::io("write", path, error))?)
}
