// SPDX-License-Identifier: Apache-2.0 OR MIT
//! This side of the twin's generator: the plugin's arguments, and the socket
//! that its frames come over.

use std::io::Read;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

use irqscope_scenario::Twin;
use irqscope_wire::{
    Changes, Failure, FaultKind, GeneratorHello, Message, Nanoseconds, Plan, Refusal, Reply,
    StagePlan, TWIN_UNUSABLE,
};

use crate::case::{Event, Events, Follower, Stream};
use crate::error::{Result, RigError, Trying};
use crate::foreign;
use crate::generator::GeneratorError;
use crate::generator::settings::check;
use crate::guest::qemu::ENDED;
use crate::parts::Part;

/// A plugin that is about to be loaded, or is at work.
pub(crate) struct Plugin {
    path: PathBuf,
    _dir: tempfile::TempDir,
    socket: PathBuf,
    chunks: Receiver<Vec<u8>>,
    follower: Follower,
    watch: Watch,
}

impl Plugin {
    /// Listens for the one connection that the plugin makes when it is loaded.
    pub fn listen() -> Result<Self> {
        let path = Part::TwinPlugin.find()?;
        let dir = tempfile::tempdir().trying(|| "cannot create a directory for a socket".into())?;
        let socket = dir.path().join("generator");
        let listener = UnixListener::bind(&socket)
            .trying(|| format!("cannot listen on {}", socket.display()))?;
        let chunks = read_on(listener);
        let (follower, watch) = (Follower::new(Stream::Generator), Watch::default());
        Ok(Self { path, _dir: dir, socket, chunks, follower, watch })
    }

    /// Returns QEMU's arguments; `cpu` is the one under test, `lines` as many as stages answer.
    pub fn args(
        &mut self,
        plan: &StagePlan,
        cpu: u32,
        lines: usize,
        twin: Twin,
    ) -> Result<[String; 2]> {
        [&self.path, &self.socket].into_iter().try_for_each(|path| check_path(path))?;
        let asked = plan.settings(lines);
        self.watch = Watch::new(asked);
        let settings = settings(&asked, plan, (cpu, lines), twin);
        let (path, socket) = (self.path.display(), self.socket.display());
        Ok(["-plugin".into(), format!("{path},{settings},out={socket}")])
    }

    /// Returns QEMU's arguments where it only looks: at what takes isolated CPUs away from a loop, or at
    /// the turns of several CPUs, and at the sections of one of them.
    pub fn watching(&self, plan: &Plan, twin: Twin) -> Result<[String; 2]> {
        [&self.path, &self.socket].into_iter().try_for_each(|path| check_path(path))?;
        let (path, socket) = (self.path.display(), self.socket.display());
        let mut looks = String::from(if plan.isolates() { "isolate=1" } else { "clock=1" });
        if !plan.isolates() && twin.cpus > 1 {
            looks.push_str(",turns=1");
        }
        if twin.sections {
            looks.push_str(&format!(",sections=1,cpu={}", plan.cpu));
        }
        let quantum = quantum(twin.cpus, twin.quantum.0);
        Ok(["-plugin".into(), format!("{path},{looks},out={socket}{quantum}")])
    }

    /// Returns whether a section was recorded: none is where the target never said that something is measured.
    pub fn has_sections(&self) -> bool {
        self.watch.has_sections
    }

    /// Passes on what has arrived.
    pub fn drain(&mut self, events: &mut Events<'_>) -> Result<()> {
        while let Ok(chunk) = self.chunks.try_recv() {
            self.push(&chunk, events)?;
        }
        Ok(())
    }

    /// Passes on all that is left; QEMU has ended.
    pub fn finish(&mut self, console: &Path, events: &mut Events<'_>) -> Result<()> {
        self.hang_up();
        while let Ok(chunk) = self.chunks.recv() {
            self.push(&chunk, events)?;
        }
        self.follower.end().unwrap_or_else(|| {
            Err(crate::error::lost(
                "the generator ended before all its triggers were accounted for",
                console,
            ))
        })
    }

    fn push(&mut self, chunk: &[u8], events: &mut Events<'_>) -> Result<()> {
        let Self { follower, watch, .. } = self;
        follower.push(chunk, &mut |event| {
            if let Event::Frame { frame, .. } = &event {
                watch.see(&frame.message)?;
            }
            events(event)
        })
    }
}

