// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of a search: the log that git understands, and what was found, ready to be mailed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use irqscope_analysis::{CallTree, Difference};
use irqscope_quantity::{Quantile, Span};
use irqscope_report::{difference_table, flame};
use irqscope_rig::git;

use super::history::{Candidate, History};
use super::search::{Search, Verdict, steps_of_halving};
use super::step::Step;
use crate::cli::Bisect;
use crate::exit::{Exit, Trouble};

const CAVEAT: &str =
    "twin: instructions of an emulated CPU; only what the later kernel executes more";

/// The account of one search.
pub struct Account<'a> {
    options: &'a Bisect,
    log: String,
    steps: Vec<String>,
    candidates: usize,
}

/// Formats a latency.
pub fn time(ns: i64) -> String {
    u64::try_from(ns).map_or_else(|_| format!("{ns} ns"), |ns| Span(ns).to_string())
}

impl<'a> Account<'a> {
    pub fn new(options: &'a Bisect, history: &History) -> Result<Self, Trouble> {
        fs::create_dir_all(options.out.join("steps"))
            .map_err(|error| failed(&options.out, &error))?;
        let mut account = Self {
            options,
            log: "git bisect start\n".to_owned(),
            steps: Vec::new(),
            candidates: history.after.len(),
        };
        account.note("good", &history.good);
        account.note("bad", &history.after[history.after.len() - 1]);
        Ok(account)
    }

    fn note(&mut self, word: &str, one: &Candidate) {
        let Candidate { id, title, .. } = one;
        self.log.push_str(&format!("# {word}: {title}\ngit bisect {word} {id}\n"));
    }

    /// Says what is known of both ends.
    pub fn begin(&mut self, good: &Step, bad: &Step) -> Result<(), Trouble> {
        let Bisect { quantile, decides, .. } = self.options;
        eprintln!(
            "irqscope: {quantile} of stage {decides} is {} with good and {} with bad; {} to search",
            time(good.ns),
            time(bad.ns),
            self.candidates
        );
        self.keep()
    }

    pub fn step(&mut self, one: &Candidate, verdict: Verdict, found: &str) -> Result<(), Trouble> {
        let word = match verdict {
            Verdict::Good => "good",
            Verdict::Bad => "bad",
            Verdict::Skipped => "skip",
        };
        self.note(word, one);
        self.steps.push(format!("{word:<4}  {found:>10}  {}", one.title));
        eprintln!("irqscope: {word}: {found}");
        self.keep()
    }

    fn keep(&self) -> Result<(), Trouble> {
        if self.options.git.is_none() {
            return Ok(());
        }
        let path = self.options.out.join("git-bisect.log");
        fs::write(&path, &self.log).map_err(|error| failed(&path, &error))
    }

    /// Writes and prints what was found.
    pub fn end(
        &mut self,
        history: &History,
        search: &Search,
        before: &Step,
        first: &Step,
    ) -> Result<(), Trouble> {
        let left: Vec<&Candidate> = search.left().map(|at| &history.after[at]).collect();
        let text = self.text(&left, before, first)?;
        if let [only] = left[..] {
            self.log.push_str(&format!("# first bad commit: {}\n", only.title));
        } else {
            left.iter().for_each(|one| {
                self.log.push_str(&format!("# possible first bad commit: {}\n", one.title));
            });
        }
        self.keep()?;
        let report = self.options.out.join("found.txt");
        fs::write(&report, &text).map_err(|error| failed(&report, &error))?;
        print!("{text}");
        println!("\nfound   {}", report.display());
        if self.options.git.is_some() {
            println!("log     {}", self.options.out.join("git-bisect.log").display());
        }
        Ok(())
    }

    fn text(&self, left: &[&Candidate], before: &Step, first: &Step) -> Result<String, Trouble> {
        let Bisect { quantile, decides, git: repository, .. } = self.options;
        let mut text = match left {
            [only] => format!("first bad: {}\n", only.title),
            _ => {
                let titles: String = left.iter().map(|one| format!("  {}\n", one.title)).collect();
                format!(
                    "the first bad one is one of these, of which all but the last could not be measured:\n{titles}"
                )
            }
        };
        if let (Some(repository), [only]) = (repository, left) {
            let shown = git(
                repository,
                &["show", "-s", "--format=  Author: %an <%ae>%n  Date:   %ad", &only.id],
            )?;
            text.push_str(&shown);
        }
        let (at, calls) = self.unlike(before, first)?;
        let difference = Difference::new(&calls[0], &calls[1]);
        let _ = writeln!(
            text,
            "\n{quantile} of stage {decides}: {} before, {} with it; a sample at {at}: {} \
             instructions before, {} with it\n",
            time(before.ns),
            time(first.ns),
            difference.before,
            difference.after
        );
        text.push_str(&difference_table(&difference));
        let _ = writeln!(
            text,
            "\nsteps: {} in {} kernels (halving: {} at most), and both ends:",
            self.steps.len(),
            self.candidates,
            steps_of_halving(self.candidates)
        );
        self.steps.iter().for_each(|step| text.push_str(&format!("  {step}\n")));
        let picture = self.draw(&calls[0], &calls[1])?;
        let _ = writeln!(
            text,
            "\nbefore  {}\nwith it {}\npicture {}",
            before.run.display(),
            first.run.display(),
            picture.display()
        );
        Ok(text)
    }

    /// Returns the calls of both at the quantile that decides, or where all is the same there at
    /// the first of others that has a difference.
    fn unlike(&self, before: &Step, first: &Step) -> Result<(Quantile, [CallTree; 2]), Trouble> {
        let others = ["p90", "p99", "max", "min"].iter().filter_map(|name| name.parse().ok());
        for quantile in [self.options.quantile].into_iter().chain(others) {
            let calls = [before.calls_at(quantile)?, first.calls_at(quantile)?];
            if !Difference::new(&calls[0], &calls[1]).functions.is_empty() {
                return Ok((quantile, calls));
            }
        }
        Ok((self.options.quantile, [before.calls()?, first.calls()?]))
    }

    fn draw(&self, before: &CallTree, first: &CallTree) -> Result<PathBuf, Trouble> {
        let grown = CallTree::grown(before, first);
        let title =
            format!("stage {}: what the first bad kernel executes more", self.options.decides);
        let path = self.options.out.join("difference.svg");
        fs::write(&path, flame(&grown, &title, CAVEAT)).map_err(|error| failed(&path, &error))?;
        Ok(path)
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::new(Exit::Usage, format!("cannot write {}: {error}", path.display()))
}
