// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments, and what `--help` says.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use irqscope_wire::Load;
use lexopt::{Arg, Parser, ValueExt};

pub const VERSION: &str = concat!("irqscope-target ", env!("CARGO_PKG_VERSION"), "\n");

pub const HELP: &str = "\
The agent of irqscope on the machine that is measured.

Usage: irqscope-target run [--plan FILE] [--stop-on-eof]
       irqscope-target load NAME [--cpu N]

run   Runs one case with the driver irqscope.ko and writes frames to stdout.
        --plan FILE    one encoded plan; `-` (the default) is stdin
        --stop-on-eof  stop when stdin ends, so that a lost host ends the run
      Settings that it changed are restored, whichever way it ends.
load  Holds up one load until it is killed:
      busy busy256 tcp copy exec memory hackbench stress-ng
        --cpu N        pin the load to this CPU

Exit codes: 0 fine, 2 wrong usage or plan, 3 the case failed, 4 the measurement
is invalid. As PID 1 (in the twin) it takes its work from /irqscope instead.
";

#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Version,
    Run(RunOptions),
    Load(LoadOptions),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// `None` is stdin.
    pub plan: Option<PathBuf>,
    pub stop_on_eof: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct LoadOptions {
    pub load: Load,
    pub cpu: Option<u32>,
}

pub fn parse() -> Result<Command, lexopt::Error> {
    parse_from(std::env::args_os().skip(1))
}

fn parse_from(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    match parser.next()? {
        Some(Arg::Long("version") | Arg::Short('V')) => Ok(Command::Version),
        Some(Arg::Long("help") | Arg::Short('h')) => Ok(Command::Help),
        Some(Arg::Value(name)) if name == "run" => parse_run(&mut parser),
        Some(Arg::Value(name)) if name == "load" => parse_load(&mut parser),
        Some(other) => Err(other.unexpected()),
        None => Err("no command given; try `irqscope-target --help`".into()),
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

fn parse_load(parser: &mut Parser) -> Result<Command, lexopt::Error> {
    let (mut load, mut cpu) = (None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(name) if load.is_none() => load = Some(name.parse()?),
            Arg::Long("cpu") => cpu = Some(parser.value()?.parse()?),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    let load = load.ok_or("which load? try `irqscope-target --help`")?;
    Ok(Command::Load(LoadOptions { load, cpu }))
}

pub fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}

pub fn usage_error(error: &lexopt::Error) -> ExitCode {
    eprintln!("irqscope-target: error: {error}");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let options = LoadOptions { load: Load::StressNg, cpu: Some(1) };
        assert_eq!(parse_words("load stress-ng --cpu 1"), Ok(Command::Load(options)));
        assert!(parse_words("load stress").unwrap_err().contains("stress"));
        assert!(parse_words("load busy tcp").is_err());
        assert!(parse_words("load").is_err());
    }

    #[test]
    fn nothing_and_nonsense_are_refused() {
        assert!(parse_words("").is_err());
        assert!(parse_words("measure").is_err());
        assert!(parse_words("run --quiet").is_err());
    }
}
