// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of a search: the log that git understands, and what was found, ready to be mailed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use irqscope_analysis::{CallTree, Difference};
use irqscope_quantity::{Quantile, grouped};
use irqscope_report::{difference_table, flame};
use irqscope_rig::git;

use super::history::{Candidate, History, Sought};
use super::search::{Search, Verdict, steps_of_halving};
use super::step::Step;
use crate::cli::Bisect;
use crate::exit::{Exit, Trouble};

const CAVEAT: &str =
    "twin: instructions of an emulated CPU; only what the bad kernel executes more";

/// The account of one search.
pub struct Account<'a> {
    options: &'a Bisect,
    sought: Sought,
    log: String,
    steps: Vec<String>,
    candidates: usize,
}

/// Formats a latency to the nanosecond, of which two are an instruction.
pub fn time(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{} ns", grouped(ns.unsigned_abs()))
}

/// Returns the first line of a log that git replays.
fn start(sought: Sought) -> String {
    match sought {
        Sought::Regression => "git bisect start\n".to_owned(),
        Sought::Fix => {
            let [old, new] = sought.terms();
            format!("git bisect start '--term-old={old}' '--term-new={new}'\n")
        }
    }
}

impl<'a> Account<'a> {
    pub fn new(options: &'a Bisect, history: &History) -> Result<Self, Trouble> {
        fs::create_dir_all(options.out.join("steps"))
            .map_err(|error| failed(&options.out, &error))?;
        let mut account = Self {
            options,
            sought: history.sought,
            log: start(history.sought),
            steps: Vec::new(),
            candidates: history.after.len(),
        };
        account.note(Verdict::Earlier, &history.earlier);
        account.note(Verdict::Later, history.later());
        Ok(account)
    }

    fn note(&mut self, verdict: Verdict, one: &Candidate) {
        let Candidate { id, title, .. } = one;
        let word = verdict.word(self.sought.terms());
        self.log.push_str(&format!("# {word}: {title}\ngit bisect {word} {id}\n"));
    }

    /// Says what is known of both ends.
    pub fn begin(&mut self, earlier: &Step, later: &Step) -> Result<(), Trouble> {
        let Bisect { quantile, decides, .. } = self.options;
        let [first, last] = self.sought.words();
        eprintln!(
            "irqscope: {quantile} of stage {decides} is {} with {first} and {} with {last}; {} to search",
            time(earlier.ns),
            time(later.ns),
            self.candidates
        );
        self.keep()
    }

    pub fn step(&mut self, one: &Candidate, verdict: Verdict, found: &str) -> Result<(), Trouble> {
        let word = verdict.word(self.sought.words());
        self.note(verdict, one);
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
        let word = Verdict::Later.word(self.sought.terms());
        if let [only] = left[..] {
            self.log.push_str(&format!("# first {word} commit: {}\n", only.title));
        } else {
            left.iter().for_each(|one| {
                self.log.push_str(&format!("# possible first {word} commit: {}\n", one.title));
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
        let word = Verdict::Later.word(self.sought.words());
        let mut text = match left {
            [only] => format!("first {word}: {}\n", only.title),
            _ => {
                let titles: String = left.iter().map(|one| format!("  {}\n", one.title)).collect();
                format!(
                    "the first {word} one is one of these, of which all but the last could not be measured:\n{titles}"
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
        let (bad, good, which) = match self.sought {
            Sought::Regression => (first, before, "first"),
            Sought::Fix => (before, first, "last"),
        };
        let grown = CallTree::grown(good, bad);
        let title =
            format!("stage {}: what the {which} bad kernel executes more", self.options.decides);
        let path = self.options.out.join("difference.svg");
        fs::write(&path, flame(&grown, &title, CAVEAT)).map_err(|error| failed(&path, &error))?;
        Ok(path)
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::new(Exit::Usage, format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    /// Accounts for a search whose second commit of four is like the later end, and lets git read the
    /// log.
    #[test]
    fn git_understands_the_log_of_a_regression_and_of_a_fix() {
        for (good, bad, says) in [
            ("one", "four", "is the first bad commit"),
            ("four", "one", "is the first fixed commit"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let run = |args: &[&str]| git(dir.path(), args).unwrap();
            run(&["init", "-q"]);
            for text in ["one", "two", "three", "four"] {
                let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
                run(&[&author[..], &["commit", "-q", "--allow-empty", "-m", text]].concat());
                run(&["tag", text]);
            }
            let path = dir.path().to_str().unwrap();
            let out = dir.path().join("found");
            let words =
                ["irqscope", "bisect", "--git", path, "--good", good, "--bad", bad, "--out"];
            let Command::Bisect(options) =
                Cli::parse_from(words.into_iter().chain([out.to_str().unwrap()])).command
            else {
                panic!("no bisect")
            };
            let history = History::of(&options).unwrap();
            let mut account = Account::new(&options, &history).unwrap();
            account.step(&history.after[1], Verdict::Later, "20 ns").unwrap();
            account.step(&history.after[0], Verdict::Later, "20 ns").unwrap();
            assert!(account.steps[0].starts_with(history.sought.words()[1]));
            let log = out.join("git-bisect.log");
            let said = run(&["bisect", "replay", log.to_str().unwrap()]);
            let two = run(&["rev-parse", "two"]);
            assert!(said.contains(&format!("{} {says}", two.trim())), "{said}");
        }
    }
}
