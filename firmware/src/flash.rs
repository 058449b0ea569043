// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The flash's last sector, in which a calibration survives; irqscope-board says
//! what is in it.

use alloc::vec;
use alloc::vec::Vec;

use embassy_rp::Peri;
use embassy_rp::flash::{Blocking, ERASE_SIZE, Flash};
use embassy_rp::peripherals::FLASH;
use irqscope_board::store::{self, PAGE, Place, SECTOR};
use irqscope_wire::Calibration;

/// The boards' size; the linker scripts leave the last sector alone.
#[cfg(feature = "rp2040")]
const BYTES: usize = 2 << 20;
#[cfg(feature = "rp2350")]
const BYTES: usize = 4 << 20;
const BEGIN: u32 = (BYTES - SECTOR) as u32;
const _: () = assert!(SECTOR == ERASE_SIZE);

pub struct Store(Flash<'static, FLASH, Blocking, BYTES>);

impl Store {
    pub fn new(flash: Peri<'static, FLASH>) -> Self {
        Self(Flash::new_blocking(flash))
    }

    /// Returns the flash's own number; 0 if it cannot be read.
    #[cfg(feature = "rp2040")]
    pub fn number(&mut self) -> u64 {
        let mut number = [0; 8];
        self.0.blocking_unique_id(&mut number).map_or(0, |()| u64::from_be_bytes(number))
    }

    pub fn calibration(&mut self) -> Option<Calibration> {
        self.sector().and_then(|sector| store::newest(&sector))
    }

    /// Writes a calibration. Nothing else runs meanwhile, a twentieth of a second where the sector
    /// must be erased: no run is active. False: it is not there when read back.
    pub fn keep(&mut self, calibration: &Calibration) -> bool {
        self.write(calibration).is_some() && self.calibration().as_ref() == Some(calibration)
    }

    fn write(&mut self, calibration: &Calibration) -> Option<()> {
        let page = store::page(calibration)?;
        let at = match store::place(&self.sector()?) {
            Place::Page(number) => number * PAGE,
            Place::Erase => {
                self.0.blocking_erase(BEGIN, BEGIN + SECTOR as u32).ok()?;
                0
            }
        };
        self.0.blocking_write(BEGIN + at as u32, &page).ok()
    }

    fn sector(&mut self) -> Option<Vec<u8>> {
        let mut sector = vec![0; SECTOR];
        self.0.blocking_read(BEGIN, &mut sector).ok()?;
        Some(sector)
    }
}
