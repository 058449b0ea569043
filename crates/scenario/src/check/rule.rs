// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules, each with what mends a scenario that breaks it.

use irqscope_wire::{FaultKind, Line, Setting, Stage};

use super::own::COPIES;
use super::stages::{COUNT, SEEDS, TRIGGERS, TURN};
use super::{LONGEST_LIMIT, MOST_CPUS};
use crate::boot::BootError;
use crate::kernel::KernelNameError;
use crate::sweep::SweepError;

/// A rule that a scenario breaks.
#[allow(missing_docs, reason = "each message says what the rule is")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    #[error("version is {0}, this program reads 1")]
    Version(u32),
    #[error("no stage or benchmark called `{0}` is asked: write a limit of one that is")]
    LimitOfNothing(String),
    #[error("there is neither [trigger], to measure stages, nor [bench.NAME]")]
    NothingAsked,
    #[error(
        "a scenario has [bench.NAME] or asks stages (trigger, stages, views, observer-effect, \
         explain, faults, priority, test), not both; trigger.kind = \"sleep\" explains the sleeps of a thread"
    )]
    BothAsked,

    #[error("rig {rig} needs kernels, as in kernels = [\"6.1\"] or --kernel 6.1")]
    NoKernels { rig: &'static str },
    #[error("the target of rig {rig} runs its own kernel: --kernel is for rigs twin and vm")]
    KernelOfRunning { rig: &'static str },
    #[error("with rig board, --kernel names the one kernel that the target runs")]
    KernelsOfUnseen,
    #[error("{0}")]
    KernelName(KernelNameError),
    #[error("two kernels are called `{0}`: give one another label, LABEL=KERNEL")]
    KernelTwice(String),
    #[error("{0}")]
    Boot(BootError),
    #[error(
        "rig {rig} boots nothing: give the target these parameters by its boot loader, and boot it; its \
         command line is recorded. Leave boot out, or use rig = \"twin\" or \"vm\""
    )]
    BootOfRunning { rig: &'static str },
    #[error(
        "`{0}` is no name of an axis: 1 to 40 letters, digits or -_.,: and not seed, as in \
         axes.preempt = [\"none\", \"full\"]"
    )]
    AxisName(String),
    #[error("axes.{0} has no levels: name some, or leave it out")]
    NoLevels(String),
    #[error(
        "`{0}` is no name of a level: 1 to 40 letters, digits or -_.,: as in {{ level = \"off\", boot = \
         \"highres=off\" }}"
    )]
    LevelName(String),
    #[error("level `{0}` is there twice for the same kernel")]
    LevelTwice(String),
    #[error("kernel `{0}` of a level is not among kernels")]
    LevelOfKernel(String),
    #[error("states is empty; use at least states = [\"idle\"]")]
    NoStates,
    #[error("{0}")]
    UnknownState(String),
    #[error("{0}; [load.NAME] makes one of your own")]
    UnknownLoad(String),
    #[error(
        "`{0}` is no name of a load: 1 to 32 letters, digits or -_. without a dot at the beginning"
    )]
    LoadName(String),
    #[error("there is a load `{0}` already: give yours another name")]
    LoadOfOurs(String),
    #[error(
        "load.{0} has no command: name a program, as in command = \"./hammer 16\", or system calls, as in \
         calls = [\"sync()\"]"
    )]
    NoCommand(String),
    #[error("load.{0} has a command and calls: a load is one of them")]
    CommandAndCalls(String),
    #[error("{0}")]
    Call(String),
    #[error("load.{0}.count is {first} to {last}", first = COPIES.start(), last = COPIES.end())]
    Copies(String),
    #[error("load.{0}.environment has a name that is empty or has an equals sign")]
    EnvironmentName(String),
    #[error("two files of a load would have the same name, or `{0}` names none")]
    FileTwice(String),
    #[error(
        "packages lie in the guest's root, not in the load's own: have them in that, and leave them out here"
    )]
    PackagesBesideRoot,
    #[error("there is no `{0}`; paths count from the scenario's file")]
    NoSuchFile(String),
    #[error(
        "`{0}` is outside the scenario's directory: copy it there, or, if you trust the file, add \
         --allow-commands"
    )]
    PathOutside(String),
    #[error(
        "load `{0}` would run its command on this machine, as root: read it, and if you trust the file, \
         add --allow-commands"
    )]
    CommandHere(String),
    #[error(
        "`{0}` would be built here, by its own makefile: read it, and if you trust the file, add \
         --allow-commands"
    )]
    MakefileHere(String),
    #[error("`{0}` is no package of Debian's: write \"fio\", or \"fio/bookworm\" for that suite's")]
    PackageName(String),
    #[error(
        "all packages of a scenario are of one suite: give them the same one, as in \"fio/bookworm\""
    )]
    PackagesOfSuites,
    #[error(
        "`{0}` is no module: write the name of one that the kernel has, a file that ends in .ko, or a \
         directory with a slash in its path, and its parameters after a space"
    )]
    ModuleName(String),
    #[error(
        "`{0}` is no setting of the kernel: write it as sysctl shows it, as in \
         \"kernel.sched_rt_runtime_us\", or as a path below /sys"
    )]
    SysctlName(String),
    #[error("state.{0}.hog is the priority of load hog: add it to loads")]
    HogWithoutLoad(String),
    #[error(
        "rig board does not reach the target, and cannot load it (state {0}): load it by hand, \
         and say so in a state without loads: [state.NAME] loads = []"
    )]
    LoadsOfUnseen(String),
    #[error("{0} is the target's, which rig board does not reach: rig = \"ssh\" or \"local\"")]
    Unreached(&'static str),
    #[error("delayed-locking.modes is empty: name some of off, monitor, on")]
    NoLockModes,
    #[error("delayed-locking.modes has a mode twice")]
    LockModeTwice,
    #[error(
        "`{0}` of ssh.options may run a program, or read or write a file, on this machine: leave it out, \
         put it into ~/.ssh/config, or, if you trust the file, add --allow-ssh-options"
    )]
    SshOption(String),
    #[error(
        "ssh.host has characters that no host has: write [user@]host, or give it by --host, if you trust it"
    )]
    SshHost,
    #[error(
        "rig {rig} gives its target no devices: leave devices out, or use rig = \"twin\" or \"vm\""
    )]
    DevicesOfRunning { rig: &'static str },
    #[error(
        "a disk answers at instants of the host's, which the twin cannot repeat: leave devices.disk out, \
         or use rig = \"vm\""
    )]
    DiskInTwin,
    #[error(
        "QEMU's virtio-net sends at instants of the host's, which the twin cannot repeat: use \"e1000e\", or \
         rig = \"vm\""
    )]
    CardInTwin,
    #[error(
        "{0} needs a guest with two network cards: add [devices] network = \"e1000e\", of rig twin or vm"
    )]
    NoCards(String),
    #[error("twin.shift is 0 to 10")]
    Shift,
    #[error("twin.cpus is 1 to {MOST_CPUS}")]
    Cpus,
    #[error("twin.first is at most one hour")]
    First,
    #[error("twin.settled is for stages: leave it out with benchmarks")]
    SettledBenchmark,
    #[error("twin.quantum is 100ns to 1ms")]
    Quantum,
    #[error("there is no CPU {cpu}: twin.cpus is {cpus}, and CPUs are counted from 0")]
    NoSuchCpu { cpu: u32, cpus: u32 },
    #[error("{0}.memory is at least 128 (MiB)")]
    Memory(&'static str),
    #[error("{rig}.limit is 1 to {LONGEST_LIMIT} seconds, a week")]
    Limit { rig: &'static str },
    #[error(
        "a path can be traced in rig twin with trigger.kind = \"line\" only, where the machine is emulated and its \
         generator sees each instruction; this is rig {rig}, or another trigger"
    )]
    Untraceable { rig: &'static str },
    #[error(
        "twin.sections records what is executed in rig twin, where the machine is emulated; this is rig {rig}: leave \
         --sections out"
    )]
    NoSections { rig: &'static str },
    #[error(
        "isolate looks at each instruction in its own way: leave twin.sections out, or measure it by itself"
    )]
    SectionsOfIsolate,

    #[error("count is {first} to {last}, not {0}", first = COUNT.lowest, last = COUNT.highest)]
    Count(u64),
    #[error("give trigger.period or trigger.frequency, one of both")]
    PeriodOrFrequency,
    #[error("trigger.period is 10us to 1h")]
    Period,
    #[error("trigger.jitter and trigger.jitter-amount go together: a kind and an amount above 0")]
    Jitter,
    #[error(
        "trigger.seeds is {} to {}, and the last seed, trigger.seed + trigger.seeds - 1, fits into 64 bits",
        SEEDS.start(), SEEDS.end()
    )]
    Seeds,
    #[error(
        "trigger.burst and trigger.interval go together, as in burst = 16, interval = \"20us\""
    )]
    BurstAndInterval,
    #[error("trigger.burst is {} to {}", TRIGGERS.start(), TRIGGERS.end())]
    Burst,
    #[error(
        "trigger.interval is at least 10us, and trigger.burst times as long fits into a period"
    )]
    Interval,
    #[error("trigger.turn-length is {} to {} triggers of trigger.mode = \"isolated\"", TURN.lowest, TURN.highest)]
    TurnLength,
    #[error("a burst does not wait for answers: trigger.pacing = \"open\"")]
    BurstPaced,
    #[error(
        "trigger.kind = \"sleep\" asks stage user, and irq beside it: leave stages out, or write \
         stages = [\"user\"]"
    )]
    SleepStages,
    #[error("a thread sleeps only when it has answered: leave trigger.pacing out")]
    SleepPaced,
    #[error("a thread sleeps once at a time: leave trigger.burst and trigger.interval out")]
    SleepBurst,
    #[error("stages is empty; leave it out for all of them")]
    NoStages,
    #[error("execution.{0} is at most 1s, and lowest at most highest")]
    Execution(Stage),
    #[error("execution.{0}: this stage is not among stages")]
    ExecutionOfOther(Stage),
    #[error("test.instructions is even: the loop has two")]
    OddDelay,
    #[error("faults hold a CPU up on purpose: only rig twin takes them")]
    FaultsOutsideTwin,
    #[error("faults.length is 1us to 10ms, faults.interval 10us to 1s")]
    FaultTimes,
    #[error("faults.kinds is empty; leave it out for all of them")]
    NoFaults,
    #[error("{0} needs a second CPU: set twin.cpus = 2")]
    RemoteFault(FaultKind),

    #[error("views is empty; use at least views = [\"inside\"]")]
    NoViews,
    #[error("explain needs the view from inside")]
    ExplainOutside,
    #[error("explain-effect has each case without and with explain; leave explain out")]
    ExplainTwice,
    #[error("compensate = \"counter\" needs trigger.mode = \"together\"")]
    CountIsolated,
    #[error("compensate = \"counter\" needs the view from inside, so there is no observer-effect")]
    CountUnseen,
    #[error(
        "compensate = \"counter\" is done by the target's driver, which rig board does not reach: \
         --set compensate=none measures without, and rig ssh or local reaches the target"
    )]
    CountUnreached,
    #[error(
        "trigger.mode = \"isolated\" needs stage irq in the view from outside, for its answer alone \
         says whose turn it is: add irq to stages, or set trigger.mode = \"together\""
    )]
    IsolatedUnseen,
    #[error(
        "the view outside needs a generator: trigger.kind = \"line\", or \"inject\" with rig \
         local or ssh"
    )]
    NoGenerator,
    #[error("trigger.kind = \"line\" has the view outside: leave views out, or add it")]
    GeneratorUnseen,
    #[error("trigger.kind = \"line\" needs wires: trigger.line = \"parport\"")]
    NoWires,
    #[error("the generator of rig {rig} watches trigger.line = \"{wires}\" with kernel {kernel}")]
    OtherWires { rig: &'static str, wires: Line, kernel: String },
    #[error("trigger.{0} is a generator's: trigger.kind = \"line\"")]
    SettingOfGenerator(Setting),
    #[error(
        "observer-effect compares outside figures with and without the view inside: it needs both \
         views"
    )]
    ObserverEffect,
    #[error(
        "trigger.line = \"memory\" is what a spare CPU watches: it needs rig local or ssh, \
         trigger.kind = \"inject\" and the view outside"
    )]
    MemoryUnwatched,
    #[error(
        "trigger.generator-cpu is the CPU that injects and watches: it needs trigger.kind = \
         \"inject\" and the view outside"
    )]
    GeneratorCpu,
    #[error("trigger.generator-cpu is another one than trigger.cpu, which is under test")]
    GeneratorCpuUnderTest,

    #[error(
        "--connect names a board that is wired to a machine; rig {rig} boots one with a generator \
         of its own: add --rig board, or --rig ssh or local for both views"
    )]
    BoardInGuest { rig: &'static str },
    #[error("rig board triggers by its wire: trigger.kind = \"line\"")]
    BoardTriggers,
    #[error(
        "rig board does not reach the target, and sees from outside only: leave views out, or \
         reach it by rig = \"ssh\" or \"local\""
    )]
    InsideUnreached,
    #[error("the generator at board.address triggers by its wire: trigger.kind = \"line\"")]
    AddressTriggers,
    #[error("board.gpio names GPIO lines: trigger.line = \"gpio\"")]
    GpioLine,
    #[error("board.gpio.responses are 1 to 8 lines")]
    GpioResponses,
    #[error(
        "board.gpio: `{0}` is no LABEL:OFFSET, as in \"pinctrl-bcm2711:17\"; gpiodetect shows \
         the labels in brackets; what inverts gets :low behind it"
    )]
    GpioName(String),

    #[error("{0}")]
    Sweep(SweepError),
    #[error(
        "a sweep needs the view from outside, which alone counts what the target never saw: \
         trigger.kind = \"line\" on a rig that has a generator, or \"inject\" with rig local or ssh"
    )]
    SweptInside,
    #[error("a sweep asks how often a trigger can come; it takes no bursts")]
    SweptBursts,
    #[error("a sweep has a knee and no quantiles over seeds: leave trigger.seeds out")]
    SweptSeeds,

    #[error("[bench] asks for none: add [bench.sched], for example")]
    NoBenchmarks,
    #[error("{0}")]
    Bench(String),
    #[error("rig board reaches no target, and benchmarks run on one: rig = \"ssh\" or \"local\"")]
    BenchOfUnseen,
    #[error("benchmarks are triggered by nothing: leave --connect out")]
    BenchTriggered,
}
