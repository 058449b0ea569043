// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command line: its subcommands and options.

mod bench;
mod bisect;
mod bursts;
mod cache;
mod candidates;
mod changes;
mod compare;
mod explain;
mod export;
mod fetch;
mod fleet;
mod gate;
mod generator;
mod hunt;
mod import;
mod isolate;
mod locks;
mod path;
mod reproduce;
mod scenario;
mod scope;
mod serve;
mod settings;
mod shown;
mod sweep;
mod tail;
mod threads;
mod top;
mod twin;
mod values;
mod watch;
mod worst;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use irqscope_scenario::{Arch, KernelName, RigKind};

pub use bench::Bench;
pub use bisect::Bisect;
pub use bursts::Bursts;
pub use cache::Cache;
pub use changes::Changes;
pub use compare::{Chosen, Compare};
pub use explain::Explain;
pub use export::Export;
pub use fetch::Fetch;
pub use fleet::{Fleet, FleetRun};
pub use gate::Gate;
pub use generator::{Generator, Tool};
pub use hunt::Hunt;
pub use import::Import;
pub use isolate::Isolate;
pub use locks::Locks;
pub use path::Path;
pub use reproduce::Reproduce;
pub use scenario::Scenario;
pub use scope::Scope;
pub use serve::Serve;
pub use settings::{Settings, companion};
pub use shown::Shown;
pub use sweep::Sweep;
pub use tail::Tail;
pub use threads::Threads;
pub use top::Top;
pub use twin::Twin;
pub use watch::Watch;
pub use worst::Worst;

