// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator`: what can be said to one by hand.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use irqscope_wire::{JitterKind, Pacing, Polarity, Shape, StartAt};

use crate::quantity::{Frequency, Share, Span};

#[derive(Debug, Subcommand)]
pub enum Generator {
    /// Find boards: on USB, by their name on the network, and those that wait for an
    /// image.
    #[command(after_help = "Example:\n  irqscope generator list")]
    List,
    /// Put irqscope's image onto a board.
    ///
    /// Without --to it goes to the only boot drive that is mounted: hold BOOTSEL while
    /// the board is plugged in, and mount the drive that appears. Where there is none,
    /// picotool or probe-rs is used, if it is installed.
    #[command(after_help = "\
Examples:
  firmware/build rp2350 && irqscope generator flash
  irqscope generator flash --image irqscope-firmware --to /media/$USER/RP2350
  irqscope generator flash --image irqscope-firmware --with probe-rs")]
    Flash {
        /// The image, an ELF file [default: what firmware/build has made for the board's
        /// chip].
        #[arg(long, value_name = "FILE")]
        image: Option<PathBuf>,
        /// Where the boot drive is mounted.
        #[arg(long, value_name = "DIR", conflicts_with = "with")]
        to: Option<PathBuf>,
        /// By this program instead of a boot drive.
        #[arg(long, value_enum, requires = "image")]
        with: Option<Tool>,
    },
    /// Say what a generator is, what is set, and what it has counted.
    #[command(after_help = "\
Examples:
  irqscope generator status --connect board:7000 --json
  irqscope generator status --connect serial:///dev/ttyUSB0")]
    Status {
        #[command(flatten)]
        generator: Address,
        /// Print the protocol's hello and status as JSON.
        #[arg(long)]
        json: bool,
        /// Read its clock for this time, and say how it runs against this machine's: 10s. Not while
        /// a run is under way.
        #[arg(long, value_name = "SPAN", conflicts_with = "json")]
        clock: Option<Span>,
    },
    /// Change settings, and say what is really set after rounding.
    ///
    /// Period, duty and packet also during a run; the others decide a whole run.
    #[command(after_help = "\
Examples:
  irqscope generator set --connect board:7000 --frequency 1kHz --duty 25%
  irqscope generator set --connect board:7000 --period 250us --jitter uniform:20us --seed 7
  irqscope generator set --connect board:7000 --period 5ms --burst 16:20us")]
    Set {
        #[command(flatten)]
        generator: Address,
        #[command(flatten)]
        settings: Settings,
    },
    /// Start a run. It goes on without a host; samples wait, and are dropped and
    /// counted when there is no room for more.
    #[command(after_help = "\
Examples:
  irqscope generator start --connect board:7000 --follow
  irqscope generator start --connect board:7000 --at armed")]
    Start {
        #[command(flatten)]
        generator: Address,
        /// `now`: one period from now; `armed`: when the target lets its
        /// interrupt through, where the generator can see that.
        #[arg(long, value_name = "WHEN", default_value = "now", value_parser = starts())]
        at: StartAt,
        /// Show the totals until the run is done. Samples are counted, not kept:
        /// to keep them use `irqscope run`.
        #[arg(long)]
        follow: bool,
    },
    /// Let a board measure its own way from the trigger to each line that is joined to
    /// it; what it finds is subtracted from every latency.
    #[command(after_help = "Example:\n  irqscope generator calibrate --connect board:7000")]
    Calibrate {
        #[command(flatten)]
        generator: Address,
    },
    /// End the run. Triggers in flight are waited for.
    #[command(after_help = "Example:\n  irqscope generator stop --connect board:7000")]
    Stop {
        #[command(flatten)]
        generator: Address,
    },
}

/// The probe that reaches a board without its boot drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    /// By USB, while the board is in its boot ROM.
    Picotool,
    /// By a debug probe.
    ProbeRs,
}

