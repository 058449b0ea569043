// SPDX-License-Identifier: Apache-2.0 OR MIT
//! This side of the twin's generator: the plugin's arguments, and the socket
//! that its frames come over.

use std::io::Read;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

use irqscope_wire::{FaultKind, JitterKind, Outside, Shape, StagePlan};

use crate::agent::find_plugin;
use crate::case::{Events, Follower, Stream};
use crate::error::{Result, RigError, Trying};
use crate::guest::qemu::ENDED;

/// The plugin's words when QEMU cannot use it; see `crates/twin`.
const REFUSED: &str = "the twin's generator cannot be used: ";
/// QEMU's words about a plugin that it cannot load, or whose API it does not take.
const NOT_LOADED: [&str; 3] = ["ould not load plugin", "plugin ", "TCG plugin"];

/// A plugin that is about to be loaded, or is at work.
pub(crate) struct Plugin {
    path: PathBuf,
    _dir: tempfile::TempDir,
    socket: PathBuf,
    chunks: Receiver<Vec<u8>>,
    follower: Follower,
}

impl Plugin {
    /// Listens for the one connection that the plugin makes when it is loaded.
    pub fn listen() -> Result<Self> {
        let path = find_plugin()?;
        let dir = tempfile::tempdir().trying(|| "cannot create a directory for a socket".into())?;
        let socket = dir.path().join("generator");
        let listener = UnixListener::bind(&socket)
            .trying(|| format!("cannot listen on {}", socket.display()))?;
        let chunks = read_on(listener);
        Ok(Self { path, _dir: dir, socket, chunks, follower: Follower::new(Stream::Generator) })
    }

    /// Returns QEMU's arguments; `lines` as many as stages answer, `trace` as many triggers as
    /// leave their path.
    pub fn args(
        &self,
        plan: &StagePlan,
        outside: Outside,
        lines: usize,
        trace: u64,
    ) -> Result<[String; 2]> {
        let paths = [&self.path, &self.socket];
        if let Some(path) = paths.iter().find(|path| path.to_string_lossy().contains(',')) {
            return Err(RigError::unready(
                format!("QEMU takes no path with a comma: {}", path.display()),
                "move the program, or set TMPDIR to another directory",
            ));
        }
        let mut settings = settings(plan, outside, lines);
        if trace > 0 {
            settings.push_str(&format!(",trace={trace}"));
        }
        let [path, socket] = paths.map(|path| path.display());
        Ok(["-plugin".into(), format!("{path},{settings},start=armed,out={socket}")])
    }

    /// Passes on what has arrived.
    pub fn drain(&mut self, events: &mut Events<'_>) -> Result<()> {
        while let Ok(chunk) = self.chunks.try_recv() {
            self.follower.push(&chunk, events)?;
        }
        Ok(())
    }

    /// Passes on all that is left; QEMU has ended.
    pub fn finish(mut self, console: &Path, events: &mut Events<'_>) -> Result<()> {
        self.hang_up();
        while let Ok(chunk) = self.chunks.recv() {
            self.follower.push(&chunk, events)?;
        }
        self.follower.end().unwrap_or_else(|| {
            Err(crate::error::lost(
                "the generator ended before all its triggers were accounted for",
                console,
            ))
        })
    }
}

impl Plugin {
    /// Lets go of the thread if QEMU never connected.
    fn hang_up(&self) {
        let _ = UnixStream::connect(&self.socket);
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        self.hang_up();
    }
}

/// Returns why QEMU ended if it cannot use the plugin.
pub(crate) fn refusal(error: &RigError) -> Option<&str> {
    let RigError::Lost { what, .. } = error else { return None };
    let mut said = what.lines().skip_while(|line| !line.contains(ENDED)).skip(1);
    said.find_map(|line| match line.split_once(REFUSED) {
        Some((_, why)) => Some(why),
        None => NOT_LOADED.iter().any(|known| line.contains(known)).then_some(line),
    })
}

/// Starts a thread that reads whatever comes over the first connection. The plugin waits for it,
/// and the virtual clock with it: nothing is lost or delayed.
fn read_on(listener: UnixListener) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

fn settings(plan: &StagePlan, outside: Outside, lines: usize) -> String {
    let StagePlan { period_ns, count, seed, pacing, jitter, .. } = plan;
    let Outside { duty_per_mille, packet, .. } = outside;
    let patience = u64::from(plan.timeout_ms) * 1_000_000;
    let mut settings = format!(
        "period={period_ns},duty={duty_per_mille},count={count},packet={packet},seed={seed},\
         pacing={pacing},patience={patience},lines={lines}"
    );
    if jitter.kind != JitterKind::None {
        settings.push_str(&format!(",jitter={},jitter-amount={}", jitter.kind, jitter.ns));
    }
    if let Some(burst) = plan.burst {
        settings.push_str(&format!(",burst={},interval={}", burst.triggers, burst.interval_ns));
    }
    if plan.shape() != Shape::Toggle {
        settings.push_str(&format!(",shape={}", plan.shape()));
    }
    if let Some(faults) = plan.faults.as_ref().filter(|all| all.kinds.contains(&FaultKind::Smi)) {
        // As often as each of the others.
        let mean = u64::from(faults.interval_ns) * faults.kinds.len() as u64;
        settings.push_str(&format!(",smi={mean},smi-seed={}", faults.seed));
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Faults, Jitter};

    #[test]
    fn a_plan_becomes_the_plugins_arguments() {
        let jitter = Jitter { kind: JitterKind::Uniform, ns: 500 };
        let plan = StagePlan { jitter, seed: 3, ..StagePlan::default() };
        let text = settings(&plan, Outside::default(), 10);
        let expected = "period=1000000,duty=250,count=1000,packet=16,seed=3,pacing=open,\
                        patience=10000000000,lines=10,jitter=uniform,jitter-amount=500";
        assert_eq!(text, expected);
        let kinds = vec![FaultKind::Smi, FaultKind::Work];
        let faults = Faults { kinds, length_ns: 1, interval_ns: 1000, seed: 4 };
        let plan = StagePlan { faults: Some(faults), ..plan };
        let text = settings(&plan, Outside::default(), 10);
        assert_eq!(text, format!("{expected},smi=2000,smi-seed=4"));
    }

    #[test]
    fn a_plugin_that_qemu_does_not_take_is_told_from_other_ends() {
        let lost =
            |what: &str| RigError::Lost { what: what.into(), console: None, tail: String::new() };
        let refused = lost(
            "QEMU ended with exit status: 1:\nirqscope: the twin's generator cannot be used: no\nmore",
        );
        assert_eq!(refusal(&refused), Some("no"));
        assert_eq!(refusal(&lost("the guest hung")), None);
    }
}
