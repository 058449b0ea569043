// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario as TOML keys: those of the file, those of the command line in their place,
//! and where each of them stands.
//!
//! Useful invariant: what begins behind the end of the file's text is from the command line; its
//! distance from that end is the number of the option. A key that begins at the end follows from
//! another rig.

use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};

use crate::error::{Flaw, Place, Wrong};
use crate::overrides::Overrides;

pub(crate) struct Table<'a> {
    root: DeTable<'a>,
    /// The file's name, for errors.
    file: &'a str,
    source: &'a str,
    overrides: &'a Overrides,
}

impl<'a> Table<'a> {
    /// Parses the file's text, and puts the keys of the command line in place.
    pub fn merged(
        file: &'a str,
        source: &'a str,
        overrides: &'a Overrides,
    ) -> Result<Self, Vec<Flaw>> {
        let (root, errors) = DeTable::parse_recoverable(source);
        let mut table = Self { root: root.into_inner(), file, source, overrides };
        let mut flaws: Vec<Flaw> = errors
            .iter()
            .map(|error| {
                let offset = error.span().map_or(0, |span| span.start);
                let place = Place::in_text(file, source, offset);
                Flaw { place, what: Wrong::Content(error.message().to_owned()) }
            })
            .collect();
        for (number, (key, value)) in overrides.settings().enumerate() {
            let at = source.len() + 1 + number;
            if let Err(why) = table.put(key, parsed(value), at) {
                flaws.push(Flaw { place: table.place_at(at), what: Wrong::Content(why) });
            }
        }
        if flaws.is_empty() { Ok(table) } else { Err(flaws) }
    }

    /// Sets a key on behalf of the file, unless the command line has set it.
    pub fn set(&mut self, key: &'a str, value: &'a str) {
        if !self.is_option(key) {
            let _ = self.put(key, DeValue::String(value.into()), self.source.len());
        }
    }

    /// Removes a key of the file; one of the command line stays, and is checked.
    pub fn remove(&mut self, key: &str) {
        if self.is_option(key) {
            return;
        }
        match key.rsplit_once('.') {
            None => drop(self.root.remove(key)),
            Some((table, key)) => {
                if let Some(DeValue::Table(table)) = self.get_mut(table) {
                    table.remove(key);
                }
            }
        }
    }

    /// Returns the value of a dotted key; an element of an array has its number as key.
    pub fn get(&self, key: &str) -> Option<&Spanned<DeValue<'a>>> {
        let mut parts = key.split('.');
        let mut value = self.root.get(parts.next()?)?;
        for part in parts {
            value = match value.get_ref() {
                DeValue::Table(table) => table.get(part)?,
                DeValue::Array(array) => array.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut DeValue<'a>> {
        let mut parts = key.split('.');
        let mut value = self.root.get_mut(parts.next()?)?.get_mut();
        for part in parts {
            let DeValue::Table(table) = value else { return None };
            value = table.get_mut(part)?.get_mut();
        }
        Some(value)
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.get_ref().as_str()
    }

    /// Returns whether a key was set on the command line.
    pub fn is_option(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.span().start > self.source.len())
    }

    /// Returns whether the command line trusts the file's options of ssh.
    pub fn allows_ssh_options(&self) -> bool {
        self.overrides.allows_ssh_options()
    }

    /// Returns whether the command line trusts the file's commands and paths.
    pub fn allows_commands(&self) -> bool {
        self.overrides.allows_commands()
    }

    /// Returns the directory that the file's paths count from.
    pub fn dir(&self) -> &Path {
        dir_of(self.file)
    }

