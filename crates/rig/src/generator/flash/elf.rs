// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of an ELF file that go into flash: its loadable segments, at their physical addresses.
//! 32 bits, little-endian, as both chips' images are.

use object::LittleEndian;
use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader as _, ProgramHeader as _};

/// Bytes at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    pub address: u32,
    pub bytes: &'a [u8],
}

/// Returns the segments; `None`: not such a file, or one that is cut off.
pub fn segments(file: &[u8]) -> Option<Vec<Segment<'_>>> {
    let header = FileHeader32::<LittleEndian>::parse(file).ok()?;
    let endian = header.endian().ok()?;
    let programs = header.program_headers(endian, file).ok()?;
    let loaded = programs.iter().filter(|program| program.p_type(endian) == PT_LOAD);
    let segment = |program: &object::elf::ProgramHeader32<LittleEndian>| {
        let bytes = program.data(endian, file).ok()?;
        Some(Segment { address: program.p_paddr(endian), bytes })
    };
    let segments: Option<Vec<_>> = loaded.map(segment).collect();
    Some(segments?.into_iter().filter(|segment| !segment.bytes.is_empty()).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 32 bits, little-endian, version 1.
    const MAGIC: [u8; 7] = [0x7f, b'E', b'L', b'F', 1, 1, 1];

    /// Makes an ELF file of these segments.
    pub fn file(segments: &[Segment<'_>]) -> Vec<u8> {
        let (header, entry) = (52, 32);
        let mut file = MAGIC.to_vec();
        file.resize(header, 0);
        file[28..32].copy_from_slice(&(header as u32).to_le_bytes());
        file[42..44].copy_from_slice(&(entry as u16).to_le_bytes());
        file[44..46].copy_from_slice(&(segments.len() as u16).to_le_bytes());
        let mut offset = header + entry * segments.len();
        for segment in segments {
            let length = segment.bytes.len();
            let words =
                [PT_LOAD.0, offset as u32, 0, segment.address, length as u32, length as u32, 5, 4];
            words.iter().for_each(|word| file.extend(word.to_le_bytes()));
            offset += length;
        }
        segments.iter().for_each(|segment| file.extend(segment.bytes));
        file
    }

    #[test]
    fn segments_are_what_has_bytes_in_the_file() {
        let kept = [
            Segment { address: 0x1000_0000, bytes: &[1; 256] },
            Segment { address: 0x1000_0100, bytes: &[2, 3, 4] },
        ];
        let empty = Segment { address: 0x2000_0000, bytes: &[] };
        let made = file(&[kept[0], empty, kept[1]]);
        assert_eq!(segments(&made).unwrap(), kept);
        assert_eq!(segments(b"UF2\n"), None);
        assert_eq!(segments(&made[..made.len() - 1]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_borne(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = segments(&[&MAGIC[..], &bytes].concat());
        }
    }
}
