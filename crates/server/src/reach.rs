// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The generators that a client of the page may have this server connect to.
//!
//! The server opens nothing for a client that the client could not open itself: a path is an
//! oracle, and opening a device has effects; a connection from here may pass a firewall.

use axum::http::StatusCode;
use irqscope_rig::find::{Places, serial_lines};
use irqscope_rig::generator::Address;

use crate::api_error::{ApiError, Result};

/// The addresses that clients may name.
#[derive(Debug)]
pub struct Reach {
    /// Addresses of the command line.
    allowed: Vec<Address>,
    /// Clients are programs of this machine, which could connect to the same addresses.
    local: bool,
    places: Places,
}

impl Reach {
    pub fn new(allowed: Vec<Address>, local: bool) -> Self {
        Self { allowed, local, places: Places::default() }
    }

    /// Refuses an address that is neither of the command line nor a board's by its looks.
    pub fn check(&self, address: &str) -> Result<()> {
        let asked: Address = address.parse()?;
        let may = self.allowed.contains(&asked)
            || match &asked {
                Address::Tcp { secret_file, .. } => self.local && secret_file.is_none(),
                Address::Serial { path, .. } => serial_lines(&self.places).contains(path),
            };
        if may {
            return Ok(());
        }
        let what = match asked {
            Address::Tcp { .. } => "this server connects to generators of its command line alone",
            Address::Serial { .. } => "no board is found on a serial line of this name",
        };
        Err(ApiError::new(StatusCode::FORBIDDEN, "not_allowed", what)
            .with_remedy("start the server with: irqscope serve --allow ADDRESS"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Makes one where an adapter is plugged in.
    fn reach(usb: &Path, local: bool) -> Reach {
        let usb = usb.to_owned();
        let interface = usb.join("1-1/1-1:1.0");
        std::fs::create_dir_all(interface.join("tty/ttyACM3")).unwrap();
        for (file, text) in [("idVendor", "c0de"), ("idProduct", "cafe")] {
            std::fs::write(usb.join("1-1").join(file), text).unwrap();
        }
        let places = Places { usb, ..Places::default() };
        let allowed = vec!["board:7000".parse().unwrap(), "serial:///dev/ttyS0".parse().unwrap()];
        Reach { allowed, local, places }
    }

    #[test]
    fn nothing_is_opened_by_its_path_but_boards_and_what_was_allowed() {
        let usb = tempfile::tempdir().unwrap();
        for local in [true, false] {
            let may = |address: &str| reach(usb.path(), local).check(address).is_ok();
            assert!(may("serial:///dev/ttyACM3") && may("serial:///dev/ttyACM3?baud=9600"));
            assert!(may("serial:///dev/ttyS0") && may("board:7000") && may("tcp://board:7000"));
            for other in ["/dev/ttyS1", "/dev/watchdog", "/etc/passwd", "/dev/../dev/ttyACM3"] {
                assert!(!may(&format!("serial://{other}")), "{other}");
            }
        }
    }

    #[test]
    fn from_another_machine_only_allowed_addresses_are_reached() {
        let usb = tempfile::tempdir().unwrap();
        let reach = |local| reach(usb.path(), local);
        assert!(reach(true).check("127.0.0.1:7000").is_ok());
        assert!(reach(false).check("127.0.0.1:7000").is_err());
        assert!(reach(false).check("192.0.2.7:22").is_err());
    }
}
