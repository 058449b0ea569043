// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A small builder of SVG. Colours are attributes, so that a file looks right
//! by itself, and classes, so that a page's style sheet can overrule them for
//! a dark ground.

use std::fmt::Write;

use irqscope_wire::{BenchmarkKind, Stage};

use crate::palette::{CASES, benchmark_colour, case_colour, on_light, stage_colour};

/// The style in which something is drawn.
#[derive(Clone, Copy, Debug)]
pub enum Ink {
    Text,
    Muted,
    Grid,
    Ground,
    /// The band behind a column that is set apart.
    Band,
    Quantile,
    Stage(Stage),
    Benchmark(BenchmarkKind),
    Case(usize),
}

impl Ink {
    /// Returns the colour on a white ground.
    fn colour(self) -> String {
        match self {
            Self::Text => "#1c2024".to_owned(),
            Self::Muted => "#5c6670".to_owned(),
            Self::Grid => "#dde1e6".to_owned(),
            Self::Ground => "#ffffff".to_owned(),
            Self::Band => "#f3f5f7".to_owned(),
            Self::Quantile => "#c00000".to_owned(),
            Self::Stage(stage) => on_light(stage_colour(stage)),
            Self::Benchmark(kind) => on_light(benchmark_colour(kind)),
            Self::Case(index) => on_light(case_colour(index)),
        }
    }

    /// Classes exist only for what a dark ground changes.
    fn class(self) -> Option<String> {
        match self {
            Self::Text => Some("text".to_owned()),
            Self::Muted => Some("muted".to_owned()),
            Self::Grid => Some("grid".to_owned()),
            Self::Ground => Some("ground".to_owned()),
            Self::Band => Some("band".to_owned()),
            Self::Quantile => Some("quantile".to_owned()),
            Self::Stage(stage) => Some(format!("stage-{stage}")),
            Self::Case(index) => Some(format!("case-{}", index % CASES)),
            Self::Benchmark(_) => None,
        }
    }

    fn fill(self) -> String {
        let class = self.class().map(|class| format!(" class=\"f-{class}\"")).unwrap_or_default();
        format!("fill=\"{}\"{class}", self.colour())
    }

    fn stroke(self) -> String {
        let class = self.class().map(|class| format!(" class=\"s-{class}\"")).unwrap_or_default();
        format!("stroke=\"{}\"{class}", self.colour())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How text is set.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    pub ink: Ink,
    pub size: f64,
    pub bold: bool,
    pub anchor: Anchor,
}

impl Type {
    pub const fn new(ink: Ink, size: f64) -> Self {
        Self { ink, size, bold: false, anchor: Anchor::Start }
    }

    pub const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub const fn at(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// Estimates how wide a text will be; the fonts differ, so leave room.
    pub fn width(self, text: &str) -> f64 {
        text.chars().count() as f64 * self.size * if self.bold { 0.71 } else { 0.6 }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Pen {
    pub ink: Ink,
    pub width: f64,
    pub dash: Option<&'static str>,
}

#[derive(Debug)]
pub struct Svg {
    width: f64,
    title: String,
    body: String,
}

impl Svg {
    pub fn new(width: f64, title: &str) -> Self {
        Self { width, title: title.into(), body: String::new() }
    }

    pub fn rect(&mut self, [x, y, width, height]: [f64; 4], ink: Ink) {
        let [x, y, width, height] = [x, y, width, height].map(short);
        let fill = ink.fill();
        let _ = writeln!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {fill}/>"#
        );
    }

    /// Draws a rectangle that what is below shows through; `depth` 0 to 1.
    pub fn shade(&mut self, [x, y, width, height]: [f64; 4], ink: Ink, depth: f64) {
        let [x, y, width, height] = [x, y, width, height].map(short);
        let (fill, depth) = (ink.fill(), (depth * 100.0).round() / 100.0);
        let _ = writeln!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {fill} fill-opacity="{depth}"/>"#
        );
    }

    pub fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], pen: Pen) {
        self.stroke(&format!("M{} {}L{} {}", short(x1), short(y1), short(x2), short(y2)), pen);
    }

