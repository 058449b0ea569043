// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Closed sets of names: one macro gives an enum its names, parser and serde.

use alloc::string::String;

/// A name that is not in its set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{name}`")]
pub struct UnknownName {
    /// The set.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names of the set.
    pub allowed: &'static [&'static str],
}

/// A closed set of names.
pub trait Names {
    /// All of them, in order.
    const NAMES: &'static [&'static str];
}

/// Defines a field-less enum whose variants have the given names everywhere:
/// in TOML, on the command line, in sysfs and on the wire.
macro_rules! named {
    ($(#[$meta:meta])* $enum:ident, $what:literal, { $($(#[$vmeta:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[doc = concat!("Parses from, and prints as, the name of a ", $what, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $enum { $($(#[$vmeta])* #[doc = concat!("Named `", $name, "`.")] #[serde(rename = $name)] $variant),+ }

        impl $enum {
            /// All of them, in their order.
            pub const ALL: &'static [$enum] = &[$($enum::$variant),+];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $($enum::$variant => $name),+ }
            }
        }

        impl $crate::Names for $enum {
            const NAMES: &'static [&'static str] = $enum::NAMES;
        }

        impl core::str::FromStr for $enum {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($name => Ok($enum::$variant),)+
                    _ => Err($crate::UnknownName { what: $what, name: name.into(), allowed: Self::NAMES }),
                }
            }
        }

        impl core::fmt::Display for $enum {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use named;
