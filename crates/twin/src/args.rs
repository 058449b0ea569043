// SPDX-License-Identifier: GPL-2.0-or-later
//! The plugin's arguments: `-plugin libirqscope_twin.so,period=1000000,…`.
//!
//! | argument | meaning | default |
//! | --- | --- | --- |
//! | `period` | ns from trigger to trigger | 1000000 |
//! | `duty` | per mille of it that the line is up | 250 |
//! | `count` | triggers | 1000 |
//! | `packet` | samples per packet | 16 |
//! | `jitter` | `none`, `uniform`, `exponential` | none |
//! | `jitter-amount` | ns | 0 |
//! | `burst` | triggers in a burst, which is once a period | 1 |
//! | `interval` | ns from one trigger of a burst to the next | |
//! | `shape` | `toggle`, `pulse`: how lines show responses | toggle |
//! | `seed` | of the jitter | 0 |
//! | `pacing` | `open`, `closed` | open |
//! | `patience` | ns until an answer counts as missing | 10 s |
//! | `lines` | lines of the port that are watched, from line 0 | 12 |
//! | `delay` | ns from arming to the first trigger | 1000000 |
//! | `start` | `armed`, `now`, `wait` for a command | armed; wait with `port` |
//! | `pin` | IOAPIC pin, or PL061 line | 7 |
//! | `window` | triggers that may be open at once | 16384 |
//! | `smi` | ns, mean distance of system management interrupts; 0: none | 0 |
//! | `smi-seed` | of their instants | 0 |
//! | `trace` | triggers, from the first, whose path is recorded; with `out` only | 0 |
//! | `out` | file or listening Unix socket that takes the frames | |
//! | `port` | TCP port on 127.0.0.1 that serves a host; 0: any, printed on standard error | |
//!
//! One of `out` and `port` is needed, and only one is taken.

use std::path::PathBuf;
use std::str::FromStr;

use irqscope_wire::{Command, Cycles, JitterKind, Pacing, Shape, StartAt, UnknownName};

use crate::port::LINES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    Path(PathBuf),
    Port(u16),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Args {
    /// In an order in which each can be applied.
    pub settings: Vec<Command>,
    /// None: a host will ask for it.
    pub start: Option<StartAt>,
    pub lines: u8,
    pub delay: u64,
    pub pin: u32,
    pub window: usize,
    /// Mean distance in ns; 0: none.
    pub smi: u64,
    pub smi_seed: u64,
    pub trace: u64,
    pub output: Output,
}

const MOST_WINDOW: usize = 1 << 20;
const MS: u64 = 1_000_000;
const KNOWN: &str = "period, duty, count, packet, jitter, jitter-amount, burst, interval, shape, \
                     seed, pacing, patience, lines, delay, start, pin, window, smi, smi-seed, trace, \
                     out, port";

/// While they are read.
#[derive(Default)]
struct Draft {
    settings: Vec<Command>,
    jitter: Option<JitterKind>,
    amount: u64,
    burst: Option<u32>,
    interval: Option<u64>,
    start: Option<Option<StartAt>>,
    lines: Option<u8>,
    delay: Option<u64>,
    pin: Option<u32>,
    window: Option<usize>,
    smi: u64,
    smi_seed: u64,
    trace: u64,
    output: Option<Output>,
}

pub fn parse<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Args, String> {
    let mut draft = Draft::default();
    for argument in arguments {
        let (name, value) =
            argument.split_once('=').ok_or_else(|| format!("`{argument}` is not name=value"))?;
        take(&mut draft, name, value)?;
    }
    finish(draft)
}

fn take(draft: &mut Draft, name: &str, value: &str) -> Result<(), String> {
    let setting = match name {
        "period" => Command::Period(Cycles(number(name, value)?)),
        "duty" => Command::Duty(number(name, value)?),
        "count" => Command::Count(number(name, value)?),
        "packet" => Command::Packet(number(name, value)?),
        "seed" => Command::Seed(number(name, value)?),
        "patience" => Command::Patience(Cycles(number(name, value)?)),
        "pacing" => Command::Pacing(named::<Pacing>(value)?),
        "shape" => Command::Shape(named::<Shape>(value)?),
        _ => return take_other(draft, name, value),
    };
    draft.settings.push(setting);
    Ok(())
}

fn take_other(draft: &mut Draft, name: &str, value: &str) -> Result<(), String> {
    match name {
        "jitter" => draft.jitter = Some(named(value)?),
        "jitter-amount" => draft.amount = number(name, value)?,
        "burst" => draft.burst = Some(number(name, value)?),
        "interval" => draft.interval = Some(number(name, value)?),
        "start" if value == "wait" => draft.start = Some(None),
        "start" => draft.start = Some(Some(named(value).map_err(|e| e + ", wait")?)),
        "lines" => draft.lines = Some(within(name, value, 1, LINES)?),
        "delay" => draft.delay = Some(number(name, value)?),
        "pin" => draft.pin = Some(within(name, value, 0, 23)?),
        "window" => draft.window = Some(within(name, value, 1, MOST_WINDOW)?),
        "smi" => draft.smi = number(name, value)?,
        "smi-seed" => draft.smi_seed = number(name, value)?,
        "trace" => draft.trace = number(name, value)?,
        "out" => set_output(draft, Output::Path(value.into()))?,
        "port" => set_output(draft, Output::Port(number(name, value)?))?,
        _ => return Err(format!("unknown argument `{name}`; there are {KNOWN}")),
    }
    Ok(())
}

