// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Following one case through the frames that come in: what every rig does,
//! whatever the bytes came over.

use std::path::Path;

use irqscope_scenario::missing_parameters;
use irqscope_wire::{
    Decoder, Failure, Frame, FrameError, Message, Note, PROTOCOL, RunState, Severity,
};

use crate::error::{Result, RigError, lost};
use crate::guest::console::{complaints, first_complaint, is_stall};

/// Whose frames they are. Each stream numbers its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The agent: the view from inside.
    Target,
    /// The view from outside.
    Generator,
}

impl Stream {
    const fn name(self) -> &'static str {
        match self {
            Stream::Target => "target's agent",
            Stream::Generator => "generator",
        }
    }
}

/// A rig's reports about a case while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// The present step, in a few words.
    Phase(&'a str),
    /// A frame as it arrived, encoded and understood.
    #[allow(missing_docs, reason = "types say it")]
    Frame { stream: Stream, encoded: &'a [u8], frame: &'a Frame },
    /// Bytes that are no frame; the next one is looked for.
    Damaged(FrameError),
    /// Something worth knowing that no stream says.
    Note(Note),
}

impl Event<'_> {
    pub(crate) fn warning(text: impl Into<String>) -> Self {
        Event::Note(Note { severity: Severity::Warning, text: text.into() })
    }
}

/// Takes events; an error from it ends the case.
pub type Events<'a> = dyn FnMut(Event<'_>) -> Result<()> + 'a;

/// Cuts one stream of a case into frames, passes them on and remembers how it
/// ended.
pub(crate) struct Follower {
    stream: Stream,
    decoder: Decoder,
    ended: Option<Result<()>>,
    other_protocol: Option<u16>,
    /// A list of symbols came to its end.
    has_symbols: bool,
    /// The target has said that it answers.
    armed: bool,
    /// Kernel parameters that a guest was booted with.
    boot: String,
    /// Those of them that its kernel's command line lacks.
    lacking: Vec<String>,
}

impl Follower {
    pub fn new(stream: Stream) -> Self {
        Self {
            stream,
            decoder: Decoder::default(),
            ended: None,
            other_protocol: None,
            has_symbols: false,
            armed: false,
            boot: String::new(),
            lacking: Vec::new(),
        }
    }

    /// Makes that the command line that the target reports has to have these parameters.
    pub fn of_kernel_with(self, boot: &str) -> Self {
        Self { boot: boot.to_owned(), ..self }
    }

