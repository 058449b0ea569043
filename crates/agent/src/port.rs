// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The virtio port by which frames leave a guest.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use irqscope_wire::HostByte;

use crate::error::{Error, Result};
use crate::facts::read_line;

/// The port's name on the guest's bus.
pub const NAME: &str = "irqscope";

/// The host names its ports after the driver has met the device.
const TRIES: u32 = 500;
const PAUSE: Duration = Duration::from_millis(10);

/// Writes all of it and waits for the host's answer; unknown bytes are passed over.
///
/// A write returns when the driver has queued the bytes, not when the host has
/// taken them, and what is queued is lost with the guest. So the host answers
/// the last frame with one byte; a host that is gone gives end of file.
///
/// # Errors
/// The port is broken.
pub fn send(port: &mut File, frames: &[u8]) -> Result<HostByte> {
    port.write_all(frames).map_err(Error::Output)?;
    let mut byte = [0];
    loop {
        match port.read(&mut byte).map_err(Error::Output)? {
            0 => return Ok(HostByte::HasAll),
            _ => match HostByte::from_byte(byte[0]) {
                Some(word) => return Ok(word),
                None => continue,
            },
        }
    }
}

/// Opens the port itself, as soon as it is there.
///
/// # Errors
/// There is no such port.
pub fn open(root: &Path) -> Result<File> {
    let path = wait_for(root)?;
    let port = File::options().read(true).write(true).open(&path);
    port.map_err(|source| Error::Open { path, source })
}

fn wait_for(root: &Path) -> Result<PathBuf> {
    for _ in 0..TRIES {
        match find(root) {
            Some(path) => return Ok(path),
            None => sleep(PAUSE),
        }
    }
    Err(Error::NoPort(NAME))
}

fn find(root: &Path) -> Option<PathBuf> {
    let ports = fs::read_dir(root.join("sys/class/virtio-ports")).ok()?;
    let port = ports
        .flatten()
        .find(|port| read_line(&port.path().join("name")).as_deref() == Some(NAME))?;
    let path = root.join("dev").join(port.file_name());
    path.exists().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_found_by_its_name_and_gets_all_bytes() {
        let root = tempfile::tempdir().unwrap();
        for (port, name) in [("vport0p1", "console"), ("vport0p2", "irqscope")] {
            let folder = root.path().join("sys/class/virtio-ports").join(port);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("name"), format!("{name}\n")).unwrap();
        }
        assert_eq!(find(root.path()), None, "its node is not there yet");
        fs::create_dir(root.path().join("dev")).unwrap();
        fs::write(root.path().join("dev/vport0p2"), "").unwrap();
        let mut port = open(root.path()).unwrap();
        assert_eq!(send(&mut port, b"frames").unwrap(), HostByte::HasAll);
        assert_eq!(fs::read(root.path().join("dev/vport0p2")).unwrap(), b"frames");
    }
}
