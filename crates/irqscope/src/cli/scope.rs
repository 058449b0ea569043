// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope scope`: which lines, from when to when.

use std::path::PathBuf;

use clap::Args;
use irqscope_analysis::{Align, Slope};

use irqscope_quantity::Span;

use super::candidates::runs;

/// Shows the interrupt line and all response lines over time: one sweep from a trigger on, or, with
/// --persist, all sweeps on top of each other, each aligned on an edge. docs/scope.md says what a
/// line shows.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope scope RUN                           the first burst, or the first trigger
  irqscope scope RUN --case 6.1/hog --at 48 --after 2ms --out burst.svg
  irqscope scope RUN --persist --after 200us --out figure3.png
  irqscope scope RUN --persist --align softirq:falling --before 150us --after 20us")]
pub struct Scope {
    /// The directory of the run.
    #[arg(add = runs())]
    pub run: PathBuf,
    /// Which case [default: the first].
    #[arg(long, value_name = "KERNEL/STATE")]
    pub case: Option<String>,
    /// One sweep: from the trigger with this number on.
    #[arg(long, value_name = "SEQ", default_value_t = 0, conflicts_with = "persist")]
    pub at: u64,
    /// All sweeps on top of each other.
    #[arg(long)]
    pub persist: bool,
    /// With --persist: the edge that a sweep begins at, a line and `rising` or
    /// `falling`.
    #[arg(long, value_name = "LINE:EDGE", default_value = "trigger:rising", value_parser = align)]
    pub align: Align,
    /// How much is shown from before that.
    #[arg(long, value_name = "SPAN", default_value = "0s")]
    pub before: Span,
    /// How much is shown after it [default: until the last line has answered].
    #[arg(long, value_name = "SPAN")]
    pub after: Option<Span>,
    /// Draw it into a new file, which ends in .svg or .png.
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn align(text: &str) -> Result<Align, String> {
    let (line, slope) = text.split_once(':').unwrap_or((text, "rising"));
    let slope = match slope {
        "rising" => Slope::Rising,
        "falling" => Slope::Falling,
        _ => return Err(format!("`{slope}` is no edge: rising, falling")),
    };
    Ok(Align { line: line.to_owned(), slope })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alignment_is_a_line_and_an_edge() {
        let falling = Align { line: "softirq".into(), slope: Slope::Falling };
        assert_eq!(align("softirq:falling"), Ok(falling));
        assert_eq!(align("irq").unwrap().slope, Slope::Rising);
        assert!(align("irq:up").unwrap_err().contains("rising, falling"));
    }
}
