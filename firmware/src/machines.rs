// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The PIO's machines: what they execute, and when they start.

use embassy_rp::Peri;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::pac::{self, pio::Pio};
use embassy_rp::peripherals::PIN_12;
use embassy_time::Instant;
use irqscope_board::{Chip, Wires, programs};
use irqscope_wire::{Calibration, Polarity};
use pio::Program;

use crate::flash::Store;
use crate::ring::Ring;
use crate::sampler::Sampler;
use crate::{CHIP, feed, pins};

/// At most.
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
    /// How many of them are watched.
    lines: [Ring; LINES],
    watched: usize,
    player: Ring,
    sampler: Option<Sampler>,
    store: Store,
}

impl Machines {
    pub fn new(sync: Peri<'static, PIN_12>, chip: Chip, store: Store) -> Self {
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
        }
        let watched = usize::from(chip.lines).min(LINES);
        for line in 0..watched {
            let (pio, _, machine) = place(line, watched);
            configure(pio, machine, &programs::line(), 0, pins::FIRST_LINE + line as u8);
        }
        configure(PLAYER_PIO, PLAYER, &programs::player(), PLAYER_ORIGIN, pins::TRIGGER_SEEN);
        // The interrupt line is quiet from the start.
        restart(PLAYER_PIO, PLAYER, PLAYER_ORIGIN);
        feed::begin();
        let sync = Output::new(sync, Level::Low);
        let lines = core::array::from_fn(Ring::new);
        let sampler = (chip.window > 0).then(Sampler::new);
        let player = Ring::new(LINES);
        Self { sync, began: Instant::now(), lines, watched, player, sampler, store }
    }

    /// Brings the machines into the state that a run begins from; they wait for the pin.
    fn rewind(&mut self) {
        self.halt();
        if let Some(sampler) = &mut self.sampler {
            sampler.stop();
        }
        self.sync.set_low();
        for pio in PIOS {
            pio.ctrl().write(|w| {
                w.set_sm_restart(0xf);
                w.set_clkdiv_restart(0xf);
            });
            pio.fdebug().write_value(pac::pio::regs::Fdebug(u32::MAX));
        }
        for line in 0..self.watched {
            let (pio, number, machine) = place(line, self.watched);
            empty(pio, machine);
            restart(pio, machine, 0);
            self.lines[line].begin(pio, number, machine);
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
            let places = (0..self.watched).map(|line| place(line, self.watched));
            let here = places.filter(|(_, its, _)| usize::from(*its) == number);
            let mut machines: u8 = here.map(|(.., machine)| 1 << machine).sum();
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
        // A trigger that is out is reported within a few cycles.
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

    fn set_polarity(&mut self, polarity: Polarity) {
        pins::invert(polarity == Polarity::Falling);
    }

    fn arm(&mut self) {
        if let Some(sampler) = &mut self.sampler {
            sampler.arm();
        }
    }

    fn sample(&mut self, index: u64) -> Option<u8> {
        self.sampler.as_mut()?.sample(index)
    }

    fn keep(&mut self, calibration: &Calibration) -> bool {
        self.store.keep(calibration)
    }

    fn lost(&mut self) -> Option<u8> {
        (0..self.watched)
            .find(|line| {
                let (pio, _, machine) = place(*line, self.watched);
                let stalled = pio.fdebug().read().rxstall() & (1 << machine) != 0;
                stalled || self.lines[*line].overrun()
            })
            .map(|line| line as u8)
    }
}

/// Returns which machine of which PIO watches a line. On RP2040 the sampler takes one away.
fn place(line: usize, watched: usize) -> (Pio, u8, u8) {
    let together = if watched < LINES { 3 } else { 4 };
    let number = line / together;
    (PIOS[number], number as u8, (line % together) as u8)
}

pub fn load(pio: Pio, program: &Program<{ programs::WORDS }>, origin: u8) {
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
        let plays = u8::from(origin == PLAYER_ORIGIN);
        w.set_set_base(pins::TRIGGER);
        w.set_set_count(plays);
        w.set_sideset_base(pins::TRIGGER);
        w.set_sideset_count(plays);
    });
}

/// Empties the queues: a change of the join does that.
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
