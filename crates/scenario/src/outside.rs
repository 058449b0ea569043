// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a scenario says of the view from outside: whether there is a generator,
//! which lines it watches, and what it is told.

use irqscope_wire::{Line, Mode, Outside, Trigger, View};

use crate::text::{RigKind, Text};

/// Where a rig's own generator looks, if it has one.
pub(crate) fn wires(rig: RigKind) -> Option<Line> {
    match rig {
        RigKind::Twin => Some(Line::Parport),
        RigKind::Vm => Some(Line::Ivshmem),
        RigKind::Local | RigKind::Ssh => None,
    }
}

/// Where responses are shown: on the wires that the rig has, if any are used.
pub(crate) fn line(text: &Text) -> Line {
    match (&text.trigger.line, text.trigger.kind.0) {
        (Some(line), _) => line.0,
        (None, Trigger::Line) => wires(text.rig).unwrap_or(Line::Parport),
        _ => Line::Record,
    }
}

/// A generator watches, for it alone knows when triggers came.
fn has_generator(text: &Text) -> bool {
    text.trigger.kind.0 == Trigger::Line
}

pub(crate) fn has_view(text: &Text, view: View) -> bool {
    match &text.views {
        Some(views) => views.iter().any(|asked| asked.0 == view),
        None => view == View::Inside || has_generator(text),
    }
}

/// What the generator is told beyond the trigger's period, jitter and count.
pub(crate) fn of(text: &Text) -> Option<Outside> {
    let default = Outside::default();
    has_view(text, View::Outside).then(|| Outside {
        duty_per_mille: text.trigger.duty.map_or(default.duty_per_mille, |duty| duty.0),
        packet: text.trigger.packet.unwrap_or(default.packet),
    })
}

/// Says what does not go together.
pub(crate) fn check(text: &Text) -> Result<(), String> {
    let trigger = &text.trigger;
    let [outside, inside] = [View::Outside, View::Inside].map(|view| has_view(text, view));
    let wrong = |what: &str| Err(what.to_owned());
    if !outside && !inside {
        return wrong("views is empty; the least is views = [\"inside\"]");
    }
    if outside && !has_generator(text) {
        return wrong("the view outside needs a generator: trigger.kind = \"line\"");
    }
    if has_generator(text) && !outside {
        return wrong("trigger.kind = \"line\" has the view outside: leave views out, or add it");
    }
    if outside && trigger.mode.0 == Mode::Isolated {
        return wrong(
            "trigger.mode = \"isolated\" has no view outside: a generator cannot know whose turn it is",
        );
    }
    if has_generator(text) && line(text) == Line::Record {
        return wrong("trigger.kind = \"line\" needs wires: trigger.line = \"parport\"");
    }
    if let Some(wires) = wires(text.rig).filter(|wires| outside && line(text) != *wires) {
        let rig = text.rig.name();
        return Err(format!("the generator of rig {rig} watches trigger.line = \"{wires}\""));
    }
    if !outside && (trigger.duty.is_some() || trigger.packet.is_some()) {
        return wrong("trigger.duty and trigger.packet are a generator's: trigger.kind = \"line\"");
    }
    if trigger.packet.is_some_and(|packet| !(1..=1024).contains(&packet)) {
        return wrong("trigger.packet is 1 to 1024 samples");
    }
    if text.observer_effect && !(outside && inside) {
        return wrong(
            "observer-effect compares outside figures with and without the view inside: it needs both views",
        );
    }
    Ok(())
}
