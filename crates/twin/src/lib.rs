// SPDX-License-Identifier: GPL-2.0-or-later
//! The twin's generator: a QEMU plugin that raises the parallel port's (or a
//! GPIO controller's) interrupt on the virtual clock and watches the port's lines.
//!
//! QEMU runs with `-icount`, so its virtual clock counts executed instructions
//! (2^shift ns each) and jumps over idle time. The plugin's timer is on that
//! clock. When a trigger is due it raises pin 7 of the IOAPIC, as the port's
//! ACK pin would; when the guest writes to the port it notes the instant, reads
//! its registers back and hands every changed line to the generator's core.
//!
//! # What the instants are
//!
//! A **trigger's** instant is the virtual time at which the pin goes up: between
//! two instructions, at the first boundary at or after the grid point (a CPU
//! that sleeps wakes exactly there).
//!
//! An **edge's** instant is the virtual time right after the `out` instruction
//! that made it: the clock counts an instruction when its block is entered, and
//! `out` always ends its block. So a latency is the instructions that were
//! executed after the trigger, up to and including the `out`, times 2^shift ns,
//! plus the time in which the CPU slept. The inside view stamps with `rdtsc`,
//! which ends its block as well: outside minus inside is the number of
//! instructions from after the stamp up to and including the `out`, the same
//! for every sample of a stage.
//!
//! # How writes are seen
//!
//! The plugin API of QEMU 7.2 has no callback for port I/O, and the clock cannot
//! be read in the callbacks that it has ("Bad icount read"). But a parallel
//! port updates its interrupt output on each write to data or control, within
//! the `out` and with the clock readable. The plugin intercepts that output (ISA
//! interrupt 7; nothing else is on it) and so learns of each write at its exact
//! instant. Devices must not be entered twice, so the registers are read right
//! after, by a timer that is due at once: it runs before the next instruction.
//! Of the guest's code only the instructions that halt the CPU (`halt`) or stop the machine (`stop`)
//! are instrumented, and all of it where a trace of its path (`trace`), all sections (`sections`) or all
//! that disturbs a CPU (`isolate`) are asked for. None of it costs guest time.
//!
//! On an Arm machine the wires are those of a PL061 (`pl061`), which does the same:
//! each write to one of its registers updates its interrupt output. That one is in
//! use, so it is passed on; all else is as with a parallel port.
//!
//! An interrupt 7 of the parallel port itself is not passed on: the pin is the generator's alone.
//! The port's gate is kept, though: while control bit 4 (interrupt enable) is 0 a trigger does not
//! reach the pin, and with `start=armed` the first trigger waits for that bit. A driver that
//! forgets it receives nothing.
//!
//! # System management interrupts
//!
//! `smi` raises them at random instants while the port's gate is open, as a device
//! would: by a message to the local APIC with delivery mode SMI. QEMU then runs the
//! firmware's handler in the guest's own time, and the kernel sees nothing of it.
//!
//! # Threads
//!
//! QEMU calls the plugin under its big lock, and nothing else calls it. With `port=` the generator
//! crate's server has threads of its own, which touch neither the plugin's state nor QEMU: commands
//! wait for the timer's next turn. With `out=` there are no such threads, and nothing from outside
//! can touch a run: its frames depend on the guest and the arguments only.
#![warn(missing_docs, clippy::missing_errors_doc)]

mod api;
mod apic;
mod args;
mod cpu;
mod disturbed;
mod enabling;
mod halt;
mod instrument;
mod isolate;
mod machine;
mod made;
mod mtimer;
mod output;
mod parport;
mod pl061;
mod plugin;
mod port;
mod preemption;
mod qemu;
mod registers;
mod sectioned;
mod sections;
mod sifive;
mod smi;
mod stop;
mod threads;
mod trace;
mod translations;
mod turned;
mod turns;
mod unusable;
mod waiting;
mod ways;
mod wiring;
