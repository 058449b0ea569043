// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scope view on the terminal and as a file.

use irqscope_analysis::{Persistence, Wave, Waves};

use crate::Result;
use crate::figure::{Layout, scope};
use crate::png::Painter;
use irqscope_quantity::{alone, grouped};

/// Columns of text.
const COLUMNS: usize = 96;

/// The part of a case's lines that is shown.
#[derive(Clone, Copy, Debug)]
pub enum ScopeView<'a> {
    /// One sweep; instants count from `zero`, on the view's clock.
    #[allow(missing_docs, reason = "its comment names them")]
    Single { zero: i64, window: [i64; 2] },
    /// `align`: what sweeps begin at, in words.
    #[allow(missing_docs, reason = "its comment names them")]
    Persistent { seen: &'a Persistence, align: &'a str },
}

/// Returns how many columns [`Persistence`] needs for [`scope_svg`].
pub fn scope_columns() -> usize {
    scope::columns(Layout::Wide)
}

/// How many it needs for [`scope_text`].
pub const SCOPE_TEXT_COLUMNS: usize = COLUMNS;

/// Makes a drawing that stands by itself.
pub fn scope_svg(waves: &Waves, view: ScopeView<'_>, caveat: Option<&str>) -> String {
    let (layout, file) = (Layout::Wide, scope::File { alone: true, caveat });
    match view {
        ScopeView::Single { zero, window } => scope::single(waves, zero, window, layout, file),
        ScopeView::Persistent { seen, align } => {
            scope::persistent(waves, seen, align, layout, file)
        }
    }
}

/// Makes the same in pixels.
///
/// # Errors
/// There is no font, or the drawing is too large.
pub fn scope_png(svg: &str) -> Result<Vec<u8>> {
    Painter::new()?.paint("scope", svg)
}

/// Draws lanes of characters.
pub fn scope_text(waves: &Waves, view: ScopeView<'_>) -> String {
    let width = waves.lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let (head, lanes, window) = match view {
        ScopeView::Single { zero, window } => {
            let lanes = waves.lines.iter().map(|line| (trace(line, zero, window), None)).collect();
            (format!("{}, one sweep, seen from {}", waves.case, waves.view), lanes, window)
        }
        ScopeView::Persistent { seen, align } => {
            let lanes: Vec<(String, Option<String>)> = seen
                .lines
                .iter()
                .map(|line| {
                    let shares = line.high.iter().zip(&line.edges);
                    (
                        shares.map(|(high, edges)| shade(high.max(*edges))).collect(),
                        scope::band_text(line),
                    )
                })
                .collect();
            let sweeps = grouped(seen.sweeps);
            let head = format!(
                "{}, {sweeps} sweeps, each from {align}, seen from {}",
                waves.case, waves.view
            );
            (head, lanes, [seen.from_ns, seen.to_ns])
        }
    };
    let mut text = format!("{head}\n\n");
    for (line, (lane, words)) in waves.lines.iter().zip(lanes) {
        let words = words.map_or(String::new(), |words| format!("  {words}"));
        text.push_str(&format!("{:>width$} {lane}{words}\n", line.name));
    }
    let [from, to] = window.map(alone);
    let gap = COLUMNS.saturating_sub(from.chars().count() + to.chars().count());
    text.push_str(&format!("{:>width$} {from}{}{to}\n", "", " ".repeat(gap)));
    text
}

/// Draws `▔` high, `▁` low, `┃` where it changes.
fn trace(line: &Wave, zero: i64, [from, to]: [i64; 2]) -> String {
    let at = |column: usize| {
        let span = i128::from(to - from) * column as i128 / COLUMNS as i128;
        zero + from + span as i64
    };
    let column = |column: usize| {
        let (begins, ends) = (at(column), at(column + 1));
        match line.within(begins, ends - 1) {
            [] if line.is_high_before(ends) => '▔',
            [] => '▁',
            _ => '┃',
        }
    };
    (0..COLUMNS).map(column).collect()
}

/// Shades by how many of the sweeps were high, or had an edge.
fn shade(share: f64) -> char {
    match share {
        ..=0.0 => '·',
        ..0.05 => '░',
        ..0.5 => '▒',
        ..0.95 => '▓',
        _ => '█',
    }
}
