// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's refusals count in its own ticks; people do not.

use irqscope_rig::generator::GeneratorError;
use irqscope_wire::{GeneratorHello, Range, Refusal, Setting, Unit};

use super::show;
use crate::exit::{Exit, Trouble};
use irqscope_quantity::{hertz_exact, seconds};

const FEMTOSECONDS: f64 = 1e15;

/// Converts ticks of this generator to seconds.
pub fn span(hello: &GeneratorHello, ticks: u64) -> f64 {
    ticks as f64 * hello.tick.femtoseconds as f64 / FEMTOSECONDS
}

/// Converts a period to triggers per second.
pub fn rate(hello: &GeneratorHello, period: u64) -> f64 {
    1.0 / span(hello, period)
}

/// Explains an error with its limit in units that people use.
pub fn explain(error: GeneratorError, hello: &GeneratorHello) -> Trouble {
    let GeneratorError::Refused(Refusal::OutOfRange { setting, asked, lowest, highest }) = error
    else {
        return error.into();
    };
    if !setting.descriptor().names.is_empty() {
        return error.into();
    }
    out_of_range(setting, &show::number(setting, asked, hello), Range { lowest, highest }, hello)
}

/// Refuses a number that the protocol cannot carry.
pub fn beyond(setting: Setting, asked: u128, hello: &GeneratorHello) -> Trouble {
    let text = match setting.unit() {
        Unit::Ticks => seconds(asked as f64 / 1e9),
        _ => asked.to_string(),
    };
    out_of_range(setting, &text, hello.limits.range(setting), hello)
}

fn out_of_range(setting: Setting, asked: &str, range: Range, hello: &GeneratorHello) -> Trouble {
    let print = |raw| show::number(setting, raw, hello);
    say(setting.name(), asked, range, print, show::suffix(setting))
}

/// Refuses a frequency, with the period's limits as frequencies.
pub fn beyond_frequency(millihertz: u64, period: Range, hello: &GeneratorHello) -> Trouble {
    let Range { lowest, highest } = period;
    let asked = hertz_exact(millihertz as f64 / 1e3);
    let range = Range { lowest: highest, highest: lowest };
    say("frequency", &asked, range, |period| hertz_exact(rate(hello, period)), "")
}

fn say(
    what: &str,
    asked: &str,
    range: Range,
    print: impl Fn(u64) -> String,
    unit: &str,
) -> Trouble {
    let (lowest, highest) = (print(range.lowest), print(range.highest));
    let text = format!("{what} {asked} is out of range: {lowest} to {highest}{unit}");
    Trouble::new(Exit::Usage, text)
}
