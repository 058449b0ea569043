// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a response as text: interrupt and scheduler latency and duration.

use irqscope_analysis::{Explanation, PartFigures, ResponsePart};
use irqscope_quantity::{Column, Unit, aligned};

/// Takes one figure of a part.
pub(crate) type Figure = fn(&PartFigures) -> f64;

/// A row for each figure of a stage, with one value for each part.
pub(crate) const FIGURES: [(&str, Figure); 3] = [
    ("mean", |one| one.mean_ns),
    ("late mean", |one| one.late_mean_ns),
    ("longest", |one| one.longest_ns as f64),
];

/// Returns the cases that have parts, with their stages, in order.
pub(crate) fn cases(explanations: &[Explanation]) -> Vec<(&str, Vec<&Explanation>)> {
    let mut cases: Vec<(&str, Vec<&Explanation>)> = Vec::new();
    for one in explanations.iter().filter(|one| !one.parts.is_empty()) {
        match cases.iter_mut().find(|(case, _)| *case == one.case) {
            Some((_, stages)) => stages.push(one),
            None => cases.push((&one.case, vec![one])),
        }
    }
    cases
}

/// Returns the unit in which all figures of a case are printed.
pub(crate) fn unit(stages: &[&Explanation]) -> Unit {
    let all = stages.iter().flat_map(|one| &one.parts);
    Unit::for_largest(all.map(|part| part.longest_ns).max().unwrap_or(0))
}

/// Formats the parts of the responses of each stage, a table for each case.
pub(crate) fn response_table(explanations: &[Explanation]) -> String {
    let mut text = String::new();
    for (case, stages) in cases(explanations) {
        let unit = unit(&stages);
        let mut head = vec![format!("{case}, {}", unit.name()), String::new()];
        head.extend(ResponsePart::ALL.map(|part| part.name().to_owned()));
        let mut rows = vec![head];
        for one in stages {
            for (name, figure) in FIGURES {
                let stage = if rows.len() % FIGURES.len() == 1 { one.stage.name() } else { "" };
                let mut row = vec![stage.to_owned(), name.to_owned()];
                row.extend(one.parts.iter().map(|part| unit.figure(figure(part))));
                rows.push(row);
            }
        }
        let columns = [Column::Words, Column::Words, Column::Numbers];
        text.push_str(&aligned(&rows, &columns));
        text.push('\n');
    }
    text
}
