// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cases at the levels of a scenario's axes.

use irqscope_wire::{Plan, Sysctl};

use crate::boot::joined;
use crate::raw::{LevelText, Text};
use crate::scenario::{Case, Level};

/// Returns a case at each level of each axis that is one of its kernel's: `6.1/idle/preempt-full`. An
/// axis without a level for its kernel leaves it as it is.
pub(super) fn over(text: &Text, case: Case) -> Vec<Case> {
    let boot = joined([text.boot.as_deref().unwrap_or_default()]);
    let mut cases = vec![Case { boot, ..case }];
    for (axis, levels) in &text.axes {
        cases = cases.into_iter().flat_map(|case| along(axis, levels, case)).collect();
    }
    cases
}

fn along(axis: &str, levels: &[LevelText], case: Case) -> Vec<Case> {
    let is_for = |level: &&LevelText| {
        level.kernels().is_none_or(|kernels| kernels.contains(&case.kernel.label))
    };
    let at = |level: &LevelText| {
        let name = format!("{}/{axis}-{}", case.plan.case, level.name());
        let mut levels = case.levels.clone();
        levels.push(Level { axis: axis.to_owned(), level: level.name().to_owned() });
        Case {
            plan: Plan {
                case: name,
                sysctls: with(&case.plan.sysctls, level.sysctls()),
                ..case.plan.clone()
            },
            boot: joined([case.boot.as_str(), &level.boot(axis)]),
            levels,
            ..case.clone()
        }
    };
    let cases: Vec<Case> = levels.iter().filter(is_for).map(at).collect();
    if cases.is_empty() { vec![case] } else { cases }
}

/// Returns settings with those of a level, which count more than others of the same name.
fn with(all: &[Sysctl], levels: &[Sysctl]) -> Vec<Sysctl> {
    let others = all.iter().filter(|one| levels.iter().all(|level| level.name != one.name));
    others.chain(levels).cloned().collect()
}
