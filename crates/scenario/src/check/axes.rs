// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rules about kernel parameters and axes.

use crate::boot;
use crate::plan::labels;
use crate::raw::{LevelText, Text};

use super::{Flaws, Rule, own};

pub(super) fn check(text: &Text, flaws: &mut Flaws<'_>) {
    parameters("boot", text.boot.as_deref().unwrap_or_default(), text, flaws);
    let kernels = labels(text);
    for (axis, levels) in &text.axes {
        let place = format!("axes.{axis}");
        flaws.when(!is_name(axis) || axis == "seed", &place, Rule::AxisName(axis.clone()));
        flaws.when(levels.is_empty(), &place, Rule::NoLevels(axis.clone()));
        for (number, level) in levels.iter().enumerate() {
            let place = format!("{place}.{number}");
            let name = level.name();
            flaws.when(!is_name(name), &place, Rule::LevelName(name.to_owned()));
            let twice =
                levels[..number].iter().any(|other| other.name() == name && shares(other, level));
            flaws.when(twice, &place, Rule::LevelTwice(name.to_owned()));
            let unknown = |kernel: &&String| !kernels.contains(kernel);
            if let Some(kernel) = level.kernels().unwrap_or_default().iter().find(unknown) {
                flaws.add(&place, Rule::LevelOfKernel(kernel.clone()));
            }
            parameters(&place, &level.boot(axis), text, flaws);
            if let LevelText::Table(table) = level {
                own::sysctls(&place, &table.sysctl, text, flaws);
            }
        }
    }
}

fn parameters(place: &str, parameters: &str, text: &Text, flaws: &mut Flaws<'_>) {
    if parameters.trim().is_empty() {
        return;
    }
    flaws.when(!text.rig.boots(), place, Rule::BootOfRunning { rig: text.rig.name() });
    if let Err(why) = boot::check(parameters) {
        flaws.add(place, Rule::Boot(why));
    }
}

/// Returns whether there is a kernel that two levels are both for.
fn shares(one: &LevelText, other: &LevelText) -> bool {
    match (one.kernels(), other.kernels()) {
        (Some(one), Some(other)) => one.iter().any(|kernel| other.contains(kernel)),
        _ => true,
    }
}

/// Returns whether a name can stand in the name of a case, which is a file's name too.
fn is_name(name: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ',' | ':');
    !name.is_empty() && name.len() <= 40 && name.chars().all(good)
}
