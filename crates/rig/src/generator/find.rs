// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finding generator boards: on USB by what they call themselves, on the network by
//! their service, and those that wait for an image by their boot drive.
//!
//! Nothing is said to a device that does not call itself ours: a serial adapter may
//! lead to anybody, and is named without being asked.

use std::fs;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use irqscope_wire::{GeneratorHello, PROTOCOL};

use crate::Stop;
use crate::error::{Result, RigError};
use crate::generator::browse::{self, Host};
use crate::generator::flash::{BootDrive, Chip, boot_drives};
use crate::generator::{GeneratorError, look};

/// The image's name on USB (firmware/src).
const PRODUCT: &str = "irqscope generator board";
/// Where it serves on its own network.
const OVER_USB: &str = "tcp://192.168.77.1:7110";
/// Raspberry Pi's, of a chip in its boot ROM.
const BOOT_IDS: [(&str, &str); 2] = [("2e8a", "0003"), ("2e8a", "000f")];

/// Where to look.
#[derive(Clone, Debug)]
pub struct Places {
    /// The directory of USB devices in sysfs.
    pub usb: PathBuf,
    /// The list of mounted file systems.
    pub mounts: PathBuf,
    /// Where boards on the network are asked for; empty: nowhere.
    pub responders: Vec<SocketAddr>,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            usb: "/sys/bus/usb/devices".into(),
            mounts: "/proc/self/mounts".into(),
            responders: vec![browse::GROUP],
        }
    }
}

/// Something that is, or may be, a board.
#[derive(Debug)]
pub enum Found {
    /// Has irqscope's image; its hello, or why there is none.
    #[allow(missing_docs, reason = "its comment names them")]
    Board { address: String, by: &'static str, hello: Result<Box<GeneratorHello>, GeneratorError> },
    /// Waits for an image.
    Drive(BootDrive),
    /// Waits for one, and its drive is not mounted.
    Unmounted,
    /// A serial adapter, to which a board may be wired; what it calls itself.
    #[allow(missing_docs, reason = "its comment names them")]
    Adapter { address: String, product: String },
}

impl Found {
    /// Returns whether it can be used as it is.
    pub fn is_ready(&self) -> bool {
        matches!(self, Found::Board { hello: Ok(hello), .. } if hello.protocol == PROTOCOL)
    }

    /// Returns the address at which it can be connected to, if it is a generator already.
    pub fn address(&self) -> Option<&str> {
        match self {
            Found::Board { address, .. } | Found::Adapter { address, .. } => Some(address),
            Found::Drive(_) | Found::Unmounted => None,
        }
    }

