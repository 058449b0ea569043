// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A calibration in flash that survives being switched off.
//!
//! One sector of flash is erased as a whole and written by the page, and wears out
//! by being erased. So each calibration takes the next page, and only when all are
//! taken is the sector erased: once in sixteen. A page is a frame of the protocol
//! with its checksum, numbered with the protocol's version. A page that was torn by a loss of power
//! in mid-writing, or was written by a program with another protocol, is passed over.

use alloc::vec::Vec;
use irqscope_wire::{Calibration, Frame, Message, PROTOCOL, decode, encode};

/// Bytes of the sector, which is the flash's last.
pub const SECTOR: usize = 4096;
pub const PAGE: usize = 256;
const ERASED: u8 = 0xff;

/// Where the next calibration goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Into this page, counted from 0.
    Page(usize),
    /// Into page 0, once the sector is erased.
    Erase,
}

/// Returns the calibration that was written last; `sector` as it is read.
pub fn newest(sector: &[u8]) -> Option<Calibration> {
    sector.chunks(PAGE).rev().find_map(read)
}

pub fn place(sector: &[u8]) -> Place {
    // Behind the last page that anything was written to.
    let blank = |page: &[u8]| page.iter().all(|byte| *byte == ERASED);
    let used = sector.chunks(PAGE).rposition(|page| !blank(page)).map_or(0, |last| last + 1);
    if used * PAGE < sector.len() { Place::Page(used) } else { Place::Erase }
}

/// Returns a page to be written. None: it does not fit, which no board's lines can bring about.
pub fn page(calibration: &Calibration) -> Option<[u8; PAGE]> {
    let message = Message::Calibration(calibration.clone());
    let frame: Vec<u8> = encode(&Frame { number: PROTOCOL.into(), message }).ok()?;
    let mut page = [ERASED; PAGE];
    page.get_mut(..frame.len())?.copy_from_slice(&frame);
    Some(page)
}

fn read(page: &[u8]) -> Option<Calibration> {
    let end = page.iter().position(|byte| *byte == 0)?;
    match decode(&page[..end]).ok()? {
        Frame { number, message: Message::Calibration(it) } if number == PROTOCOL.into() => {
            Some(it)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Loopback;

    fn calibration(offset: i64) -> Calibration {
        let loopback = Loopback { offset, lowest: -1, highest: 1 << 40, measurements: u32::MAX };
        Calibration { lines: [Some(loopback), None, Some(loopback), None].repeat(2) }
    }

    /// Keeps a calibration as the board does; returns how often the sector was erased.
    fn keep(sector: &mut [u8], calibration: &Calibration) -> u32 {
        let (at, erased) = match place(sector) {
            Place::Page(page) => (page * PAGE, 0),
            Place::Erase => {
                sector.fill(ERASED);
                (0, 1)
            }
        };
        sector[at..at + PAGE].copy_from_slice(&page(calibration).unwrap());
        erased
    }

    #[test]
    fn the_last_calibration_is_found_again_and_sixteen_cost_one_erasure() {
        let mut sector = [ERASED; SECTOR];
        assert_eq!(newest(&sector), None);
        let mut erased = 0;
        for offset in 0..40 {
            erased += keep(&mut sector, &calibration(offset));
            assert_eq!(newest(&sector), Some(calibration(offset)));
        }
        assert_eq!(erased, 2);
    }

    #[test]
    fn a_page_that_was_torn_leaves_the_one_before_and_is_not_written_again() {
        let mut sector = [ERASED; SECTOR];
        keep(&mut sector, &calibration(1));
        keep(&mut sector, &calibration(2));
        sector[PAGE + 20..2 * PAGE].fill(ERASED);
        assert_eq!(newest(&sector), Some(calibration(1)));
        assert_eq!(place(&sector), Place::Page(2));
    }

    #[test]
    fn whatever_else_is_in_flash_is_no_calibration() {
        for fill in [0, 1, 0x5a, 0xfe] {
            let mut sector = [fill; SECTOR];
            assert_eq!((newest(&sector), place(&sector)), (None, Place::Erase));
            keep(&mut sector, &calibration(3));
            assert_eq!(newest(&sector), Some(calibration(3)));
        }
        let message = Message::Calibration(calibration(1));
        let other = encode(&Frame { number: u64::from(PROTOCOL) + 1, message }).unwrap();
        let mut sector = [ERASED; SECTOR];
        sector[..other.len()].copy_from_slice(&other);
        assert_eq!(newest(&sector), None, "another version's");
    }

    #[test]
    fn the_largest_calibration_of_eight_lines_fits() {
        let most =
            Loopback { offset: i64::MIN, lowest: i64::MIN, highest: i64::MIN, measurements: 512 };
        let far =
            Loopback { offset: 1 << 32, lowest: 1 << 32, highest: 1 << 32, measurements: 512 };
        assert!(page(&Calibration { lines: vec![Some(far); 8] }).is_some());
        assert_eq!(page(&Calibration { lines: vec![Some(most); 16] }), None);
    }
}
