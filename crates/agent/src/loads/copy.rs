// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copying a file in /tmp again and again.

use std::convert::Infallible;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::Worker;

const FILE_BYTES: usize = 4 << 20;
const CHUNK_BYTES: usize = 64 << 10;

pub fn workers() -> Result<Vec<Worker>, String> {
    let text = |error| format!("a file in {}: {error}", std::env::temp_dir().display());
    let (from, to) = (scratch("from").map_err(text)?, scratch("to").map_err(text)?);
    Ok(vec![Box::new(move || copy_on(&from, &to).map_err(text))])
}

/// Makes a file that is unlinked at once, so that nothing stays behind whatever happens.
fn scratch(name: &str) -> io::Result<File> {
    let name = format!("irqscope-copy-{}-{name}", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    fs::remove_file(path)?;
    Ok(file)
}

fn copy_on(from: &File, to: &File) -> io::Result<Infallible> {
    let mut chunk: Vec<u8> = (0..CHUNK_BYTES).map(|byte| byte as u8).collect();
    let offsets = || (0..FILE_BYTES as u64).step_by(CHUNK_BYTES);
    offsets().try_for_each(|offset| from.write_all_at(&chunk, offset))?;
    loop {
        to.set_len(0)?; // new pages each time, as a copy to a new file takes
        for offset in offsets() {
            from.read_exact_at(&mut chunk, offset)?;
            to.write_all_at(&chunk, offset)?;
        }
        to.sync_data()?; // a disk takes part, where there is one
    }
}