/// An oscilloscope for Linux interrupt latency.
///
/// Triggers an interrupt at a known instant, records when each stage of the
/// kernel responds, and compares kernels. Without hardware, the target is a
/// deterministic twin in QEMU.
#[derive(Debug, Parser)]
#[command(name = "irqscope", version, after_help = AFTER, max_term_width = 96)]
pub struct Cli {
    /// Download nothing; say what is missing and how to get it [IRQSCOPE_OFFLINE].
    #[arg(long, global = true)]
    pub offline: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// The variable by which a shell asks for candidates; its value is the shell's name.
pub const COMPLETE: &str = "IRQSCOPE_COMPLETE";

const AFTER: &str = "\
Exit status:
  0  fine
  1  a gate was exceeded
  2  wrong usage or scenario, or this machine is not ready (the message says how to mend it)
  3  the rig was lost: target hung, panicked, complained or unreachable
  4  the measurement is invalid
  130  interrupted

Examples:
  irqscope scenario list             the bundled scenarios
  irqscope scenario new mine.toml    a scenario to begin with
  irqscope run demo                  every stage on two kernels, in the twin
  irqscope run demo --kernel 6.12 --kernel 6.12-rt --out /tmp/newer
  irqscope bench sched               how late a periodic thread wakes on this machine
  irqscope watch eth0                what a device's interrupts wait for, without a module
  irqscope report runs/20260101T120000Z-demo
  irqscope path RUN --stage softirq  which functions a latency consists of
  irqscope explain RUN               what the late responses waited for
  irqscope import hist.txt           what cyclictest and its kin wrote, as a run
  irqscope export RUN --format csv   a run as other programs read it
  irqscope compare BEFORE AFTER      by how much they differ, and how sure that is
  irqscope gate RUN --max 'user<150us@p99.9'
  irqscope tail RUN --every 1h       which latency is exceeded once in an hour
  irqscope scope RUN --persist       the lines as an oscilloscope shows them
  irqscope bursts RUN                what was raised against what ran
  irqscope locks RUN --period 4ms    how long critical sections are held
  irqscope isolate RUN               what disturbed an isolated CPU, and why
  irqscope worst demo --kernel 6.1 --state exec --stage user
                                     the worst instant for an interrupt, with a proof
  irqscope hunt demo --kernel 6.1    the load under which a response is latest
  irqscope sweep knee                up to which trigger frequency each stage keeps up
  irqscope reproduce                 the references' figures and ours, side by side
  irqscope serve                     all of it in a browser, live
  irqscope top --connect board:7000  live figures in the terminal
  irqscope twin                      a target to play with
  irqscope generator status --connect board:7000
  irqscope doctor                    what this machine can do, and what spoils its figures";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Execute a scenario and leave a run directory behind.
    Run(Run),
    /// Find the highest trigger frequency that each stage keeps up with.
    Sweep(Sweep),
    /// Find the instant at which an interrupt is answered latest, in the twin.
    Worst(Box<Worst>),
    Hunt(Box<Hunt>),
    /// Find the commit, patch or release that made a latency longer.
    Bisect(Box<Bisect>),
    /// Run benchmarks that need no driver, on this machine or another.
    Bench(Box<Bench>),
    Watch(Box<Watch>),
    /// Show interrupt and softirq threads, their priorities, and what to change.
    Threads(Threads),
    /// Derive table, Parquet, summary and report from a run's log again.
    Report(Report),
    /// Show which functions were executed in a latency; draw its flame graph.
    Path(Path),
    /// Say what late responses waited for.
    Explain(Explain),
    /// Show the lines over time, one sweep or many on top of each other.
    Scope(Scope),
    /// Say, burst by burst, what was raised and what ran.
    Bursts(Bursts),
    /// Say how long critical sections are held, and which collide with a period.
    Locks(Locks),
    /// Say what took a CPU away from a loop that should have it alone.
    Isolate(Isolate),
    /// Write a run as other programs read it: CSV, OpenMetrics, rt-tests' JSON,
    /// cyclictest's histogram, an HdrHistogram log, a VCD, a sigrok session.
    Export(Export),
    /// Make a run of what cyclictest, oslat, jitterdebugger, rtla or latmus wrote.
    Import(Import),
    /// Compare runs or cases, and say how sure the differences are.
    Compare(Compare),
    /// Hold a run against limits or a baseline, for continuous integration.
    Gate(Gate),
    /// Say what is to be expected beyond the samples.
    Tail(Tail),
    /// Repeat the references' experiments and compare their figures with ours.
    Reproduce(Reproduce),
    Serve(Serve),
    Top(Top),
    Twin(Twin),
    /// List, show, check and write scenarios.
    #[command(subcommand)]
    Scenario(Scenario),
    /// List the bundled scenarios, stages and states: `irqscope scenario list`.
    List,
    /// Say what this machine can measure and what spoils its figures.
    Doctor,
    /// Fetch kernels for guests, or list those that are there.
    #[command(subcommand)]
    Kernel(Kernel),
    Fetch(Fetch),
    #[command(subcommand)]
    Fleet(Fleet),
    /// List what is kept because it is slow to make, or remove it.
    #[command(subcommand)]
    Cache(Cache),
    /// Find, flash, ask, set, start and stop a generator by hand.
    #[command(subcommand)]
    Generator(Generator),
    /// Print a completion script for a shell; it asks this program for scenarios, kernels and runs.
    #[command(after_help = "\
Examples:
  irqscope completion bash > /etc/bash_completion.d/irqscope
  irqscope completion zsh > /usr/local/share/zsh/site-functions/_irqscope
  irqscope completion fish > ~/.config/fish/completions/irqscope.fish")]
    Completion {
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each subcommand.
    #[command(
        after_help = "Examples:\n  irqscope man | man -l -\n  irqscope man --to /usr/local/share/man/man1"
    )]
    Man {
        /// Write all pages into this directory.
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope run demo
  irqscope run scenarios/mine.toml --out results/mine
  irqscope run demo --set trigger.frequency=5kHz --set trigger.pacing=closed
  irqscope run demo --stage irq --stage user --state idle --count 500 --seed 7
  irqscope run demo --sort max --columns stage,case,count,max,lost
  irqscope run demo --rig local          the machine in hand, as root
  irqscope run vm --kernel 6.12          a virtual machine, triggered from outside
  irqscope run board --connect serial:///dev/ttyUSB0
  irqscope run demo --rig ssh --host root@pi --connect serial:///dev/ttyUSB0
  irqscope run demo --rig ssh --host root@board --json > summary.json")]
pub struct Run {
    #[command(flatten)]
    pub execution: Execution,
    /// Record each instruction from the first N triggers to their last edges, for
    /// `irqscope path`; in the twin only, and without an effect on its figures.
    #[arg(long, value_name = "N")]
    pub trace: Option<u64>,
    /// Record every section in which interrupts or preemption are disabled or a reschedule is
    /// pending, for `irqscope locks`; in the twin only, and without an effect on its figures.
    #[arg(long)]
    pub sections: bool,
    /// Write no report.html and no pictures, which a slow machine takes long to paint; irqscope report
    /// writes them later.
    #[arg(long)]
    pub no_report: bool,
    #[command(flatten)]
    pub shown: Shown,
}

/// The scenario, the rig, and the number of samples.
#[derive(Debug, Args)]
pub struct Execution {
    /// A bundled scenario's name, or a path that ends in .toml.
    #[arg(add = candidates::scenarios())]
    pub scenario: String,
    #[command(flatten)]
    pub how: How,
    #[command(flatten)]
    pub changes: Changes,
}

/// How a scenario is executed, wherever it comes from.
#[derive(Clone, Debug, Default, Args)]
pub struct How {
    /// The run directory; must not exist [default: runs/TIME-SCENARIO].
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// A kernel for the guest instead of the scenario's; may be repeated: Debian's (6.12-rt,
    /// 6.12.95, sid-7.2), a build tree (~/src/linux), packages (x.deb, ./debs), one that is built
    /// from a commit (git:~/src/linux@v6.12) or from Debian's source (source:6.12+lockdep); LABEL=
    /// before it names its cases. With rig board the name of what the target runs, which is not
    /// checked.
    #[arg(long, value_name = "[LABEL=]KERNEL", add = candidates::kernels())]
    pub kernel: Vec<String>,
    /// Another rig than the scenario's.
    #[arg(long, value_parser = rig())]
    pub rig: Option<RigKind>,
    /// The target of rig ssh, as ssh takes it.
    #[arg(long, value_name = "[USER@]HOST")]
    pub host: Option<String>,
    /// Pass all ssh.options of the scenario to ssh, also those by which programs of this machine
    /// can be run: for files that you trust as much as programs.
    #[arg(long)]
    pub allow_ssh_options: bool,
    /// Trust the scenario's file as much as a program: its loads may run on this machine (rig local),
    /// directories of modules are built by their makefiles, and files from outside its directory go
    /// along.
    #[arg(long)]
    pub allow_commands: bool,
    /// A board that is wired to the target: HOST:PORT, tcp://HOST:PORT or
    /// serial:///dev/ttyACM0[?baud=N]. It triggers and watches instead of what the
    /// scenario names: alone with rig board, beside the target's own record with rigs
    /// local and ssh.
    #[arg(long, value_name = "ADDRESS")]
    pub connect: Option<String>,
    /// Guests at the same time; the twin's results do not depend on it
    /// [default: one per CPU].
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

/// Takes a rig by its name; help says what each is.
fn rig() -> impl TypedValueParser<Value = RigKind> {
    let value = |rig: &RigKind| PossibleValue::new(rig.name()).help(rig.facts().about);
    PossibleValuesParser::new(RigKind::ALL.iter().map(value)).try_map(|name| name.parse())
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope report runs/20260101T120000Z-demo
  irqscope report RUN --sort max         the worst first
  irqscope report RUN --columns stage,case,p95,max --csv > figures.csv
  irqscope report RUN --wide             all columns, the account of each case, all warnings
  irqscope report RUN --intspect         histograms in the form of INTSPECT's figures")]
pub struct Report {
    /// The directory that `irqscope run` or `irqscope sweep` left behind.
    #[arg(add = candidates::runs())]
    pub run: PathBuf,
    #[command(flatten)]
    pub shown: Shown,
    /// Print p50, p99 and maximum beside each other for the levels of an axis: `kernel`, `state`, or one of the
    /// scenario's own.
    #[arg(long, value_name = "AXIS", conflicts_with_all = ["wide", "columns", "sort", "csv", "json"])]
    pub by: Option<String>,
    /// Draw histograms as INTSPECT does: a linear axis, 5 % and 95 %, what another interrupt hit (IRQ)
    /// and what lies beyond the axis (OOB) apart.
    #[arg(long)]
    pub intspect: bool,
}

fn kernel_arch(name: &str) -> Result<Arch, String> {
    match name {
        "amd64" | "x86_64" => Ok(Arch::X86_64),
        "arm64" | "aarch64" => Ok(Arch::Arm64),
        "riscv64" => Ok(Arch::Riscv64),
        _ => Err("amd64, arm64 or riscv64".to_owned()),
    }
}

#[derive(Debug, Subcommand)]
pub enum Kernel {
    /// Unpack Debian kernels into the cache, without installing them.
    #[command(after_help = "Examples:\n  irqscope kernel fetch 6.1 6.1-rt sid-7.2 6.12.95\n  \
                      irqscope kernel fetch --all")]
    Fetch {
        /// A line (6.1), a version (6.12.95), -rt behind it for PREEMPT_RT, -arm64 or -riscv64 for
        /// those machines, a suite before it (sid-7.2).
        #[arg(value_name = "NAME", required_unless_present = "all", value_parser = KernelName::parse,
              add = candidates::kernels())]
        names: Vec<KernelName>,
        /// All kernels that irqscope is tested on.
        #[arg(long)]
        all: bool,
    },
    /// Build kernels of one's own into the cache, from Debian's source or from a repository; each
    /// takes some minutes, once.
    #[command(after_help = "Examples:\n  irqscope kernel build plain\n  \
                            irqscope run demo --kernel plain --kernel lockdep\n  \
                            irqscope kernel build source:6.12-rt+lockdep+kasan\n  \
                            irqscope kernel build git:~/src/linux@v6.12\n  \
                            irqscope kernel build mine=git:~/src/linux@HEAD+lockdep+fix.patch")]
    Build {
        /// Names as `irqscope kernel list` shows them, [LABEL=]source:VERSION[+PART]… for Debian's
        /// source, or [LABEL=]git:DIRECTORY@REVISION[+PART]…; a part is a bundled fragment or series
        /// (lockdep, delayed-locking), a target of the kernel's makefile (defconfig), a fragment's or
        /// a patch's path, or a directory with a series of patches.
        #[arg(value_name = "NAME", required = true, value_parser = KernelName::parse,
              add = candidates::kernels())]
        names: Vec<KernelName>,
    },
    /// List the kernels in the cache, and those that can be built.
    List,
    /// List the kernels that Debian's suites offer, from bullseye to sid.
    Offered {
        #[arg(long, value_name = "NAME", default_value = "amd64", value_parser = kernel_arch)]
        arch: Arch,
    },
    /// Print the options that a kernel needs for the twin, as a fragment of its configuration.
    #[command(after_help = "Example:\n  irqscope kernel fragment > irqscope.config\n  \
                            scripts/kconfig/merge_config.sh .config irqscope.config && make")]
    Fragment {
        #[arg(long, value_name = "NAME", default_value = "amd64", value_parser = kernel_arch)]
        arch: Arch,
    },
}
