// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two files repeat the table of settings for other readers: docs/settings.md and the
//! page's types. Both are compared with the table; after a change of it
//! `UPDATE=1 cargo test -p irqscope-wire --test integration table` writes them.

use std::fmt::Write;
use std::path::Path;

use irqscope_wire::{Descriptor, Setting, Unit, When, Whose};

/// Checks that a file, or the part between two of its marks, is this text.
fn compare(file: &str, marks: Option<[&str; 2]>, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let new = match marks {
        None => expected.to_owned(),
        Some([begin, end]) => {
            let (before, rest) = old.split_once(begin).expect("the mark at the table's begin");
            let (_, after) = rest.split_once(end).expect("the mark at the table's end");
            format!("{before}{begin}{expected}{end}{after}")
        }
    };
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, new).expect("the tree can be written");
        return;
    }
    let remedy = "write it anew: UPDATE=1 cargo test -p irqscope-wire --test integration table";
    assert!(old == new, "{file} is not what the table of settings says; {remedy}");
}

fn help(descriptor: &Descriptor) -> String {
    descriptor.help.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn number(unit: Unit, raw: u64) -> String {
    match (unit, raw) {
        (_, u64::MAX) => "the highest".into(),
        (Unit::Ticks, 0) => "0".into(),
        (Unit::Ticks, ns) if ns % 1_000_000_000 == 0 => format!("{} s", ns / 1_000_000_000),
        (Unit::Ticks, ns) if ns % 1_000_000 == 0 => format!("{} ms", ns / 1_000_000),
        (Unit::Ticks, ns) => format!("{ns} ns"),
        (Unit::PerMille, raw) => format!("{} %", raw as f64 / 10.0),
        (_, raw) => raw.to_string(),
    }
}

fn values(Descriptor { unit, usual, names, .. }: Descriptor) -> String {
    match names {
        [] if (usual.lowest, usual.highest) == (0, u64::MAX) => "any".into(),
        [] => format!("{} to {}", number(unit, usual.lowest), number(unit, usual.highest)),
        _ => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

fn document() -> String {
    let mut text =
        "\n| setting | in JSON | counts | values | default | during a run | whose | what \
                    it is |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    for descriptor in Setting::table() {
        let Descriptor { setting, unit, when, whose, default, names, .. } = descriptor;
        let default = match names {
            _ if setting == Setting::Lines => "all".into(),
            [] => number(unit, default),
            _ => format!("`{}`", setting.text_of(default)),
        };
        let during = if when == When::Always { "yes" } else { "no" };
        let whose = if whose == Whose::Plan { "the plan's" } else { "a generator's" };
        let (key, values, help) = (setting.key(), values(descriptor), help(&descriptor));
        let unit = unit.name();
        writeln!(
            text,
            "| `{setting}` | `{key}` | {unit} | {values} | {default} | {during} | {whose} | {help} |"
        )
        .expect("a string takes it");
    }
    text
}

#[test]
fn the_document_has_every_setting() {
    compare("docs/settings.md", Some(["<!-- table -->", "<!-- end -->"]), &document());
}

fn union(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" | ")
}

fn types() -> String {
    let (mut settings, mut limits, mut rows) = (String::new(), String::new(), String::new());
    for descriptor in Setting::table() {
        let Descriptor { setting, unit, when, names, .. } = descriptor;
        let (key, help) = (setting.key(), help(&descriptor));
        let (value, span) = match names {
            [] => ("number".to_owned(), "Span".to_owned()),
            _ => (union(names), format!("readonly ({})[]", union(names))),
        };
        writeln!(settings, "  /** {help} */\n  readonly {key}: {value};")
            .expect("a string takes it");
        writeln!(limits, "  readonly {key}: {span};").expect("a string takes it");
        let unit = if unit == Unit::Ticks { "ns" } else { unit.name() };
        let always = when == When::Always;
        writeln!(
            rows,
            "  {{ key: \"{key}\", name: \"{setting}\", unit: \"{unit}\", always: {always}, \
             names: {names:?}, help: {help:?} }},"
        )
        .expect("a string takes it");
    }
    format!(
        "// SPDX-License-Identifier: Apache-2.0 OR MIT
// Written from the table in crates/wire/src/settings/table.rs by
// `UPDATE=1 cargo test -p irqscope-wire --test integration table`; change that instead.

/** The lowest and the highest, both allowed. */
export type Span = readonly [number, number];

/** The values in force. */
export interface Settings {{
{settings}  readonly frequency_millihertz: number;
  readonly high_ns: number;
}}

/** Any of the settings; a refusal leaves all as they were. */
export type SettingsAsked = {{ -readonly [Key in Exclude<keyof Settings, \"high_ns\">]?: Settings[Key] }};

/** The abilities of a generator. */
export interface Limits {{
{limits}  readonly frequency_millihertz: Span;
  readonly period_step_ns: number;
  readonly pulse_ns: number;
  readonly sees_arming: boolean;
  readonly calibrates: boolean;
}}

export interface SettingInfo {{
  readonly key: Exclude<keyof Settings, \"high_ns\" | \"frequency_millihertz\">;
  readonly name: string;
  readonly unit: string;
  /** It may change during a run. */
  readonly always: boolean;
  /** Of its values; empty: numbers. */
  readonly names: readonly string[];
  readonly help: string;
}}

/** The table. */
export const SETTINGS: readonly SettingInfo[] = [
{rows}];
"
    )
}

#[test]
fn the_page_has_every_setting() {
    compare("ui/src/api/settings.ts", None, &types());
}
