// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments, and what `--help` says.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use irqscope_wire::{AtEnd, LoadCpu, OwnLoad, SystemState};
use lexopt::{Arg, Parser, ValueExt};

use crate::bench::options::{self, BenchOptions};
use crate::generator::{GeneratorOptions, Guard, MOST_LINES};
use crate::threads::ThreadsOptions;

/// The answer to `--version`.
pub const VERSION: &str = concat!("irqscope-agent ", env!("CARGO_PKG_VERSION"), "\n");

/// The answer to `--help`.
pub const HELP: &str = "\
The agent of irqscope on the machine that is measured.

Usage: irqscope-agent run [--plan FILE] [--stop-on-eof]
       irqscope-agent bench NAME... [options]
       irqscope-agent threads [--set FILE] [--undo FILE] [--frame]
       irqscope-agent load NAME [--cpu N]
       irqscope-agent load calls CALL... [--cpu N]
       irqscope-agent generator [--lines N] [--cpu N] [options]

run   Runs one case with the driver irqscope.ko and writes frames to stdout.
        --plan FILE    one encoded plan; `-` (the default) is stdin
        --stop-on-eof  stop when stdin ends, so that a lost host ends the run
      Settings that it changed are restored, whichever way it ends.
bench Runs benchmarks, without the driver, and prints their figures:
      gtod sched async sleep inversion realfeel jitter spin watch
        -l, --count N        samples
        -i, --period SPAN    from one to the next (250us, 5ms)
        -p, --priority P     80 (SCHED_FIFO), \"rr 5\" or other
        --variant NAME       one variant only, such as a clock; may be repeated
        --cpu N              the CPU under test
        -a, --cpus LIST      several at the same time (sched, spin)
        -t, --threads N      on each CPU (sched)
        --runtime SPAN       budget of SCHED_DEADLINE (sched --variant deadline)
        --from-cpu N         where async's waking thread runs
        -D, --duration SPAN, --threshold SPAN   (spin)
        --target NAME, -D SPAN, --above SPAN, --until PLACE   (watch)
        --work SPAN (jitter), --frequency HZ (realfeel)
        --hold SPAN, --middle SPAN, --limit SPAN   (inversion)
        --load NAME          background work; may be repeated
        --idle-states        leave deep idle states as they are
        --frames FILE        write frames instead of a table; `-` is stdout
threads
      Shows interrupt and softirq threads, priorities, hard handlers, and what
      to change; changes nothing by itself.
        --set FILE     first apply priorities and affinities: [[thread]] name,
                       priority, cpus; [[interrupt]] line, cpus (`-` is stdin)
        --undo FILE    where the way back is written (default FILE.undo.toml)
        --frame        write one frame instead of words
load  Holds up one load until it is killed:
      busy busy256 hog tcp copy exec memory files hackbench stress-ng
      or system calls, made in their order again and again, each as in
      'r0 = mmap(0, 64M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)'
        --cpu N        pin the load to this CPU
generator
      A CPU of this machine as a generator: injects interrupts by the driver
      (trigger inject, line memory) and watches the stages' response words.
        --lines N         words, one per asked stage, 1 to 16 [default: 11]
        --cpu N           where it runs [default: isolated, or the last]
        --under-test N    the CPU under test, which it keeps off [default: 0]
        --listen ADDRESS  where a host is served [default: 127.0.0.1:0]; the
                          address that it really got, and its CPU, are the first
                          line on stdout
        --secret-file FILE  serve only hosts that know the secret in this file: for
                          an address beyond the loopback
        --own-secret      serve only hosts that know a secret which is drawn now, and
                          is the third word of that line
        --stop-on-eof     end when stdin ends

Exit codes: 0 fine, 2 wrong usage or plan, 3 the case failed, 4 the measurement
is invalid. As PID 1 (in the twin) it takes its work from /irqscope instead.
";

/// The name of the load that makes the calls that follow it.
const CALLS: &str = "calls";

