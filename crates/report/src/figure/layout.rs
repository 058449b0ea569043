// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How wide a drawing is, its title and its last line.

use super::Figure;
use crate::svg::{Ink, Svg, Type};

/// The two widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Wide,
    Narrow,
}

impl Layout {
    pub const ALL: [Layout; 2] = [Self::Wide, Self::Narrow];

    pub const fn width(self) -> f64 {
        match self {
            Self::Wide => 760.0,
            Self::Narrow => 350.0,
        }
    }

    pub const fn pick(self, wide: f64, narrow: f64) -> f64 {
        match self {
            Self::Wide => wide,
            Self::Narrow => narrow,
        }
    }
}

/// Draws a last line; returns the new height.
pub fn caveat(svg: &mut Svg, caveat: Option<String>, bottom: f64) -> f64 {
    let Some(caveat) = caveat else { return bottom };
    svg.text((12.0, bottom + 6.0), &format!("twin: {caveat}"), Type::new(Ink::Muted, 9.5));
    bottom + 16.0
}

/// Draws what a figure shows, above it.
pub fn title(svg: &mut Svg, figure: &Figure<'_>, layout: Layout) {
    let name = Type::new(Ink::Text, layout.pick(16.0, 13.0)).bold();
    let text = figure.title();
    svg.text((12.0, 24.0), &text, name);
    let beside = 12.0 + name.width(&text) + 10.0;
    let what = figure.subject.text();
    svg.text((beside, 24.0), &what, Type::new(Ink::Muted, layout.pick(12.0, 9.0)));
}
