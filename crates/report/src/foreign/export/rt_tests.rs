// SPDX-License-Identifier: Apache-2.0 OR MIT
//! rt-tests' JSON, as `cyclictest --json` of version 2.4 writes it: `cmdline:` and
//! `rt_test_version:` have a colon in their names, threads and bins are objects whose keys are
//! numbers, and empty bins are left out. A fact that a run does not know is null. Keys of ours say
//! what a thread stands for, `benchmark`, `variant` and `series` or `stage` and `view`.

use std::io::Write;

use irqscope_analysis::Ascending;
use irqscope_run::RunDir;
use serde_json::{Map, Value, json};

use super::Case;
use super::subject::{Set, Sets};
use crate::foreign::ForeignError;

pub fn write(
    run: &RunDir,
    case: Case,
    nanoseconds: bool,
    output: &mut dyn Write,
) -> Result<(), ForeignError> {
    let sets = case.histograms(run, &run.index()?, "rt-tests' JSON")?;
    let unit = if nanoseconds { 1 } else { 1_000 };
    let mut threads = Map::new();
    for (number, set) in sets.sets.iter().enumerate() {
        threads.insert(number.to_string(), thread(set, unit)?);
    }
    let manifest = run.manifest();
    let value = json!({
        "file_version": 1,
        "cmdline:": manifest.args.join(" "),
        "rt_test_version:": format!("irqscope {}", manifest.tool_version),
        "start_time": manifest.started_utc,
        "end_time": manifest.finished_utc,
        "return_code": 0,
        "sysinfo": sysinfo(&sets),
        "num_threads": sets.sets.len(),
        "resolution_in_ns": u8::from(nanoseconds),
        "thread": threads,
    });
    serde_json::to_writer_pretty(&mut *output, &value).map_err(std::io::Error::from)?;
    writeln!(output)?;
    Ok(())
}

fn sysinfo(sets: &Sets) -> Value {
    let target = sets.target.as_ref();
    json!({
        "sysname": "Linux",
        "nodename": null,
        "release": target.map(|target| &target.kernel),
        "version": null,
        "machine": target.map(|target| &target.machine),
        "realtime": null,
    })
}

fn thread(set: &Set, unit: i64) -> Result<Value, ForeignError> {
    let values = set.values();
    let mut bins: Vec<(i64, u64)> = Vec::new();
    values.each(&mut |value, count| {
        let bin = value.div_euclid(unit);
        match bins.last_mut() {
            Some((last, sum)) if *last == bin => *sum = sum.saturating_add(count),
            _ => bins.push((bin, count)),
        }
    })?;
    let histogram: Map<String, Value> =
        bins.into_iter().map(|(bin, count)| (bin.to_string(), count.into())).collect();
    let average = set.sum()? as f64 / values.count().max(1) as f64 / unit as f64;
    // Not known where values lie beyond an imported histogram.
    let average = values.beyond().is_none().then(|| (average * 100.0).round() / 100.0);
    // The least that the maximum can be, where it is not known.
    let beyond = values.beyond().map(|beyond| beyond.from.0);
    let mut thread = json!({
        "histogram": histogram,
        "cycles": values.count(),
        "min": values.min().map(|least| least.div_euclid(unit)),
        "max": values.max().or(beyond).map(|most| most.div_euclid(unit)),
        "avg": average,
        "cpu": set.cpu,
        "node": null,
    });
    for (name, value) in &set.labels {
        thread[*name] = value.as_str().into();
    }
    Ok(thread)
}
