// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator set`: each setting as asked, and as it is in force.

use irqscope_rig::Stop;
use irqscope_rig::generator::{Client, GeneratorError};
use irqscope_wire::{Changes, GeneratorHello, Range, Refusal, Setting};

use super::{Done, limits, show};
use crate::cli::{Settings, companion};
use crate::exit::{Exit, Trouble};
use irqscope_quantity::{Column, aligned, hertz_exact};

pub fn set(address: &str, settings: &Settings, stop: &Stop) -> Done {
    let mut client = Client::connect(address, stop)?;
    let changes = changes(settings, client.hello())?;
    let status = client.set(changes).map_err(|error| explain(error, client.hello(), settings))?;
    let mut rows = vec![["setting", "asked", "in force"].map(str::to_owned)];
    for (setting, asked) in asked(settings, client.hello()) {
        let effective = show::effective(client.hello(), &status.settings, setting);
        rows.push([setting.name().to_owned(), asked, effective]);
    }
    print!("{}", aligned(&rows, &[Column::Words, Column::Numbers]));
    Ok(Exit::Fine)
}

/// Explains an error; a refused frequency with the limits of frequencies.
fn explain(error: GeneratorError, hello: &GeneratorHello, settings: &Settings) -> Trouble {
    match (&error, settings.frequency) {
        (
            GeneratorError::Refused(Refusal::OutOfRange {
                setting: Setting::Period,
                lowest,
                highest,
                ..
            }),
            Some(frequency),
        ) => limits::beyond_frequency(
            frequency.0,
            Range { lowest: *lowest, highest: *highest },
            hello,
        ),
        _ => limits::explain(error, hello),
    }
}

fn changes(settings: &Settings, hello: &GeneratorHello) -> Result<Changes, Trouble> {
    let mut changes = Changes::default();
    for (setting, asked) in &settings.values {
        put(&mut changes, *setting, asked.raw, hello)?;
        if let Some((companion, raw)) = companion(*setting).zip(asked.companion) {
            put(&mut changes, companion, raw.into(), hello)?;
        }
    }
    if let Some(frequency) = settings.frequency {
        let range = hello.limits.period;
        let beyond = || limits::beyond_frequency(frequency.0, range, hello);
        changes.period = Some(hello.period_of(frequency.0).ok_or_else(beyond)?);
    }
    Ok(changes)
}

/// Puts a value into a change; refuses one that the protocol cannot carry like one
/// beyond the limits.
fn put(
    changes: &mut Changes,
    setting: Setting,
    raw: u128,
    hello: &GeneratorHello,
) -> Result<(), Trouble> {
    let carried = u64::try_from(raw).ok().map(|raw| setting.to_ticks(raw, hello.tick));
    match carried.is_some_and(|raw| changes.put(setting, raw)) {
        true => Ok(()),
        false => Err(limits::beyond(setting, raw, hello)),
    }
}

/// Returns the settings and values that were asked for, as people write them.
fn asked<'a>(
    settings: &'a Settings,
    hello: &'a GeneratorHello,
) -> impl Iterator<Item = (Setting, String)> + 'a {
    let frequency = settings.frequency.map(|it| (Setting::Period, hertz_exact(it.0 as f64 / 1e3)));
    let values = settings.values.iter().map(|(setting, asked)| {
        let raw = u64::try_from(asked.raw).unwrap_or(u64::MAX);
        let text = show::value(*setting, setting.to_ticks(raw, hello.tick), hello);
        let second = companion(*setting).zip(asked.companion);
        let second = second.map(|(it, raw)| show::value(it, it.to_ticks(raw, hello.tick), hello));
        (*setting, show::pair(*setting, raw, text, second))
    });
    frequency.into_iter().chain(values)
}
