// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Root file systems that loads bring: a container's, say. The load sees it as its `/`, with this machine's
//! processes, devices and kernel settings below `/proc`, `/dev` and `/sys`.

use std::fs;
use std::path::Path;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{chdir, chroot};

/// Its place in a load's directory.
const ROOT: &str = "root";
/// Where the load's files lie in it, and where it runs if it has some.
pub const FILES: &str = "/load";
const MACHINES: [&str; 3] = ["proc", "sys", "dev"];

/// Moves this process, which has to have one thread, into the root file system in a load's directory. Its mounts
/// are in a mount namespace of its own, and end with it.
///
/// # Errors
/// In words: there is none, or this process is not root's.
pub fn enter(dir: &Path) -> Result<(), String> {
    let root = dir.join(ROOT);
    if !root.is_dir() {
        return Err("its root file system did not come along".into());
    }
    let tried =
        |what: &str, done: nix::Result<()>| done.map_err(|error| format!("{what}: {error}"));
    tried("a mount namespace of its own", unshare(CloneFlags::CLONE_NEWNS))?;
    let none = None::<&str>;
    // A mount that is made here is seen by no other process.
    let apart = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    tried("a private /", mount(none, "/", none, apart, none))?;
    for name in MACHINES {
        let (from, place) = (Path::new("/").join(name), root.join(name));
        fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
        let bound = mount(Some(&from), &place, none, MsFlags::MS_BIND | MsFlags::MS_REC, none);
        tried(&format!("/{name} in its root file system"), bound)?;
    }
    tried("chroot", chroot(&root))?;
    let place = if Path::new(FILES).is_dir() { FILES } else { "/" };
    tried("its directory", chdir(place))
}
