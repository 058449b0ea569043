// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `isolate` in the twin: a loop that should have its CPU alone executes a known number of instructions
//! in a page of its own, and the generator sees what takes the CPU away.

use std::time::Duration;

use irqscope_wire::{BenchEnd, Isolate, LOOP_THREAD, Message};

use super::{Fixture, undisturbed};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::sync::{Process, Processes};

/// CPUs of the twin at the most, each with a part of the virtual time, and as much for its load.
const SHARED: u32 = 16;
const MARGIN: Duration = Duration::from_secs(10);

/// Loops where the twin's generator looks; elsewhere [`super::undisturbed`] measures.
///
/// # Errors
/// The loops cannot be started, do not end, or nothing can be sent.
pub fn measure(
    context: &Context<'_>,
    number: u16,
    asked: &Isolate,
    fixture: &Fixture<'_>,
    sink: &mut Sink,
) -> Result<()> {
    let Some(instruction) = fixture.instruction else {
        return undisturbed::measure(context, number, asked, fixture, sink);
    };
    let duration = Duration::from_nanos(asked.duration_ns);
    let mut unavailable = None;
    if let Some(counted) = counted::Loop::new(fixture.root, instruction, duration) {
        let body = |cpu: u32| Process {
            spec: fixture.spec(LOOP_THREAD, cpu),
            body: Box::new(move || counted.turn()),
        };
        let cpus = fixture.cpus(&asked.cpus);
        let loops = Processes::start(cpus.into_iter().map(body).collect())?;
        // CPUs of the twin share the virtual time, and it is the loop's own that is counted. Nothing
        // wakes this process before its loops have ended.
        context.stop.nap(duration * SHARED + MARGIN, Some(loops.ended()))?;
        if !loops.have_ended() {
            return Err(Error::Thread("a loop has not ended in its time".into()));
        }
    } else {
        unavailable = Some("the twin follows x86-64 CPUs only".into());
    }
    let (benchmark, class, series) = (number, fixture.class, Vec::new());
    sink.send(Message::BenchEnd(BenchEnd { benchmark, class, series, unavailable }))
}

#[cfg(target_arch = "x86_64")]
mod counted {
    use std::arch::{asm, global_asm};
    use std::path::Path;
    use std::time::Duration;

    use irqscope_wire::{LOOP_END, LOOP_MARK, Tick};

    /// Instructions of a round: the mark, those that do nothing, and the two that count rounds. QEMU
    /// translates up to 512 at once.
    const ROUND: u64 = 503;

    global_asm!(
        ".section .text.irqscope_isolate_loop, \"ax\", @progbits",
        ".p2align 12",
        ".globl irqscope_isolate_loop",
        ".hidden irqscope_isolate_loop",
        "irqscope_isolate_loop:",
        "2: .byte {m0}, {m1}, {m2}, {m3}, {m4}, {m5}, {m6}, {m7}",
        ".rept 500",
        "nop",
        ".endr",
        "dec rdi",
        "jnz 2b",
        ".byte {e0}, {e1}, {e2}, {e3}, {e4}, {e5}, {e6}, {e7}",
        "ret",
        // Nothing else is in this page.
        ".p2align 12",
        ".text",
        m0 = const LOOP_MARK[0], m1 = const LOOP_MARK[1], m2 = const LOOP_MARK[2],
        m3 = const LOOP_MARK[3], m4 = const LOOP_MARK[4], m5 = const LOOP_MARK[5],
        m6 = const LOOP_MARK[6], m7 = const LOOP_MARK[7],
        e0 = const LOOP_END[0], e1 = const LOOP_END[1], e2 = const LOOP_END[2],
        e3 = const LOOP_END[3], e4 = const LOOP_END[4], e5 = const LOOP_END[5],
        e6 = const LOOP_END[6], e7 = const LOOP_END[7],
    );

    unsafe extern "C" {
        fn irqscope_isolate_loop();
    }

    /// A loop of a known number of instructions.
    #[derive(Clone, Copy, Debug)]
    pub struct Loop {
        rounds: u64,
        /// From the base of a CPU's own data to the kernel's pointer to the current thread.
        current: u64,
    }

    impl Loop {
        pub fn new(root: &Path, each: Tick, duration: Duration) -> Option<Loop> {
            let instructions =
                duration.as_nanos() * 1_000_000 / u128::from(each.femtoseconds.max(1));
            let rounds = u64::try_from(instructions / u128::from(ROUND)).ok()?.max(1);
            Some(Loop { rounds, current: current(root) })
        }

        pub fn turn(&self) {
            // SAFETY: the loop counts rdi down and changes nothing else; it uses no stack but for its
            // return address.
            unsafe {
                asm!(
                    "call {}",
                    sym irqscope_isolate_loop,
                    inout("rdi") self.rounds => _,
                    in("rax") self.current,
                );
            }
        }
    }

    /// Reads where the kernel has the pointer to the current thread (arch/x86/include/asm/current.h);
    /// 0 where it does not say.
    fn current(root: &Path) -> u64 {
        let list = std::fs::read_to_string(root.join("proc/kallsyms")).unwrap_or_default();
        let address = |wanted: &str| {
            let line = list.lines().find(|line| {
                let mut words = line.split_ascii_whitespace().skip(2);
                words.next() == Some(wanted) && words.next().is_none()
            })?;
            u64::from_str_radix(line.split_ascii_whitespace().next()?, 16).ok()
        };
        ["current_task", "pcpu_hot"].into_iter().find_map(address).unwrap_or(0)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_loop_begins_a_page_with_its_mark_and_ends() {
            let begin = irqscope_isolate_loop as *const () as usize;
            assert_eq!(begin % 4096, 0);
            // SAFETY: the loop's own code.
            let code = unsafe { std::slice::from_raw_parts(begin as *const u8, 530) };
            assert_eq!(code[..8], LOOP_MARK);
            assert!(code.windows(8).any(|bytes| bytes == LOOP_END));
            let root = tempfile::tempdir().unwrap();
            let each = Tick { femtoseconds: 2_000_000 };
            let one = Loop::new(root.path(), each, Duration::from_micros(10)).unwrap();
            assert_eq!((one.rounds, one.current), (9, 0));
            one.turn();
        }

        #[test]
        fn the_pointer_is_found_in_kernels_of_any_year() {
            let of = |text: &str| {
                let root = tempfile::tempdir().unwrap();
                std::fs::create_dir(root.path().join("proc")).unwrap();
                std::fs::write(root.path().join("proc/kallsyms"), text).unwrap();
                current(root.path())
            };
            assert_eq!(of("0000000000020c40 A current_task\n"), 0x20c40);
            assert_eq!(of("0000000000021000 A pcpu_hot\n"), 0x21000);
            assert_eq!(of("0000000000021000 A pcpu_hot [module]\n"), 0);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counted {
    use std::path::Path;
    use std::time::Duration;

    use irqscope_wire::Tick;

    /// The twin's generator knows no such loop on this architecture.
    #[derive(Clone, Copy, Debug)]
    pub struct Loop;

    impl Loop {
        pub fn new(_root: &Path, _each: Tick, _duration: Duration) -> Option<Loop> {
            None
        }

        pub fn turn(&self) {}
    }
}
