// SPDX-License-Identifier: GPL-2.0-or-later
//! QEMU's entry points: installation, the first translation, the timer, the port's interrupt
//! output, the exit.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io::Write;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use irqscope_wire::{Message, Turns};
use qemu_plugin_sys::{qemu_info_t, qemu_plugin_id_t, qemu_plugin_tb};

use crate::args::{Args, Output, parse};
use crate::cpu::Cpu;
use crate::halt;
use crate::instrument::Instrument;
use crate::isolate;
use crate::machine::{Machine, Wires};
use crate::made;
use crate::mtimer;
use crate::output;
use crate::port::Port;
use crate::qemu::{Qemu, Timer, counts_instructions};
use crate::registers::Architecture;
use crate::sections;
use crate::sifive;
use crate::stop;
use crate::trace::{self, Insn};
use crate::translations;
use crate::turned;
use crate::turns;
use crate::unusable::Unusable;
use crate::wiring::{Absent, Wiring, not_exported};

/// How long QEMU's exit waits for a host that reads slowly.
const GRACE: Duration = Duration::from_secs(2);

/// All that the plugin knows.
struct Plugin {
    qemu: Qemu,
    machine: Machine,
    wiring: Wiring,
    pin: u32,
    /// `out=`; None with `port=`, or when its reader has gone.
    output: Option<Box<dyn Write + Send>>,
}

/// None until the plugin is installed, and once QEMU exits.
static STATE: Mutex<Option<Plugin>> = Mutex::new(None);

/// For what QEMU calls from within a call of the plugin's own, which holds `STATE`.
static QEMU: OnceLock<Qemu> = OnceLock::new();

/// Set before anything is translated.
static INSTRUMENT: OnceLock<Instrument> = OnceLock::new();

/// The views that look at every instruction. Set before anything is translated.
static WATCHED: OnceLock<Watched> = OnceLock::new();

/// The CPU that trace and sections follow: looked at before each instruction.
static FOLLOWED: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Copy, Default)]
struct Watched {
    trace: bool,
    sections: bool,
    isolate: bool,
    /// There are several CPUs, which send interrupts to each other.
    apics: bool,
}

fn is_followed(cpu: c_uint) -> bool {
    cpu == FOLLOWED.load(Ordering::Relaxed)
}

fn lock() -> MutexGuard<'static, Option<Plugin>> {
    // A panic has left counts that are still true: go on.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `act` on the installed plugin, then sends what came of it.
fn with_plugin(act: impl FnOnce(&Qemu, &mut Machine)) {
    if let Some(plugin) = lock().as_mut() {
        let qemu = plugin.qemu;
        act(&qemu, &mut plugin.machine);
        plugin.send();
    }
}

impl Plugin {
    /// Sends the first frames of the only stream there will be.
    fn greet(&mut self) {
        let source = &mut self.machine.source;
        for message in source.greeting() {
            source.outbox.push(message);
        }
        self.send();
    }

    /// Sends what waits, unless there is `port=`: then the timer's turn sends.
    fn send(&mut self) {
        let source = &mut self.machine.source;
        if self.output.as_mut().is_some_and(|output| !output::drain(source, output.as_mut())) {
            self.output = None;
        }
    }
}

/// Installs the plugin.
///
/// # Safety
/// QEMU calls it once, with a valid `info` and `argc` terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: qemu_plugin_id_t,
    info: *const qemu_info_t,
    argc: c_int,
    argv: *mut *mut c_char,
) -> c_int {
    let count = usize::try_from(argc).unwrap_or(0);
    let arguments: Vec<String> = (0..count)
        // SAFETY: QEMU's promise: argv has argc terminated strings.
        .map(|n| unsafe { CStr::from_ptr(*argv.add(n)) }.to_string_lossy().into_owned())
        .collect();
    // SAFETY: QEMU's promise: info is valid, and in system emulation, which is
    // all that this plugin is for, the union holds `system`.
    let cpus = unsafe {
        if (*info).system_emulation { (*info).__bindgen_anon_1.system.max_vcpus } else { 0 }
    };
    // SAFETY: QEMU's promise: a terminated string.
    let target = unsafe { CStr::from_ptr((*info).target_name) }.to_string_lossy();
    match install(id, cpus, &target, &arguments) {
        Ok(()) => 0,
        Err(unusable) => {
            eprintln!("irqscope: {unusable}");
            let path = arguments.iter().find_map(|it| it.strip_prefix("out="));
            if let Some(mut output) = path.and_then(|path| output::open(path.as_ref()).ok()) {
                output::only(unusable.into(), output.as_mut());
            }
            -1
        }
    }
}

