// SPDX-License-Identifier: GPL-2.0-or-later
//! The instants of a guest that sleeps between interrupts, on a host where QEMU's main loop runs at
//! the worst moment: while the CPU counts as halted and the clock has not its last instructions yet
//! (see the plugin's `halt.rs`). `slow_exit.c` makes that moment long.

use std::path::PathBuf;
use std::process::Command;

use crate::guest::{PARPORT, encoded, frames, last_totals, record};
use irqscope_wire::{Changes, Nanoseconds};

/// Answers the timer chip's interrupt every 100 us by an edge and 257 instructions, then halts.
const GUEST: [u8; 83] = [
    0xfa, // cli
    0x31, 0xc0, // xor ax, ax
    0x8e, 0xd8, // mov ds, ax
    0x8e, 0xd0, // mov ss, ax
    0xbc, 0x00, 0x10, // mov sp, 1000h
    0xc7, 0x06, 0x20, 0x00, 0x43, 0x00, // mov word [20h], handler
    0x8c, 0x0e, 0x22, 0x00, // mov word [22h], cs
    0xb0, 0x11, // mov al, 11h
    0xe6, 0x20, // out 20h, al      interrupt controller: begin
    0xb0, 0x08, // mov al, 8
    0xe6, 0x21, // out 21h, al      the timer's vector
    0xb0, 0x04, // mov al, 4
    0xe6, 0x21, // out 21h, al
    0xb0, 0x01, // mov al, 1
    0xe6, 0x21, // out 21h, al
    0xb0, 0xfe, // mov al, feh
    0xe6, 0x21, // out 21h, al      the timer alone
    0xb0, 0x34, // mov al, 34h
    0xe6, 0x43, // out 43h, al      timer: periodic
    0xb0, 0x77, // mov al, 119
    0xe6, 0x40, // out 40h, al      119 periods of 838 ns
    0x31, 0xc0, // xor ax, ax
    0xe6, 0x40, // out 40h, al
    0xba, 0x7a, 0x03, // mov dx, 37ah
    0xb0, 0x1c, // mov al, 1ch
    0xee, // out dx, al       parallel port: interrupt enable
    0xba, 0x78, 0x03, // mov dx, 378h
    0x31, 0xdb, // xor bx, bx
    0xfb, // again: sti
    0xf4, // hlt
    0xeb, 0xfc, // jmp again
    0x80, 0xf3, 0x01, // handler: xor bl, 1
    0x88, 0xd8, // mov al, bl
    0xee, // out dx, al
    0xb0, 0x20, // mov al, 20h
    0xe6, 0x20, // out 20h, al      end of interrupt
    0xb9, 0x00, 0x01, // mov cx, 100h
    0xe2, 0xfe, // loop $
    0xcf, // iret
];

/// Builds the library that makes the moment long.
fn slow_exit(directory: &tempfile::TempDir) -> PathBuf {
    let library = directory.path().join("slow_exit.so");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/slow_exit.c");
    let mut cc = Command::new("cc");
    cc.args(["-U_FORTIFY_SOURCE", "-O2", "-Wall", "-shared", "-fPIC", "-pthread", "-o"]);
    assert!(cc.arg(&library).arg(source).status().unwrap().success());
    library
}

#[test]
fn a_main_loop_that_runs_while_the_cpu_halts_moves_no_instant() {
    let directory = tempfile::tempdir().unwrap();
    let library = slow_exit(&directory);
    let settings = Changes::default().period(Nanoseconds(130_000)).count(8_000);
    let args = format!("lines=1,{}", encoded(settings));
    // Without a local APIC the interrupt controller has the CPU for itself.
    let machine: Vec<&str> = PARPORT.into_iter().chain(["-cpu", "qemu64,-apic"]).collect();
    let undisturbed = record(&GUEST, &args, &machine, None);
    let totals = last_totals(&frames(&undisturbed));
    assert!(totals.complete >= 6_000, "the guest sleeps and wakes all the time: {totals:?}");
    assert!(undisturbed == record(&GUEST, &args, &machine, Some(&library)));
}