    pub fn push(&mut self, bytes: &[u8], events: &mut Events<'_>) -> Result<()> {
        let Self { stream, decoder, ended, other_protocol, has_symbols, armed, boot, lacking } =
            self;
        let stream = *stream;
        let mut kept = Ok(());
        decoder.push(bytes, |encoded, frame| {
            if kept.is_err() {
                return;
            }
            kept = match &frame {
                Ok(frame) => {
                    note_end(&frame.message, ended, other_protocol);
                    *has_symbols |=
                        matches!(&frame.message, Message::Symbols(some) if some.is_empty());
                    *armed |= frame.message == Message::Armed;
                    if let Message::Started(started) = &frame.message {
                        *lacking = missing_parameters(boot, &started.cmdline);
                    }
                    events(Event::Frame { stream, encoded, frame })
                }
                Err(error) => events(Event::Damaged(*error)),
            };
        });
        kept?;
        if !lacking.is_empty() {
            return Err(RigError::Invalid {
                what: format!("the kernel's command line lacks {}", lacking.join(" ")),
                remedy: "give fewer parameters, or ask for a kernel whose configuration does not \
                         fix its command line"
                    .into(),
            });
        }
        match other_protocol {
            Some(other) => Err(RigError::unready(
                format!("the {} speaks protocol {other}, this program {PROTOCOL}", stream.name()),
                "build both from the same sources: make build",
            )),
            None => Ok(()),
        }
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Returns whether the target answers triggers.
    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// Returns whether it measured to the end, and has not yet sent its functions' names.
    pub fn owes_symbols(&self) -> bool {
        matches!(self.ended, Some(Ok(()))) && !self.has_symbols
    }

    /// Returns how the stream said it ended, if it did before its bytes did.
    pub fn end(&mut self) -> Option<Result<()>> {
        self.ended.take()
    }

    /// Judges how a guest's case ended: its kernel's log counts first, then the way the machine
    /// `ran`, then the target's own word. But a kernel in which threads starve says no more than
    /// that they stall, where a target that has failed names the load that starved them.
    pub fn judge(mut self, ran: Result<()>, console: &Path) -> Result<()> {
        let log = std::fs::read(console).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let grave = complaints(&log).find(|complaint| !is_stall(complaint));
        let said = |complaint: &str| format!("the guest's kernel complained: {}", complaint.trim());
        match (grave.or_else(|| first_complaint(&log)), self.end()) {
            (Some(stall), Some(Err(own))) if is_stall(stall) => Err(and(own, &said(stall))),
            (Some(complaint), _) => Err(lost(said(complaint), console)),
            (None, own) => {
                ran?;
                own.unwrap_or_else(|| Err(lost("the guest ended without a result", console)))
            }
        }
    }
}

/// Adds to what an error says.
fn and(error: RigError, said: &str) -> RigError {
    match error {
        RigError::Invalid { what, remedy } => {
            RigError::Invalid { what: format!("{what}; {said}"), remedy }
        }
        RigError::Refused { what, remedy } => {
            RigError::Refused { what: format!("{what}; {said}"), remedy }
        }
        other => other,
    }
}

fn note_end(message: &Message, ended: &mut Option<Result<()>>, other_protocol: &mut Option<u16>) {
    let mut greeted = |protocol: u16| {
        if protocol != PROTOCOL {
            *other_protocol = Some(protocol);
        }
    };
    match message {
        Message::Hello(hello) => greeted(hello.protocol),
        Message::GeneratorHello(hello) => greeted(hello.protocol),
        Message::Finished(_) => *ended = Some(Ok(())),
        Message::Disturbances(some) if some.ended => *ended = Some(Ok(())),
        Message::Turns(some) if some.ended => *ended = Some(Ok(())),
        Message::Status(status) if status.state == RunState::Done => *ended = Some(Ok(())),
        Message::Failed(failure) => *ended = Some(Err(failed(failure))),
        _ => {}
    }
}

fn failed(failure: &Failure) -> RigError {
    let (what, remedy) = (failure.what.clone(), failure.remedy.clone());
    if failure.invalid {
        RigError::Invalid { what, remedy }
    } else {
        RigError::Refused { what, remedy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Frame, encode};

    /// Judges a case whose loads were ended, by its console's log.
    fn judged(log: &str) -> RigError {
        let console = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(console.path(), log).unwrap();
        let (what, remedy) = ("load loop was ended".into(), "let it sleep".into());
        let message = Message::Failed(Failure { what, remedy, invalid: true });
        let frame = encode(&Frame { number: 0, message }).unwrap();
        let mut follower = Follower::new(Stream::Target);
        follower.push(&frame, &mut |_| Ok(())).unwrap();
        follower.judge(Ok(()), console.path()).unwrap_err()
    }

    #[test]
    fn a_target_says_what_made_its_kernel_stall_and_nothing_excuses_a_bug() {
        let stall = "[   30.7] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n";
        let RigError::Invalid { what, .. } = judged(stall) else { panic!("not the target's word") };
        assert!(what.starts_with("load loop was ended; ") && what.contains("stalls"), "{what}");
        assert!(matches!(judged(""), RigError::Invalid { .. }));
        let bug = format!("{stall}[   31.0] BUG: scheduling while atomic: loop/99/0x2\n");
        let RigError::Lost { what, .. } = judged(&bug) else { panic!("not the kernel's word") };
        assert!(what.contains("scheduling while atomic"), "{what}");
    }
}
