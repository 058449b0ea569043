// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Series of patches that come with this program: each has a list of patches for every line of
//! kernels that it was made for.

use std::path::Path;

use include_dir::{Dir, include_dir};

use super::parts::Part;
use crate::error::{Result, RigError};

/// A series with the options that it is configured by.
pub(super) struct Series {
    /// Its name as a part of a kernel.
    pub name: &'static str,
    dir: Dir<'static>,
    /// Lines of kernels, each with its list of patches. A list may name patches beside it or, with
    /// `../`, those of the list above.
    lists: &'static [(&'static str, &'static str)],
    /// The reason why a kernel with PREEMPT_RT cannot have it.
    no_rt: &'static str,
}

/// The table of series, as they were when this program was built.
pub(super) static SERIES: [Series; 1] = [Series {
    name: "delayed-locking",
    dir: include_dir!("$CARGO_MANIFEST_DIR/../../kernel/delayed-locking"),
    lists: &[("6.1", "series"), ("6.12", "6.12/series")],
    no_rt: "spinlocks are preemptible there, so that putting them off gains nothing",
}];

impl Series {
    /// Finds a series by its name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SERIES.iter().find(|series| series.name == name)
    }

    /// Returns the fragments of its configuration, which are the same for every line.
    pub fn fragments(&self) -> impl Iterator<Item = Part> {
        self.dir.files().map(Part::of).filter(|part| part.name.ends_with(".config"))
    }

    /// Returns the patches for a line of kernels, in the order of its list.
    ///
    /// # Errors
    /// There are none for this line, or for PREEMPT_RT.
    pub fn patches(&self, line: Option<&str>, rt: bool) -> Result<Vec<Part>> {
        let Self { name, lists, no_rt, .. } = self;
        let known: Vec<&str> = lists.iter().map(|(line, _)| *line).collect();
        let newest = known.last().copied().unwrap_or_default();
        if rt {
            return Err(RigError::unready(
                format!("{name} is not for PREEMPT_RT: {no_rt}"),
                format!("leave it out, or take a stock kernel (source:{newest}+{name})"),
            ));
        }
        let list = lists.iter().find(|(known, _)| Some(*known) == line).map(|(_, list)| list);
        let Some(list) = list else {
            let asked = line.map_or("this source".to_owned(), |line| format!("Linux {line}"));
            return Err(RigError::unready(
                format!("{name} has no patches for {asked}, but for {}", known.join(" and ")),
                format!("name a source of such a line (source:{newest}+{name})"),
            ));
        };
        Ok(self.list(Path::new(list)))
    }

    fn list(&self, list: &Path) -> Vec<Part> {
        let text = self.dir.get_file(list).and_then(include_dir::File::contents_utf8);
        let beside = list.parent().unwrap_or(list);
        let files = text.unwrap_or_default().lines().map(str::trim).filter_map(|name| {
            match name.strip_prefix("../") {
                Some(above) => self.dir.get_file(above),
                None => self.dir.get_file(beside.join(name)),
            }
        });
        files.map(Part::of).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the paths of all patches in a directory and below it.
    fn patches(dir: &Dir<'_>) -> BTreeSet<String> {
        let below = dir.dirs().flat_map(patches);
        let here = dir.files().map(|file| Part::of(file).name);
        here.filter(|name| name.ends_with(".patch")).chain(below).collect()
    }

    #[test]
    fn every_line_of_a_list_is_a_patch_and_every_patch_is_in_a_list() {
        for series in &SERIES {
            let mut listed = BTreeSet::new();
            for (line, list) in series.lists {
                let found = series.patches(Some(line), false).unwrap();
                let text = series.dir.get_file(list).unwrap().contents_utf8().unwrap();
                assert!(found.len() == text.lines().count() && !found.is_empty(), "{line}");
                listed.extend(found.into_iter().map(|part| part.name));
            }
            assert_eq!(listed, patches(&series.dir), "{}", series.name);
        }
    }

    #[test]
    fn lines_share_patches_and_differ_in_others() {
        let series = Series::find("delayed-locking").unwrap();
        let of = |line| series.patches(Some(line), false).unwrap();
        let (old, new) = (of("6.1"), of("6.12"));
        assert!(old.iter().any(|part| new.contains(part)));
        assert!(old.iter().any(|part| !new.contains(part)));
    }

    #[test]
    fn a_line_without_patches_is_refused_with_those_that_have_some() {
        let series = Series::find("delayed-locking").unwrap();
        let error = |line, rt| series.patches(line, rt).unwrap_err().to_string();
        assert!(
            error(Some("5.10"), false).contains("no patches for Linux 5.10, but for 6.1 and 6.12")
        );
        assert!(error(None, false).contains("no patches for this source"));
        assert!(error(Some("6.12"), true).contains("not for PREEMPT_RT"));
    }
}
