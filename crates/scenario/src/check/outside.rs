// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The view from outside, and the generator that it needs.

use irqscope_wire::{Line, Mode, Stage, View};

use super::{Flaws, Rule};
use crate::plan::outside::{allows_spare_cpu, has_generator, has_spare_cpu, has_view, line};
use crate::plan::{labels, mode};
use crate::raw::{Named, Text, TriggerText};

pub(super) fn check(text: &Text, trigger: &TriggerText, flaws: &mut Flaws<'_>) {
    let [outside, inside] = [View::Outside, View::Inside].map(|view| has_view(text, view));
    let generator = has_generator(text, trigger);
    flaws.when(!outside && !inside, "views", Rule::NoViews);
    let isolated = outside && mode(text, trigger) == Mode::Isolated;
    let turns = text
        .stages
        .as_ref()
        .is_some_and(|stages| stages.len() > 1 && !stages.contains(&Named(Stage::Irq)));
    flaws.when(isolated && turns, "stages", Rule::IsolatedUnseen);
    flaws.when(outside && !generator, "views", Rule::NoGenerator);
    flaws.when(generator && !outside && inside, "views", Rule::GeneratorUnseen);
    spare_cpu(text, trigger, flaws);
    let unwired = generator && line(text, trigger) == Line::Record;
    flaws.when(unwired, "trigger.line", Rule::NoWires);
    let asked = trigger.line.as_ref().map(|line| line.0).filter(|_| outside);
    for kernel in labels(text) {
        let wires = text.rig.wires(&kernel);
        if let Some((wires, _)) = wires.zip(asked).filter(|(wires, asked)| wires != asked) {
            let rig = text.rig.name();
            flaws.add("trigger.line", Rule::OtherWires { rig, wires, kernel });
        }
    }
    for (setting, _) in trigger.settings.iter() {
        let key = format!("trigger.{setting}");
        flaws.when(!outside, &key, Rule::SettingOfGenerator(setting));
    }
    let one_view = text.observer_effect && !(outside && inside);
    flaws.when(one_view, "observer-effect", Rule::ObserverEffect);
}

fn spare_cpu(text: &Text, trigger: &TriggerText, flaws: &mut Flaws<'_>) {
    let memory = trigger.line.as_ref().is_some_and(|line| line.0 == Line::Memory);
    let unwatched = memory && !has_spare_cpu(text, trigger);
    flaws.when(unwatched, "trigger.line", Rule::MemoryUnwatched);
    let idle = trigger.generator_cpu.is_some() && !allows_spare_cpu(text, trigger);
    flaws.when(idle, "trigger.generator-cpu", Rule::GeneratorCpu);
    let same = trigger.generator_cpu == Some(trigger.cpu);
    flaws.when(same, "trigger.generator-cpu", Rule::GeneratorCpuUnderTest);
}