    /// Returns its chip, where that is known.
    pub fn chip(&self) -> Option<Chip> {
        match self {
            Found::Board { hello: Ok(hello), .. } => Chip::of_board(hello),
            Found::Drive(drive) => Some(drive.chip),
            _ => None,
        }
    }
}

/// Lists all boards; one that has several ways to it comes once for each.
pub fn boards(places: &Places, stop: &Stop) -> Vec<Found> {
    let devices = usb_devices(&places.usb);
    let mut found: Vec<Found> = devices.iter().flat_map(|it| ways_to(it, stop)).collect();
    let drives = boot_drives(&places.mounts);
    let booting = devices.iter().filter(|device| device.is_in_boot_rom()).count();
    let unmounted = booting.saturating_sub(drives.len());
    let named = browse::hosts(&places.responders).into_iter().filter_map(|host| address(&host));
    found.extend(named.map(|address| ask(address, "network", stop)));
    found.extend(drives.into_iter().map(Found::Drive));
    found.extend((0..unmounted).map(|_| Found::Unmounted));
    found
}

/// Lists the serial lines to which a board is or may be wired: those of boards and of adapters on
/// USB. Nothing is said to any of them.
#[must_use]
pub fn serial_lines(places: &Places) -> Vec<PathBuf> {
    let devices = usb_devices(&places.usb);
    let terminals = devices.iter().flat_map(|device| &device.terminals);
    terminals.map(|name| Path::new("/dev").join(name)).collect()
}

/// Returns the only board that is there, by the fastest way to it.
///
/// # Errors
/// There is none, or more than one.
pub fn only_board(places: &Places, stop: &Stop) -> Result<String> {
    let found = boards(places, stop);
    let ready: Vec<&Found> = found.iter().filter(|found| found.is_ready()).collect();
    // Both ways over USB lead to one board; its network is the faster.
    let over_usb = ready.iter().filter(|found| found.address() == Some(OVER_USB)).count();
    let serial = ready.iter().filter(|found| found.is_over_serial_usb()).count();
    let chosen = match (&ready[..], over_usb, serial) {
        ([one], ..) => Some(*one),
        ([..], 1, 1) if ready.len() == 2 => {
            ready.iter().find(|found| found.address() == Some(OVER_USB)).copied()
        }
        _ => None,
    };
    chosen.and_then(Found::address).map(str::to_owned).ok_or_else(|| {
        let what = match ready.len() {
            0 => "no board is found on USB or on the network",
            _ => "more than one board is found",
        };
        let remedy = "say which one: --connect ADDRESS, or in the scenario: [board] address = \
                      \"serial:///dev/ttyACM0\"; irqscope generator list shows what is there";
        RigError::unready(what, remedy)
    })
}

impl Found {
    fn is_over_serial_usb(&self) -> bool {
        matches!(self, Found::Board { address, .. } if address.starts_with("serial:"))
    }
}

/// One device on USB, with what the kernel made of its interfaces.
#[derive(Debug)]
struct Device {
    ids: (String, String),
    product: String,
    /// Names under /dev.
    terminals: Vec<String>,
    /// It has a network interface.
    network: bool,
}

impl Device {
    fn is_ours(&self) -> bool {
        self.product == PRODUCT
    }

