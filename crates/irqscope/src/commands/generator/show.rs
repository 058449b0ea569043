// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's hello, settings and totals as text.

use irqscope_wire::{GeneratorHello, JitterKind, Settings, Status, Totals};

use super::limits::{rate, span};
use crate::quantity::{hertz, percent, seconds};

pub fn hello(address: &str, hello: &GeneratorHello) -> String {
    let GeneratorHello { kind, tool_version, lines, limits, .. } = hello;
    let tick = seconds(span(hello, 1));
    let slowest = hertz(rate(hello, limits.period.highest));
    let fastest = hertz(rate(hello, limits.period.lowest));
    format!(
        "generator  {kind} {tool_version} at {address}: {lines} lines, tick {tick}, {slowest} to \
         {fastest}\n"
    )
}

pub fn state(status: &Status) -> String {
    match status.run {
        0 => format!("run        none yet, {}\n", status.state),
        run => format!("run        {run}, {}\n", status.state),
    }
}

pub fn status(hello: &GeneratorHello, status: &Status) -> String {
    let set = &status.settings;
    let time = |ticks| seconds(span(hello, ticks));
    [
        state(status),
        format!("period     {}\n", period(hello, set)),
        format!("duty       {}\n", duty(hello, set)),
        format!("packet     {} samples\n", set.packet),
        format!("count      {} triggers\n", set.count),
        format!("jitter     {}\n", jitter(set.jitter, &time(set.jitter_amount.0))),
        format!("burst      {}\n", burst(set.burst, &time(set.interval.0))),
        format!("shape      {}\n", set.shape),
        format!("polarity   {}\n", set.polarity),
        format!("seed       {}\n", set.seed),
        format!("pacing     {}\n", set.pacing),
        format!("patience   {}\n", time(set.patience.0)),
        totals(&status.totals),
    ]
    .concat()
}

pub fn period(hello: &GeneratorHello, set: &Settings) -> String {
    let period = set.period.0;
    format!("{} ({})", seconds(span(hello, period)), hertz(rate(hello, period)))
}

pub fn duty(hello: &GeneratorHello, set: &Settings) -> String {
    let high = seconds(span(hello, set.high.0));
    format!("{} ({high} high)", percent(set.duty_per_mille.into()))
}

pub fn jitter(kind: JitterKind, amount: &str) -> String {
    match kind {
        JitterKind::None => kind.to_string(),
        _ => format!("{kind}:{amount}"),
    }
}

pub fn burst(triggers: u32, interval: &str) -> String {
    match triggers {
        1 => "none".to_owned(),
        _ => format!("{triggers}:{interval}"),
    }
}

/// Formats the accounting identity in full.
pub fn totals(totals: &Totals) -> String {
    let Totals { triggers, complete, missing, coalesced, dropped, open, .. } = totals;
    let Totals { edges, answers, extra, skipped, .. } = totals;
    let mark = if totals.identity_holds() { "✓" } else { "✗ INVALID" };
    format!(
        "triggers   {triggers} = {complete} complete + {missing} missing + {coalesced} coalesced \
         + {dropped} dropped + {open} open  {mark}\n\
         edges      {edges} = {answers} answers + {extra} extra; {skipped} points of the grid \
         skipped\n"
    )
}
