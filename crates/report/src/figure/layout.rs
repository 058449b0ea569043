// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How wide a drawing is, and its last line.

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