/// The request of the command line.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Print [`HELP`].
    Help,
    /// Print [`VERSION`].
    Version,
    /// Run a plan.
    Run(RunOptions),
    /// Run benchmarks by themselves.
    Bench(Box<BenchOptions>),
    /// Show threads and interrupts, or change them.
    Threads(ThreadsOptions),
    /// Run one load.
    Load(LoadOptions),
    /// Be a generator on a spare CPU.
    Generator(GeneratorOptions),
}

/// The options of `irqscope-agent run`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// `None` is stdin.
    pub plan: Option<PathBuf>,
    /// Ends the run when stdin ends.
    pub stop_on_eof: bool,
}

/// The options of `irqscope-agent load`.
#[derive(Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// The state with this load alone.
    pub state: SystemState,
    /// The CPU that it runs on; any, where none is named.
    pub cpu: Option<u32>,
}

/// Parses the command line.
///
/// # Errors
/// An option is unknown, or its value makes no sense.
pub fn parse() -> Result<Command, lexopt::Error> {
    parse_from(std::env::args_os().skip(1))
}

fn parse_from(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    match parser.next()? {
        Some(Arg::Long("version") | Arg::Short('V')) => Ok(Command::Version),
        Some(Arg::Long("help") | Arg::Short('h')) => Ok(Command::Help),
        Some(Arg::Value(name)) if name == "run" => parse_run(&mut parser),
        Some(Arg::Value(name)) if name == "bench" => {
            let options = options::parse(&mut parser)?;
            Ok(options.map_or(Command::Help, |options| Command::Bench(Box::new(options))))
        }
        Some(Arg::Value(name)) if name == "threads" => parse_threads(&mut parser),
        Some(Arg::Value(name)) if name == "load" => parse_load(&mut parser),
        Some(Arg::Value(name)) if name == "generator" => parse_generator(&mut parser),
        Some(other) => Err(other.unexpected()),
        None => Err("no command given; try `irqscope-agent --help`".into()),
    }
}

fn parse_run(parser: &mut Parser) -> Result<Command, lexopt::Error> {
    let mut options = RunOptions::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("plan") => {
                let path = PathBuf::from(parser.value()?);
                options.plan = (path.as_os_str() != "-").then_some(path);
            }
            Arg::Long("stop-on-eof") => options.stop_on_eof = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Run(options))
}

fn parse_threads(parser: &mut Parser) -> Result<Command, lexopt::Error> {
    let mut options = ThreadsOptions::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("set") => options.set = Some(parser.value()?.into()),
            Arg::Long("undo") => options.undo = Some(parser.value()?.into()),
            Arg::Long("frame") => options.frame = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    let stdin = options.set.as_deref() == Some(Path::new("-"));
    match stdin && options.undo.is_none() {
        true => Err("--set - needs --undo FILE".into()),
        false => Ok(Command::Threads(options)),
    }
}

fn parse_load(parser: &mut Parser) -> Result<Command, lexopt::Error> {
    let (mut words, mut cpu) = (Vec::new(), None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(word) => words.push(word.string()?),
            Arg::Long("cpu") => cpu = Some(parser.value()?.parse()?),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    let state = match &words[..] {
        [] => return Err("which load? try `irqscope-agent --help`".into()),
        [name, calls @ ..] if name == CALLS => state_of_calls(calls)?,
        [name] => {
            let load = OsString::from(name).parse()?;
            SystemState::of(name.as_str(), vec![load])
        }
        [_, word, ..] => return Err(Arg::Value(word.into()).unexpected()),
    };
    Ok(Command::Load(LoadOptions { state, cpu }))
}

/// Returns the state with one load that makes these calls.
fn state_of_calls(calls: &[String]) -> Result<SystemState, lexopt::Error> {
    if calls.is_empty() {
        return Err("which calls? try `irqscope-agent --help`".into());
    }
    irqscope_calls::calls(calls.iter().map(String::as_str)).map_err(|error| error.to_string())?;
    let load = OwnLoad {
        name: CALLS.to_owned(),
        command: irqscope_calls::command(calls),
        environment: Vec::new(),
        count: 1,
        cpu: LoadCpu::Tested,
        scheduling: None,
        user: None,
        at_end: AtEnd::Fail,
        peer: false,
        has_root: false,
    };
    Ok(SystemState { own: vec![load], ..SystemState::of(CALLS, Vec::new()) })
}

fn parse_generator(parser: &mut Parser) -> Result<Command, lexopt::Error> {
    let mut options = GeneratorOptions::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("lines") => options.lines = parser.value()?.parse_with(parse_lines)?,
            Arg::Long("cpu") => options.cpu = Some(parser.value()?.parse()?),
            Arg::Long("under-test") => options.under_test = parser.value()?.parse()?,
            Arg::Long("listen") => options.listen = parser.value()?.string()?,
            Arg::Long("secret-file") => {
                options.guard = Guard::File(parser.value()?.into());
            }
            Arg::Long("own-secret") => options.guard = Guard::Own,
            Arg::Long("stop-on-eof") => options.stop_on_eof = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Generator(options))
}

