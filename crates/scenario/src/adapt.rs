// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The adaptation of a scenario's file to another rig, or to a board: its keys are changed before
//! anything is checked. Keys of the command line stay as they are, so that what does not go with
//! the rig is refused.

use irqscope_wire::Setting;

use crate::kind::RigKind;
use crate::table::Table;

/// Keys about a generator, and about what only it can show, besides its settings.
const OF_GENERATOR: [&str; 4] =
    ["views", "observer-effect", "trigger.line", "trigger.generator-cpu"];

/// Changes the keys of a file for rig `from` to what is measured on rig `to`.
pub(crate) fn adapt(table: &mut Table<'_>, from: RigKind, to: RigKind) {
    let connects = table.is_option("board.address");
    if from == to && !connects {
        return;
    }
    if from != to && !to.boots() {
        table.remove("kernels");
        table.remove("boot");
        table.remove("axes");
        table.remove("devices");
    }
    if !to.facts().virtual_clock {
        table.remove("twin.trace");
        table.remove("twin.sections");
    }
    if to.boots() {
        table.remove("board");
    }
    if table.get("trigger").is_some() {
        trigger(table, to);
    }
}

fn trigger(table: &mut Table<'_>, to: RigKind) {
    let has_address = table.text("board.address").is_some_and(|address| !address.is_empty());
    match table.text("trigger.kind") {
        _ if !to.reaches_target() => leave_to_board(table),
        _ if has_address && !to.boots() => join_board(table),
        Some("inject") if to.boots() => leave_generator(table),
        // Which wires they are is each kernel's own.
        Some("line") if to.boots() => table.remove("trigger.line"),
        Some("line") => {
            leave_generator(table);
            table.set("trigger.kind", "timer");
        }
        _ => {}
    }
}

/// Drops what only a generator has.
fn leave_generator(table: &mut Table<'_>) {
    OF_GENERATOR.iter().for_each(|key| table.remove(key));
    Setting::generators().for_each(|row| table.remove(&format!("trigger.{}", row.setting)));
}

/// Adapts to a generator at an address, which triggers whatever the scenario was made for, by the
/// wires that it is joined to, and watches.
fn join_board(table: &mut Table<'_>) {
    if table.text("trigger.kind") != Some("line") {
        table.set("trigger.kind", "line");
    }
    if !matches!(table.text("trigger.line"), Some("parport" | "gpio" | "ivshmem")) {
        table.remove("trigger.line");
    }
    table.remove("trigger.generator-cpu");
    let outside = |table: &Table<'_>| {
        let views = table.get("views").and_then(|views| views.get_ref().as_array());
        views
            .is_none_or(|views| views.iter().any(|view| view.get_ref().as_str() == Some("outside")))
    };
    if !outside(table) {
        table.remove("views");
    }
}

/// Drops what needs the view from inside: nothing that a board reaches could look from there.
fn leave_to_board(table: &mut Table<'_>) {
    join_board(table);
    for key in ["views", "observer-effect", "explain", "explain-effect"] {
        table.remove(key);
    }
}
