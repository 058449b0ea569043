// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope bursts`: what was raised against what ran.

use irqscope_analysis::{Burst, Bursts};
use irqscope_report::bursts_table;
use irqscope_run::RunDir;

use super::{Done, print_json};
use crate::cli;
use crate::exit::{Exit, Trouble};

pub fn bursts(options: &cli::Bursts) -> Done {
    let run = RunDir::open(&options.run)?;
    let index = run.index()?;
    let mut all = Vec::new();
    for (number, case) in (0..).zip(&run.manifest().cases) {
        if options.case.as_ref().is_none_or(|asked| *asked == case.case) {
            all.extend(Bursts::of(&run.case(&index, number)?));
        }
    }
    if all.is_empty() {
        let text = "nothing was triggered in bursts there: see `burst` in docs/bursts.md, and \
                    --case";
        return Err(Trouble::new(Exit::Usage, text));
    }
    if options.json {
        print_json(&all)?;
        return Ok(Exit::Fine);
    }
    for (number, bursts) in all.iter().enumerate() {
        let chosen = chosen(options, bursts)?;
        let gap = if number > 0 { "\n" } else { "" };
        print!("{gap}{}", bursts_table(bursts, &chosen));
    }
    Ok(Exit::Fine)
}

fn chosen<'a>(options: &cli::Bursts, bursts: &'a Bursts) -> Result<Vec<&'a Burst>, Trouble> {
    if options.all {
        return Ok(bursts.bursts.iter().collect());
    }
    let Some(number) = options.burst else {
        // Of several the first.
        let merged =
            |burst: &&Burst| burst.stages.iter().map(|one| one.merged.len()).sum::<usize>();
        return Ok(bursts.bursts.iter().rev().max_by_key(merged).into_iter().collect());
    };
    let burst = bursts.bursts.get(number).ok_or_else(|| {
        let text = format!("{} has {} bursts, from 0", bursts.case, bursts.bursts.len());
        Trouble::new(Exit::Usage, text)
    })?;
    Ok(vec![burst])
}
