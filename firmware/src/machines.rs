// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The PIO's machines: what they execute, and when they start.

use embassy_rp::Peri;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::pac::{self, pio::Pio};
use embassy_rp::peripherals::PIN_12;
use embassy_time::Instant;
use irqscope_board::{Wires, programs};
use pio::Program;

use crate::ring::Ring;
use crate::{CHIP, feed, pins};

const LINES: usize = CHIP.lines as usize;
/// Where the player's program begins, behind the lines'.
const PLAYER_ORIGIN: u8 = 15;

/// The machine that plays the triggers.
#[cfg(feature = "rp2040")]
pub const PLAYER: u8 = 3;
#[cfg(feature = "rp2350")]
pub const PLAYER: u8 = 0;
#[cfg(feature = "rp2040")]
pub const PLAYER_PIO: Pio = pac::PIO1;
#[cfg(feature = "rp2350")]
pub const PLAYER_PIO: Pio = pac::PIO2;

#[cfg(feature = "rp2040")]
const PIOS: [Pio; 2] = [pac::PIO0, pac::PIO1];
#[cfg(feature = "rp2350")]
const PIOS: [Pio; 3] = [pac::PIO0, pac::PIO1, pac::PIO2];
pub const PLAYER_PIO_NUMBER: u8 = PIOS.len() as u8 - 1;

/// Instructions that a stopped machine is made to execute.
const SET_X_0: u16 = 0xe020;
const SET_Y_0: u16 = 0xe040;
const SET_PINS_0: u16 = 0xe000;
const SET_PINS_OUTPUT: u16 = 0xe081;

pub struct Machines {
    /// Goes up when all start.
    sync: Output<'static>,
    began: Instant,
    lines: [Ring; LINES],
    player: Ring,
}

impl Machines {
    pub fn new(sync: Peri<'static, PIN_12>) -> Self {
        for (number, pio) in PIOS.iter().enumerate() {
            load(*pio, &programs::line(), 0);
            load(*pio, &programs::player(), PLAYER_ORIGIN);
            pio.ctrl().write(|w| w.set_sm_enable(0));
            if number as u8 == PLAYER_PIO_NUMBER {
                pins::output(pins::TRIGGER, number as u8);
            }
        }
        pins::input(pins::TRIGGER_SEEN);
        for line in 0..LINES {
            pins::input(pins::FIRST_LINE + line as u8);
            let (pio, machine) = place(line);
            configure(pio, machine, &programs::line(), 0, pins::FIRST_LINE + line as u8);
        }
        configure(PLAYER_PIO, PLAYER, &programs::player(), PLAYER_ORIGIN, pins::TRIGGER_SEEN);
        feed::begin();
        let sync = Output::new(sync, Level::Low);
        let lines = core::array::from_fn(Ring::new);
        Self { sync, began: Instant::now(), lines, player: Ring::new(LINES) }
    }

    /// Into the state that a run begins from; they wait for the pin.
    fn rewind(&mut self) {
        self.halt();
        self.sync.set_low();
        for pio in PIOS {
            pio.ctrl().write(|w| {
                w.set_sm_restart(0xf);
                w.set_clkdiv_restart(0xf);
            });
            pio.fdebug().write_value(pac::pio::regs::Fdebug(u32::MAX));
        }
        for line in 0..LINES {
            let (pio, machine) = place(line);
            empty(pio, machine);
            restart(pio, machine, 0);
            self.lines[line].begin(pio, (line / 4) as u8, machine);
        }
        empty(PLAYER_PIO, PLAYER);
        restart(PLAYER_PIO, PLAYER, PLAYER_ORIGIN);
        PLAYER_PIO.sm(PLAYER.into()).instr().write(|w| w.set_instr(SET_Y_0));
        self.player.begin(PLAYER_PIO, PLAYER_PIO_NUMBER, PLAYER);
    }
}

impl Wires for Machines {
    fn now(&self) -> u64 {
        self.began.elapsed().as_micros() * u64::from(CHIP.cycles_per_us)
    }

