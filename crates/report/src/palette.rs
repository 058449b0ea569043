// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Colours and words of what is drawn. Those of the stages are in their table, in `irqscope-wire`.

use irqscope_wire::{BenchmarkKind, Stage};

/// Returns a stage's colour, the same in every figure and on the page.
pub const fn stage_colour(stage: Stage) -> &'static str {
    stage.facts().colour
}

/// Benchmarks stand apart from each other, never beside stages.
pub const fn benchmark_colour(kind: BenchmarkKind) -> &'static str {
    match kind {
        BenchmarkKind::Gtod => "#56b4e9",
        BenchmarkKind::Sched => "#882255",
        BenchmarkKind::Async => "#cc79a7",
        BenchmarkKind::Sleep => "#aa4499",
        BenchmarkKind::Inversion => "#d55e00",
        BenchmarkKind::Realfeel => "#0072b2",
        BenchmarkKind::Jitter => "#009e73",
        BenchmarkKind::Spin => "#999933",
        BenchmarkKind::Watch => "#117733",
        BenchmarkKind::Isolate => "#332288",
    }
}

/// Says what exactly is measured.
pub const fn stage_text(stage: Stage) -> &'static str {
    stage.facts().text
}

/// Returns the colours of cases where they are overlaid; they repeat after eight.
pub const fn case_colour(index: usize) -> &'static str {
    const COLOURS: [&str; CASES] =
        ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#999933", "#882255"];
    COLOURS[index % COLOURS.len()]
}

/// How many colours cases have.
pub(crate) const CASES: usize = 8;

/// The ground of pages and files, and of pages in the dark; with their ink.
const LIGHT: [&str; 2] = ["#ffffff", "#1c2024"];
const DARK: [&str; 2] = ["#14181c", "#e6e9ec"];

/// Returns a colour as it is drawn on white.
pub(crate) fn on_light(colour: &str) -> String {
    legible(colour, LIGHT)
}

/// Returns style sheets' variables and classes for all colours of cases and stages, on a light ground and on
/// a dark one.
pub(crate) fn style() -> String {
    let cases = (0..CASES).map(|index| (format!("case-{index}"), case_colour(index)));
    let stages = Stage::ALL.iter().map(|stage| (format!("stage-{stage}"), stage_colour(*stage)));
    let all: Vec<(String, &str)> = cases.chain(stages).collect();
    let variables = |grounds: [&str; 2]| -> String {
        all.iter().map(|(name, colour)| format!("--{name}:{};", legible(colour, grounds))).collect()
    };
    let classes: String = all
        .iter()
        .map(|(name, _)| {
            format!(".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}")
        })
        .collect();
    let (light, dark) = (variables(LIGHT), variables(DARK));
    format!(":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}{classes}")
}

/// Mixes a colour with ink until its contrast to the ground is 3:1 at least, as what is drawn needs it (Web
/// Content Accessibility Guidelines 2.1, 1.4.11).
fn legible(colour: &str, [ground, ink]: [&str; 2]) -> String {
    let [from, to, ground] = [colour, ink, ground].map(parsed);
    let mix = |step: i32| {
        let part = |at: usize| from[at] + (to[at] - from[at]) * f64::from(step) / 20.0;
        [part(0), part(1), part(2)].map(f64::round)
    };
    let found = (0..=20).map(mix).find(|mixed| contrast(*mixed, ground) >= 3.0).unwrap_or(to);
    let [r, g, b] = found.map(|part| part as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Reads `#rrggbb`; black, if it is something else.
fn parsed(colour: &str) -> [f64; 3] {
    let part = |at: usize| colour.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    [1, 3, 5].map(|at| f64::from(part(at).unwrap_or(0)))
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let linear = |part: f64| match part / 255.0 {
        low if low <= 0.040_45 => low / 12.92,
        high => ((high + 0.055) / 1.055).powf(2.4),
    };
    let luminance =
        |[r, g, b]: [f64; 3]| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_seen_on_both_grounds() {
        let cases = (0..CASES).map(case_colour);
        for colour in cases.chain(Stage::ALL.iter().map(|stage| stage_colour(*stage))) {
            for grounds in [LIGHT, DARK] {
                let shown = contrast(parsed(&legible(colour, grounds)), parsed(grounds[0]));
                assert!(shown >= 3.0, "{colour} on {}: {shown}", grounds[0]);
            }
        }
        assert!((contrast(parsed("#ffffff"), parsed("#000000")) - 21.0).abs() < 1e-9);
        assert_eq!(legible("#0072b2", LIGHT), "#0072b2");
    }

    #[test]
    fn no_two_cases_have_the_same_colour_on_a_ground() {
        for grounds in [LIGHT, DARK] {
            let mut all: Vec<String> =
                (0..CASES).map(|index| legible(case_colour(index), grounds)).collect();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), CASES);
        }
    }
}
