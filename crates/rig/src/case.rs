// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Following one case through the frames that a target sends: what every rig
//! does, whatever the bytes came over.

use std::path::Path;

use irqscope_wire::{Decoder, Frame, FrameError, Message, PROTOCOL};

use crate::console::first_complaint;
use crate::error::{Result, RigError, lost};

/// What a rig tells of a case while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// What is being done now, in a few words.
    Phase(&'a str),
    /// A frame as it arrived, encoded and understood.
    Frame { encoded: &'a [u8], frame: &'a Frame },
    /// Bytes that are no frame; the next one is looked for.
    Damaged(FrameError),
}

/// Takes events; an error from it ends the case.
pub type Events<'a> = dyn FnMut(Event<'_>) -> Result<()> + 'a;

/// Cuts the bytes of one case into frames, passes them on and remembers how it
/// ended.
#[derive(Default)]
pub(crate) struct Follower {
    decoder: Decoder,
    ended: Option<Result<()>>,
    other_protocol: Option<u16>,
}

impl Follower {
    pub fn push(&mut self, bytes: &[u8], events: &mut Events<'_>) -> Result<()> {
        let Self { decoder, ended, other_protocol } = self;
        let mut kept = Ok(());
        decoder.push(bytes, |encoded, frame| {
            if kept.is_err() {
                return;
            }
            kept = match &frame {
                Ok(frame) => {
                    note_end(frame, ended, other_protocol);
                    events(Event::Frame { encoded, frame })
                }
                Err(error) => events(Event::Damaged(*error)),
            };
        });
        kept?;
        match other_protocol {
            Some(other) => Err(RigError::unready(
                format!("the target's agent speaks protocol {other}, this program {PROTOCOL}"),
                "build both from the same sources: make build",
            )),
            None => Ok(()),
        }
    }

    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// How the target said it ended, if it did before its stream did.
    pub fn end(self) -> Option<Result<()>> {
        self.ended
    }

    /// How a guest's case ended: its kernel's log counts first, then the way
    /// the machine `ran`, then the target's own word.
    pub fn judge(self, ran: Result<()>, console: &Path) -> Result<()> {
        let log = std::fs::read(console).unwrap_or_default();
        if let Some(complaint) = first_complaint(&String::from_utf8_lossy(&log)) {
            let what = format!("the guest's kernel complained: {}", complaint.trim());
            return Err(lost(what, console));
        }
        ran?;
        self.end().unwrap_or_else(|| Err(lost("the guest ended without a result", console)))
    }
}

fn note_end(frame: &Frame, ended: &mut Option<Result<()>>, other_protocol: &mut Option<u16>) {
    match &frame.message {
        Message::Hello(hello) if hello.protocol != PROTOCOL => {
            *other_protocol = Some(hello.protocol)
        }
        Message::Finished(_) => *ended = Some(Ok(())),
        Message::Failed(failure) => {
            let (what, remedy) = (failure.what.clone(), failure.remedy.clone());
            *ended = Some(Err(if failure.invalid {
                RigError::Invalid { what, remedy }
            } else {
                RigError::Refused { what, remedy }
            }));
        }
        _ => {}
    }
}
