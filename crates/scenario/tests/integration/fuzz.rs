// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenario files with anything in them: a scenario within its limits, or an
//! error that names the file.

use irqscope_scenario::{RigKind, Scenario, bundled};
use proptest::prelude::*;
use proptest::sample::Index;

/// Values that are at the edge of some key's range, or of no type of it.
const VALUES: [&str; 16] = [
    "0",
    "-1",
    "18446744073709551615",
    "99999999999999999999",
    "1e308",
    "nan",
    "true",
    "\"\"",
    "\"0ns\"",
    "\"999999999999y\"",
    "\"0Hz\"",
    "\"1e999MHz\"",
    "\"100%\"",
    "\"fifo 0\"",
    "[]",
    "{ a = 1 }",
];

fn judge(text: &str) -> Result<(), TestCaseError> {
    match Scenario::parse("any", "any.toml", text) {
        Ok(scenario) => {
            for case in scenario.cases() {
                for benchmark in case.plan.benchmarks() {
                    prop_assert_eq!(benchmark.check(), Ok(()));
                }
                if let Some(asked) = case.plan.stages() {
                    prop_assert!(asked.count > 0 && asked.period_ns >= 1_000);
                    // A board's are as many as it has lines, which it says later.
                    let later = scenario.rig == RigKind::Board;
                    prop_assert!(later || !asked.stages.is_empty());
                }
            }
        }
        Err(error) => prop_assert!(error.to_string().contains("any.toml"), "{}", error),
    }
    Ok(())
}

fn any_bundled() -> impl Strategy<Value = String> {
    let texts: Vec<String> = bundled().iter().map(|scenario| scenario.text.to_owned()).collect();
    prop::sample::select(texts)
}

proptest! {
    #[test]
    fn any_text_is_judged(text in "\\PC*") {
        judge(&text)?;
    }

    #[test]
    fn any_damage_to_a_scenario_is_judged(
        text in any_bundled(),
        edits in prop::collection::vec((any::<Index>(), 0usize..20, "[\\PC\n]{0,6}"), 0..6),
    ) {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, length, new) in edits {
            let at = at.index(chars.len() + 1);
            let end = chars.len().min(at + length);
            chars.splice(at..end, new.chars());
        }
        judge(&chars.into_iter().collect::<String>())?;
    }

    #[test]
    fn any_value_of_any_key_is_judged(
        text in any_bundled(),
        edits in prop::collection::vec((any::<Index>(), prop::sample::select(VALUES.to_vec())), 1..4),
    ) {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let keys: Vec<usize> = (0..lines.len()).filter(|n| lines[*n].contains(" = ")).collect();
        for (which, value) in edits {
            let line = &mut lines[keys[which.index(keys.len())]];
            let (key, _) = line.split_once(" = ").unwrap();
            *line = format!("{key} = {value}");
        }
        judge(&lines.join("\n"))?;
    }
}