fn install(
    id: qemu_plugin_id_t,
    cpus: c_int,
    target: &str,
    arguments: &[String],
) -> Result<(), Unusable> {
    let args = parse(arguments.iter().map(String::as_str))?;
    turns::want(args.quantum, cpus, target == "riscv64").map_err(not_exported)?;
    if cpus != 1 && args.quantum == 0 {
        return Err(Unusable::Here(format!(
            "it needs a machine with one CPU, not {cpus}: use -smp 1, or give quantum"
        )));
    }
    if c_int::try_from(args.cpu).is_ok_and(|cpu| cpu >= cpus) {
        return Err(Unusable::Here(format!(
            "there is no CPU {}: the machine has {cpus}",
            args.cpu
        )));
    }
    let found = Qemu::look_up().map_err(not_exported)?;
    let qemu = *QEMU.get_or_init(|| found);
    let instrument = Instrument::look_up().map_err(not_exported)?;
    INSTRUMENT.get_or_init(|| instrument);
    if target == "riscv64" {
        sifive::add().and_then(|()| mtimer::prepare(cpus)).map_err(not_exported)?;
    }
    if args.clock {
        if let Output::Path(path) = &args.output {
            turned::open(path, args.turns)?;
        }
        let sections = args.sections;
        WATCHED.get_or_init(|| Watched { sections, ..Watched::default() });
        look_for_sections(target, &args)?;
        stop::prepare().map_err(not_exported)?;
        qemu.register(id, Some(translated), Some(exits));
        return Ok(());
    }
    if args.isolate {
        isolate::prepare(cpus, target, &args.output)?;
        let watched = Watched { isolate: true, apics: cpus > 1, ..Watched::default() };
        WATCHED.get_or_init(|| watched);
        stop::prepare().map_err(not_exported)?;
        qemu.register(id, Some(translated), Some(exits));
        return Ok(());
    }
    let wiring = Wiring::look_up(target, args.pin)?;
    trace::want(args.trace);
    let (trace, sections) = (args.trace > 0, args.sections);
    let watched = Watched { trace, sections, ..Watched::default() };
    FOLLOWED.store(args.cpu, Ordering::Relaxed);
    look_for_sections(target, &args)?;
    WATCHED.get_or_init(|| watched);
    if args.turns {
        turns::record(send_turns);
    }
    let smi = (args.smi > 0).then(|| made::smi(&args, wiring)).transpose()?;
    let source = made::source(&args)?;
    let (server, output) = match args.output {
        Output::Path(path) => (None, Some(output::open(&path)?)),
        Output::Port(port) => (Some(made::serve(port, &source)?), None),
        Output::Nowhere => (None, None),
    };
    let serves = server.is_some();
    let machine = Machine::new(source, server, smi);
    let mut plugin = Plugin { qemu, machine, wiring, pin: args.pin, output };
    if !serves {
        plugin.greet();
    }
    *lock() = Some(plugin);
    qemu.register(id, Some(translated), Some(exits));
    Ok(())
}

fn look_for_sections(target: &str, args: &Args) -> Result<(), String> {
    if !args.sections {
        return Ok(());
    }
    FOLLOWED.store(args.cpu, Ordering::Relaxed);
    let unknown = || format!("it knows no flags of a CPU {target}: leave sections out");
    let architecture = Architecture::of(target).ok_or_else(unknown)?;
    sections::want(Cpu::look_up(architecture, args.cpu).map_err(not_exported)?);
    Ok(())
}

fn send_turns(turns: Turns) {
    with_plugin(|_, machine| machine.source.outbox.push(Message::Turns(turns)));
}

/// Runs when the first block is about to be translated: the machine is complete, and virtual time
/// is 0. A timer set earlier, while CPUs are made, crashes QEMU.
unsafe extern "C" fn translated(_id: qemu_plugin_id_t, block: *mut qemu_plugin_tb) {
    if let Some(instrument) = INSTRUMENT.get() {
        // SAFETY: QEMU hands over the block that it translates.
        unsafe {
            let Watched { trace, sections, isolate, apics } =
                WATCHED.get().copied().unwrap_or_default();
            let loops =
                isolate && instrument.whole(block, isolate::loop_block, Some(isolate::looping));
            let trace = trace && (trace::is_due() || translations::flush().is_none());
            if trace || sections || isolate && isolate::translates() && !loops {
                instrument.every_insn(block, Some(executes));
            }
            if sections {
                instrument.first_insn(block, sections::is_mark, Some(marked));
                instrument.first_insn(block, sections::is_second_mark, Some(marked_again));
            }
            if isolate {
                instrument.any_insn(block, isolate::is_end, Some(isolate::loop_ends));
            }
            if apics && isolate::translates() {
                instrument.kernel_writes(block, isolate::written);
            }
            instrument.any_insn(block, stop::stops, Some(stopping));
            instrument.last_insn(block, halt::halts, Some(halting));
        }
    }
    static FIRST: Once = Once::new();
    FIRST.call_once(|| {
        // Without a generator nothing says when a measurement begins.
        let is_measured = lock().is_none();
        if let Some(qemu) = QEMU.get() {
            mtimer::begin(qemu);
            turns::begin(qemu, is_measured);
        }
        with_plugin(|qemu, _| qemu.fire_at(qemu.timer(on_ready), 0));
    });
}

