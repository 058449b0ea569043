// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A flame graph: each function as wide as its instructions, on top of its
//! caller, from left to right in the order of first calls.

use irqscope_analysis::{CallTree, Node};

use crate::svg::{Ink, Svg, Type};
use irqscope_quantity::grouped;

const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 10.0;
const ROW: f64 = 16.0;
const TOP: f64 = 46.0;
const SIZE: f64 = 10.0;
/// Narrower boxes would not be seen.
const NARROWEST: f64 = 0.4;
/// The least number of letters of a label, or there is none.
const SHORTEST_LABEL: usize = 3;

/// Draws a file. `title` says what of.
pub fn flame(tree: &CallTree, title: &str, caveat: &str) -> String {
    let depth = depths(tree).into_iter().max().map_or(0, |deepest| deepest + 1);
    let bottom = TOP + depth as f64 * ROW;
    let mut drawing = Drawing { svg: Svg::new(WIDTH, title), tree, bottom };
    drawing.svg.text((MARGIN, 20.0), title, Type::new(Ink::Text, 13.0).bold());
    drawing.svg.text((MARGIN, 36.0), caveat, Type::new(Ink::Muted, 9.5));
    let scale = (WIDTH - 2.0 * MARGIN) / tree.instructions().max(1) as f64;
    drawing.boxes(&tree.roots, MARGIN, 0, scale);
    drawing.svg.finish(bottom + MARGIN, true)
}

/// Returns how many callers each place has; parents come before children.
fn depths(tree: &CallTree) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        depths.push(node.parent.map_or(0, |parent| depths[parent] + 1));
    }
    depths
}

struct Drawing<'a> {
    svg: Svg,
    tree: &'a CallTree,
    bottom: f64,
}

impl Drawing<'_> {
    fn boxes(&mut self, siblings: &[usize], left: f64, depth: usize, scale: f64) {
        let mut x = left;
        for place in siblings {
            let node = &self.tree.nodes[*place];
            let width = node.total as f64 * scale;
            if width >= NARROWEST {
                self.node(node, x, width, depth);
                self.boxes(&node.children, x, depth + 1, scale);
            }
            x += width;
        }
    }

    fn node(&mut self, node: &Node, x: f64, width: f64, depth: usize) {
        let y = self.bottom - (depth + 1) as f64 * ROW;
        let (own, total) = (grouped(node.own), grouped(node.total));
        let share = node.total as f64 * 100.0 / self.tree.instructions().max(1) as f64;
        let tip = format!("{}: {total} instructions ({share:.1}%), {own} of its own", node.name);
        let set = Type::new(Ink::Text, SIZE);
        let label = label(&node.name, width - 4.0, set);
        self.svg.tile([x, y, width, ROW], ink(&node.name), &tip, &label, set);
    }
}

/// Returns as much of a name as fits.
fn label(name: &str, width: f64, set: Type) -> String {
    if set.width(name) <= width {
        return name.to_owned();
    }
    let fits = (width / set.width("x")).max(0.0) as usize;
    if fits < SHORTEST_LABEL {
        return String::new();
    }
    name.chars().take(fits - 1).chain(['…']).collect()
}

/// Chooses by name, so that two drawings can be compared.
fn ink(name: &str) -> Ink {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    Ink::Case(name.bytes().fold(2_166_136_261, mix) as usize % 8) // FNV-1a
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Symbol;

    fn tree() -> CallTree {
        let base = 0xffff_ffff_8100_0000;
        let symbols: Vec<Symbol> = ["handler", "callee<T>"]
            .iter()
            .zip(0u64..)
            .map(|(name, n)| Symbol { address: base + n * 0x100, name: (*name).into() })
            .collect();
        CallTree::new([(base, 30), (base + 0x100, 60), (base + 4, 10)], &symbols)
    }

    #[test]
    fn widths_are_instructions_and_names_are_escaped() {
        let svg = flame(&tree(), "a path", "twin");
        assert!(svg.contains(r#"width="980""#) && svg.contains(r#"width="588""#), "{svg}");
        assert!(svg.contains("callee&lt;T&gt;: 60 instructions (60.0%), 60 of its own"));
        assert!(svg.contains("handler: 100 instructions (100.0%), 40 of its own"));
    }

    #[test]
    fn a_flame_graph_is_drawn_by_a_renderer() {
        let png = crate::png::Painter::new().unwrap().paint("flame", &flame(&tree(), "a", "b"));
        assert!(png.unwrap().starts_with(b"\x89PNG"));
        assert!(flame(&CallTree::default(), "empty", "").ends_with("</svg>\n"));
    }

    #[test]
    fn labels_are_cut_to_their_box() {
        let set = Type::new(Ink::Text, 10.0);
        assert_eq!(label("abcdefghij", 60.0, set), "abcdefghij");
        assert_eq!(label("abcdefghij", 36.0, set), "abcde…");
        assert_eq!(label("abcdefghij", 12.0, set), "");
    }
}
