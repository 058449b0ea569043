// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernel's messages since the log was opened.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;

use nix::libc;

/// A reader of /dev/kmsg; silent where that may not be read.
#[derive(Debug)]
pub struct KernelLog(Option<File>);

impl KernelLog {
    /// Listens from now on.
    pub fn open() -> KernelLog {
        let mut options = File::options();
        let file = options.read(true).custom_flags(libc::O_NONBLOCK).open("/dev/kmsg");
        KernelLog(file.ok().and_then(|mut file| file.seek(SeekFrom::End(0)).ok().map(|_| file)))
    }

    /// Returns the last line that contains `word` since the last call.
    pub fn last_line(&mut self, word: &str) -> Option<String> {
        let file = self.0.as_mut()?;
        let mut last = None;
        let mut record = [0; 8192]; // one read returns one record
        loop {
            match file.read(&mut record) {
                Ok(0) => return last,
                Ok(length) => last = message(&record[..length], word).or(last),
                // Overwritten before it was read: go on with the oldest one.
                Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
                Err(_) => return last,
            }
        }
    }
}

/// Extracts a message: `6,339,5140900,-;irqscope: text\n KEY=value` becomes `irqscope: text`.
fn message(record: &[u8], word: &str) -> Option<String> {
    let text = String::from_utf8_lossy(record);
    let line = text.split_once(';')?.1.lines().next()?;
    line.contains(word).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_becomes_its_first_line() {
        let record = b"3,339,5140900,-;irqscope: cpu 9 is not online\n SUBSYSTEM=misc\n";
        assert_eq!(message(record, "irqscope"), Some("irqscope: cpu 9 is not online".into()));
        assert_eq!(message(record, "usb"), None);
        assert_eq!(message(b"garbage", "g"), None);
    }
}