/// Returns QEMU's arguments where there is no generator: the plugin keeps the virtual clock exact
/// where the CPU halts, and decides the turns of several CPUs.
pub(crate) fn clock_only(cpus: u32, quantum_ns: u64) -> Result<[String; 2]> {
    let path = Part::TwinPlugin.find()?;
    check_path(&path)?;
    Ok(["-plugin".into(), format!("{},clock=1{}", path.display(), quantum(cpus, quantum_ns))])
}

/// Returns the argument that bounds the turns of several CPUs.
fn quantum(cpus: u32, ns: u64) -> String {
    if cpus == 1 { String::new() } else { format!(",quantum={ns}") }
}

/// Refuses a path that QEMU would cut.
pub(crate) fn check_path(path: &Path) -> Result<()> {
    if !path.to_string_lossy().contains(',') {
        return Ok(());
    }
    Err(RigError::unready(
        format!("QEMU takes no path with a comma: {}", path.display()),
        "move the program, or set TMPDIR to another directory",
    ))
}

/// Compares the settings that a stream begins with.
#[derive(Default)]
struct Watch {
    asked: Changes<Nanoseconds>,
    hello: Option<GeneratorHello>,
    /// The generator has said hello: it works, with the settings that it was asked for.
    works: bool,
    has_sections: bool,
}

impl Watch {
    fn new(asked: Changes<Nanoseconds>) -> Self {
        Self { asked, ..Self::default() }
    }

