// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rules about a guest's devices, and about loads that need them.

use irqscope_wire::Load;

use super::{Flaws, Rule};
use crate::devices::Card;
use crate::plan::states;
use crate::raw::Text;

pub(super) fn check(text: &Text, flaws: &mut Flaws<'_>) {
    let devices = text.devices;
    let some = devices.network.is_some() || devices.disk.is_some();
    let rig = text.rig.name();
    flaws.when(some && !text.rig.boots(), "devices", Rule::DevicesOfRunning { rig });
    let exact = text.rig.facts().virtual_clock;
    flaws.when(exact && devices.disk.is_some(), "devices.disk", Rule::DiskInTwin);
    let virtual_card = devices.network == Some(Card::VirtioNet);
    flaws.when(exact && virtual_card, "devices.network", Rule::CardInTwin);
    if devices.network.is_some() && text.rig.boots() {
        return;
    }
    for (number, name) in text.states.iter().enumerate() {
        let uses = states::state(text, name).is_some_and(|it| it.loads.contains(&Load::Network));
        flaws.when(uses, &format!("states.{number}"), Rule::NoCards("load network".into()));
    }
    for (name, _) in text.load.iter().filter(|(_, load)| load.peer) {
        let place = format!("load.{name}.peer");
        flaws.when(true, &place, Rule::NoCards(format!("load {name}, with peer,")));
    }
}