    fn begin(&mut self) {
        self.rewind();
        for (number, pio) in PIOS.iter().enumerate() {
            let lines = (0..LINES).filter(|line| line / 4 == number);
            let mut machines: u8 = lines.map(|line| 1u8 << (line % 4)).sum();
            if number as u8 == PLAYER_PIO_NUMBER {
                machines |= 1 << PLAYER;
            }
            pio.ctrl().write(|w| w.set_sm_enable(machines));
        }
        // Each has come to its first instruction.
        cortex_m::asm::delay(32);
        critical_section::with(|_| {
            self.began = Instant::now();
            self.sync.set_high();
        });
    }

    fn word(&mut self, line: u8) -> Option<u32> {
        self.lines.get_mut(usize::from(line))?.next()
    }

    fn echo(&mut self) -> Option<(u32, u32)> {
        if self.player.waiting() < 2 {
            return None;
        }
        self.player.next().zip(self.player.next())
    }

    fn play(&mut self, triggers: &[[u32; 2]]) {
        feed::push(triggers);
    }

    fn halt(&mut self) {
        feed::clear();
        // A trigger that is out is told within a few cycles.
        while PLAYER_PIO.dbg_padout().read() & (1 << pins::TRIGGER) != 0 && self.sync.is_set_high()
        {
            if self.player.waiting() >= 2 {
                break;
            }
        }
        let enabled = PLAYER_PIO.ctrl().read().sm_enable();
        PLAYER_PIO.ctrl().write(|w| w.set_sm_enable(enabled & !(1 << PLAYER)));
        PLAYER_PIO.sm(PLAYER.into()).instr().write(|w| w.set_instr(SET_PINS_0));
    }

    fn lost(&mut self) -> Option<u8> {
        (0..LINES)
            .find(|line| {
                let (pio, machine) = place(*line);
                let stalled = pio.fdebug().read().rxstall() & (1 << machine) != 0;
                stalled || self.lines[*line].overrun()
            })
            .map(|line| line as u8)
    }
}

/// Which machine watches a line.
fn place(line: usize) -> (Pio, u8) {
    (PIOS[line / 4], (line % 4) as u8)
}

fn load(pio: Pio, program: &Program<{ programs::WORDS }>, origin: u8) {
    for (offset, word) in programs::placed(program, origin).enumerate() {
        pio.instr_mem(usize::from(origin) + offset).write(|w| w.set_instr_mem(word));
    }
}

fn configure(pio: Pio, machine: u8, program: &Program<{ programs::WORDS }>, origin: u8, pin: u8) {
    let sm = pio.sm(machine.into());
    sm.clkdiv().write(|w| w.set_int(1));
    sm.execctrl().write(|w| {
        w.set_jmp_pin(pin);
        w.set_wrap_bottom(program.wrap.target + origin);
        w.set_wrap_top(program.wrap.source + origin);
    });
    sm.shiftctrl().write(|w| {
        w.set_autopush(true); // whole words
        w.set_in_shiftdir(true);
        w.set_out_shiftdir(true);
        w.set_fjoin_rx(origin != PLAYER_ORIGIN);
    });
    sm.pinctrl().write(|w| {
        w.set_set_base(pins::TRIGGER);
        w.set_set_count(u8::from(origin == PLAYER_ORIGIN));
    });
}

/// A change of the join empties the queues.
fn empty(pio: Pio, machine: u8) {
    let control = pio.sm(machine.into()).shiftctrl();
    let as_it_was = control.read();
    control.modify(|w| w.set_fjoin_rx(!as_it_was.fjoin_rx()));
    control.write_value(as_it_was);
}

fn restart(pio: Pio, machine: u8, origin: u8) {
    // JMP is opcode 0.
    for instruction in [SET_X_0, SET_PINS_0, SET_PINS_OUTPUT, u16::from(origin)] {
        pio.sm(machine.into()).instr().write(|w| w.set_instr(instruction));
    }
}