unsafe extern "C" fn executes(named: c_uint, word: *mut c_void) {
    let (cpu, insn) = (turns::running(named), Insn::from_word(word.addr() as u64));
    let is_followed = is_followed(cpu);
    if is_followed {
        trace::executed(insn);
    }
    // SAFETY: QEMU calls this in the code of the CPU that runs.
    unsafe {
        if is_followed {
            sections::executes(insn);
        }
        isolate::executes(cpu, insn);
    }
}

unsafe extern "C" fn marked(named: c_uint, _word: *mut c_void) {
    // SAFETY: the same, and it is the first instruction of its block.
    unsafe { sections::marked(turns::running(named)) }
}

unsafe extern "C" fn marked_again(named: c_uint, _word: *mut c_void) {
    // SAFETY: as above.
    unsafe { sections::marked_again(turns::running(named)) }
}

unsafe extern "C" fn stopping(_cpu: c_uint, _word: *mut c_void) {
    stop::stopping();
}

unsafe extern "C" fn halting(named: c_uint, _word: *mut c_void) {
    let cpu = turns::running(named);
    if is_followed(cpu) {
        sections::halts();
    }
    isolate::halts(cpu);
    turns::halts();
    if let Some(instrument) = INSTRUMENT.get() {
        // SAFETY: QEMU calls this in the code of the CPU that runs.
        unsafe { instrument.bring_clock_up_to_date(cpu) }
    }
}

/// Does the rest of the setting up, under QEMU's big lock.
unsafe extern "C" fn on_ready(_opaque: *mut c_void) {
    let Some((wiring, pin)) = lock().as_ref().map(|plugin| (plugin.wiring, plugin.pin)) else {
        return;
    };
    with_plugin(|qemu, machine| match wires(qemu, wiring, pin) {
        Ok(wires) => {
            machine.wires = Some(wires);
            machine.turn(qemu);
        }
        Err((what, remedy)) => {
            eprintln!("irqscope: the twin's generator cannot work: {what}; {remedy}");
            machine.source.fail(what, remedy);
            // There will be no turn to hand it over.
            while machine.server.is_some() && !machine.source.outbox.is_empty() {
                machine.exchange(0);
            }
        }
    });
}

fn wires(qemu: &Qemu, wiring: Wiring, pin: u32) -> Result<Wires, Absent> {
    if counts_instructions() == Some(false) {
        return Err(("the virtual clock does not count instructions", "use -icount shift=1"));
    }
    let pin = wiring.pin(qemu, pin)?;
    let absent = ("there is no parallel port at 0x378", "add -device isa-parallel");
    let port = Port::new(wiring.seen().ok_or(absent)?);
    let timer: Timer = qemu.timer(on_turn);
    wiring.intercept(qemu, [on_write, on_update, on_change])?;
    Ok(Wires { timer, pin, port, wiring })
}

unsafe extern "C" fn on_turn(_opaque: *mut c_void) {
    with_plugin(|qemu, machine| machine.turn(qemu));
}

/// Runs when the port updates its interrupt output: the guest has written to it (or read its
/// status, which changes neither data nor gate).
unsafe extern "C" fn on_write(_opaque: *mut c_void, _line: c_int, _level: c_int) {
    written();
}

/// Does the same for a port whose interrupt output is in use. It updates that as well when the
/// generator drives its input.
unsafe extern "C" fn on_update(opaque: *mut c_void, _line: c_int, level: c_int) {
    written();
    if let Some(qemu) = QEMU.get() {
        // SAFETY: what this function was called with.
        unsafe { qemu.pass_on(opaque, level) }
    }
}

/// Does the same where a level that stays is not to be passed on.
unsafe extern "C" fn on_change(opaque: *mut c_void, _line: c_int, level: c_int) {
    static LEVEL: AtomicI32 = AtomicI32::new(0);
    written();
    if let Some(qemu) = QEMU.get().filter(|_| LEVEL.swap(level, Ordering::Relaxed) != level) {
        // SAFETY: what this function was called with.
        unsafe { qemu.pass_on(opaque, level) }
    }
}

fn written() {
    // Locked under QEMU's big lock only, so by this very thread: it is the plugin
    // itself that drives the port's input.
    let mut state = match STATE.try_lock() {
        Ok(state) => state,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    if let Some(plugin) = state.as_mut() {
        plugin.machine.written(&plugin.qemu);
    }
}

unsafe extern "C" fn exits(_id: qemu_plugin_id_t, _opaque: *mut c_void) {
    isolate::finish();
    turned::finish(sections::take);
    let Some(mut plugin) = lock().take() else { return };
    let machine = &mut plugin.machine;
    machine.source.finish();
    machine.close_trace();
    let turns = turns::pause().map(Message::Turns);
    let last = turns.into_iter().chain(sections::take());
    last.for_each(|message| machine.source.outbox.push(message));
    if let Some(server) = &mut machine.server {
        server.shut_down(&mut machine.source, GRACE);
    }
    plugin.send();
}
