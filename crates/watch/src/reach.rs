// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The last stage of a chain: a function of a program, or a static probe in it.
//!
//! Static probes (USDT) are what `DTRACE_PROBE()` of `<sys/sdt.h>` leaves in a program: an instruction
//! that does nothing, and a note of ELF that says where it is. The notes' format is SystemTap's
//! (<https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation>).

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{FileHeader64, PT_LOAD};
use object::read::elf::{FileHeader as _, Note, ProgramHeader as _, SectionHeader as _};

use crate::WatchError;

/// The notes' owner and type.
const OWNER: &[u8] = b"stapsdt";
const PROBE: u32 = 3;
/// Three addresses come first: the probe's, the section's below at that time, and the semaphore's.
const WORD: usize = 8;
/// Holds no data: it shows by how much a tool has moved the file's addresses since.
const BASE: &[u8] = b".stapsdt.base";
/// A program is read as a whole, and is no longer than this.
const LONGEST: u64 = 1 << 30;

/// The last stage: a place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The file that has it.
    pub program: PathBuf,
    /// The place in it.
    pub place: Place,
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The first instruction of the function of this name.
    Function(String),
    /// A static probe.
    Probe {
        /// The name under which the program groups its probes.
        provider: String,
        /// Its own name.
        name: String,
    },
}

impl Reach {
    /// Parses `/usr/bin/app:on_packet`, or `usdt:/usr/bin/app:provider:name`.
    ///
    /// # Errors
    /// There are too few colons, or nothing beside one of them.
    pub fn parse(text: &str) -> Result<Reach, WatchError> {
        let unknown = || {
            let why = "is no function of a program; write /usr/bin/app:function, or \
                       usdt:/usr/bin/app:provider:name";
            WatchError::Unknown(format!("`{text}` {why}"))
        };
        let (rest, last) = text.rsplit_once(':').ok_or_else(unknown)?;
        let (program, place) = match rest.strip_prefix("usdt:") {
            None => (rest, Place::Function(last.into())),
            Some(rest) => {
                let (program, provider) = rest.rsplit_once(':').ok_or_else(unknown)?;
                let probe = Place::Probe { provider: provider.into(), name: last.into() };
                if provider.is_empty() {
                    return Err(unknown());
                }
                (program, probe)
            }
        };
        match program.is_empty() || last.is_empty() {
            true => Err(unknown()),
            false => Ok(Reach { program: program.into(), place }),
        }
    }

    /// Formats the place: `on_packet`, `provider:name`.
    pub fn name(&self) -> String {
        match &self.place {
            Place::Function(name) => name.clone(),
            Place::Probe { provider, name } => format!("{provider}:{name}"),
        }
    }
}

/// A static probe of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Site {
    provider: String,
    name: String,
    /// In the file.
    offset: u64,
    /// The address at which the program counts the tracers of the probe; 0: it is always on.
    semaphore: u64,
}

/// Returns the offsets in the file of a static probe: one for each place of the source that has it.
///
/// # Errors
/// In words: the file cannot be read, has no such probe, or one that its program switches off.
pub fn offsets(program: &Path, provider: &str, name: &str) -> Result<Vec<u64>, String> {
    let mut file = Vec::new();
    let read = File::open(program).and_then(|from| from.take(LONGEST).read_to_end(&mut file));
    read.map_err(|error| error.to_string())?;
    let all = sites(&file).ok_or("it is no 64-bit ELF file, or a damaged one")?;
    let (found, others): (Vec<Site>, Vec<Site>) =
        all.into_iter().partition(|site| site.provider == provider && site.name == name);
    if found.is_empty() {
        return Err(absent(&others));
    }
    // perf_event_open() would count it up, but the library does not ask for that.
    if found.iter().any(|site| site.semaphore != 0) {
        return Err("the program skips this probe unless a tracer has counted up its semaphore: \
                    name a function instead"
            .into());
    }
    Ok(found.into_iter().map(|site| site.offset).collect())
}

fn absent(others: &[Site]) -> String {
    let mut names: Vec<String> =
        others.iter().map(|site| format!("{}:{}", site.provider, site.name)).collect();
    names.sort();
    names.dedup();
    match names.len() {
        0 => "it has no static probes".into(),
        1..=8 => format!("its static probes are {}", names.join(", ")),
        more => format!("its {more} static probes begin with {}", names[..8].join(", ")),
    }
}

/// Returns all static probes of a file; `None` if it is no program, or a damaged one.
fn sites(file: &[u8]) -> Option<Vec<Site>> {
    let header = FileHeader64::<Endianness>::parse(file).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, file).ok()?;
    let base = sections.section_by_name(endian, BASE).map(|(_, base)| base.sh_addr(endian));
    let programs = header.program_headers(endian, file).ok()?;
    let offset = |address: u64| {
        let loaded = programs.iter().filter(|program| program.p_type(endian) == PT_LOAD);
        loaded.filter_map(move |program| {
            let within = address.checked_sub(program.p_vaddr(endian))?;
            let inside = within < program.p_filesz(endian);
            inside.then(|| program.p_offset(endian).checked_add(within))?
        })
    };
    let mut all = Vec::new();
    for section in sections.iter() {
        let Some(mut notes) = section.notes(endian, file).ok()? else { continue };
        while let Some(note) = notes.next().ok()? {
            let Some((addresses, provider, name)) = fields(endian, &note) else { continue };
            let [at, base_then, semaphore] = addresses;
            let moved = base.unwrap_or(base_then).wrapping_sub(base_then);
            let offset = offset(at.wrapping_add(moved)).next()?;
            all.push(Site { provider, name, offset, semaphore });
        }
    }
    Some(all)
}

/// Returns the addresses, provider and name of a note; `None` if it is no static probe's.
fn fields(
    endian: Endianness,
    note: &Note<'_, FileHeader64<Endianness>>,
) -> Option<([u64; 3], String, String)> {
    if note.name() != OWNER || note.n_type(endian) != PROBE {
        return None;
    }
    let (words, texts) = note.desc().split_at_checked(3 * WORD)?;
    let word = |index: usize| {
        let bytes = words[index * WORD..][..WORD].try_into().ok()?;
        Some(match endian {
            Endianness::Little => u64::from_le_bytes(bytes),
            Endianness::Big => u64::from_be_bytes(bytes),
        })
    };
    let mut texts = texts.split(|byte| *byte == 0);
    let mut text = || String::from_utf8(texts.next()?.to_vec()).ok();
    Some(([word(0)?, word(1)?, word(2)?], text()?, text()?))
}

#[cfg(test)]
mod tests;
