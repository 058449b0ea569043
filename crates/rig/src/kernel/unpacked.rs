// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel out of its compressed image. An emulated machine takes longer to unpack a kernel than to
//! boot it: of 11.2 s until Debian's 6.1 looks for its root 6.1 s, and of 12.3 s of 5.10 7.5 s.
//!
//! The image's format is that of Documentation/arch/x86/boot.rst (boot protocol 2.08 and later); QEMU
//! enters the kernel itself where it has a note for that (Xen's PVH, Documentation/arch/x86/ and
//! xen/include/public/elfnote.h; `CONFIG_PVH`, on in all kernels of Debian).

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::LittleEndian;
use object::elf::{FileHeader64, NoteType};
use object::read::elf::{FileHeader as _, ProgramHeader as _};

use super::Kernel;
use crate::arch::Arch;
use crate::cache;
use crate::error::{Result, RigError, Trying};

/// The offsets of fields in a compressed image.
const SETUP_SECTORS: usize = 0x1f1;
const MAGIC: usize = 0x202;
const PAYLOAD_OFFSET: usize = 0x248;
const PAYLOAD_LENGTH: usize = 0x24c;
/// The address at which a machine of 32 bits enters the kernel (`XEN_ELFNOTE_PHYS32_ENTRY`).
const ENTRY_NOTE: NoteType = NoteType(18);
/// Blocks of zeros of this length are not written.
const BLOCK: usize = 4096;

impl Kernel {
    /// Returns the image that a guest boots soonest: the kernel itself, kept in the cache, or the
    /// compressed image where there is no other.
    ///
    /// # Errors
    /// A program that unpacks it is missing; the cache cannot be written.
    pub(crate) fn boots(&self, say: &dyn Fn(&str)) -> Result<PathBuf> {
        if self.arch() != Arch::X86_64 || !self.has("PVH") {
            return Ok(self.image.clone());
        }
        let what = || format!("cannot read {}", self.image.display());
        let (_, digest) = cache::content(&self.image).trying(what)?;
        let dir = cache::root()?.join("images").join(&digest[..32]);
        if !cache::is_whole(&dir, say)? {
            let _alone = cache::only_one(&dir)?;
            let image = std::fs::read(&self.image).trying(what)?;
            let kernel = unpacked(&image)?;
            cache::make_dir(&dir, |made| match &kernel {
                Some(kernel) => write(kernel, &made.join(NAME)),
                // So that it is not tried again.
                None => Ok(()),
            })?;
        }
        let file = dir.join(NAME);
        Ok(if file.exists() { file } else { self.image.clone() })
    }
}

/// The kernel's name in its entry.
const NAME: &str = "vmlinux";

/// Returns the kernel in a compressed image; `None` where QEMU could not enter it, or where it is
/// compressed in another way than Debian's.
fn unpacked(image: &[u8]) -> Result<Option<Vec<u8>>> {
    let Some(payload) = payload(image) else { return Ok(None) };
    // mkpiggy reads the kernel's length behind it: gzip ends with it, behind the others it is appended.
    let packed = &payload[..payload.len().saturating_sub(4)];
    let kernel = match payload {
        [0x1f, 0x8b, ..] => {
            let mut kernel = Vec::new();
            let read = flate2::read::GzDecoder::new(payload).read_to_end(&mut kernel);
            read.is_ok().then_some(kernel)
        }
        [0xfd, b'7', b'z', b'X', b'Z', ..] => filtered("xz", "xz-utils", packed)?,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => filtered("zstd", "zstd", packed)?,
        _ => None,
    };
    Ok(kernel.filter(|kernel| entry_note(kernel).is_some()))
}

/// Returns the compressed kernel with its length behind it.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| Some(u32::from_le_bytes(image.get(at..at + 4)?.try_into().ok()?));
    if image.get(MAGIC..MAGIC + 4)? != b"HdrS" {
        return None;
    }
    let sectors = match image.get(SETUP_SECTORS)? {
        0 => 4,
        sectors => usize::from(*sectors),
    };
    let begin = (sectors + 1) * 512 + usize::try_from(word(PAYLOAD_OFFSET)?).ok()?;
    let length = usize::try_from(word(PAYLOAD_LENGTH)?).ok()?;
    image.get(begin..begin.checked_add(length)?)
}

/// Passes bytes through a program that unpacks them. Returns `None` for what it cannot unpack.
fn filtered(program: &str, package: &str, packed: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut command = Command::new(program);
    command.arg("-dc").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| {
        RigError::unready(
            format!("cannot run {program}, which unpacks kernels: {error}"),
            format!("install it: apt-get install {package}"),
        )
    })?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let mut kernel = Vec::new();
    let read = std::thread::scope(|scope| {
        // A program that ends early is seen by its status.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(packed)));
        stdout.map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut kernel))
    });
    let status = child.wait().trying(|| format!("cannot wait for {program}"))?;
    Ok((read.is_ok() && status.success()).then_some(kernel))
}

