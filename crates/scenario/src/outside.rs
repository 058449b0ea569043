// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a scenario says of the view from outside: whether there is a generator,
//! which lines it watches, and what it is told.

use irqscope_wire::{Line, Mode, Outside, Trigger, View};

use crate::board;
use crate::text::{Text, TriggerText};
use crate::value::Named;

/// Where responses are shown: on the wires that the rig has, if any are used.
pub(crate) fn line(text: &Text) -> Line {
    match (&text.trigger.line, text.trigger.kind.0) {
        (Some(line), _) => line.0,
        (None, Trigger::Line) => text.rig.wires(first_kernel(text)).unwrap_or(Line::Parport),
        (None, Trigger::Inject) if has_spare_cpu(text) => Line::Memory,
        _ => Line::Record,
    }
}

fn first_kernel(text: &Text) -> &str {
    text.kernels.first().map_or("", String::as_str)
}

/// A generator watches, for it alone knows when triggers came.
fn has_generator(text: &Text) -> bool {
    text.trigger.kind.0 == Trigger::Line || has_spare_cpu(text)
}

/// A CPU of a machine that is there injects and watches.
fn has_spare_cpu(text: &Text) -> bool {
    !text.rig.boots() && allows_spare_cpu(text)
}

/// The scenario lets a spare CPU inject and watch, where the rig has one: nothing
/// that it says is against it.
fn allows_spare_cpu(text: &Text) -> bool {
    let TriggerText { kind, line, mode, .. } = &text.trigger;
    let wanted = text.views.as_ref().is_none_or(|views| views.contains(&Named(View::Outside)));
    kind.0 == Trigger::Inject
        && line.as_ref().is_none_or(|line| line.0 == Line::Memory)
        && mode.0 == Mode::Together
        && wanted
}

pub(crate) fn has_view(text: &Text, view: View) -> bool {
    // Nothing that rig `board` reaches could look from inside.
    if !text.rig.reaches_target() && text.views.is_none() {
        return view == View::Outside;
    }
    match &text.views {
        Some(views) => views.iter().any(|asked| asked.0 == view),
        None => view == View::Inside || has_generator(text),
    }
}

/// What the generator is told beyond the trigger's period, jitter and count.
pub(crate) fn of(text: &Text) -> Option<Outside> {
    has_view(text, View::Outside).then(|| settings(text))
}

/// The same for a spare CPU, whichever rig the scenario names.
pub(crate) fn of_spare_cpu(text: &Text) -> Option<Outside> {
    allows_spare_cpu(text).then(|| settings(text))
}

fn settings(text: &Text) -> Outside {
    let default = Outside::default();
    Outside {
        duty_per_mille: text.trigger.duty.map_or(default.duty_per_mille, |duty| duty.0),
        packet: text.trigger.packet.unwrap_or(default.packet),
        cpu: text.trigger.generator_cpu,
        polarity: text.trigger.polarity.map_or(default.polarity, |polarity| polarity.0),
    }
}

/// Says what does not go together.
pub(crate) fn check(text: &Text) -> Result<(), String> {
    let trigger = &text.trigger;
    let [outside, inside] = [View::Outside, View::Inside].map(|view| has_view(text, view));
    let wrong = |what: &str| Err(what.to_owned());
    if !outside && !inside {
        return wrong("views is empty; the least is views = [\"inside\"]");
    }
    if outside && trigger.mode.0 == Mode::Isolated {
        return wrong(
            "trigger.mode = \"isolated\" has no view outside: a generator cannot know whose turn it is",
        );
    }
    if outside && !has_generator(text) {
        return wrong(
            "the view outside needs a generator: trigger.kind = \"line\", or \"inject\" with rig local or ssh",
        );
    }
    if has_generator(text) && !outside {
        return wrong("trigger.kind = \"line\" has the view outside: leave views out, or add it");
    }
    check_spare_cpu(text)?;
    if has_generator(text) && line(text) == Line::Record {
        return wrong("trigger.kind = \"line\" needs wires: trigger.line = \"parport\"");
    }
    let asked = trigger.line.as_ref().map(|line| line.0).filter(|_| outside);
    for kernel in &text.kernels {
        let wires = text.rig.wires(kernel);
        if let Some((wires, _)) = wires.zip(asked).filter(|(wires, asked)| wires != asked) {
            let rig = text.rig.name();
            return Err(format!(
                "the generator of rig {rig} watches trigger.line = \"{wires}\" with kernel {kernel}"
            ));
        }
    }
    let settings = [trigger.duty.is_some(), trigger.packet.is_some(), trigger.polarity.is_some()];
    if !outside && settings.contains(&true) {
        return wrong(
            "trigger.duty, polarity and packet are a generator's: trigger.kind = \"line\"",
        );
    }
    board::check(text, inside)?;
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

/// Says what does not go together with a CPU that injects and watches.
fn check_spare_cpu(text: &Text) -> Result<(), String> {
    let trigger = &text.trigger;
    let wrong = |what: &str| Err(what.to_owned());
    let asked = trigger.line.as_ref().is_some_and(|line| line.0 == Line::Memory);
    if asked && !has_spare_cpu(text) {
        return wrong(
            "trigger.line = \"memory\" is what a spare CPU watches: it needs rig local or ssh, \
             trigger.kind = \"inject\", trigger.mode = \"together\" and the view outside",
        );
    }
    if trigger.generator_cpu.is_some() && !allows_spare_cpu(text) {
        return wrong(
            "trigger.generator-cpu is the CPU that injects and watches: it needs \
             trigger.kind = \"inject\" and the view outside",
        );
    }
    if trigger.generator_cpu == Some(trigger.cpu) {
        return wrong("trigger.generator-cpu is another one than trigger.cpu, which is under test");
    }
    Ok(())
}
