// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Exit codes, and which error ends in which.

use std::process::ExitCode;

use irqscope_analysis::{AnalysisError, CompareError, GateError};
use irqscope_quantity::shortened;
use irqscope_report::ReportError;
use irqscope_report::foreign::ForeignError;
use irqscope_rig::RigError;
use irqscope_rig::generator::GeneratorError;
use irqscope_run::{ExecuteError, RunError};
use irqscope_scenario::ScenarioError;
use irqscope_server::{LakeError, ServeError, SessionError};

/// The meaning of the program's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Fine = 0,
    /// A gate was exceeded.
    Exceeded = 1,
    /// Wrong usage or scenario, or this machine is not ready for it.
    Usage = 2,
    /// The rig was lost; never a failed latency, and never a pass.
    Lost = 3,
    /// The measurement is invalid.
    Invalid = 4,
    /// SIGINT or SIGTERM, as shells report it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// An error with the exit status it ends in.
#[derive(Debug)]
pub struct Trouble {
    exit: Exit,
    text: String,
}

impl Trouble {
    pub fn new(exit: Exit, text: impl std::fmt::Display) -> Self {
        Self { exit, text: text.to_string() }
    }

    pub fn exit(&self) -> Exit {
        self.exit
    }

    pub fn report(self) -> Exit {
        eprintln!("irqscope: {}", bounded(&self.text));
        self.exit
    }

    /// Adds where the rest of the story lies.
    pub fn with_note(mut self, note: &str) -> Self {
        self.text.push_str(&format!("\n  {note}"));
        self
    }
}

/// The most of an error that is printed: what it quotes may be of any length.
const LINES: usize = 200;
const CHARACTERS: usize = 1000;

fn bounded(text: &str) -> String {
    let mut lines: Vec<_> =
        text.lines().take(LINES).map(|line| shortened(line, CHARACTERS)).collect();
    let more = text.lines().count() - lines.len();
    if more > 0 {
        lines.push(format!("… ({more} more lines)").into());
    }
    lines.join("\n")
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

macro_rules! exits {
    ($($error:ident: $exit:expr,)*) => {$(
        impl From<$error> for Trouble {
            fn from(error: $error) -> Self {
                let exit: fn(&$error) -> Exit = $exit;
                Self::new(exit(&error), error)
            }
        }
    )*};
}

exits! {
    ScenarioError: |_| Exit::Usage,
    RunError: |_| Exit::Usage,
    CompareError: |_| Exit::Usage,
    GateError: |error| match error {
        GateError::NoVerdict { .. } => Exit::Invalid,
        GateError::Unknown { .. } => Exit::Usage,
    },
    ReportError: |_| Exit::Usage,
    ForeignError: |_| Exit::Usage,
    ServeError: |_| Exit::Usage,
    LakeError: |_| Exit::Usage,
    RigError: of_rig,
    GeneratorError: of_generator,
    ExecuteError: |error| error.rig().map_or(Exit::Usage, of_rig),
    AnalysisError: |error| if error.is_invalid_measurement() { Exit::Invalid } else { Exit::Usage },
}

impl From<SessionError> for Trouble {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Generator(error) => error.into(),
            SessionError::Execute(error) => (*error).into(),
            error => Self::new(Exit::Usage, error),
        }
    }
}

fn of_rig(error: &RigError) -> Exit {
    match error {
        RigError::Unready { .. } | RigError::Refused { .. } | RigError::Keep(_) => Exit::Usage,
        RigError::Lost { .. } | RigError::Io { .. } => Exit::Lost,
        RigError::Invalid { .. } => Exit::Invalid,
        RigError::Generator(error) => of_generator(error),
        RigError::Interrupted => Exit::Interrupted,
    }
}

fn of_generator(error: &GeneratorError) -> Exit {
    match error {
        GeneratorError::WrongAddress { .. }
        | GeneratorError::Speed { .. }
        | GeneratorError::Unusable { .. }
        | GeneratorError::Refused(_)
        | GeneratorError::NeedsSecret { .. }
        | GeneratorError::WrongSecret { .. }
        | GeneratorError::UnusableSecret { .. }
        | GeneratorError::OtherProtocol { .. }
        | GeneratorError::Failed { .. } => Exit::Usage,
        GeneratorError::Unreachable { .. }
        | GeneratorError::NoGenerator { .. }
        | GeneratorError::NoAnswer { .. }
        | GeneratorError::Busy { .. }
        | GeneratorError::Lost { .. }
        | GeneratorError::Flooded { .. }
        | GeneratorError::Anew { .. } => Exit::Lost,
        GeneratorError::Interrupted => Exit::Interrupted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_printed_in_bounds_whatever_it_quotes() {
        assert_eq!(bounded("what\n  remedy: that"), "what\n  remedy: that");
        assert!(bounded(&"x".repeat(1 << 20)).len() < 1100);
        let many = bounded(&"x\n".repeat(100_000));
        assert!(many.lines().count() == LINES + 1 && many.ends_with("(99800 more lines)"));
    }
}