/// Finds the note of a kernel that says where QEMU is to enter it.
fn entry_note(kernel: &[u8]) -> Option<()> {
    let header = FileHeader64::<LittleEndian>::parse(kernel).ok()?;
    let endian = header.endian().ok()?;
    for program in header.program_headers(endian, kernel).ok()? {
        let Some(mut notes) = program.notes(endian, kernel).ok()? else { continue };
        while let Some(note) = notes.next().ok()? {
            if note.name() == b"Xen" && note.n_type(endian) == ENTRY_NOTE {
                return Some(());
            }
        }
    }
    None
}

/// Writes a file without its blocks of zeros: a third of a kernel's.
fn write(kernel: &[u8], path: &Path) -> Result<()> {
    let written = File::create(path).and_then(|mut file| {
        for block in kernel.chunks(BLOCK) {
            if block.iter().all(|byte| *byte == 0) {
                file.seek(SeekFrom::Current(block.len() as i64))?;
            } else {
                file.write_all(block)?;
            }
        }
        file.set_len(kernel.len() as u64)
    });
    written.trying(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes an image around a payload, as mkpiggy and build.c do.
    fn image(payload: &[u8]) -> Vec<u8> {
        let mut image = vec![0; 3 * 512];
        image[SETUP_SECTORS] = 1;
        image[MAGIC..MAGIC + 4].copy_from_slice(b"HdrS");
        image[PAYLOAD_OFFSET..PAYLOAD_OFFSET + 4].copy_from_slice(&512_u32.to_le_bytes());
        let length = u32::try_from(payload.len()).unwrap();
        image[PAYLOAD_LENGTH..PAYLOAD_LENGTH + 4].copy_from_slice(&length.to_le_bytes());
        [&image, payload].concat()
    }

    fn gzip(kernel: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(kernel).unwrap();
        packed.finish().unwrap()
    }

    /// Makes an ELF file of 64 bits with one note of Xen's.
    fn elf(kind: u32) -> Vec<u8> {
        let mut file = vec![0; 64 + 56];
        file[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1]);
        file[32] = 64; // e_phoff
        file[54] = 56; // e_phentsize
        file[56] = 1; // e_phnum
        file[64] = 4; // PT_NOTE
        file[64 + 8] = 120; // p_offset
        file[64 + 32] = 20; // p_filesz
        file[64 + 48] = 4; // p_align
        let words = [4_u32, 4, kind].map(u32::to_le_bytes).concat();
        [file, words, b"Xen\0".to_vec(), vec![0; 4]].concat()
    }

    #[test]
    fn a_kernel_is_unpacked_from_each_compression() {
        let kernel = elf(ENTRY_NOTE.0);
        let xz = filtered_as("xz", &["-c"], &kernel);
        let zstd = filtered_as("zstd", &["-c"], &kernel);
        let with_length = |packed: Vec<u8>| [packed, vec![1, 2, 3, 4]].concat();
        for payload in [gzip(&kernel), with_length(xz), with_length(zstd)] {
            assert_eq!(unpacked(&image(&payload)).unwrap(), Some(kernel.clone()));
        }
    }

    fn filtered_as(program: &str, options: &[&str], bytes: &[u8]) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Command::new(program).args(options).arg(file.path()).output().unwrap().stdout
    }

    #[test]
    fn a_payload_is_found_and_never_beyond_the_image() {
        let whole = image(b"payload");
        assert_eq!(payload(&whole), Some(&b"payload"[..]));
        for length in 0..whole.len() {
            assert_eq!(payload(&whole[..length]), None, "{length}");
        }
        let mut wrong = whole;
        wrong[PAYLOAD_LENGTH..PAYLOAD_LENGTH + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(payload(&wrong), None);
        assert_eq!(payload(b"no image"), None);
    }

    #[test]
    fn what_cannot_be_entered_or_unpacked_is_not_booted_so() {
        assert_eq!(unpacked(&image(b"BZh91AY")).unwrap(), None, "another compression");
        assert_eq!(unpacked(&image(&[0x1f, 0x8b, 1, 2, 3])).unwrap(), None, "damaged");
        assert_eq!(unpacked(&image(&gzip(b"no ELF"))).unwrap(), None, "no kernel");
        let other = elf(ENTRY_NOTE.0 + 1);
        assert_eq!(unpacked(&image(&gzip(&other))).unwrap(), None, "another note");
        assert_eq!(filtered("xz", "xz-utils", b"no xz").unwrap(), None);
        let absent = filtered("no-such-program", "its-package", b"").unwrap_err();
        assert!(absent.to_string().contains("no-such-program"), "{absent}");
    }

    #[test]
    fn zeros_take_no_room_and_are_read_all_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let kernel = [vec![7; 10_000], vec![0; 100_000], vec![9], vec![0; 50_000]].concat();
        let path = dir.path().join("kernel");
        write(&kernel, &path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), kernel);
    }
}
