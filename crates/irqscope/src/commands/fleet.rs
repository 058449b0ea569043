// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope fleet`: the jobs of a plan, and what became of each.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use irqscope_fleet::{Directory, FleetError, Lake, Options, Outcome, Plan, Progress, Trust, What};
use irqscope_quantity::{Column, aligned};
use serde::Serialize;

use super::{Done, print_json};
use crate::cli::{Fleet, FleetRun};
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

pub fn fleet(command: &Fleet) -> Done {
    match command {
        Fleet::Run(options) => run(options),
        Fleet::Show { plan } => show(plan),
        Fleet::Status { directory, json } => {
            let directory = Directory::open(directory)?;
            let plan = Plan::read(&directory.path().join("plan.toml"))?;
            print(&plan, &directory, &directory.outcomes()?, None, *json)
        }
    }
}

fn run(options: &FleetRun) -> Done {
    let stop = stop_on_signals()?;
    let trust = Trust { ssh_options: options.allow_ssh_options, commands: options.allow_commands };
    let plan = Plan::load(&options.plan, &trust)?;
    let directory = Directory::of_plan(&options.out, &plan)?;
    let cpus = || std::thread::available_parallelism().map_or(1, usize::from);
    let program = std::env::current_exe().map_err(|error| {
        Trouble::new(Exit::Usage, format!("cannot find this program itself: {error}"))
    })?;
    let lake = options.lake.as_deref().map(Lake::at).transpose()?;
    let how = Options {
        program,
        lake,
        at_once: options.jobs.map_or_else(cpus, usize::from),
        known: options.known.clone(),
        trust,
        anew: options.anew,
        stop: stop.clone(),
    };
    let spoken = Spoken { begin: Instant::now(), all: plan.jobs.len() };
    let outcomes = irqscope_fleet::run(&plan, &directory, &how, &spoken)?;
    let exit = print(&plan, &directory, &outcomes, options.lake.as_deref(), options.json)?;
    Ok(if stop.requested() { Exit::Interrupted } else { exit })
}

/// A line on standard error for each thing that happens.
struct Spoken {
    begin: Instant,
    all: usize,
}

impl Progress for Spoken {
    fn started(&self, job: &str) {
        eprintln!("irqscope: {job} begins");
    }

    fn ended(&self, job: &str, what: &What, left: usize) {
        let said = words(what);
        let left = match (left, self.all - left.min(self.all)) {
            (0, _) | (_, 0) => String::new(),
            (left, done) => {
                let time = self.begin.elapsed().mul_f64(left as f64 / done as f64);
                format!("; {left} left, about {}", minutes(time))
            }
        };
        eprintln!("irqscope: {job} {said}{left}");
    }

    fn say(&self, line: &str) {
        eprintln!("irqscope: {line}");
    }
}

fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=119 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

fn words(what: &What) -> String {
    match what {
        What::Started { attempt, .. } => format!("under way or cut off, attempt {attempt}"),
        What::Done { seconds, .. } => format!("done in {seconds} s"),
        What::Known { run, .. } => format!("is known: {}", run.display()),
        What::Failed { exit: Some(exit), why } => format!("failed ({exit}): {why}"),
        What::Failed { exit: None, why } => format!("failed: {why}"),
        What::Interrupted => "interrupted".into(),
        What::Kept { lake } => format!("is in {lake}"),
        What::NotKept { lake, why } => format!("is not in {lake}: {why}"),
    }
}

fn show(plan: &Path) -> Done {
    // Nothing is run, so that nothing needs to be trusted.
    let plan = Plan::load(plan, &Trust { ssh_options: true, commands: true })?;
    if !plan.about.is_empty() {
        println!("{}", plan.about);
    }
    let command = |job: &irqscope_fleet::Job| job.command(&plan.places[&job.place].begin());
    let row = |job: &irqscope_fleet::Job| [job.name.clone(), job.place.clone(), command(job)];
    let rows: Vec<_> = plan.jobs.iter().map(row).collect();
    print!("{}", aligned(&rows, &[Column::Words, Column::Words, Column::Words]));
    println!("{} jobs in {} places", plan.jobs.len(), plan.places.len());
    Ok(Exit::Fine)
}

#[derive(Serialize)]
struct Row<'a> {
    job: &'a str,
    place: &'a str,
    #[serde(flatten)]
    what: Option<&'a What>,
    attempts: u32,
    /// By lake why the run is not there; null where it is.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lakes: &'a BTreeMap<String, Option<String>>,
}

/// Prints the outcomes, and returns whether all jobs have a result, which is in the lake that is named.
fn print(
    plan: &Plan,
    directory: &Directory,
    outcomes: &BTreeMap<String, Outcome>,
    lake: Option<&str>,
    json: bool,
) -> Done {
    let nothing = Outcome::default();
    let rows: Vec<Row> = plan
        .jobs
        .iter()
        .map(|job| {
            let of = outcomes.get(&job.name).unwrap_or(&nothing);
            let (what, attempts, lakes) = (of.last.as_ref(), of.attempts, &of.lakes);
            Row { job: &job.name, place: &job.place, what, attempts, lakes }
        })
        .collect();
    let with = |is: fn(&What) -> bool| rows.iter().filter(|row| row.what.is_some_and(is)).count();
    let done = with(|what| matches!(what, What::Done { .. } | What::Known { .. }));
    if json {
        print_json(&rows)?;
    } else {
        let row = |row: &Row| {
            let mut said = row.what.map_or_else(|| "not begun".into(), words);
            for (lake, why) in row.lakes {
                said += &match why {
                    None => format!(", in {lake}"),
                    Some(why) => format!(", not in {lake}: {why}"),
                };
            }
            [row.job.to_owned(), row.place.to_owned(), said]
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        print!("{}", aligned(&rows, &[Column::Words, Column::Words, Column::Words]));
        let failed = with(|what| matches!(what, What::Failed { .. }));
        let known = with(|what| matches!(what, What::Known { .. }));
        println!(
            "{} jobs = {} measured + {known} known + {failed} failed + {} without a result; runs and logs are in {}",
            plan.jobs.len(),
            done - known,
            plan.jobs.len() - done - failed,
            directory.path().display()
        );
    }
    let is_kept = |row: &Row| lake.is_none_or(|lake| matches!(row.lakes.get(lake), Some(None)));
    let kept = rows.iter().all(is_kept);
    Ok(if done == plan.jobs.len() && kept { Exit::Fine } else { Exit::Lost })
}

impl From<FleetError> for Trouble {
    fn from(error: FleetError) -> Self {
        match error {
            FleetError::Rig(error) => error.into(),
            error => Self::new(Exit::Usage, error),
        }
    }
}
