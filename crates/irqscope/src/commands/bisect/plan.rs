// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plan of a search: commits that touch functions whose instructions differ between good and
//! bad are likelier than others, and those that touch nothing which is built are the least likely.

use std::collections::HashMap;
use std::path::Path;

use irqscope_analysis::Difference;
use irqscope_rig::git;

use super::history::Candidate;
use crate::exit::Trouble;

/// The weight of a commit that touches no function of the path.
const OTHER: f64 = 1.0;
/// The weight of one that touches nothing of a kernel for this machine.
const APART: f64 = 0.01;

/// Returns the weights of commits, and how many touch a function that differs.
pub fn weights(
    repository: &Path,
    good: &str,
    after: &[Candidate],
    difference: &Difference,
) -> Result<(Vec<f64>, usize), Trouble> {
    let bad = after.last().map_or(good, |one| one.id.as_str());
    let range = format!("{good}..{bad}");
    let log = git(
        repository,
        &[
            "log",
            "--first-parent",
            "-m",
            "-p",
            "-U0",
            "--no-color",
            "--format=commit %H",
            "--end-of-options",
            &range,
        ],
    )?;
    let shares = shares(difference);
    let scores = scores(&log, &shares);
    // All that touch the path together are as likely as all others.
    let much = after.len() as f64;
    let mut touching = 0;
    let weight = |one: &Candidate| match scores.get(one.id.as_str()) {
        Some(Score::Path(share)) => {
            touching += 1;
            OTHER + much * share
        }
        Some(Score::Built) => OTHER,
        Some(Score::Apart) | None => APART,
    };
    let weights = after.iter().map(weight).collect();
    Ok((weights, touching))
}

/// Returns the share of each function in what differs.
fn shares(difference: &Difference) -> HashMap<String, f64> {
    let all: u64 = difference.functions.iter().map(|one| one.more().unsigned_abs()).sum();
    let name = |function: &str| function.split([' ', '.']).next().unwrap_or_default().to_owned();
    let share = |count: u64| count as f64 / all.max(1) as f64;
    let of_kernel = difference.functions.iter().filter(|one| !one.function.contains('['));
    of_kernel.map(|one| (name(&one.function), share(one.more().unsigned_abs()))).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Score {
    /// The share of the functions that it names.
    Path(f64),
    Built,
    Apart,
}

/// Reads `git log -p -U0`: which functions of the path each commit names, in a line that it changes
/// or in the heading of a hunk, which has the function around it.
fn scores<'a>(log: &'a str, shares: &HashMap<String, f64>) -> HashMap<&'a str, Score> {
    let mut all = HashMap::new();
    let mut named: Vec<&str> = Vec::new();
    let (mut at, mut score, mut counts) = ("", Score::Apart, false);
    for line in log.lines() {
        if let Some(commit) = line.strip_prefix("commit ") {
            at = commit;
            (score, counts) = (Score::Apart, false);
            named.clear();
            all.insert(at, score);
        } else if let Some(file) = line.strip_prefix("+++ b/") {
            counts = is_built(file);
            if counts && score == Score::Apart {
                score = Score::Built;
            }
            all.insert(at, score);
        } else if counts && line.starts_with(['+', '-', '@']) {
            for word in line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
                if let Some(share) = shares.get(word).filter(|_| !named.contains(&word)) {
                    named.push(word);
                    let before = if let Score::Path(share) = score { share } else { 0.0 };
                    score = Score::Path(before + share);
                    all.insert(at, score);
                }
            }
        }
    }
    all
}

/// Returns whether a file can be part of a kernel for the twin.
fn is_built(file: &str) -> bool {
    let apart = ["Documentation/", "tools/testing/", "samples/", "LICENSES/", "rust/"];
    let foreign = file.strip_prefix("arch/").is_some_and(|rest| {
        !["x86/", "arm64/"].iter().any(|arch| rest.starts_with(arch)) && rest.contains('/')
    });
    !foreign && !apart.iter().any(|dir| file.starts_with(dir)) && file != "MAINTAINERS"
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
commit a
diff --git a/kernel/softirq.c b/kernel/softirq.c
+++ b/kernel/softirq.c
@@ -1 +2 @@ static void invoke_softirq(void)
-\told();
+\tnew();
commit b
+++ b/drivers/net/x.c
@@ -1 +1 @@ static int x_open(void)
+\treturn 0;
commit c
+++ b/Documentation/x.rst
@@ -1 +1 @@
+invoke_softirq()
commit d
+++ b/arch/sparc/kernel/irq.c
+\tinvoke_softirq();
commit e
+++ b/kernel/irq/handle.c
@@ -1 +1 @@ void f(void)
+\tinvoke_softirq(); __handle_irq_event_percpu(); invoke_softirq();
";

    #[test]
    fn commits_that_name_a_function_of_the_path_are_likelier() {
        let shares = HashMap::from([
            ("invoke_softirq".to_owned(), 0.5),
            ("__handle_irq_event_percpu".to_owned(), 0.25),
        ]);
        let scores = scores(LOG, &shares);
        let expected = [
            ("a", Score::Path(0.5)),
            ("b", Score::Built),
            ("c", Score::Apart),
            ("d", Score::Apart),
            ("e", Score::Path(0.75)),
        ];
        assert_eq!(scores, HashMap::from(expected));
    }
}
