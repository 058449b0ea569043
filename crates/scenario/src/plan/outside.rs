// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The view from outside: whether there is a generator, which lines it watches, and what
//! it is asked.

use irqscope_wire::{Line, Outside, Trigger, View};

use crate::raw::{Named, Text, TriggerText};

/// Returns where responses are shown: on the wires that the rig has, if any are used.
pub(crate) fn line(text: &Text, trigger: &TriggerText) -> Line {
    let first_kernel = text.kernels.first().map_or("", String::as_str);
    match (&trigger.line, trigger.kind.0) {
        (Some(line), _) => line.0,
        (None, Trigger::Line) => text.rig.wires(first_kernel).unwrap_or(Line::Parport),
        (None, Trigger::Inject) if has_spare_cpu(text, trigger) => Line::Memory,
        _ => Line::Record,
    }
}

/// Returns whether a generator watches, for it alone knows when triggers came.
pub(crate) fn has_generator(text: &Text, trigger: &TriggerText) -> bool {
    trigger.kind.0 == Trigger::Line || has_spare_cpu(text, trigger)
}

/// Returns whether a CPU of a machine that is there injects and watches.
pub(crate) fn has_spare_cpu(text: &Text, trigger: &TriggerText) -> bool {
    !text.rig.boots() && allows_spare_cpu(text, trigger)
}

/// Returns whether a spare CPU may inject and watch, where the rig has one: nothing in
/// the scenario is against it.
pub(crate) fn allows_spare_cpu(text: &Text, trigger: &TriggerText) -> bool {
    let TriggerText { kind, line, .. } = trigger;
    let wanted = text.views.as_ref().is_none_or(|views| views.contains(&Named(View::Outside)));
    kind.0 == Trigger::Inject && line.as_ref().is_none_or(|line| line.0 == Line::Memory) && wanted
}

/// Returns whether samples of a view are taken; benchmarks have none.
pub(crate) fn has_view(text: &Text, view: View) -> bool {
    let Some(trigger) = &text.trigger else { return false };
    match &text.views {
        Some(views) => views.iter().any(|asked| asked.0 == view),
        // Nothing that rig `board` reaches could look from inside.
        None if !text.rig.reaches_target() => view == View::Outside,
        None => view == View::Inside || has_generator(text, trigger),
    }
}

/// Returns what the generator is asked beyond the trigger's period, jitter and count.
pub(crate) fn settings(text: &Text, trigger: &TriggerText) -> Option<Outside> {
    has_view(text, View::Outside).then(|| Outside {
        cpu: trigger.generator_cpu,
        settings: trigger.settings.or(Outside::default().settings),
    })
}
