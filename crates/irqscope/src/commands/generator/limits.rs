// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's refusals count in its own ticks; people do not.

use irqscope_rig::generator::GeneratorError;
use irqscope_wire::{GeneratorHello, Range, Refusal, Setting};

use crate::exit::{Exit, Trouble};
use crate::quantity::{hertz, percent, seconds};

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
    let range = Range { lowest, highest };
    let time = |ticks| seconds(span(hello, ticks));
    match setting {
        Setting::Period | Setting::Jitter | Setting::Patience | Setting::Interval => {
            beyond(setting.name(), &time(asked), range, time, "")
        }
        Setting::Duty => beyond(setting.name(), &percent(asked), range, percent, ""),
        _ => beyond_count(setting, asked.into(), range),
    }
}

/// Refuses a number that the protocol cannot even carry, or that the generator refuses.
pub fn beyond_count(setting: Setting, asked: u128, range: Range) -> Trouble {
    let unit = format!(" {}", setting.unit());
    beyond(setting.name(), &asked.to_string(), range, |n| n.to_string(), &unit)
}

/// Refuses a frequency, with the period's limits as frequencies.
pub fn beyond_frequency(millihertz: u64, period: Range, hello: &GeneratorHello) -> Trouble {
    let Range { lowest, highest } = period;
    let asked = hertz(millihertz as f64 / 1e3);
    let range = Range { lowest: highest, highest: lowest };
    beyond("frequency", &asked, range, |period| hertz(rate(hello, period)), "")
}

fn beyond(
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
