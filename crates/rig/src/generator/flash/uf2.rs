// SPDX-License-Identifier: Apache-2.0 OR MIT
//! UF2, what boot drives take (https://github.com/microsoft/uf2): a file of blocks
//! of 512 bytes, each with 256 bytes of flash and where they go.

use std::collections::BTreeMap;

use super::elf::Segment;

const PAGE: u32 = 256;
/// The unit of erasing.
const SECTOR: u32 = 4096;
const FLASH: std::ops::Range<u32> = 0x1000_0000..0x1100_0000;
const ERASED: u8 = 0xff;

const BLOCK: usize = 512;
const BEGIN: [u32; 2] = [0x0a32_4655, 0x9e5d_5157];
const END: u32 = 0x0ab1_6f30;
const HAS_FAMILY: u32 = 0x2000;

/// Pages of flash by address.
///
/// Useful invariant: of each sector there are all pages or none, for a sector is erased
/// as a whole (Raspberry Pi's elf2uf2 does so as well).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flash(BTreeMap<u32, [u8; PAGE as usize]>);

impl Flash {
    /// Segments outside of flash (memory that a debugger would fill) are left out.
    pub fn new(segments: &[Segment<'_>]) -> Self {
        let mut flash = Self::default();
        for segment in segments {
            for (address, byte) in (segment.address..).zip(segment.bytes) {
                if FLASH.contains(&address) {
                    flash.set(address, *byte);
                }
            }
        }
        flash
    }

    fn set(&mut self, address: u32, byte: u8) {
        let page = address - address % PAGE;
        if !self.0.contains_key(&page) {
            let sector = address - address % SECTOR;
            for other in (sector..sector + SECTOR).step_by(PAGE as usize) {
                self.0.entry(other).or_insert([ERASED; PAGE as usize]);
            }
        }
        if let Some(page) = self.0.get_mut(&page) {
            page[(address % PAGE) as usize] = byte;
        }
    }

    /// Returns the bytes of flash that are written.
    pub fn bytes(&self) -> usize {
        self.0.len() * PAGE as usize
    }

    /// Returns the first `length` bytes of flash.
    pub fn first(&self, length: usize) -> Option<Vec<u8>> {
        let end = FLASH.start + u32::try_from(length).ok()?;
        let pages: Vec<u8> =
            self.0.range(FLASH.start..end).flat_map(|(_, page)| page).copied().collect();
        (pages.len() >= length).then_some(pages)
    }

    /// Makes the file for a boot drive of this family.
    pub fn blocks(&self, family: u32) -> Vec<u8> {
        let count = self.0.len() as u32;
        let mut file = Vec::with_capacity(self.0.len() * BLOCK);
        for (number, (address, page)) in self.0.iter().enumerate() {
            let header = [HAS_FAMILY, *address, PAGE, number as u32, count, family];
            let begin = file.len();
            BEGIN.iter().chain(&header).for_each(|word| file.extend(word.to_le_bytes()));
            file.extend(page);
            file.resize(begin + BLOCK - 4, 0);
            file.extend(END.to_le_bytes());
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(block: &[u8], at: usize, count: usize) -> Vec<u32> {
        let words = block[at..].chunks_exact(4).take(count);
        words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    /// Reads a file as a boot drive takes it.
    fn read(file: &[u8], family: u32) -> BTreeMap<u32, Vec<u8>> {
        assert_eq!(file.len() % BLOCK, 0);
        let count = (file.len() / BLOCK) as u32;
        let block = |(number, block): (usize, &[u8])| {
            assert_eq!(words(block, 0, 2), BEGIN);
            let header = words(block, 8, 6);
            assert_eq!(header[0], HAS_FAMILY);
            assert_eq!(header[2..], [PAGE, number as u32, count, family]);
            assert_eq!(words(block, 508, 1), [END]);
            assert!(block[288..508].iter().all(|byte| *byte == 0));
            (header[1], block[32..288].to_vec())
        };
        file.chunks(BLOCK).enumerate().map(block).collect()
    }

    #[test]
    fn one_block_is_as_the_specification_has_it() {
        let flash = Flash::new(&[Segment { address: 0x1000_0000, bytes: &[0xab; 256] }]);
        let file = flash.blocks(0xe48b_ff56);
        let mut expected = Vec::new();
        expected.extend(b"UF2\n");
        expected.extend([0x57, 0x51, 0x5d, 0x9e]);
        expected.extend([0, 0x20, 0, 0]); // the family is given
        expected.extend([0, 0, 0, 0x10]); // where to
        expected.extend([0, 1, 0, 0]); // 256 bytes
        expected.extend([0, 0, 0, 0]); // block 0
        expected.extend([16, 0, 0, 0]); // of a sector's 16
        expected.extend([0x56, 0xff, 0x8b, 0xe4]);
        expected.extend([0xab; 256]);
        expected.extend([0; 220]);
        expected.extend([0x30, 0x6f, 0xb1, 0x0a]);
        assert_eq!(file[..BLOCK], expected);
    }

    #[test]
    fn what_is_read_back_is_the_image_and_nothing_else() {
        let long: Vec<u8> = (0..5000u32).map(|n| (n % 251) as u8).collect();
        let segments = [
            Segment { address: 0x1000_0000, bytes: &long },
            Segment { address: 0x1000_2ff0, bytes: &[7; 32] }, // over the end of a sector
            Segment { address: 0x2000_0000, bytes: &[9; 64] }, // memory
        ];
        let pages = read(&Flash::new(&segments).blocks(1), 1);
        let sectors: Vec<u32> = (0..4).map(|n| 0x1000_0000 + n * SECTOR).collect();
        let expected = sectors.iter().flat_map(|at| (*at..at + SECTOR).step_by(256));
        assert!(pages.keys().copied().eq(expected));
        let bytes: Vec<u8> = pages.into_values().flatten().collect();
        assert_eq!(bytes[..5000], long);
        assert_eq!(bytes[0x2ff0..0x3010], [7; 32]);
        let rest = bytes[5000..0x2ff0].iter().chain(&bytes[0x3010..]);
        assert!(rest.into_iter().all(|byte| *byte == ERASED));
    }

    #[test]
    fn segments_that_share_a_page_are_both_kept() {
        let segments = [
            Segment { address: 0x1000_0010, bytes: &[1; 4] },
            Segment { address: 0x1000_0014, bytes: &[2; 4] },
        ];
        let flash = Flash::new(&segments);
        assert_eq!(flash.bytes(), SECTOR as usize);
        let first = flash.first(32).unwrap();
        assert_eq!(first[0x0f..0x19], [255, 1, 1, 1, 1, 2, 2, 2, 2, 255]);
    }
}
