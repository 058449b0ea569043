// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator set`: each setting as asked, and as it really is.

use irqscope_rig::Stop;
use irqscope_rig::generator::{Client, GeneratorError};
use irqscope_wire::{Command, Cycles, GeneratorHello, Range, Refusal, Setting, Settings as Real};

use super::{Done, limits, show};
use crate::cli::Settings;
use crate::exit::{Exit, Trouble};
use crate::quantity::{Span, hertz, percent, seconds};

/// One setting on its way.
struct Asked {
    text: String,
    command: Command,
}

pub fn set(address: &str, settings: &Settings, stop: &Stop) -> Done {
    let mut client = Client::connect(address, stop)?;
    // All are understood before the first is set.
    let all = commands(settings, client.hello())?;
    let mut done: Vec<&str> = Vec::new();
    println!("{:10} {:>20} {:>20}", "setting", "asked", "really set");
    for asked in &all {
        let name = name(asked.command);
        let status = client.set(asked.command).map_err(|error| {
            let trouble = explain(error, asked, client.hello(), settings);
            with_done(trouble, &done)
        })?;
        let really = really(asked.command, &status.settings, client.hello());
        println!("{name:10} {:>20} {really:>20}", asked.text);
        done.push(name);
    }
    Ok(Exit::Fine)
}

fn explain(
    error: GeneratorError,
    asked: &Asked,
    hello: &GeneratorHello,
    settings: &Settings,
) -> Trouble {
    match (&error, asked.command, settings.frequency) {
        (
            GeneratorError::Refused(Refusal::OutOfRange { lowest, highest, .. }),
            Command::Period(_),
            Some(frequency),
        ) => {
            let period = Range { lowest: *lowest, highest: *highest };
            limits::beyond_frequency(frequency.0, period, hello)
        }
        _ => limits::explain(error, hello),
    }
}

fn with_done(trouble: Trouble, done: &[&str]) -> Trouble {
    if done.is_empty() {
        return trouble;
    }
    trouble.with_note(&format!("was set before that, and stays: {}", done.join(", ")))
}

/// Returns the commands in an order in which each can be applied.
fn commands(settings: &Settings, hello: &GeneratorHello) -> Result<Vec<Asked>, Trouble> {
    let mut all = Vec::new();
    let mut ask = |text: String, command| all.push(Asked { text, command });
    if let Some(frequency) = settings.frequency {
        let period = hello
            .period_of(frequency.0)
            .ok_or_else(|| limits::beyond_frequency(frequency.0, hello.limits.period, hello))?;
        ask(hertz(frequency.0 as f64 / 1e3), Command::Period(period));
    }
    if let Some(period) = settings.period {
        ask(time(period), Command::Period(ticks(hello, period)));
    }
    if let Some(duty) = settings.duty {
        let per_mille = u16::try_from(duty.0).unwrap_or(u16::MAX);
        ask(percent(duty.0.into()), Command::Duty(per_mille));
    }
    if let Some(packet) = settings.packet {
        let command = carried(packet, Setting::Packet, hello.limits.packet).map(Command::Packet)?;
        ask(packet.to_string(), command);
    }
    if let Some(count) = settings.count {
        let command = carried(count, Setting::Count, hello.limits.count).map(Command::Count)?;
        ask(count.to_string(), command);
    }
    if let Some((kind, amount)) = settings.jitter {
        ask(
            show::jitter(kind, &time(amount)),
            Command::Jitter { kind, amount: ticks(hello, amount) },
        );
    }
    if let Some((triggers, interval)) = settings.burst {
        ask(
            show::burst(triggers, &time(interval)),
            Command::Burst { triggers, interval: ticks(hello, interval) },
        );
    }
    if let Some(shape) = settings.shape {
        ask(shape.to_string(), Command::Shape(shape));
    }
    if let Some(lines) = settings.lines {
        ask(lines.to_string(), Command::Lines(lines));
    }
    if let Some(polarity) = settings.polarity {
        ask(polarity.to_string(), Command::Polarity(polarity));
    }
    if let Some(seed) = settings.seed {
        ask(seed.to_string(), Command::Seed(seed));
    }
    if let Some(pacing) = settings.pacing {
        ask(pacing.to_string(), Command::Pacing(pacing));
    }
    if let Some(patience) = settings.patience {
        ask(time(patience), Command::Patience(ticks(hello, patience)));
    }
    Ok(all)
}

fn carried<T: TryFrom<u128>>(asked: u128, setting: Setting, range: Range) -> Result<T, Trouble> {
    T::try_from(asked).map_err(|_| limits::beyond_count(setting, asked, range))
}

fn time(span: Span) -> String {
    seconds(span.0 as f64 / 1e9)
}

/// Converts to ticks; the generator refuses what does not fit.
fn ticks(hello: &GeneratorHello, span: Span) -> Cycles {
    hello.tick.cycles(span.0)
}

const fn name(command: Command) -> &'static str {
    match command {
        Command::Period(_) => Setting::Period.name(),
        Command::Duty(_) => Setting::Duty.name(),
        Command::Packet(_) => Setting::Packet.name(),
        Command::Count(_) => Setting::Count.name(),
        Command::Jitter { .. } => Setting::Jitter.name(),
        Command::Seed(_) => Setting::Seed.name(),
        Command::Pacing(_) => Setting::Pacing.name(),
        Command::Patience(_) => Setting::Patience.name(),
        Command::Burst { .. } => Setting::Burst.name(),
        Command::Shape(_) => Setting::Shape.name(),
        Command::Polarity(_) => Setting::Polarity.name(),
        Command::Lines(_) => Setting::Lines.name(),
        Command::Start(_) | Command::Stop | Command::Status | Command::Calibrate => "",
    }
}

fn really(command: Command, real: &Real, hello: &GeneratorHello) -> String {
    match command {
        Command::Period(_) => show::period(hello, real),
        Command::Duty(_) => show::duty(hello, real),
        Command::Packet(_) => real.packet.to_string(),
        Command::Count(_) => real.count.to_string(),
        Command::Jitter { .. } => {
            show::jitter(real.jitter, &seconds(limits::span(hello, real.jitter_amount.0)))
        }
        Command::Seed(_) => real.seed.to_string(),
        Command::Pacing(_) => real.pacing.to_string(),
        Command::Patience(_) => seconds(limits::span(hello, real.patience.0)),
        Command::Burst { .. } => {
            show::burst(real.burst, &seconds(limits::span(hello, real.interval.0)))
        }
        Command::Shape(_) => real.shape.to_string(),
        Command::Polarity(_) => real.polarity.to_string(),
        Command::Lines(_) => real.lines.to_string(),
        Command::Start(_) | Command::Stop | Command::Status | Command::Calibrate => String::new(),
    }
}
