// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parsers of values out of a closed set: a misspelt one is answered with the nearest.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use irqscope_wire::UnknownName;

/// A value by its name, with its help.
pub type Named<T> = (&'static str, &'static str, T);

/// Parses a name of a set that parses its own names.
pub fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownName> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// Parses a name of a table.
pub fn one_of<T>(table: &'static [Named<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let values = table.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).try_map(|name| {
        let found = table.iter().find(|(known, ..)| *known == name);
        found.map(|(.., value)| *value).ok_or("a name of none of them")
    })
}
