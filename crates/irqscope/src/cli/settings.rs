// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `irqscope generator set`, one for each row of the table of settings.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use irqscope_scenario::parse_setting;
use irqscope_wire::{Descriptor, Setting, Unit};

use irqscope_quantity::Frequency;

const FREQUENCY: &str = "frequency";

/// The changes that a user asks a generator for.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Triggers per second, instead of a period.
    pub frequency: Option<Frequency>,
    /// Settings with their values, times in nanoseconds, in the order of the table.
    pub values: Vec<(Setting, Asked)>,
}

/// The value of one option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The raw value, which may be larger than the protocol can carry.
    pub raw: u128,
    /// Behind a colon: the raw value of the setting that belongs to it.
    pub companion: Option<u64>,
}

/// Returns the setting whose value may stand behind a colon: `uniform:20us`, `16:20us`.
pub const fn companion(setting: Setting) -> Option<Setting> {
    match setting {
        Setting::Jitter => Some(Setting::JitterAmount),
        Setting::Burst => Some(Setting::Interval),
        _ => None,
    }
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        let frequency = Arg::new(FREQUENCY)
            .long(FREQUENCY)
            .value_name("FREQUENCY")
            .value_parser(str::parse::<Frequency>)
            .conflicts_with(Setting::Period.name())
            .help("Triggers per second, instead of a period: 16Hz, 1kHz, 2.5kHz");
        let names = Setting::NAMES.iter().copied().chain([FREQUENCY]);
        command
            .arg(frequency)
            .args(Setting::table().map(option))
            .group(ArgGroup::new("settings").args(names).required(true).multiple(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = Self::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let value =
            |setting: &Setting| Some((*setting, *matches.get_one::<Asked>(setting.name())?));
        self.frequency = matches.get_one(FREQUENCY).copied();
        self.values = Setting::ALL.iter().filter_map(value).collect();
        Ok(())
    }
}

fn option(descriptor: Descriptor) -> Arg {
    let Descriptor { setting, unit, names, help, .. } = descriptor;
    let value = match (setting, unit) {
        (Setting::Jitter, _) => "KIND[:SPAN]",
        (Setting::Burst, _) => "N[:SPAN]",
        (_, Unit::Ticks) => "SPAN",
        (_, Unit::PerMille) => "SHARE",
        _ if names.is_empty() => "N",
        _ => "NAME",
    };
    let arg = Arg::new(setting.name()).long(setting.name()).value_name(value).help(help.trim());
    if names.is_empty() || companion(setting).is_some() {
        return arg.value_parser(move |text: &str| parse(setting, text));
    }
    let parser = PossibleValuesParser::new(names).try_map(move |name| parse(setting, &name));
    arg.value_parser(parser)
}

fn parse(setting: Setting, text: &str) -> Result<Asked, String> {
    let second = companion(setting).zip(text.split_once(':'));
    let Some((companion, (text, second))) = second else {
        return Ok(Asked { raw: parse_setting(setting, text)?, companion: None });
    };
    let raw = parse_setting(setting, text)?;
    let too_large = |_| format!("{companion} is too large");
    let companion = u64::try_from(parse_setting(companion, second)?).map_err(too_large)?;
    Ok(Asked { raw, companion: Some(companion) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_a_number_and_an_interval() {
        let asked = Asked { raw: 16, companion: Some(20_000) };
        assert_eq!(parse(Setting::Burst, "16:20us"), Ok(asked));
        assert_eq!(parse(Setting::Burst, "1"), Ok(Asked { raw: 1, companion: None }));
        assert!(parse(Setting::Burst, "x:20us").is_err());
        assert!(parse(Setting::Burst, "16:20").unwrap_err().contains("250us"));
    }

    #[test]
    fn jitter_is_a_kind_and_an_amount() {
        assert_eq!(parse(Setting::Jitter, "none"), Ok(Asked { raw: 0, companion: None }));
        let asked = Asked { raw: 1, companion: Some(20_000) };
        assert_eq!(parse(Setting::Jitter, "uniform:20us"), Ok(asked));
        let wrong = parse(Setting::Jitter, "normal:1us").unwrap_err();
        assert!(wrong.contains("uniform, exponential"), "{wrong}");
        assert!(parse(Setting::Jitter, "uniform:1").unwrap_err().contains("250us"));
    }

    #[test]
    fn each_setting_has_an_option() {
        let command = Settings::augment_args(Command::new("set"));
        for descriptor in Setting::table() {
            let Descriptor { setting, default, unit, names, .. } = descriptor;
            let text = match unit {
                Unit::Ticks => format!("{default}ns"),
                Unit::PerMille => format!("{}%", default / 10),
                _ if names.is_empty() => default.to_string(),
                _ => setting.text_of(default),
            };
            let words = ["set".to_owned(), format!("--{setting}={text}")];
            let matches = command.clone().try_get_matches_from(words).unwrap();
            let parsed = Settings::from_arg_matches(&matches).unwrap().values;
            assert_eq!(parsed.len(), 1);
            assert_eq!((parsed[0].0, parsed[0].1.raw), (setting, default.into()));
        }
    }
}
