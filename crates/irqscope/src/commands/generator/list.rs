// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator list`: the boards that are there, and what to type next.

use irqscope_quantity::{Column, aligned};
use irqscope_rig::Stop;
use irqscope_rig::find::{Found, Places, boards};

use crate::commands::Done;
use crate::exit::Exit;

const NOTHING: &str = "\
no board is found. Check that
  - its cable carries data (many only charge), and `lsusb` shows the board;
  - it has irqscope's image: hold BOOTSEL while you plug it in, then irqscope generator flash;
  - a board behind a serial adapter has its pins 1 to 3 joined to it: \
irqscope generator status --connect serial:///dev/ttyUSB0;
  - a board on Ethernet is in this network, and multicast DNS (UDP port 5353) is not filtered
";

pub fn list(stop: &Stop) -> Done {
    let found = boards(&Places::default(), stop);
    if found.is_empty() {
        print!("{NOTHING}");
        return Ok(Exit::Fine);
    }
    let mut rows = vec![["address", "kind", "firmware", "chip", "next"].map(str::to_owned)];
    rows.extend(found.iter().map(row));
    print!("{}", aligned(&rows, &[Column::Words]));
    Ok(Exit::Fine)
}

fn row(found: &Found) -> [String; 5] {
    let chip = found.chip().map_or("?", |chip| chip.name()).to_owned();
    let address = found.address().unwrap_or("-").to_owned();
    let (address, kind, firmware, next) = match found {
        Found::Board { by, hello: Ok(hello), .. } => {
            let next = format!("irqscope run board --connect {address}");
            (address, (*by).to_owned(), hello.tool_version.clone(), next)
        }
        Found::Board { by, hello: Err(error), .. } => {
            (address, (*by).to_owned(), "?".to_owned(), error.to_string().replace('\n', ";"))
        }
        Found::Drive(drive) => {
            let place = drive.path.display().to_string();
            let next = format!("irqscope generator flash --to '{place}'");
            (place, "boot drive".to_owned(), "none".to_owned(), next)
        }
        Found::Unmounted => {
            let next = "mount its boot drive, then irqscope generator flash".to_owned();
            (address, "in its boot ROM".to_owned(), "none".to_owned(), next)
        }
        Found::Adapter { product, .. } => {
            let next =
                format!("if a board is wired to it: irqscope generator status --connect {address}");
            (address, product.clone(), "not asked".to_owned(), next)
        }
    };
    [address, kind, firmware, chip, next]
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_rig::flash::{BootDrive, Chip};

    #[test]
    fn each_board_says_what_to_type_next() {
        let drive = Found::Drive(BootDrive { path: "/media/RPI-RP2".into(), chip: Chip::Rp2040 });
        let adapter = Found::Adapter {
            address: "serial:///dev/ttyUSB0".into(),
            product: "CP2102 USB to UART".into(),
        };
        let rows = [row(&drive), row(&adapter)];
        let text = aligned(&rows, &[Column::Words]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("RP2040  irqscope generator flash --to '/media/RPI-RP2'"));
        assert!(lines[1].ends_with("--connect serial:///dev/ttyUSB0"));
        assert_eq!(lines[0].find("RP2040"), lines[1].find("?  "));
    }
}
