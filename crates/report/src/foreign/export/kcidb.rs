// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KernelCI's database, as its schema of version 5.3 has it (kcidb-io): a test for each figure, with
//! the figure as its number in seconds. A test belongs to a build, and a build is one kernel.

use std::io::Write;

use irqscope_run::{CaseManifest, Manifest, RunDir};
use serde_json::{Value, json};

use super::subject::Set;
use super::{Case, Export};
use crate::foreign::ForeignError;

/// The names under which results are submitted.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// The system that submits, as KernelCI knows it: lower case letters, digits and underscores.
    pub origin: Option<String>,
    /// The build that was tested: its origin, a colon and a name that its origin gave it.
    pub build: Option<String>,
}

/// Everything that is alike in all tests.
struct Of<'a> {
    manifest: &'a Manifest,
    run: String,
    origin: &'a str,
    build: &'a str,
}

pub fn write(
    run: &RunDir,
    cases: &[Case],
    what: &Export,
    output: &mut dyn Write,
) -> Result<(), ForeignError> {
    let manifest = run.manifest();
    let name = run.path().file_name().map(|name| name.to_string_lossy().into_owned());
    let (origin, build) = names(&what.submission)?;
    let of = Of { manifest, run: name.unwrap_or_default(), origin, build };
    let (index, mut tests) = (run.index()?, Vec::new());
    let mut kernel = None;
    for case in cases {
        let described = &manifest.cases[usize::from(case.number)];
        if *kernel.get_or_insert(&described.kernel) != &described.kernel {
            let cases = cases.iter().map(|case| case.name.clone()).collect();
            return Err(ForeignError::SeveralKernels { cases });
        }
        for set in &case.sets(run, &index)?.sets {
            of.add(described, set, &mut tests)?;
        }
    }
    if tests.is_empty() {
        return Err(ForeignError::Nothing { of: String::new() });
    }
    let value = json!({ "version": { "major": 5, "minor": 3 }, "tests": tests });
    serde_json::to_writer_pretty(&mut *output, &value).map_err(std::io::Error::from)?;
    writeln!(output)?;
    Ok(())
}

fn names(submission: &Submission) -> Result<(&str, &str), ForeignError> {
    let Submission { origin: Some(origin), build: Some(build) } = submission else {
        let why = "a result belongs to a system that submits it and to a build that was tested: add --origin \
                   NAME and --build NAME:ID"
            .to_owned();
        return Err(ForeignError::Unwritable { format: "KCIDB", why });
    };
    let is_origin = |text: &str| {
        let fits =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        !text.is_empty() && text.chars().all(fits)
    };
    let wrong = if !is_origin(origin) {
        format!("--origin {origin}: lower case letters, digits and _ make an origin's name")
    } else if !build.split_once(':').is_some_and(|(of, id)| is_origin(of) && !id.is_empty()) {
        format!("--build {build}: it has the form ORIGIN:ID, as KernelCI's page of the build shows")
    } else {
        return Ok((origin, build));
    };
    Err(ForeignError::Unwritable { format: "KCIDB", why: wrong })
}

impl Of<'_> {
    fn add(
        &self,
        case: &CaseManifest,
        set: &Set,
        tests: &mut Vec<Value>,
    ) -> Result<(), ForeignError> {
        for (figure, ns) in set.figures()? {
            let mut test = self.test(case, set, &figure, "DONE");
            test["number"] = json!({ "value": ns as f64 / 1e9, "unit": "s", "prefix": "metric" });
            tests.push(test);
        }
        for (what, count) in &set.without {
            let mut test = self.test(case, set, what, if *count == 0 { "PASS" } else { "FAIL" });
            test["number"] = json!({ "value": count });
            tests.push(test);
        }
        Ok(())
    }

    fn test(&self, case: &CaseManifest, set: &Set, figure: &str, status: &str) -> Value {
        let Self { manifest, run, origin, build } = self;
        let (set, started) = (set.name(), &manifest.started_utc);
        let path = ["irqscope", &manifest.scenario, &case.state.name, &set, figure].map(element);
        json!({
            "id": format!("{origin}:{run}/{started}/{}/{set}/{figure}", case.case),
            "origin": origin,
            "build_id": build,
            "path": path.join("."),
            "status": status,
            "start_time": started,
            "environment": {
                "comment": format!("irqscope {}, rig {}", manifest.tool_version, manifest.rig),
                "misc": { "case": case.case, "kernel": case.kernel, "rig": manifest.rig },
            },
        })
    }
}

/// Makes an element of a path: it has letters, digits, `_` and `-`.
fn element(text: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    text.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect()
}
