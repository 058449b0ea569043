// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Boot drives: what a board is on USB while its BOOTSEL button is held at power-on.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::chip::Chip;
use crate::error::{Result, RigError, Trying};

/// On every UF2 boot drive.
const INFO: &str = "INFO_UF2.TXT";
const FILE: &str = "irqscope.uf2";

/// A board's boot drive, mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootDrive {
    /// Where it is mounted.
    pub path: PathBuf,
    /// The chip that it boots.
    pub chip: Chip,
}

impl BootDrive {
    /// Opens the boot drive at a path.
    ///
    /// # Errors
    /// It is no boot drive of a chip of these.
    pub fn at(path: &Path) -> Result<Self> {
        let no_drive = |why: String| {
            RigError::unready(
                format!("{} is no boot drive of a board: {why}", path.display()),
                "hold BOOTSEL while the board is plugged in, mount the drive that appears \
                 (RPI-RP2 or RP2350), and give its directory",
            )
        };
        let info = fs::read_to_string(path.join(INFO))
            .map_err(|error| no_drive(format!("{INFO} cannot be read ({error})")))?;
        let id = info.lines().find_map(|line| line.strip_prefix("Board-ID:")).unwrap_or("").trim();
        let chip = Chip::ALL.into_iter().find(|chip| chip.board_id() == id);
        let chip = chip.ok_or_else(|| no_drive(format!("its board is `{id}`")))?;
        Ok(Self { path: path.to_owned(), chip })
    }

    /// Copies a UF2 file there. The board takes it, and starts what it got: the drive
    /// vanishes, at times before the kernel could say that all is written.
    pub(super) fn write(&self, uf2: &[u8]) -> Result<()> {
        let path = self.path.join(FILE);
        let trying = || format!("cannot write {}", path.display());
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(&path).trying(trying)?;
        file.write_all(uf2).trying(trying)?;
        match file.sync_all() {
            Err(error) if self.path.join(INFO).exists() => Err(error).trying(trying),
            _ => Ok(()),
        }
    }
}

/// Lists those that are mounted, by /proc/self/mounts or a file like it.
pub fn boot_drives(mounts: &Path) -> Vec<BootDrive> {
    let text = fs::read_to_string(mounts).unwrap_or_default();
    let places = text.lines().filter_map(|line| line.split(' ').nth(1)).map(unescaped);
    places.filter_map(|place| BootDrive::at(&place).ok()).collect()
}

/// Blanks in mount points are written as `\040`.
fn unescaped(place: &str) -> PathBuf {
    PathBuf::from(place.replace("\\040", " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RP2040: &str = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";

    #[test]
    fn a_boot_drive_says_whose_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let absent = BootDrive::at(dir.path()).unwrap_err().to_string();
        assert!(absent.contains("BOOTSEL"), "{absent}");
        fs::write(dir.path().join(INFO), RP2040).unwrap();
        assert_eq!(BootDrive::at(dir.path()).unwrap().chip, Chip::Rp2040);
        fs::write(dir.path().join(INFO), "Board-ID: SAMD21G18A\n").unwrap();
        let other = BootDrive::at(dir.path()).unwrap_err().to_string();
        assert!(other.contains("SAMD21G18A"), "{other}");
    }

    #[test]
    fn drives_are_found_among_mounts_with_blanks_in_their_names() {
        let dir = tempfile::tempdir().unwrap();
        let drive = dir.path().join("my board");
        fs::create_dir(&drive).unwrap();
        fs::write(drive.join(INFO), RP2040).unwrap();
        let mounts = dir.path().join("mounts");
        let line = format!("/dev/sdb1 {}/my\\040board vfat rw 0 0", dir.path().display());
        fs::write(&mounts, format!("proc /proc proc rw 0 0\n{line}\n")).unwrap();
        let chip = Chip::Rp2040;
        assert_eq!(boot_drives(&mounts), [BootDrive { path: drive, chip }]);
    }

    #[test]
    fn nothing_that_is_there_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(INFO), RP2040).unwrap();
        let drive = BootDrive::at(dir.path()).unwrap();
        drive.write(b"one").unwrap();
        drive.write(b"two").unwrap_err();
        assert_eq!(fs::read(dir.path().join(FILE)).unwrap(), b"one");
    }
}
