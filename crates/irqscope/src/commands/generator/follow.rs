// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator start --follow`: totals until the run is done.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use irqscope_rig::generator::{Client, GeneratorError, Received};
use irqscope_wire::{Message, RunState, Status, Totals};

use super::{Done, judged, show};
use crate::exit::Trouble;

/// How long a lost generator is looked for.
const RECONNECT: Duration = Duration::from_secs(30);
/// Where standard error is no terminal, a line at most so often.
const LINE: Duration = Duration::from_secs(5);
const REFRESH: Duration = Duration::from_millis(200);

/// The part of the run that was seen.
struct Follower {
    run: u32,
    samples: u64,
    missed: u64,
    live: Live,
}

pub fn follow(client: &mut Client, run: u32) -> Done {
    let mut follower = Follower { run, samples: 0, missed: 0, live: Live::new() };
    let done = loop {
        match client.next(REFRESH) {
            Ok(Some(received)) => {
                if let Some(done) = follower.take(received)? {
                    break done;
                }
            }
            Ok(None) => {}
            Err(lost @ GeneratorError::Lost { .. }) => follower.reconnect(client, &lost)?,
            Err(GeneratorError::Interrupted) => return Err(follower.interrupted()),
            Err(error) => return Err(error.into()),
        }
    };
    follower.live.end();
    print!("{}{}", show::state(&done), show::totals(&done.totals));
    println!("samples    {} received, {} frames missed", follower.samples, follower.missed);
    judged(&done.totals)
}

impl Follower {
    /// Takes a message; returns the last status, once the run is done.
    fn take(&mut self, received: Received) -> Result<Option<Status>, Trouble> {
        self.missed += received.missed;
        let Ok(frame) = received.frame else { return Ok(None) };
        match frame.message {
            // Samples of an earlier run may have waited.
            Message::Packet(packet) if packet.run == self.run => {
                self.samples += packet.samples.len() as u64;
                self.live.show(RunState::Running, &packet.totals);
            }
            Message::Status(status) if status.run == self.run => {
                self.live.show(status.state, &status.totals);
                return Ok((status.state == RunState::Done).then_some(status));
            }
            Message::Note(note) => self.live.say(&note.text),
            Message::Failed(failure) => {
                let (what, remedy) = (failure.what, failure.remedy);
                return Err(GeneratorError::Failed { what, remedy }.into());
            }
            _ => {}
        }
        Ok(None)
    }

    fn reconnect(&mut self, client: &mut Client, lost: &GeneratorError) -> Result<(), Trouble> {
        self.live.say(&format!("{lost}; connecting again"));
        client.reconnect(RECONNECT)?;
        self.live.say("connected again; the run has gone on");
        Ok(())
    }

    fn interrupted(&self) -> Trouble {
        self.live.end();
        Trouble::from(GeneratorError::Interrupted)
            .with_note("the run goes on; end it with: irqscope generator stop")
    }
}

/// One line that changes, or one now and then.
struct Live {
    bar: Option<ProgressBar>,
    said: Instant,
}

impl Live {
    fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(REFRESH);
            bar
        });
        Self { bar, said: Instant::now() }
    }

    fn show(&mut self, state: RunState, totals: &Totals) {
        let Totals { triggers, complete, missing, coalesced, dropped, .. } = totals;
        let line = || {
            format!(
                "{state}: {triggers} triggers, {complete} complete, {missing} missing, \
                 {coalesced} coalesced, {dropped} dropped"
            )
        };
        match &self.bar {
            Some(bar) => bar.set_message(line()),
            None if self.said.elapsed() >= LINE => {
                self.said = Instant::now();
                eprintln!("irqscope: {}", line());
            }
            None => {}
        }
    }

    fn say(&self, what: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("irqscope: {what}")),
            None => eprintln!("irqscope: {what}"),
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
