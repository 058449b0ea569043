// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator`: what can be said to one by hand.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use irqscope_wire::StartAt;

use super::settings::Settings;
use super::values::named;
use irqscope_quantity::Span;

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
        /// The image, an ELF file [default: the one for the board's chip that firmware/build has made,
        /// or that is installed].
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
        #[arg(long, value_name = "WHEN", default_value = "now", value_parser = named::<StartAt>(StartAt::NAMES))]
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
    /// serial:///dev/ttyACM0[?baud=N]; HOST:PORT?secret-file=FILE where it has a secret.
    #[arg(long, value_name = "ADDRESS")]
    pub connect: String,
}
