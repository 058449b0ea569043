// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A value change dump (IEEE 1364-2001, clause 18), for GTKWave and PulseView: a
//! module for each case, a wire for each of its lines, in nanoseconds since the
//! first change of any.

use std::collections::BTreeMap;
use std::io::{self, Write};

use irqscope_analysis::Waves;
use irqscope_run::RunDir;
use vcd::{TimescaleUnit, Value, Writer};

use super::Export;
use super::subject::Case;
use super::wires::waves;
use crate::foreign::ForeignError;

pub fn write(
    run: &RunDir,
    cases: &[Case],
    what: &Export,
    output: &mut dyn Write,
) -> Result<(), ForeignError> {
    let all = waves(run, cases, what)?;
    let zero = all.iter().filter_map(Waves::span).map(|span| span.0).min().unwrap_or(0);
    Ok(dump(&all, zero, output)?)
}

fn dump(all: &[Waves], zero: i64, output: &mut dyn Write) -> io::Result<()> {
    let mut dump = Writer::new(output);
    let tool = concat!("irqscope ", env!("CARGO_PKG_VERSION"));
    dump.version(tool)?;
    dump.timescale(1, TimescaleUnit::NS)?;
    dump.add_module("irqscope")?;
    // By instant; at one instant in the order of cases, lines and changes.
    let mut changes: BTreeMap<i64, Vec<_>> = BTreeMap::new();
    let mut ids = Vec::new();
    for waves in all {
        dump.add_module(&identifier(&waves.case))?;
        for line in &waves.lines {
            let id = dump.add_wire(1, &line.name)?;
            ids.push(id);
            for change in &line.changes {
                changes.entry(change.at).or_default().push((id, change.high));
            }
        }
        dump.upscope()?;
    }
    dump.upscope()?;
    dump.enddefinitions()?;
    dump.begin(vcd::SimulationCommand::Dumpvars)?;
    ids.iter().try_for_each(|id| dump.change_scalar(*id, Value::V0))?;
    dump.end()?;
    for (at, changes) in changes {
        dump.timestamp((at - zero).unsigned_abs())?;
        changes.iter().try_for_each(|(id, high)| dump.change_scalar(*id, *high))?;
    }
    Ok(())
}

/// Readers take no blanks in names, and some nothing but letters, digits and `_`.
fn identifier(case: &str) -> String {
    case.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
