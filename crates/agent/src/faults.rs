// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Culprits that a test asked for: the module's, which act while its device is
//! open, and the agent's.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use irqscope_wire::{Cycles, Fault, FaultKind, Faults, Message};

use crate::contention::{self, Contention, Locks};
use crate::error::{Error, Result};
use crate::page_faults::Pages;
use crate::sink::Sink;
use crate::uapi;

/// Well below `MAX_FRAME_BYTES`.
const BATCH: usize = 4096;

/// The locks and pages that the user stage needs before it answers, by a plan's faults.
#[derive(Clone, Debug)]
pub struct Needs {
    locks: Option<Arc<Locks>>,
    pages: Option<Arc<Pages>>,
}

impl Needs {
    /// Makes them; `None` where it needs nothing.
    ///
    /// # Errors
    /// There is no memory.
    pub fn of(faults: Option<&Faults>) -> Result<Option<Needs>> {
        let (locks, pages) = (contention::locks(faults), Pages::of(faults)?);
        let any = locks.is_some() || pages.is_some();
        Ok(any.then_some(Needs { locks, pages }))
    }

    /// Waits for what it needs: a few instructions, if all of it is there.
    ///
    /// # Errors
    /// The kernel refuses a futex.
    pub fn pass(&self) -> Result<()> {
        self.locks.as_ref().map_or(Ok(()), |locks| locks.pass())?;
        if let Some(pages) = &self.pages {
            pages.touch();
        }
        Ok(())
    }

    /// Undoes it, once the stage has answered.
    ///
    /// # Errors
    /// The kernel does not take memory back.
    pub fn leave(&self) -> Result<()> {
        self.pages.as_ref().map_or(Ok(()), |pages| pages.give_back())
    }
}

/// The faults of a plan, while they act.
#[derive(Debug)]
pub struct Culprits {
    modules: Option<File>,
    contention: Option<Contention>,
    pages: Option<Arc<Pages>>,
}

impl Culprits {
    /// Starts the faults of the plan on the CPU under test; `needs` is what the user
    /// stage does.
    ///
    /// # Errors
    /// The module is not loaded, or a thread cannot be made.
    pub fn start(
        root: &Path,
        cpu: u32,
        faults: Option<&Faults>,
        needs: Option<Needs>,
    ) -> Result<Culprits> {
        let Some(faults) = faults else {
            return Ok(Culprits { modules: None, contention: None, pages: None });
        };
        let (locks, pages) = needs.map_or((None, None), |needs| (needs.locks, needs.pages));
        let begin = |locks| Contention::start(faults, cpu, locks);
        let contention = locks.map(begin).transpose()?;
        let open = || {
            let path = root.join("dev/irqscope-faults");
            File::open(&path).map_err(|source| Error::Open { path, source })
        };
        let modules = faults.kinds.iter().any(|kind| kind.is_modules());
        Ok(Culprits { modules: modules.then(open).transpose()?, contention, pages })
    }

    /// Ends the faults and sends the truth about what they did.
    ///
    /// # Errors
    /// The module's record cannot be read, or the truth cannot be sent.
    pub fn finish(mut self, sink: &mut Sink) -> Result<()> {
        self.contention.take().map_or(Ok(()), |contention| contention.finish(sink))?;
        self.pages.take().map_or(Ok(()), |pages| pages.tell(sink))?;
        self.modules.take().map_or(Ok(()), |device| Self::tell(device, sink))
    }

    fn tell(mut device: File, sink: &mut Sink) -> Result<()> {
        let mut bytes = vec![0; BATCH * size_of::<uapi::Fault>()];
        loop {
            let length = device.read(&mut bytes).map_err(|source| Error::System {
                what: "read the truth about the faults",
                source,
            })?;
            if length == 0 {
                return Ok(());
            }
            let (raw, _) = bytes[..length].as_chunks();
            sink.send(Message::Truth(raw.iter().filter_map(fault).collect()))?;
        }
    }
}

fn fault(bytes: &[u8; size_of::<uapi::Fault>()]) -> Option<Fault> {
    let raw = uapi::Fault::from_bytes(bytes);
    let kind = *FaultKind::ALL.get(raw.kind as usize)?;
    Some(Fault { kind, begin: Cycles(raw.begin), end: Cycles(raw.end) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_is_passed_over() {
        let mut bytes = [0; size_of::<uapi::Fault>()];
        bytes[0] = 7;
        bytes[8] = 9;
        bytes[16] = 1;
        let expected = Fault { kind: FaultKind::Nested, begin: Cycles(7), end: Cycles(9) };
        assert_eq!(fault(&bytes), Some(expected));
        bytes[16] = 200;
        assert_eq!(fault(&bytes), None);
    }
}