    fn is_in_boot_rom(&self) -> bool {
        BOOT_IDS.contains(&(&self.ids.0, &self.ids.1))
    }
}

fn ways_to(device: &Device, stop: &Stop) -> Vec<Found> {
    let serial = |name: &String| format!("serial:///dev/{name}");
    let terminals = device.terminals.iter().map(serial);
    if !device.is_ours() {
        let adapter = |address| Found::Adapter { address, product: device.product.clone() };
        return terminals.map(adapter).collect();
    }
    let network = device.network.then(|| ask(OVER_USB.to_owned(), "USB network", stop));
    network.into_iter().chain(terminals.map(|address| ask(address, "USB serial", stop))).collect()
}

/// Returns the address of a board on the network: its name, which stays as it is, where this machine
/// can look it up. None: the board is on USB, and was found there.
fn address(Host { name, address }: &Host) -> Option<String> {
    let number = format!("tcp://{address}");
    let by_name = (name.as_str(), address.port()).to_socket_addrs();
    let is_known = by_name.is_ok_and(|mut all| all.any(|it| it == *address));
    let text = if is_known { format!("tcp://{name}:{}", address.port()) } else { number.clone() };
    (number != OVER_USB).then_some(text)
}

fn ask(address: String, by: &'static str, stop: &Stop) -> Found {
    let hello = look(&address, stop).map(|(hello, _)| Box::new(hello));
    Found::Board { address, by, hello }
}

/// Lists devices in the order of their names, by which the kernel says where they are plugged in.
fn usb_devices(root: &Path) -> Vec<Device> {
    let mut paths = entries(root);
    paths.sort();
    paths.iter().filter_map(|path| device(path)).collect()
}

/// Reads a device; `None` for an interface, which is listed beside its device.
fn device(path: &Path) -> Option<Device> {
    let text = |name| fs::read_to_string(path.join(name)).map(|text| text.trim().to_owned());
    let ids = (text("idVendor").ok()?, text("idProduct").ok()?);
    let product = text("product").unwrap_or_else(|_| format!("{}:{}", ids.0, ids.1));
    let is_interface = |path: &PathBuf| path.to_string_lossy().contains(':');
    let interfaces: Vec<PathBuf> = entries(path).into_iter().filter(is_interface).collect();
    let of = |class: &str| -> Vec<String> {
        let names = interfaces.iter().flat_map(|interface| entries(&interface.join(class)));
        names.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
    };
    // An adapter's interface has its terminal directly below, a modem's in `tty`.
    let direct = interfaces.iter().flat_map(|interface| entries(interface));
    let direct = direct.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let mut terminals = of("tty");
    terminals.extend(direct.filter(|name| name.starts_with("ttyUSB")));
    terminals.sort();
    Some(Device { ids, product, terminals, network: !of("net").is_empty() })
}

fn entries(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a device with files, and directories below its interfaces.
    fn plug(usb: &Path, name: &str, files: &[(&str, &str)], below: &[&str]) {
        let device = usb.join(name);
        fs::create_dir_all(&device).unwrap();
        for (file, text) in files {
            fs::write(device.join(file), format!("{text}\n")).unwrap();
        }
        below.iter().for_each(|dir| fs::create_dir_all(device.join(dir)).unwrap());
    }

    fn places(dir: &Path) -> Places {
        Places { usb: dir.join("usb"), mounts: dir.join("mounts"), responders: Vec::new() }
    }

    #[test]
    fn a_board_is_known_by_what_it_calls_itself() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        let ours = [("idVendor", "1209"), ("idProduct", "0001"), ("product", PRODUCT)];
        plug(&places.usb, "1-1", &ours, &["1-1:1.2/tty/ttyOfNobody0"]);
        let other = [("idVendor", "1209"), ("idProduct", "0001"), ("product", "something else")];
        plug(&places.usb, "1-2", &other, &["1-2:1.0/tty/ttyOfNobody1"]);
        let adapter = [("idVendor", "10c4"), ("idProduct", "ea60")];
        plug(&places.usb, "1-3", &adapter, &["1-3:1.0/ttyUSB7/tty/ttyUSB7"]);
        plug(&places.usb, "1-1:1.2", &[], &["tty/ttyOfNobody0"]);
        let found = boards(&places, &Stop::default());
        let said: Vec<_> = found.iter().map(|it| it.address().unwrap_or("")).collect();
        let expected =
            ["OfNobody0", "OfNobody1", "USB7"].map(|it| format!("serial:///dev/tty{it}"));
        assert_eq!(said, expected);
        assert!(matches!(&found[0], Found::Board { by: "USB serial", hello: Err(_), .. }));
        assert!(matches!(&found[1], Found::Adapter { product, .. } if product == "something else"));
        assert!(matches!(&found[2], Found::Adapter { product, .. } if product == "10c4:ea60"));
        assert!(only_board(&places, &Stop::default()).is_err());
    }

    #[test]
    fn a_board_that_waits_for_an_image_is_a_drive_or_could_be_one() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        let boots = [("idVendor", "2e8a"), ("idProduct", "0003"), ("product", "RP2 Boot")];
        plug(&places.usb, "1-4", &boots, &[]);
        assert!(matches!(boards(&places, &Stop::default())[..], [Found::Unmounted]));
        fs::write(dir.path().join("INFO_UF2.TXT"), "Board-ID: RPI-RP2\n").unwrap();
        let mount = format!("/dev/sda1 {} vfat rw 0 0\n", dir.path().display());
        fs::write(&places.mounts, mount).unwrap();
        let found = boards(&places, &Stop::default());
        assert!(matches!(&found[..], [Found::Drive(drive)] if drive.chip == Chip::Rp2040));
    }

    #[test]
    fn without_usb_nothing_is_found() {
        let dir = tempfile::tempdir().unwrap();
        assert!(boards(&places(dir.path()), &Stop::default()).is_empty());
    }
}