    /// Draws bars, as one path: `(x, y)` of their upper left, width and height each.
    pub fn bars(&mut self, bars: impl Iterator<Item = [f64; 4]>, ink: Ink) {
        let mut path = String::new();
        for bar in bars {
            let [x, y, width, height] = bar.map(short);
            let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
        }
        if !path.is_empty() {
            let _ = writeln!(self.body, r#"<path d="{path}" {}/>"#, ink.fill());
        }
    }

    pub fn polyline(&mut self, points: &[(f64, f64)], pen: Pen) {
        let mut path = String::new();
        for (place, (x, y)) in points.iter().enumerate() {
            let command = if place == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{} {}", short(*x), short(*y));
        }
        self.stroke(&path, pen);
    }

    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, ink: Ink) {
        let [x, y, radius] = [x, y, radius].map(short);
        let _ = writeln!(self.body, r#"<circle cx="{x}" cy="{y}" r="{radius}" {}/>"#, ink.fill());
    }

    pub fn text(&mut self, (x, y): (f64, f64), text: &str, set: Type) {
        let [x, y] = [x, y].map(short);
        let anchor = match set.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let bold = if set.bold { r#" font-weight="bold""# } else { "" };
        let (fill, size, text) = (set.ink.fill(), short(set.size), escape(text));
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" font-size="{size}"{bold}{anchor} {fill}>{text}</text>"#
        );
    }

    /// Draws a box with a label in it, and words that show when it is pointed at.
    pub fn tile(
        &mut self,
        [x, y, width, height]: [f64; 4],
        ink: Ink,
        tip: &str,
        label: &str,
        set: Type,
    ) {
        let (fill, tip) = (ink.fill(), escape(tip));
        let _ = write!(self.body, "<g><title>{tip}</title>");
        let [left, top, wide, high] = [x, y, width, height - 1.0].map(short);
        let _ = write!(
            self.body,
            r##"<rect x="{left}" y="{top}" width="{wide}" height="{high}" {fill} fill-opacity="0.45" stroke="#ffffff" stroke-width="0.3"/>"##
        );
        if !label.is_empty() {
            self.text((x + 2.0, y + height / 2.0 + set.size * 0.3), label, set);
        }
        self.body.push_str("</g>\n");
    }

    /// Returns the drawing as it stands in a page or, with `alone`, in a file.
    pub fn finish(self, height: f64, alone: bool) -> String {
        let Self { width, title, body } = self;
        let (width, height, title) = (short(width), short(height), escape(&title));
        let file = if alone {
            format!(r#" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}""#)
        } else {
            String::new()
        };
        let ground = if alone {
            format!(r##"<rect width="{width}" height="{height}" fill="#ffffff"/>"##)
        } else {
            String::new()
        };
        format!(
            r#"<svg{file} viewBox="0 0 {width} {height}" role="img" font-family="DejaVu Sans, Liberation Sans, Noto Sans, Arial, sans-serif"><title>{title}</title>{ground}
{body}</svg>
"#
        )
    }

    fn stroke(&mut self, path: &str, pen: Pen) {
        let dash =
            pen.dash.map(|dash| format!(r#" stroke-dasharray="{dash}""#)).unwrap_or_default();
        let (stroke, width) = (pen.ink.stroke(), short(pen.width));
        let _ = writeln!(
            self.body,
            r#"<path d="{path}" fill="none" {stroke} stroke-width="{width}" stroke-linejoin="round"{dash}/>"#
        );
    }
}

/// Formats one decimal at most: drawings stay small and their bytes the same.
fn short(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Escapes text for XML.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML knows no other control characters, not even escaped.
            c if c.is_control() && !matches!(c, '\t' | '\n') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
