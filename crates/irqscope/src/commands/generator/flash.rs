// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator flash`: an image onto a board.

use std::path::Path;

use irqscope_rig::find::Places;
use irqscope_rig::flash::{self, BootDrive, Flashed, Image, boot_drives};
use irqscope_rig::{Part, RigError, Stop};

use crate::cli::Tool;
use crate::commands::Done;
use crate::exit::{Exit, Trouble};

pub fn flash(image: Option<&Path>, to: Option<&Path>, with: Option<Tool>, stop: &Stop) -> Done {
    let flashed = match (with, to) {
        (Some(tool), _) => by_tool(image, tool.into(), stop)?,
        (None, Some(dir)) => to_drive(image, &BootDrive::at(dir)?)?,
        (None, None) => match &boot_drives(&Places::default().mounts)[..] {
            [one] => to_drive(image, one)?,
            [] => without_drive(image, stop)?,
            more => {
                let places: Vec<String> =
                    more.iter().map(|drive| drive.path.display().to_string()).collect();
                let text = format!("several boot drives are mounted: {}", places.join(", "));
                return Err(Trouble::new(Exit::Usage, text).with_note("say which one: --to DIR"));
            }
        },
    };
    let Flashed { chip, image, bytes, to } = flashed;
    println!("{}: {bytes} bytes of flash for {}, by {to}", image.display(), chip.name());
    println!("the board starts it now; irqscope generator list shows where it is");
    Ok(Exit::Fine)
}

fn to_drive(image: Option<&Path>, drive: &BootDrive) -> Result<Flashed, RigError> {
    let path = image.map_or_else(|| Part::Firmware(drive.chip).find(), |path| Ok(path.into()))?;
    flash::to_drive(&Image::read(&path)?, drive)
}

fn by_tool(image: Option<&Path>, tool: flash::Tool, stop: &Stop) -> Result<Flashed, Trouble> {
    let Some(image) = image else {
        let text = format!("{} does not say which chip it will find: give --image", tool.name());
        return Err(Trouble::new(Exit::Usage, text));
    };
    Ok(flash::by_tool(&Image::read(image)?, tool, stop)?)
}

/// Flashes with a probe's program, if one is installed.
fn without_drive(image: Option<&Path>, stop: &Stop) -> Result<Flashed, Trouble> {
    match flash::Tool::ALL.into_iter().find(|tool| tool.is_there()) {
        Some(tool) => by_tool(image, tool, stop),
        None => {
            let text = "no boot drive is mounted, and neither picotool nor probe-rs is installed";
            let note = "remedy: hold BOOTSEL while the board is plugged in, mount the drive that \
                        appears (RPI-RP2 or RP2350), and run this again";
            Err(Trouble::new(Exit::Usage, text).with_note(note))
        }
    }
}

impl From<Tool> for flash::Tool {
    fn from(tool: Tool) -> Self {
        match tool {
            Tool::Picotool => flash::Tool::Picotool,
            Tool::ProbeRs => flash::Tool::ProbeRs,
        }
    }
}
