// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario's settings of a generator at an address: where it is, and which lines of the target
//! it is wired to.

use irqscope_wire::{Line, Trigger};
use serde::Deserialize;

use crate::text::Text;

/// A generator at an address: all that rig `board` reaches, and what triggers a target
/// of rig `local` or `ssh` by a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Board {
    /// `HOST:PORT`, `tcp://HOST:PORT` or `serial:///dev/ttyX[?baud=N]`.
    pub address: String,
    /// None: the target's device tree names them, or it has other lines.
    pub gpio: Option<Gpio>,
}

/// The target's GPIO lines that the board is wired to, each `LABEL:OFFSET[:low]`, as
/// `irqscope_gpio.ko` takes them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpio {
    /// The line that the interrupt comes in by.
    pub trigger: String,
    /// Line 0 first; 8 at most.
    pub responses: Vec<String>,
}

/// Returns the wires that a board is joined to: it does not know, and they are the target's.
pub(crate) fn wires(asked: Line) -> Line {
    match asked {
        Line::Parport | Line::Gpio | Line::Ivshmem => asked,
        Line::Record | Line::Memory => Line::Parport,
    }
}

/// Says what a board cannot do. `inside`: the target is to keep a record.
pub(crate) fn check(text: &Text, inside: bool) -> Result<(), String> {
    let wrong = |what: &str| Err(what.to_owned());
    let (rig, by_wire) = (text.rig, text.trigger.kind.0 == Trigger::Line);
    if !rig.reaches_target() && !by_wire {
        return wrong("rig board triggers by its wire: trigger.kind = \"line\"");
    }
    if !rig.reaches_target() && inside {
        return wrong(
            "rig board does not reach the target, and sees from outside only: leave views out, \
             or reach it by rig = \"ssh\" or \"local\"",
        );
    }
    if !rig.boots() && !text.board.address.is_empty() && !by_wire {
        return wrong(
            "the generator at board.address triggers by its wire: trigger.kind = \"line\"",
        );
    }
    text.board.gpio.as_ref().map_or(Ok(()), |gpio| check_gpio(text, gpio))
}

fn check_gpio(text: &Text, gpio: &Gpio) -> Result<(), String> {
    let lines = text.trigger.line.as_ref().map(|line| line.0);
    if lines != Some(Line::Gpio) {
        return Err("board.gpio names GPIO lines: trigger.line = \"gpio\"".to_owned());
    }
    if !(1..=8).contains(&gpio.responses.len()) {
        return Err("board.gpio.responses are 1 to 8 lines".to_owned());
    }
    let mut named = std::iter::once(&gpio.trigger).chain(&gpio.responses);
    match named.find(|name| !is_gpio(name)) {
        Some(name) => Err(format!(
            "board.gpio: `{name}` is no LABEL:OFFSET, as in \"pinctrl-bcm2711:17\"; gpiodetect \
             shows the labels in brackets; what inverts gets :low behind it"
        )),
        None => Ok(()),
    }
}

/// Returns whether a name is `LABEL:OFFSET[:low]`, of what neither a shell nor a module's parameter
/// understands otherwise.
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
