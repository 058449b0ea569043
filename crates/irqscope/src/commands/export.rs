// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope export`: a run as other programs read it.

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

use irqscope_report::foreign::{self, ForeignError};
use irqscope_run::RunDir;

use super::Done;
use crate::cli::Export;
use crate::exit::{Exit, Trouble};

pub fn export(options: &Export) -> Done {
    let (run, what) = (RunDir::open(&options.run)?, options.what());
    match &options.out {
        Some(path) => to_file(&run, &what, path),
        None => to_stdout(&run, &what),
    }
}

/// Exports to standard output; a reader that has seen enough (`| head`) is no error.
pub fn to_stdout(run: &RunDir, what: &foreign::Export) -> Done {
    let stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        drop(stdout);
        return to_terminal(run, what);
    }
    let mut output = BufWriter::new(stdout);
    let written = foreign::export(run, what, &mut output);
    match written.and_then(|()| Ok(output.flush()?)) {
        Err(ForeignError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {
            std::process::exit(141) // as shells report SIGPIPE
        }
        written => Ok(written.map(|()| Exit::Fine)?),
    }
}

/// Exports to a person, to whose terminal names of the run shall not speak.
fn to_terminal(run: &RunDir, what: &foreign::Export) -> Done {
    let mut output = Vec::new();
    foreign::export(run, what, &mut output)?;
    print!("{}", String::from_utf8_lossy(&output));
    Ok(Exit::Fine)
}

/// Exports to a file; one that could not be completed is removed, so that no half export stays.
fn to_file(run: &RunDir, what: &foreign::Export, path: &Path) -> Done {
    let refused = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => Trouble::new(
            Exit::Usage,
            format!(
                "{} exists already and nothing is overwritten; name another file with --out",
                path.display()
            ),
        ),
        _ => Trouble::new(Exit::Usage, format!("cannot create {}: {error}", path.display())),
    };
    let mut output = BufWriter::new(File::create_new(path).map_err(refused)?);
    let written = foreign::export(run, what, &mut output);
    if let Err(error) = written.and_then(|()| Ok(output.flush()?)) {
        drop(output);
        let _ = fs::remove_file(path);
        return Err(error.into());
    }
    Ok(Exit::Fine)
}
