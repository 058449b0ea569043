// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments, and what `--help` says.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::memory::MOST_LINES;

/// The answer to `--version`.
pub const VERSION: &str = concat!("irqscope-vm ", env!("CARGO_PKG_VERSION"), "\n");

/// The answer to `--help`.
pub const HELP: &str = "\
The generator of irqscope's rig vm: raises a virtual machine's interrupt through
an ivshmem doorbell and watches its response words, in real time.

Usage: irqscope-vm --doorbell SOCKET [--listen ADDRESS] [--secret-file FILE]
                   [--lines N] [--cpu N]

  --doorbell SOCKET  Unix socket, made here, that QEMU connects to:
                       -chardev socket,id=bell,path=SOCKET
                       -device ivshmem-doorbell,chardev=bell,vectors=1
                     One machine at a time; the next may come when it has ended.
  --listen ADDRESS   where a host is served [default: 127.0.0.1:0]; the address
                     that it really got is the first line on stdout
  --secret-file FILE serve only hosts that know the secret in this file: for an
                     address beyond the loopback
  --lines N          response words that are watched, 1 to 16 [default: 11]
  --cpu N            run on this CPU, which should do nothing else: the generator
                     spins while a run is on

It ends when stdin does. Exit codes: 0 fine, 2 wrong usage, 3 it cannot work.
";

/// The request of the command line.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Print [`HELP`].
    Help,
    /// Print [`VERSION`].
    Version,
    /// Serve a doorbell and a generator.
    Serve(Options),
}

/// Options of a generator behind a doorbell.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The Unix socket that QEMU connects to.
    pub doorbell: PathBuf,
    /// The address and port that hosts connect to.
    pub listen: String,
    /// The file of the secret that hosts have to know.
    pub secret_file: Option<PathBuf>,
    /// The number of response lines.
    pub lines: u8,
    /// The CPU that the generator runs on; any, where none is named.
    pub cpu: Option<usize>,
}

/// Parses a command line.
///
/// # Errors
/// An option that is unknown, lacks its value, or has one that does not parse.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let (mut doorbell, mut listen, mut secret_file) = (None, None, None);
    let (mut lines, mut cpu) = (11, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Long("version") | Arg::Short('V') => return Ok(Command::Version),
            Arg::Long("doorbell") => doorbell = Some(PathBuf::from(parser.value()?)),
            Arg::Long("listen") => listen = Some(parser.value()?.string()?),
            Arg::Long("secret-file") => secret_file = Some(PathBuf::from(parser.value()?)),
            Arg::Long("lines") => lines = parser.value()?.parse_with(parse_lines)?,
            Arg::Long("cpu") => cpu = Some(parser.value()?.parse()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Serve(Options {
        doorbell: doorbell.ok_or("--doorbell names the socket for QEMU; see --help")?,
        listen: listen.unwrap_or_else(|| "127.0.0.1:0".into()),
        secret_file,
        lines,
        cpu,
    }))
}

fn parse_lines(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(lines) if (1..=MOST_LINES).contains(&lines) => Ok(lines),
        _ => Err(format!("lines are 1 to {MOST_LINES}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_given_has_its_default() {
        let Ok(Command::Serve(options)) = parse_words("--doorbell /tmp/x --cpu 3") else {
            panic!("refused");
        };
        assert_eq!((options.lines, options.cpu), (11, Some(3)));
        assert_eq!((options.listen.as_str(), options.secret_file), ("127.0.0.1:0", None));
    }

    #[test]
    fn nothing_and_nonsense_are_refused_with_what_is_allowed() {
        assert!(parse_words("").unwrap_err().contains("--doorbell"));
        assert!(parse_words("--doorbell x --lines 17").unwrap_err().contains("1 to 16"));
        assert!(parse_words("--doorbell x --lines 0").unwrap_err().contains("1 to 16"));
        assert!(parse_words("--doorbell x --loud").is_err());
    }
}
