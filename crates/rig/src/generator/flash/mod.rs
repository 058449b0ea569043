// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Putting the generator board's image onto a board: its boot drive takes UF2
//! (`uf2`), made from the image that is built (`elf`); picotool and probe-rs take
//! that image itself.

mod chip;
mod drive;
mod elf;
mod tool;
mod uf2;

use std::path::{Path, PathBuf};

pub use chip::Chip;
pub use drive::{BootDrive, boot_drives};
pub use tool::Tool;

use crate::Stop;
use crate::error::{Result, RigError, Trying};

/// The image that was written, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flashed {
    /// The chip.
    pub chip: Chip,
    /// The image's file.
    pub image: PathBuf,
    /// Of flash.
    pub bytes: usize,
    /// A boot drive's directory, or a program's name.
    pub to: String,
}

/// An image that is known to be for a chip.
#[derive(Clone, Debug)]
pub struct Image {
    /// The image's file.
    pub path: PathBuf,
    /// The chip that it is for.
    pub chip: Chip,
    flash: uf2::Flash,
}

impl Image {
    /// Reads an ELF file as cargo makes it.
    ///
    /// # Errors
    /// It cannot be read, or is no image for a chip of these.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let bytes = std::fs::read(path).trying(|| format!("cannot read the image {shown}"))?;
        let no_image = |why: &str| {
            RigError::unready(
                format!("{shown} is no image of a board: {why}"),
                "give what firmware/build rp2350 (or rp2040) makes, or what the package \
                 irqscope-firmware has: /usr/share/irqscope/irqscope-firmware-*.elf",
            )
        };
        let segments = elf::segments(&bytes).ok_or_else(|| no_image("not a 32-bit ELF file"))?;
        let flash = uf2::Flash::new(&segments);
        let chip = chip::of_image(&flash).ok_or_else(|| {
            no_image("its flash begins neither with RP2040's boot code nor with RP2350's block")
        })?;
        Ok(Self { path: path.to_owned(), chip, flash })
    }
}

/// Writes an image to a boot drive. The board then starts it.
///
/// # Errors
/// It is no boot drive, or another chip's; nothing is written then.
pub fn to_drive(image: &Image, drive: &BootDrive) -> Result<Flashed> {
    if image.chip != drive.chip {
        return Err(RigError::unready(
            format!(
                "{} is an image for {}, and the board at {} has {}",
                image.path.display(),
                image.chip.name(),
                drive.path.display(),
                drive.chip.name()
            ),
            format!("build the other one: firmware/build {}", drive.chip.feature()),
        ));
    }
    drive.write(&image.flash.blocks(image.chip.family()))?;
    Ok(image.flashed(drive.path.display().to_string()))
}

/// Hands an image to a program that reaches the board by itself.
///
/// # Errors
/// The program's own.
pub fn by_tool(image: &Image, tool: Tool, stop: &Stop) -> Result<Flashed> {
    tool.flash(&image.path, image.chip, stop)?;
    Ok(image.flashed(tool.name().to_owned()))
}

impl Image {
    fn flashed(&self, to: String) -> Flashed {
        Flashed { chip: self.chip, image: self.path.clone(), bytes: self.flash.bytes(), to }
    }
}

#[cfg(test)]
mod tests {
    use super::elf::{Segment, tests::file};
    use super::*;
    use crc::{CRC_32_MPEG_2, Crc};

    fn rp2040() -> Vec<u8> {
        let mut boot2 = vec![0x5a; 252];
        boot2.extend(Crc::<u32>::new(&CRC_32_MPEG_2).checksum(&boot2).to_le_bytes());
        let program: Vec<u8> = (0..9000u32).map(|n| n as u8).collect();
        let segments = [
            Segment { address: 0x1000_0000, bytes: &boot2 },
            Segment { address: 0x1000_0100, bytes: &program },
        ];
        file(&segments)
    }

    fn rp2350() -> Vec<u8> {
        let mut program = vec![0; 5000];
        program[300..304].copy_from_slice(&[0xd3, 0xde, 0xff, 0xff]);
        file(&[Segment { address: 0x1000_0000, bytes: &program }])
    }

    fn place(board_id: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("INFO_UF2.TXT"), format!("Board-ID: {board_id}\n")).unwrap();
        dir
    }

    fn image(dir: &Path, bytes: &[u8]) -> Result<Image> {
        let path = dir.join("image");
        std::fs::write(&path, bytes).unwrap();
        Image::read(&path)
    }

    #[test]
    fn an_image_shows_its_chip_by_how_it_begins() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(image(dir.path(), &rp2040()).unwrap().chip, Chip::Rp2040);
        assert_eq!(image(dir.path(), &rp2350()).unwrap().chip, Chip::Rp2350);
        let other = file(&[Segment { address: 0x1000_0000, bytes: &[0; 5000] }]);
        let error = image(dir.path(), &other).unwrap_err().to_string();
        assert!(error.contains("RP2040's boot code"), "{error}");
        let error = image(dir.path(), b"UF2\n").unwrap_err().to_string();
        assert!(error.contains("ELF"), "{error}");
        assert!(Image::read(&dir.path().join("absent")).is_err());
    }

    #[test]
    fn a_drive_gets_the_image_of_its_chip_in_its_chips_blocks() {
        let dir = place("RP2350");
        let image = image(dir.path(), &rp2350()).unwrap();
        let flashed = to_drive(&image, &BootDrive::at(dir.path()).unwrap()).unwrap();
        assert_eq!((flashed.chip, flashed.bytes), (Chip::Rp2350, 8192));
        let written = std::fs::read(dir.path().join("irqscope.uf2")).unwrap();
        assert_eq!(written, image.flash.blocks(0xe48b_ff59));
        assert_eq!(written.len(), 512 * 32);
    }

    #[test]
    fn another_chips_image_is_refused_and_nothing_is_written() {
        let dir = place("RPI-RP2");
        let image = image(dir.path(), &rp2350()).unwrap();
        let refused = to_drive(&image, &BootDrive::at(dir.path()).unwrap()).unwrap_err();
        assert!(refused.to_string().contains("firmware/build rp2040"), "{refused}");
        assert!(!dir.path().join("irqscope.uf2").exists());
    }
}
