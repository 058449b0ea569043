// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts of a gate in the two forms that continuous integration reads.

use std::fmt::Write;

use irqscope_analysis::Verdict;

use crate::svg::escape;

/// Formats the Test Anything Protocol, version 14.
pub fn tap(verdicts: &[Verdict]) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", verdicts.len());
    for (number, one) in (1..).zip(verdicts) {
        let not = if one.passed { "" } else { "not " };
        let said = format!("{}: {}", one.case, one.asked).replace('#', "\\#");
        let _ = writeln!(text, "{not}ok {number} - {said}");
        if !one.passed {
            let found = one.found.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "  ---\n  found: \"{found}\"\n  ...");
        }
    }
    text
}

/// Formats JUnit's XML, as Jenkins and GitLab read it.
pub fn junit(verdicts: &[Verdict]) -> String {
    let failures = verdicts.iter().filter(|one| !one.passed).count();
    let tests = verdicts.len();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{tests}\" failures=\"{failures}\">\n  <testsuite name=\"irqscope gate\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n"
    );
    for one in verdicts {
        let [case, asked, found] = [&one.case, &one.asked, &one.found].map(|text| escape(text));
        let _ = match one.passed {
            true => writeln!(text, "    <testcase classname=\"{case}\" name=\"{asked}\"/>"),
            false => writeln!(
                text,
                "    <testcase classname=\"{case}\" name=\"{asked}\"><failure message=\"{found}\"/></testcase>"
            ),
        };
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
