// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SVG to PNG.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::{ReportError, Result};

/// Pixels per unit of the drawing: figures stay sharp when they are enlarged.
const SCALE: f32 = 2.0;

/// Renders with the fonts of this machine.
pub struct Painter {
    options: Options<'static>,
}

impl Painter {
    pub fn new() -> Result<Self> {
        let mut fonts = fontdb::Database::new();
        fonts.load_system_fonts();
        let family = sans(&fonts).ok_or(ReportError::NoFont)?;
        fonts.set_sans_serif_family(family);
        let fontdb = Arc::new(fonts);
        Ok(Self { options: Options { fontdb, ..Options::default() } })
    }

    pub fn paint(&self, figure: &str, svg: &str) -> Result<Vec<u8>> {
        let failed = |what: String| ReportError::Drawing { figure: figure.into(), what };
        let tree = Tree::from_str(svg, &self.options).map_err(|error| failed(error.to_string()))?;
        let size = tree
            .size()
            .to_int_size()
            .scale_by(SCALE)
            .ok_or_else(|| failed("it is empty".into()))?;
        let mut pixels = Pixmap::new(size.width(), size.height())
            .ok_or_else(|| failed("it is too large".into()))?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| failed(error.to_string()))
    }
}

/// Returns the family that stands for `sans-serif`: one of those that the figures are drawn for,
/// else any.
fn sans(fonts: &fontdb::Database) -> Option<String> {
    let family = |face: &fontdb::FaceInfo| face.families.first().map(|(name, _)| name.clone());
    let names: Vec<String> = fonts.faces().filter_map(family).collect();
    let wanted = ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial"];
    let known = wanted.iter().find(|wanted| names.iter().any(|name| name == *wanted));
    known.map(|name| (*name).to_owned()).or_else(|| names.into_iter().next())
}
