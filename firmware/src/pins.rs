// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The purpose of the board's pins, and their set-up; docs/board.md has a drawing. GP0 and GP1 are
//! the serial line, GP12 is for the board itself, GP25 the light.

use embassy_rp::pac;
use embassy_rp::pac::io::vals::{Inover, Outover};

/// The first response line; the others follow.
pub const FIRST_LINE: u8 = 2;
/// The interrupt line.
pub const TRIGGER: u8 = 10;
/// The interrupt line's shape behind a buffer, if there is one.
pub const TRIGGER_SEEN: u8 = 11;

/// Joined to 3.3 V on a board that is to sample: on RP2040, in place of a line.
#[cfg(feature = "rp2040")]
pub const SAMPLES: u8 = 13;

const PIO_FUNCTION: u8 = 6;
const SIO_FUNCTION: u8 = 5;

/// Makes a machine of this PIO drive the pin.
pub fn output(pin: u8, pio: u8) {
    set_up(pin, PIO_FUNCTION + pio, false);
}

/// Machines only look at it. Pulled down, so that a line without a wire is quiet.
pub fn input(pin: u8) {
    set_up(pin, SIO_FUNCTION, true);
}

/// Makes the interrupt line rest high and be asserted low; the machines do not know.
pub fn invert(inverted: bool) {
    let how = if inverted { Inover::INVERT } else { Inover::NORMAL };
    pac::IO_BANK0.gpio(TRIGGER_SEEN.into()).ctrl().modify(|w| w.set_inover(how));
    let how = if inverted { Outover::INVERT } else { Outover::NORMAL };
    pac::IO_BANK0.gpio(TRIGGER.into()).ctrl().modify(|w| w.set_outover(how));
}

/// Returns whether a pin is joined to 3.3 V, else it is joined to nothing.
#[cfg(feature = "rp2040")]
pub fn is_strapped(pin: u8) -> bool {
    input(pin);
    // The pull-down takes a while against the wire.
    cortex_m::asm::delay(2_000);
    pac::SIO.gpio_in(0).read() & (1 << pin) != 0
}

fn set_up(pin: u8, function: u8, pull_down: bool) {
    pac::IO_BANK0.gpio(pin.into()).ctrl().write(|w| w.set_funcsel(function));
    pac::PADS_BANK0.gpio(pin.into()).modify(|w| {
        w.set_ie(true);
        w.set_od(false);
        w.set_pue(false);
        w.set_pde(pull_down);
        w.set_schmitt(true);
        w.set_slewfast(true);
        #[cfg(feature = "rp2350")]
        w.set_iso(false);
    });
}
