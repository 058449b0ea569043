// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unpacking of Debian's packages. Nothing is installed: scripts of packages are not run.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Result, RigError, Trying};

/// Unpacks packages over each other into a directory, without the members that match a pattern of
/// `left_out` (`./usr/share/doc`). tar keeps links to directories, as `lib` is one to `usr/lib` in
/// some roots; dpkg-deb alone would replace them by directories.
pub(crate) fn unpack(debs: &[impl AsRef<Path>], into: &Path, left_out: &[String]) -> Result<()> {
    std::fs::create_dir_all(into).trying(|| format!("cannot create {}", into.display()))?;
    debs.iter().try_for_each(|deb| unpack_one(deb.as_ref(), into, left_out))
}

fn unpack_one(deb: &Path, into: &Path, left_out: &[String]) -> Result<()> {
    let what = || format!("cannot unpack {}", deb.display());
    let mut dpkg = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .trying(|| "cannot run dpkg-deb (package dpkg)".into())?;
    let archive =
        dpkg.stdout.take().ok_or_else(|| std::io::Error::other("no pipe")).trying(what)?;
    let mut tar = Command::new("tar");
    tar.args(["-x", "--keep-directory-symlink", "--no-same-owner", "-C"]).arg(into);
    tar.args(left_out.iter().map(|pattern| format!("--exclude={pattern}")));
    let unpacked = tar.stdin(archive).output().trying(|| "cannot run tar".into());
    // Without its reader dpkg-deb ends by itself.
    let packed = dpkg.wait().trying(what)?;
    let unpacked = unpacked?;
    if !packed.success() {
        let remedy = "name a whole package of Debian's; one in the cache is fetched anew once its \
                      entry is removed (irqscope cache list, irqscope cache clean)";
        return Err(RigError::unready(format!("{}: it is no package", what()), remedy));
    }
    if !unpacked.status.success() {
        let words = String::from_utf8_lossy(&unpacked.stderr).trim().to_owned();
        return Err(RigError::unready(format!("{}: {words}", what()), "make room, and try again"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_package_goes_where_links_lead_and_without_what_is_left_out() {
        let place = tempfile::tempdir().unwrap();
        let [tree, root] = ["tree", "root"].map(|name| place.path().join(name));
        for (file, text) in [
            (
                "DEBIAN/control",
                "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: a\n",
            ),
            ("lib/program", "text"),
            ("usr/share/doc/a", "text"),
        ] {
            fs::create_dir_all(tree.join(file).parent().unwrap()).unwrap();
            fs::write(tree.join(file), text).unwrap();
        }
        let deb = place.path().join("a.deb");
        let made = Command::new("dpkg-deb").arg("-b").args([&tree, &deb]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        fs::create_dir_all(root.join("usr/lib")).unwrap();
        symlink("usr/lib", root.join("lib")).unwrap();
        unpack(&[&deb], &root, &["./usr/share/doc".into()]).unwrap();
        assert!(root.join("usr/lib/program").is_file() && !root.join("usr/share/doc").exists());

        fs::write(&deb, "nothing").unwrap();
        let error = unpack(&[&deb], &root, &[]).unwrap_err().to_string();
        assert!(error.contains("a.deb: it is no package"), "{error}");
    }
}
