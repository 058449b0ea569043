// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The process that reads a lake: a line of JSON for each line of JSON.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Deserialize;

const PYTHON: &str = "python3";
const MODULE: &str = "irqscope.lake";
/// The longest time for one answer: an object store may be slow.
const LIMIT: Duration = Duration::from_secs(120);

/// Reasons for which a lake has no answer.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum LakeError {
    #[error(
        "the lake cannot be read: {0}\n  remedy: install the package, pip install './python[lake]', \
         so that this works: python3 -m irqscope.lake --help"
    )]
    NoHelper(String),
    #[error("the lake gave no answer within {} s\n  remedy: ask for a shorter time", LIMIT.as_secs())]
    Late,
    #[error("the lake's answer is not understood: {0}\n  remedy: use a package of this version")]
    Strange(String),
    #[error("{}\n  remedy: {}", .0.message, .0.remedy)]
    Refused(Refusal),
}

/// The package's own words.
#[derive(Debug, Deserialize)]
pub struct Refusal {
    message: String,
    remedy: String,
}

/// A running process. It ends when its standard input does, also where this one is killed.
#[derive(Debug)]
pub struct Helper {
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<String>,
    last_words: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
}

impl Helper {
    pub fn start(url: &str) -> Result<Self, LakeError> {
        let none = |error: std::io::Error| LakeError::NoHelper(format!("{PYTHON}: {error}"));
        let mut child = Command::new(PYTHON)
            .args(["-m", MODULE, "answer", "--lake", url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(none)?;
        let (sender, answers) = channel();
        let last_words = Arc::<Mutex<String>>::default();
        let words = Arc::clone(&last_words);
        let said = lines(child.stdout.take(), move |line| drop(sender.send(line)));
        let complaints = lines(child.stderr.take(), move |line| {
            *words.lock().unwrap_or_else(PoisonError::into_inner) = line;
        });
        let questions = child.stdin.take();
        Ok(Self { child, questions, answers, last_words, readers: vec![said, complaints] })
    }

    /// Asks one question.
    ///
    /// # Errors
    /// The process ended, or gave no answer in time; it is of no use then.
    pub fn ask(&mut self, question: &str) -> Result<String, LakeError> {
        let asked = self.questions.as_mut().map(|to| writeln!(to, "{question}"));
        // Whether it could be asked or not: its last words say why not.
        let answer = match asked {
            Some(Ok(())) => self.answers.recv_timeout(LIMIT).ok(),
            _ => None,
        };
        match answer {
            Some(answer) => Ok(answer),
            None if matches!(self.child.try_wait(), Ok(None)) && !self.has_closed() => {
                Err(LakeError::Late)
            }
            None => {
                self.end();
                let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let silent = || format!("{PYTHON} -m irqscope.lake ended and said nothing");
                Err(LakeError::NoHelper(if words.is_empty() { silent() } else { words }))
            }
        }
    }

    /// Returns whether its output has ended: it is about to end itself.
    fn has_closed(&self) -> bool {
        self.readers.iter().any(JoinHandle::is_finished)
    }

    fn end(&mut self) {
        self.questions = None;
        // A process that has ended cannot be killed, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.end();
    }
}

fn lines(
    from: Option<impl std::io::Read + Send + 'static>,
    mut take: impl FnMut(String) + Send + 'static,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in from.into_iter().flat_map(|from| BufReader::new(from).lines()) {
            match line {
                Ok(line) => take(line),
                Err(_) => return,
            }
        }
    })
}
