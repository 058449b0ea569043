// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rules about loads, modules and settings of one's own.
//!
//! A scenario's commands run on its target. Where that is this machine, or where files of this
//! machine leave the scenario's directory, the command line has to say that the file is trusted.

use std::ops::RangeInclusive;
use std::path::{Component, Path};

use irqscope_wire::Load;

use super::{Flaws, Rule};
use crate::kind::RigKind;
use crate::payload::{ModuleSource, module, package};
use crate::raw::{LoadText, SysctlText, Text};

/// How many of a load can run at the same time.
pub(super) const COPIES: RangeInclusive<u16> = 1..=4096;

pub(super) fn check(text: &Text, flaws: &mut Flaws<'_>) {
    for (name, own) in &text.load {
        load(name, own, text, flaws);
    }
    packages(text, flaws);
    for (number, word) in text.modules.iter().enumerate() {
        modules(&format!("modules.{number}"), word, flaws);
    }
    let (modules, unreached) = (!text.modules.is_empty(), !text.rig.reaches_target());
    flaws.when(modules && unreached, "modules", Rule::Unreached("modules"));
    sysctls("sysctl", &text.sysctl, text, flaws);
}

pub(super) fn sysctls(place: &str, settings: &SysctlText, text: &Text, flaws: &mut Flaws<'_>) {
    let some = !settings.0.is_empty();
    flaws.when(some && !text.rig.reaches_target(), place, Rule::Unreached("sysctl"));
    for setting in &settings.0 {
        let good = |part: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
            !part.is_empty() && part.chars().all(plain)
        };
        let is_name = setting.name.split('.').all(good) && setting.name.contains('.');
        flaws.when(
            !is_name && !is_of_sysfs(&setting.name),
            place,
            Rule::SysctlName(setting.name.clone()),
        );
    }
}

/// Returns whether a name is the path of a file of sysfs.
fn is_of_sysfs(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:@+".contains(c);
    let good =
        |part: &str| !part.is_empty() && !matches!(part, "." | "..") && part.chars().all(plain);
    name.strip_prefix("/sys/").is_some_and(|path| path.split('/').all(good))
}

fn load(name: &str, own: &LoadText, text: &Text, flaws: &mut Flaws<'_>) {
    let place = format!("load.{name}");
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name =
        (1..=32).contains(&name.len()) && name.chars().all(good) && !name.starts_with('.');
    flaws.when(!is_name, &place, Rule::LoadName(name.to_owned()));
    flaws.when(Load::NAMES.contains(&name), &place, Rule::LoadOfOurs(name.to_owned()));
    let key = |key: &str| format!("{place}.{key}");
    command(name, own, flaws);
    flaws.when(!COPIES.contains(&own.count), &key("count"), Rule::Copies(name.to_owned()));
    let named = |name: &String| name.is_empty() || name.contains(['=', '\0']);
    let wrong = own.environment.keys().any(named);
    flaws.when(wrong, &key("environment"), Rule::EnvironmentName(name.to_owned()));
    let set_here =
        [place.clone(), key("command"), key("calls")].iter().any(|key| flaws.table.is_option(key));
    let here = text.rig == RigKind::Local && !set_here;
    let trusted = flaws.table.allows_commands();
    flaws.when(here && !trusted, &place, Rule::CommandHere(name.to_owned()));
    let mut names = Vec::new();
    for (number, file) in own.files.iter().enumerate() {
        let at = key(&format!("files.{number}"));
        path(&at, &key("files"), file, flaws);
        let last = Path::new(file).file_name();
        let again = last.is_none() || names.contains(&last);
        flaws.when(again, &at, Rule::FileTwice(file.clone()));
        names.push(last);
    }
    if let Some(root) = &own.root {
        path(&key("root"), &key("root"), root, flaws);
        flaws.when(!own.packages.is_empty(), &key("packages"), Rule::PackagesBesideRoot);
    }
}

/// Checks what a load does: it runs a command, or makes system calls.
fn command(name: &str, own: &LoadText, flaws: &mut Flaws<'_>) {
    let words = &own.command.0;
    let (command, calls) = (format!("load.{name}.command"), format!("load.{name}.calls"));
    if own.calls.is_empty() {
        let empty = words.first().is_none_or(|program| program.trim().is_empty());
        return flaws.when(empty, &command, Rule::NoCommand(name.to_owned()));
    }
    flaws.when(!words.is_empty(), &command, Rule::CommandAndCalls(name.to_owned()));
    if let Err(error) = irqscope_calls::calls(own.calls.iter().map(String::as_str)) {
        flaws.add(&calls, Rule::Call(error.to_string()));
    }
}

/// Checks a path of this machine that goes along.
fn path(place: &str, list: &str, file: &str, flaws: &mut Flaws<'_>) {
    let leaves = Path::new(file)
        .components()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
    let trusted = flaws.table.allows_commands() || flaws.table.is_option(list);
    if leaves && !trusted {
        flaws.add(place, Rule::PathOutside(file.to_owned()));
    } else if !flaws.table.dir().join(file).exists() {
        flaws.add(place, Rule::NoSuchFile(file.to_owned()));
    }
}

fn packages(text: &Text, flaws: &mut Flaws<'_>) {
    let mut suite: Option<String> = None;
    for (load, own) in &text.load {
        for (number, name) in own.packages.iter().enumerate() {
            let place = format!("load.{load}.packages.{number}");
            let (package, of) = package(name);
            let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c);
            let is_name = |text: &str| {
                text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(good)
            };
            flaws.when(
                !is_name(&package) || !is_name(&of),
                &place,
                Rule::PackageName(name.clone()),
            );
            let other = suite.get_or_insert_with(|| of.clone()) != &of;
            flaws.when(other, &place, Rule::PackagesOfSuites);
        }
    }
}

fn modules(place: &str, word: &str, flaws: &mut Flaws<'_>) {
    let source = word.split_whitespace().next().unwrap_or_default();
    flaws.when(source.is_empty(), place, Rule::ModuleName(word.to_owned()));
    match module(word, Path::new("")).source {
        ModuleSource::Kernel(name) => {
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            flaws.when(!name.chars().all(good), place, Rule::ModuleName(word.to_owned()));
        }
        ModuleSource::File(_) => path(place, "modules", source, flaws),
        ModuleSource::Directory(_) => {
            path(place, "modules", source, flaws);
            let trusted = flaws.table.allows_commands() || flaws.table.is_option("modules");
            flaws.when(!trusted, place, Rule::MakefileHere(source.to_owned()));
        }
    }
}