#[derive(Debug, Args)]
pub struct Address {
    /// Where the generator is: HOST:PORT, tcp://HOST:PORT or
    /// serial:///dev/ttyACM0[?baud=N].
    #[arg(long, value_name = "ADDRESS")]
    pub connect: String,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct Settings {
    /// Triggers per second: 16Hz, 1kHz, 2.5kHz.
    #[arg(long, value_name = "FREQUENCY", conflicts_with = "period")]
    pub frequency: Option<Frequency>,
    /// From trigger to trigger instead: 250us, 1ms.
    #[arg(long, value_name = "SPAN")]
    pub period: Option<Span>,
    /// The part of the period for which the interrupt line is high: 25%.
    #[arg(long, value_name = "SHARE")]
    pub duty: Option<Share>,
    /// Samples in one packet.
    #[arg(long, value_name = "N", value_parser = large)]
    pub packet: Option<u128>,
    /// Triggers in one run.
    #[arg(long, value_name = "N", value_parser = large)]
    pub count: Option<u128>,
    /// Jitter that is added to the period: none, uniform:AMOUNT (plus or minus it), or
    /// exponential:AMOUNT (the mean).
    #[arg(long, value_name = "KIND:AMOUNT", value_parser = jitter)]
    pub jitter: Option<(JitterKind, Span)>,
    /// A number of triggers in a row, once a period, and the time from each to the next: 16:20us.
    /// 1:20us for none.
    #[arg(long, value_name = "N:SPAN", value_parser = burst)]
    pub burst: Option<(u32, Span)>,
    /// How lines show responses: toggle (they change once), pulse (they are high
    /// while a stage executes).
    #[arg(long, value_parser = shapes())]
    pub shape: Option<Shape>,
    /// Which edge of the interrupt line is the trigger: rising, falling (the line
    /// rests high).
    #[arg(long, value_parser = polarities())]
    pub polarity: Option<Polarity>,
    /// Response lines in use, the first ones: no answer is waited for on the others.
    #[arg(long, value_name = "N")]
    pub lines: Option<u8>,
    /// The seed of the jitter.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Whether a trigger waits for the answers to the one before: open, closed.
    #[arg(long, value_parser = pacings())]
    pub pacing: Option<Pacing>,
    /// How long an answer is waited for until it is missing: 10s.
    #[arg(long, value_name = "SPAN")]
    pub patience: Option<Span>,
}

fn starts() -> impl TypedValueParser<Value = StartAt> {
    PossibleValuesParser::new(StartAt::NAMES).try_map(|name| name.parse::<StartAt>())
}

fn pacings() -> impl TypedValueParser<Value = Pacing> {
    PossibleValuesParser::new(Pacing::NAMES).try_map(|name| name.parse::<Pacing>())
}

fn shapes() -> impl TypedValueParser<Value = Shape> {
    PossibleValuesParser::new(Shape::NAMES).try_map(|name| name.parse::<Shape>())
}

fn polarities() -> impl TypedValueParser<Value = Polarity> {
    PossibleValuesParser::new(Polarity::NAMES).try_map(|name| name.parse::<Polarity>())
}

/// Numbers beyond what the protocol can carry are refused with the generator's
/// limit, like those just beyond that limit.
fn large(text: &str) -> Result<u128, String> {
    text.parse().map_err(|_| "not a whole number".to_owned())
}

fn jitter(text: &str) -> Result<(JitterKind, Span), String> {
    let (kind, amount) = text.split_once(':').unwrap_or((text, "0s"));
    let kind: JitterKind = kind.parse().map_err(|wrong: irqscope_wire::UnknownName| {
        format!("{wrong}: {}", wrong.allowed.join(", "))
    })?;
    Ok((kind, amount.parse()?))
}

fn burst(text: &str) -> Result<(u32, Span), String> {
    let (triggers, interval) =
        text.split_once(':').ok_or("write triggers and their interval, as in 16:20us")?;
    Ok((triggers.parse().map_err(|_| "not a whole number of triggers")?, interval.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_a_number_and_an_interval() {
        assert_eq!(burst("16:20us"), Ok((16, Span(20_000))));
        assert!(burst("16").unwrap_err().contains("16:20us"));
        assert!(burst("x:20us").is_err() && burst("16:20").is_err());
    }

    #[test]
    fn jitter_is_a_kind_and_an_amount() {
        assert_eq!(jitter("none"), Ok((JitterKind::None, Span(0))));
        assert_eq!(jitter("uniform:20us"), Ok((JitterKind::Uniform, Span(20_000))));
        assert!(jitter("normal:1us").unwrap_err().contains("uniform, exponential"));
        assert!(jitter("uniform:1").unwrap_err().contains("250us"));
    }
}