fn parse_lines(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(lines) if (1..=MOST_LINES).contains(&lines) => Ok(lines),
        _ => Err(format!("lines are 1 to {MOST_LINES}")),
    }
}

/// Prints a text; returns the exit status.
pub fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}

/// Prints what is wrong with the command line; returns the exit status.
pub fn usage_error(error: &lexopt::Error) -> ExitCode {
    eprintln!("irqscope-agent: error: {error}");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Load;

    fn parse_words(line: &str) -> Result<Command, String> {
        parse_from(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_dash_is_stdin() {
        let options = RunOptions { plan: None, stop_on_eof: true };
        assert_eq!(parse_words("run --plan - --stop-on-eof"), Ok(Command::Run(options)));
        let options = RunOptions { plan: Some("case.plan".into()), stop_on_eof: false };
        assert_eq!(parse_words("run --plan case.plan"), Ok(Command::Run(options)));
    }

    #[test]
    fn a_load_is_taken_by_its_name_only() {
        let state = SystemState::of("stress-ng", vec![Load::StressNg]);
        let options = LoadOptions { state, cpu: Some(1) };
        assert_eq!(parse_words("load stress-ng --cpu 1"), Ok(Command::Load(options)));
        assert!(parse_words("load stress").unwrap_err().contains("stress"));
        assert!(parse_words("load busy tcp").is_err());
        assert!(parse_words("load").is_err());
    }

    #[test]
    fn calls_are_a_load_if_they_can_be_read() {
        let Ok(Command::Load(options)) = parse_words("load calls sync() getpid() --cpu 1") else {
            panic!("it is no load");
        };
        assert_eq!(options.state.own[0].command, ["irqscope-calls", "sync()", "getpid()"]);
        assert!(parse_words("load calls").unwrap_err().contains("which calls"));
        assert!(parse_words("load calls sync").unwrap_err().contains("`sync` is no call"));
    }

    #[test]
    fn a_generator_has_its_words_and_its_cpu() {
        let options = GeneratorOptions { lines: 3, cpu: Some(2), ..Default::default() };
        let parsed = parse_words("generator --lines 3 --cpu 2");
        assert_eq!(parsed, Ok(Command::Generator(options)));
        let guarded = |words| match parse_words(words) {
            Ok(Command::Generator(options)) => options.guard,
            other => panic!("{other:?}"),
        };
        assert_eq!(guarded("generator --own-secret"), Guard::Own);
        let file = Guard::File("/etc/secret".into());
        assert_eq!(guarded("generator --secret-file /etc/secret"), file);
        assert!(parse_words("generator --lines 17").unwrap_err().contains("1 to 16"));
    }

    #[test]
    fn nothing_and_nonsense_are_refused() {
        assert!(parse_words("").is_err());
        assert!(parse_words("measure").is_err());
        assert!(parse_words("run --quiet").is_err());
    }
}
