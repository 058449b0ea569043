// SPDX-License-Identifier: GPL-2.0-or-later
//! The plugin's arguments: `-plugin libirqscope_twin.so,lines=5,…`.
//!
//! | argument | meaning | default |
//! | --- | --- | --- |
//! | `settings` | the generator's settings, as `Changes::to_hex` writes them | the table's |
//! | `lines` | lines of the port that are watched, from line 0 | 12 |
//! | `delay` | ns from arming to the first trigger | 1000000 |
//! | `start` | `armed`, `now`, `wait` for a command | armed; wait with `port` |
//! | `pin` | IOAPIC pin, or PL061 line | 7 |
//! | `window` | triggers that may be open at once | 16384 |
//! | `smi` | ns, mean distance of system management interrupts; 0: none | 0 |
//! | `smi-seed` | of their instants | 0 |
//! | `trace` | triggers, from the first, whose path is recorded; with `out` only | 0 |
//! | `cpu` | of several, the CPU that `trace` and `sections` follow | 0 |
//! | `sections` | 1: every section with interrupts or preemption disabled; with `out` only | 0 |
//! | `isolate` | 1: no generator; what takes a CPU away from a loop that should have it alone; with `out` only | 0 |
//! | `turns` | 1: which CPU executed when; with `out` only | 0 |
//! | `quantum` | ns, the longest turn of a CPU while others wait for theirs; 0: up to the next timer | 0 |
//! | `out` | file or listening Unix socket that takes the frames | |
//! | `port` | TCP port on 127.0.0.1 that serves a host; 0: any, printed on standard error | |
//!
//! | `clock` | 1: no generator at all; the plugin only keeps the clock exact where a CPU halts | |
//!
//! One of `out`, `port` and `clock` is needed, and only one is taken; but `sections` and `turns` need no
//! generator, and with them `clock` may be added to `out`.

use std::path::PathBuf;
use std::str::FromStr;

use irqscope_wire::{Changes, Nanoseconds, StartAt, UnknownName};

use crate::port::LINES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    Path(PathBuf),
    Port(u16),
    /// There is nothing to send.
    Nowhere,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Args {
    pub settings: Changes<Nanoseconds>,
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
    pub sections: bool,
    /// The CPU that is followed.
    pub cpu: u32,
    pub isolate: bool,
    pub quantum: u64,
    pub turns: bool,
    /// There is no generator.
    pub clock: bool,
    pub output: Output,
}

const MOST_WINDOW: usize = 1 << 20;
const MS: u64 = 1_000_000;
const KNOWN: &str = "settings, lines, delay, start, pin, window, smi, smi-seed, trace, sections, cpu, isolate, turns, quantum, out, port, clock";

const ONCE: &str = "give out, port or clock, once";

/// While they are read.
#[derive(Default)]
struct Draft {
    settings: Changes<Nanoseconds>,
    start: Option<Option<StartAt>>,
    lines: Option<u8>,
    delay: Option<u64>,
    pin: Option<u32>,
    window: Option<usize>,
    smi: u64,
    smi_seed: u64,
    trace: u64,
    sections: bool,
    cpu: u32,
    isolate: bool,
    quantum: u64,
    turns: bool,
    clock: bool,
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
    match name {
        "settings" => {
            let wrong = || format!("settings={value}: not the settings of this version");
            draft.settings = Changes::from_hex(value).ok_or_else(wrong)?;
        }
        "start" if value == "wait" => draft.start = Some(None),
        "start" => draft.start = Some(Some(named(value).map_err(|e| e + ", wait")?)),
        "lines" => draft.lines = Some(within(name, value, 1, LINES)?),
        "delay" => draft.delay = Some(number(name, value)?),
        "pin" => draft.pin = Some(within(name, value, 0, 23)?),
        "window" => draft.window = Some(within(name, value, 1, MOST_WINDOW)?),
        "smi" => draft.smi = number(name, value)?,
        "smi-seed" => draft.smi_seed = number(name, value)?,
        "trace" => draft.trace = number(name, value)?,
        "sections" => draft.sections = within(name, value, 0, 1)? == 1u8,
        "cpu" => draft.cpu = number(name, value)?,
        "isolate" => draft.isolate = within(name, value, 0, 1)? == 1u8,
        "turns" => draft.turns = within(name, value, 0, 1)? == 1u8,
        "quantum" => draft.quantum = number(name, value)?,
        "out" => set_output(draft, Output::Path(value.into()))?,
        "clock" => {
            within(name, value, 1, 1u8)?;
            draft.clock = true;
        }
        "port" => set_output(draft, Output::Port(number(name, value)?))?,
        _ => return Err(format!("unknown argument `{name}`; there are {KNOWN}")),
    }
    Ok(())
}

