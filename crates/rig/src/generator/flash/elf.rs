// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of an ELF file that go into flash: its loadable segments, at their physical addresses.
//! 32 bits, little-endian, as both chips' images are.

const MAGIC: [u8; 6] = [0x7f, b'E', b'L', b'F', 1, 1];
const LOAD: u32 = 1;

/// Bytes at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    pub address: u32,
    pub bytes: &'a [u8],
}

/// Returns the segments; `None`: not such a file, or one that is cut off.
pub fn segments(file: &[u8]) -> Option<Vec<Segment<'_>>> {
    if file.get(..MAGIC.len())? != MAGIC {
        return None;
    }
    let table = usize::try_from(word(file, 28)?).ok()?;
    let (size, count) = (half(file, 42)?, half(file, 44)?);
    let mut segments = Vec::new();
    for index in 0..usize::from(count) {
        let header = file.get(table.checked_add(index * usize::from(size))?..)?;
        let [offset, address, length] = [4, 12, 16].map(|at| word(header, at));
        let (offset, length) = (usize::try_from(offset?).ok()?, usize::try_from(length?).ok()?);
        if word(header, 0)? == LOAD && length > 0 {
            let bytes = file.get(offset..offset.checked_add(length)?)?;
            segments.push(Segment { address: address?, bytes });
        }
    }
    Some(segments)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

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
                [LOAD, offset as u32, 0, segment.address, length as u32, length as u32, 5, 4];
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
