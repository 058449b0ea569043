// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's hello, settings and totals as text.

use irqscope_wire::{GeneratorHello, Setting, Settings, Status, Totals, Unit};

use super::limits::{rate, span};
use crate::cli::companion;
use irqscope_quantity::{hertz_exact, percent, seconds};

pub fn hello(address: &str, hello: &GeneratorHello) -> String {
    let GeneratorHello { kind, tool_version, lines, limits, .. } = hello;
    let tick = seconds(span(hello, 1));
    let slowest = hertz_exact(rate(hello, limits.period.highest));
    let fastest = hertz_exact(rate(hello, limits.period.lowest));
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
    let seconds =
        |setting: &Setting| Setting::ALL.iter().any(|it| companion(*it) == Some(*setting));
    let shown = Setting::ALL.iter().filter(|setting| !seconds(setting));
    let rows = shown.map(|setting| {
        let value = effective(hello, &status.settings, *setting);
        format!("{:10} {value}\n", setting.name())
    });
    state(status) + &rows.collect::<String>() + &totals(&status.totals)
}

/// Formats the value in force, with what follows from it.
pub fn effective(hello: &GeneratorHello, settings: &Settings, setting: Setting) -> String {
    let raw = settings.get(setting);
    let text = value(setting, raw, hello);
    match setting {
        Setting::Period => format!("{text} ({})", hertz_exact(rate(hello, raw))),
        Setting::Duty => format!("{text} ({} high)", seconds(span(hello, settings.high.0))),
        _ => {
            let second = companion(setting).map(|it| value(it, settings.get(it), hello));
            pair(setting, raw, text, second)
        }
    }
}

/// Joins a value with the one that belongs to it.
pub fn pair(setting: Setting, raw: u64, text: String, second: Option<String>) -> String {
    match (setting, second) {
        (Setting::Burst, _) if raw == 1 => "none".to_owned(),
        (_, Some(second)) if raw != 0 => format!("{text}:{second}"),
        _ => text,
    }
}

/// Formats a raw value in a generator's ticks as people read it.
pub fn value(setting: Setting, raw: u64, hello: &GeneratorHello) -> String {
    if setting == Setting::Burst {
        raw.to_string()
    } else {
        number(setting, raw, hello) + suffix(setting)
    }
}

/// Formats the same without its unit, where that is a word.
pub fn number(setting: Setting, raw: u64, hello: &GeneratorHello) -> String {
    match setting.unit() {
        Unit::Ticks => seconds(span(hello, raw)),
        Unit::PerMille => percent(raw),
        _ => setting.text_of(raw),
    }
}

/// Returns the unit, where it is a word.
pub const fn suffix(setting: Setting) -> &'static str {
    match setting.unit() {
        Unit::Samples => " samples",
        Unit::Triggers => " triggers",
        Unit::Lines => " lines",
        Unit::None | Unit::Ticks | Unit::PerMille => "",
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