fn set_output(draft: &mut Draft, output: Output) -> Result<(), String> {
    match draft.output.replace(output) {
        None => Ok(()),
        Some(_) => Err(ONCE.to_owned()),
    }
}

fn finish(draft: Draft) -> Result<Args, String> {
    if draft.clock && draft.output.is_some() && !draft.turns && !draft.sections {
        return Err(ONCE.to_owned());
    }
    let output = draft
        .output
        .or_else(|| draft.clock.then_some(Output::Nowhere))
        .ok_or("give out=PATH or port=NUMBER, where the frames go, or clock=1")?;
    let looks = draft.trace > 0 || draft.sections || draft.isolate || draft.turns;
    if looks && !matches!(output, Output::Path(_)) {
        let text = "trace, sections, isolate and turns need out=PATH: a host that reads slowly would \
                    lose parts";
        return Err(text.to_owned());
    }
    if draft.isolate && (draft.trace > 0 || draft.sections) {
        return Err("isolate has no generator: leave trace and sections out".to_owned());
    }
    let default_start = match output {
        Output::Path(_) => Some(StartAt::Armed),
        Output::Port(_) | Output::Nowhere => None,
    };
    Ok(Args {
        settings: draft.settings,
        start: draft.start.unwrap_or(default_start),
        lines: draft.lines.unwrap_or(LINES),
        delay: draft.delay.unwrap_or(MS),
        pin: draft.pin.unwrap_or(7),
        window: draft.window.unwrap_or(16384),
        smi: draft.smi,
        smi_seed: draft.smi_seed,
        trace: draft.trace,
        quantum: draft.quantum,
        sections: draft.sections,
        cpu: draft.cpu,
        isolate: draft.isolate,
        turns: draft.turns,
        clock: draft.clock,
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
    fn settings_are_one_word() {
        let asked = Changes::default().period(Nanoseconds(5)).jitter_amount(Nanoseconds(1 << 40));
        let args = parse(["out=x", &format!("settings={}", asked.to_hex())]).unwrap();
        assert_eq!(args.settings, asked);
        let refused = parse(["out=x", "settings=0g"]).unwrap_err();
        assert!(refused.contains("not the settings of this version"), "{refused}");
        assert!(parse(["out=x", "settings=00"]).is_err());
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
        assert!(refused("lnes=1").contains("lines"), "{}", refused("lnes=1"));
        assert_eq!(refused("lines=13"), "lines=13 is out of range: 1 to 12");
        assert_eq!(refused("start=soon"), "unknown start `soon`: now, armed, wait");
        assert_eq!(
            refused("delay=18446744073709551616"),
            "delay=18446744073709551616: not a whole number in range"
        );
        assert_eq!(refused("port=1"), "give out, port or clock, once");
        assert!(parse(["port=1", "trace=9"]).unwrap_err().contains("out=PATH"));
        assert_eq!(refused("clock=1"), "give out, port or clock, once");
        assert!(parse(["clock=1", "turns=1"]).unwrap_err().contains("out=PATH"));
        let apart = parse(["clock=1", "turns=1", "out=x"]).unwrap();
        assert!(apart.clock && apart.output == Output::Path("x".into()));
        assert!(parse(["port=1", "isolate=1"]).unwrap_err().contains("out=PATH"));
        assert!(parse(["out=x", "isolate=1", "trace=1"]).unwrap_err().contains("no generator"));
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