fn set_output(draft: &mut Draft, output: Output) -> Result<(), String> {
    match draft.output.replace(output) {
        None => Ok(()),
        Some(_) => Err("give out or port, once".to_owned()),
    }
}

fn finish(draft: Draft) -> Result<Args, String> {
    let output = draft.output.ok_or("give out=PATH or port=NUMBER, where the frames go")?;
    if draft.trace > 0 && matches!(output, Output::Port(_)) {
        return Err("trace needs out=PATH: a host that reads slowly would lose parts".to_owned());
    }
    let default_start = match output {
        Output::Path(_) => Some(StartAt::Armed),
        Output::Port(_) => None,
    };
    let mut settings = draft.settings;
    if draft.jitter.is_some() || draft.amount != 0 {
        let kind = draft.jitter.unwrap_or(JitterKind::None);
        settings.push(Command::Jitter { kind, amount: Cycles(draft.amount) });
    }
    match (draft.burst, draft.interval) {
        (Some(triggers), Some(interval)) => {
            settings.push(Command::Burst { triggers, interval: Cycles(interval) });
        }
        (None, None) => {}
        _ => return Err("burst and interval go together".to_owned()),
    }
    Ok(Args {
        settings,
        start: draft.start.unwrap_or(default_start),
        lines: draft.lines.unwrap_or(LINES),
        delay: draft.delay.unwrap_or(MS),
        pin: draft.pin.unwrap_or(7),
        window: draft.window.unwrap_or(16384),
        smi: draft.smi,
        smi_seed: draft.smi_seed,
        trace: draft.trace,
        output,
    })
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{name}={value}: not a whole number in range"))
}

fn within<T>(name: &str, value: &str, lowest: T, highest: T) -> Result<T, String>
where
    T: FromStr + PartialOrd + std::fmt::Display,
{
    let parsed: T = number(name, value)?;
    if parsed < lowest || parsed > highest {
        return Err(format!("{name}={value} is out of range: {lowest} to {highest}"));
    }
    Ok(parsed)
}

fn named<T: FromStr<Err = UnknownName>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|wrong: UnknownName| format!("{wrong}: {}", wrong.allowed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_given_has_its_default() {
        let args = parse(["out=/tmp/x"]).unwrap();
        assert_eq!((args.start, args.lines, args.pin), (Some(StartAt::Armed), 12, 7));
        assert!(args.settings.is_empty());
        assert_eq!(parse(["port=7000"]).unwrap().start, None);
    }

    #[test]
    fn jitter_and_its_amount_become_one_command() {
        let args = parse(["jitter-amount=50", "out=x", "jitter=uniform", "period=5"]).unwrap();
        let jitter = Command::Jitter { kind: JitterKind::Uniform, amount: Cycles(50) };
        assert_eq!(args.settings, [Command::Period(Cycles(5)), jitter]);
    }

    #[test]
    fn a_burst_and_its_interval_become_one_command() {
        let args = parse(["burst=16", "out=x", "interval=20000", "period=500000"]).unwrap();
        let burst = Command::Burst { triggers: 16, interval: Cycles(20_000) };
        assert_eq!(args.settings, [Command::Period(Cycles(500_000)), burst]);
        assert!(parse(["out=x", "burst=2"]).unwrap_err().contains("interval"));
    }

    #[test]
    fn management_interrupts_come_only_where_they_are_asked_for() {
        let smi = |arguments: &[&str]| {
            let args = parse(arguments.iter().copied()).unwrap();
            (args.smi, args.smi_seed)
        };
        assert_eq!(smi(&["out=x"]), (0, 0));
        assert_eq!(smi(&["smi=5000", "out=x", "smi-seed=9"]), (5000, 9));
    }

    #[test]
    fn a_wrong_argument_is_refused_with_what_is_allowed() {
        let refused = |argument| parse(["out=x", argument]).unwrap_err();
        assert!(refused("perod=1").contains("period"), "{}", refused("perod=1"));
        assert_eq!(refused("lines=13"), "lines=13 is out of range: 1 to 12");
        assert_eq!(refused("start=soon"), "unknown start `soon`: now, armed, wait");
        assert_eq!(
            refused("count=18446744073709551616"),
            "count=18446744073709551616: not a whole number in range"
        );
        assert_eq!(refused("port=1"), "give out or port, once");
        assert!(parse(["port=1", "trace=9"]).unwrap_err().contains("out=PATH"));
        assert!(parse([]).unwrap_err().contains("out=PATH"));
    }

    fn argument() -> impl Strategy<Value = String> {
        let names: Vec<String> = KNOWN.split(", ").map(str::to_owned).collect();
        let values = vec!["0", "1", "8", "12", "-1", "uniform", "none", "now", "wait", "open", "x"];
        let large = any::<u64>().prop_map(|value| value.to_string());
        let value =
            prop_oneof![prop::sample::select(values).prop_map(str::to_owned), large, "\\PC{0,20}",];
        prop_oneof![
            8 => (prop::sample::select(names), value).prop_map(|(name, value)| name + "=" + &value),
            1 => "\\PC{0,20}",
        ]
    }

    proptest! {
        #[test]
        fn any_arguments_are_within_the_limits_or_refused_by_name(
            arguments in prop::collection::vec(argument(), 0..6),
            with_output: bool,
        ) {
            let output = with_output.then_some("out=x");
            match parse(arguments.iter().map(String::as_str).chain(output)) {
                Ok(args) => {
                    prop_assert!((1..=LINES).contains(&args.lines) && args.pin <= 23);
                    prop_assert!((1..=MOST_WINDOW).contains(&args.window));
                }
                Err(why) => prop_assert!(!why.is_empty()),
            }
        }
    }
}
