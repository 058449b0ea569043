// SPDX-License-Identifier: Apache-2.0 OR MIT
//! LAVA's results as Linaro's test definitions write them into `result.txt`, for their
//! `utils/send-to-lava.sh` (Linaro/test-definitions, automated/utils): a test set for each case, a
//! test case with a measurement for each figure, `NAME pass VALUE UNIT` a line.

use std::io::Write;

use irqscope_run::RunDir;

use super::Case;
use super::subject::Set;
use crate::foreign::ForeignError;

pub fn write(run: &RunDir, cases: &[Case], output: &mut dyn Write) -> Result<(), ForeignError> {
    let index = run.index()?;
    let mut any = false;
    for case in cases {
        writeln!(output, "lava-test-set start {}", name(&case.name))?;
        for set in &case.sets(run, &index)?.sets {
            any |= one_set(set, output)?;
        }
        writeln!(output, "lava-test-set stop")?;
    }
    if any { Ok(()) } else { Err(ForeignError::Nothing { of: String::new() }) }
}

/// Writes figures as passed: whether one is good is a limit's matter, and `irqscope gate` has
/// those. Triggers and periods without a value fail.
fn one_set(set: &Set, output: &mut dyn Write) -> Result<bool, ForeignError> {
    let (of, figures) = (name(&set.name()), set.figures()?);
    for (figure, ns) in &figures {
        writeln!(output, "{of}.{figure} pass {} us", microseconds(*ns))?;
    }
    for (what, count) in &set.without {
        let result = if *count == 0 { "pass" } else { "fail" };
        writeln!(output, "{of}.{what} {result} {count} count")?;
    }
    Ok(!figures.is_empty())
}

/// Makes a name for LAVA: no white space, and of sets only what an address holds as it is.
fn name(text: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let letter = |letter| match letter {
        ' ' => '.',
        letter if fits(letter) => letter,
        _ => '_',
    };
    text.chars().map(letter).collect()
}

fn microseconds(ns: i64) -> String {
    let (sign, ns) = (if ns < 0 { "-" } else { "" }, ns.unsigned_abs());
    format!("{sign}{}.{:03}", ns / 1000, ns % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word() {
        assert_eq!(name("6.1-rt/idle"), "6.1-rt_idle");
        assert_eq!(name("sched fifo 80 cpu0"), "sched.fifo.80.cpu0");
    }

    #[test]
    fn microseconds_are_exact() {
        assert_eq!(microseconds(17_166), "17.166");
        assert_eq!(microseconds(-5), "-0.005");
    }
}