    /// Deserialises, and names every key that stands in the way.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Vec<Flaw>> {
        let mut root = self.root.clone();
        let mut flaws = Vec::new();
        loop {
            let whole = Spanned::new(0..self.source.len(), root.clone());
            let error = match T::deserialize(Deserializer::from(whole)) {
                Ok(value) if flaws.is_empty() => return Ok(value),
                Ok(_) => return Err(flaws),
                Err(error) => error,
            };
            let flaw = self.flaw(&error);
            // An option's key and the table that it makes are at one place, and wrong once.
            if flaws.last() != Some(&flaw) {
                flaws.push(flaw);
            }
            // A missing key cannot be left out to see what else is wrong.
            let span = error.span().filter(|_| !error.message().starts_with("missing field"));
            if !span.is_some_and(|span| remove_at(&mut root, &span)) {
                return Err(flaws);
            }
        }
    }

    /// Prints the keys as TOML, without comments.
    pub fn to_toml(&self) -> String {
        self.read::<toml::Table>()
            .ok()
            .and_then(|table| toml::to_string(&table).ok())
            .unwrap_or_default()
    }

    /// Returns where a key stands, or else the nearest table around it.
    pub fn place(&self, key: &str) -> Place {
        let mut key = key;
        loop {
            if let Some(value) = self.get(key) {
                return self.place_at(value.span().start);
            }
            match key.rsplit_once('.') {
                Some((outer, _)) => key = outer,
                None => return Place::File(self.file.to_owned()),
            }
        }
    }

    fn flaw(&self, error: &Error) -> Flaw {
        let place = error
            .span()
            .map_or_else(|| Place::File(self.file.to_owned()), |span| self.place_at(span.start));
        Flaw { place, what: Wrong::Content(with_hint(error.message())) }
    }

    fn place_at(&self, offset: usize) -> Place {
        let option = |number| self.overrides.settings().nth(number);
        match offset.checked_sub(self.source.len()) {
            None => Place::in_text(self.file, self.source, offset),
            Some(0) => Place::File(self.file.to_owned()),
            Some(number) => option(number - 1).map_or_else(
                || Place::File(self.file.to_owned()),
                |(key, value)| Place::Option(format!("{key}={value}")),
            ),
        }
    }

    fn put(&mut self, key: &'a str, value: DeValue<'a>, at: usize) -> Result<(), String> {
        let span = at..at;
        let (tables, last) = key.rsplit_once('.').map_or((None, key), |(a, b)| (Some(a), b));
        let mut table = &mut self.root;
        for part in tables.iter().flat_map(|tables| tables.split('.')) {
            let new = || Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
            let name = Spanned::new(span.clone(), part.into());
            let inner = table.entry(name).or_insert_with(new);
            let DeValue::Table(inner) = inner.get_mut() else {
                return Err(format!("`{part}` is no table, so that it has no key `{last}`"));
            };
            table = inner;
        }
        // An entry keeps the key that it has, and with it the place in the file.
        table.remove(last);
        table.insert(Spanned::new(span.clone(), last.into()), moved(value, &span));
        Ok(())
    }
}

/// Returns the directory of a scenario's file.
pub(crate) fn dir_of(file: &str) -> &Path {
    let parent = Path::new(file).parent().unwrap_or(Path::new(""));
    if parent.as_os_str().is_empty() { Path::new(".") } else { parent }
}

/// Parses an option's value: as TOML, or else as the text that it is (`10kHz`).
fn parsed(value: &str) -> DeValue<'_> {
    DeValue::parse(value).map_or_else(|_| DeValue::String(value.into()), Spanned::into_inner)
}

/// Gives a value, and all within it, a place.
fn moved<'a>(value: DeValue<'a>, span: &Range<usize>) -> Spanned<DeValue<'a>> {
    let inner = match value {
        DeValue::Array(array) => {
            DeValue::Array(array.into_iter().map(|one| moved(one.into_inner(), span)).collect())
        }
        DeValue::Table(table) => {
            let entry = |(key, value): (Spanned<_>, Spanned<DeValue<'a>>)| {
                (Spanned::new(span.clone(), key.into_inner()), moved(value.into_inner(), span))
            };
            DeValue::Table(table.into_iter().map(entry).collect())
        }
        other => other,
    };
    Spanned::new(span.clone(), inner)
}

/// Removes the innermost key at a place; false if there is none.
fn remove_at(table: &mut DeTable<'_>, wrong: &Range<usize>) -> bool {
    let covers = |span: Range<usize>| span.start <= wrong.start && wrong.start <= span.end;
    for (_, value) in table.iter_mut() {
        if let DeValue::Table(inner) = value.get_mut()
            && remove_at(inner, wrong)
        {
            return true;
        }
    }
    let found = table
        .iter()
        .find(|(key, value)| {
            let of_value = !value.get_ref().is_table() && covers(value.span());
            of_value || (key.span().start == wrong.start)
        })
        .map(|(key, _)| key.get_ref().to_string());
    found.is_some_and(|key| table.remove(key.as_str()).is_some())
}

/// Adds the nearest right key to serde's `unknown field`.
fn with_hint(message: &str) -> String {
    let parts: Vec<&str> = message.split('`').collect();
    match parts[..] {
        ["unknown field ", name, _, ref allowed @ ..] => {
            let allowed: Vec<&str> = allowed.iter().step_by(2).copied().collect();
            crate::suggestion("key", name, &allowed)
        }
        _ => message.to_owned(),
    }
}
