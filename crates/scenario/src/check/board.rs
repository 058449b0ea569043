// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator at an address: what it cannot do, and how its lines are named.

use irqscope_wire::{Line, Trigger, View};

use super::{Flaws, Rule};
use crate::plan::outside::has_view;
use crate::raw::{Gpio, Text, TriggerText};

pub(super) fn check(text: &Text, trigger: &TriggerText, flaws: &mut Flaws<'_>) {
    let by_wire = trigger.kind.0 == Trigger::Line;
    let reached = text.rig.reaches_target();
    flaws.when(!reached && !by_wire, "trigger.kind", Rule::BoardTriggers);
    let inside = !reached && has_view(text, View::Inside);
    flaws.when(inside, "views", Rule::InsideUnreached);
    let wired = reached && !text.rig.boots() && !text.board.address.is_empty();
    flaws.when(wired && !by_wire, "trigger.kind", Rule::AddressTriggers);
    if let Some(gpio) = &text.board.gpio {
        lines(gpio, trigger, flaws);
    }
}

fn lines(gpio: &Gpio, trigger: &TriggerText, flaws: &mut Flaws<'_>) {
    let line = trigger.line.as_ref().map(|line| line.0);
    flaws.when(line != Some(Line::Gpio), "trigger.line", Rule::GpioLine);
    let count = (1..=8).contains(&gpio.responses.len());
    flaws.when(!count, "board.gpio.responses", Rule::GpioResponses);
    for name in std::iter::once(&gpio.trigger).chain(&gpio.responses) {
        flaws.when(!is_gpio(name), "board.gpio", Rule::GpioName(name.clone()));
    }
}

/// Returns whether a name is `LABEL:OFFSET[:low]`, of what neither a shell nor a module's
/// parameter understands otherwise.
fn is_gpio(name: &str) -> bool {
    let name = name.strip_suffix(":low").unwrap_or(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-@/:".contains(c);
    name.rsplit_once(':').is_some_and(|(label, offset)| {
        !label.is_empty()
            && !label.contains(',')
            && label.chars().all(plain)
            && offset.parse::<u32>().is_ok()
    })
}