    /// Checks the first status, which is that of the start; later ones pass. A stream that begins
    /// without a hello says why there is none.
    fn see(&mut self, message: &Message) -> Result<()> {
        match message {
            Message::GeneratorHello(hello) => {
                (self.hello, self.works) = (Some(hello.clone()), true);
            }
            Message::Sections(some) => self.has_sections |= !some.sections.is_empty(),
            Message::Failed(Failure { what, remedy, .. }) if !self.works => {
                let (what, remedy) = (what.clone(), remedy.clone());
                return Err(GeneratorError::Failed { what, remedy }.into());
            }
            Message::Reply(Reply { result: Err(refusal), .. }) if !self.works => {
                return Err(refused(*refusal));
            }
            Message::Status(status) => {
                if let Some(hello) = self.hello.take() {
                    return check(&self.asked, &hello, &status.settings);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn refused(refusal: Refusal) -> RigError {
    RigError::Refused {
        what: format!("the twin's generator refuses its settings: {refusal}"),
        remedy: "change it under [trigger], or measure on a rig whose generator has it: \
                 docs/settings.md"
            .into(),
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

/// Returns why the plugin cannot be used: in its own words, or in those of a QEMU that does not take
/// it.
pub(crate) fn unusable<'a>(error: &'a RigError) -> Option<&'a str> {
    match error {
        RigError::Generator(GeneratorError::Failed { what, .. }) => Some(what),
        RigError::Lost { what, .. } => {
            // The lines that QEMU printed as it ended, and the plugin before it.
            let said = what.lines().skip_while(|line| !line.contains(ENDED)).skip(1);
            let own = |line: &'a str| line.split_once(TWIN_UNUSABLE).map(|(_, why)| why);
            said.clone()
                .find_map(own)
                .or_else(|| said.into_iter().find(|line| foreign::plugin_is_not_loaded(line)))
        }
        _ => None,
    }
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

/// Returns the arguments of a run, without those that say where its frames go.
fn settings(
    asked: &Changes<Nanoseconds>,
    plan: &StagePlan,
    (cpu, lines): (u32, usize),
    twin: Twin,
) -> String {
    let mut args = format!("settings={},lines={lines},start=armed", asked.to_hex());
    if let Some(faults) = plan.faults.as_ref().filter(|all| all.kinds.contains(&FaultKind::Smi)) {
        // As often as each of the others.
        let mean = u64::from(faults.interval_ns) * faults.kinds.len() as u64;
        args.push_str(&format!(",smi={mean},smi-seed={}", faults.seed));
    }
    if twin.trace > 0 {
        args.push_str(&format!(",trace={}", twin.trace));
    }
    if twin.sections {
        args.push_str(",sections=1");
    }
    if twin.first != Twin::default().first {
        args.push_str(&format!(",delay={}", twin.first.0));
    }
    args.push_str(&quantum(twin.cpus, twin.quantum.0));
    let follows = twin.trace > 0 || twin.sections;
    if follows && twin.cpus > 1 {
        args.push_str(&format!(",cpu={cpu}"));
    }
    if (plan.explains() || follows) && twin.cpus > 1 {
        args.push_str(",turns=1");
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{
        Cycles, Faults, GeneratorKind, Inside, Limits, PROTOCOL, Polarity, RunState, Setting,
        Settings, Status, Tick,
    };

    #[test]
    fn a_plan_becomes_the_plugins_arguments() {
        let asked = Changes::default().seed(3);
        let expected = format!("settings={},lines=10,start=armed", asked.to_hex());
        assert_eq!(settings(&asked, &StagePlan::default(), (1, 10), Twin::default()), expected);
        let kinds = vec![FaultKind::Smi, FaultKind::Work];
        let faults = Faults { kinds, length_ns: 1, interval_ns: 1000, seed: 4 };
        let plan = StagePlan { faults: Some(faults), ..StagePlan::default() };
        let text =
            settings(&asked, &plan, (1, 10), Twin { trace: 2, sections: true, ..Twin::default() });
        assert_eq!(text, format!("{expected},smi=2000,smi-seed=4,trace=2,sections=1"));
        let two = Twin { trace: 2, cpus: 2, ..Twin::default() };
        let text = settings(&asked, &StagePlan::default(), (1, 10), two);
        assert!(text.contains(",trace=2,") && text.ends_with(",cpu=1,turns=1"), "{text}");
        let inside = Some(Inside { explain: true, ..Inside::default() });
        let plan = StagePlan { inside, ..StagePlan::default() };
        let text = |cpus| settings(&asked, &plan, (0, 10), Twin { cpus, ..Twin::default() });
        assert!(text(2).ends_with(",turns=1") && !text(1).contains("turns"), "{}", text(2));
    }

    #[test]
    fn settings_that_the_plugin_does_not_know_are_an_error() {
        let limits = Limits::USUAL;
        let tick = Tick { femtoseconds: 1_000_000 };
        let kind = GeneratorKind::Twin;
        let tool_version = "0".into();
        let hello = GeneratorHello {
            protocol: PROTOCOL,
            kind,
            tool_version,
            tick,
            lines: 2,
            limits,
            challenge: None,
        };
        let settings = Settings::initial(&limits, tick);
        let state = RunState::Waiting;
        let totals = Default::default();
        let status = Status { run: 1, state, settings, totals, now: Cycles(0) };
        let mut watch = Watch::new(Changes::default().polarity(Polarity::Falling));
        assert!(watch.see(&Message::GeneratorHello(hello)).is_ok());
        let error = watch.see(&Message::Status(status)).unwrap_err().to_string();
        assert!(error.contains("polarity: asked falling, in force rising"), "{error}");
    }

    #[test]
    fn a_plugin_that_qemu_does_not_take_is_told_from_other_ends() {
        let lost =
            |what: &str| RigError::Lost { what: what.into(), console: None, tail: String::new() };
        let refused = lost(
            "QEMU ended with exit status: 1:\nqemu: Could not load plugin ./x.so: API 9999\nmore",
        );
        assert_eq!(unusable(&refused), Some("qemu: Could not load plugin ./x.so: API 9999"));
        let own = "QEMU ended with exit status: 1:\nirqscope: the twin's generator cannot be used: \
                   it is too warm\nqemu: Could not load plugin ./x.so: error code -1";
        assert_eq!(unusable(&lost(own)), Some("it is too warm"));
        assert_eq!(unusable(&lost("the guest hung")), None);
    }

    #[test]
    fn a_stream_that_begins_without_a_hello_says_why() {
        let failure = Failure { what: "no".into(), remedy: String::new(), invalid: false };
        let error = Watch::default().see(&Message::Failed(failure)).unwrap_err();
        assert_eq!(unusable(&error), Some("no"));
        let refusal =
            Refusal::OutOfRange { setting: Setting::Polarity, asked: 1, lowest: 0, highest: 0 };
        let reply = Reply { to: None, result: Err(refusal) };
        let error = Watch::default().see(&Message::Reply(reply)).unwrap_err();
        assert_eq!(unusable(&error), None, "a refused setting is no reason to go on without");
        assert!(error.to_string().contains("polarity falling"), "{error}");
    }
}
