// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loads that a search mixes.

/// stress-ng's stressors, one in a line with the options that change its size.
const STRESSORS: &str = include_str!("stressors.txt");

/// A load that can be part of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// One of the tool's own.
    Bundled(String),
    /// One that the scenario brings, by its name, with its table.
    Own(String, toml::Table),
    /// One of stress-ng's stressors.
    Stressor {
        /// Its name, which is its option, too.
        name: String,
        /// The options that change its size.
        sizes: Vec<Size>,
    },
}

/// An option of a stressor that changes its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The option, `--vm-bytes`.
    pub option: String,
    /// Its values, the smallest first.
    pub values: Vec<String>,
}

impl Source {
    /// Returns the name by which it is chosen: `exec`, `logger`, `stress-ng:vm`.
    pub fn name(&self) -> String {
        match self {
            Self::Bundled(name) | Self::Own(name, _) => name.clone(),
            Self::Stressor { name, .. } => format!("stress-ng:{name}"),
        }
    }

    /// Returns the options that change its size.
    pub fn sizes(&self) -> &[Size] {
        match self {
            Self::Stressor { sizes, .. } => sizes,
            _ => &[],
        }
    }
}

/// All loads that a search may mix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pool {
    /// The loads; a mixture names them by their places.
    pub sources: Vec<Source>,
}

impl Pool {
    /// Makes a pool of the tool's loads, those of a scenario, and stress-ng's stressors.
    pub fn new<'a>(
        bundled: impl IntoIterator<Item = &'a str>,
        own: impl IntoIterator<Item = (String, toml::Table)>,
    ) -> Self {
        let bundled = bundled.into_iter().map(|name| Source::Bundled(name.to_owned()));
        let own = own.into_iter().map(|(name, table)| Source::Own(name, table));
        let stressors = STRESSORS.lines().filter_map(stressor);
        Self { sources: bundled.chain(own).chain(stressors).collect() }
    }

    /// Keeps the loads of these names only.
    ///
    /// # Errors
    /// A name that no load has.
    pub fn keep(&mut self, names: &[String]) -> Result<(), String> {
        let unknown = |name: &&String| self.sources.iter().all(|source| source.name() != **name);
        if let Some(name) = names.iter().find(unknown) {
            return Err(name.clone());
        }
        self.sources.retain(|source| names.contains(&source.name()));
        Ok(())
    }
}

/// Reads `name option=kind …`; `#` begins a comment.
fn stressor(line: &str) -> Option<Source> {
    let mut words = line.split('#').next()?.split_whitespace();
    let name = words.next()?.to_owned();
    let sizes = words.filter_map(|word| {
        let (option, kind) = word.split_once('=')?;
        let values: &[&str] = match kind {
            "bytes" => &["64K", "1M", "8M", "64M", "256M"],
            _ => &["2", "16", "128", "1024", "16384"],
        };
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Some(Size { option: format!("--{option}"), values })
    });
    Some(Source::Stressor { sizes: sizes.collect(), name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_stressor_with_its_options() {
        let pool = Pool::new(["exec"], []);
        assert!(pool.sources.len() > 200);
        let vm = pool.sources.iter().find(|source| source.name() == "stress-ng:vm").unwrap();
        assert_eq!(vm.sizes()[0].option, "--vm-bytes");
        let mut names: Vec<String> = pool.sources.iter().map(Source::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), pool.sources.len(), "a name is there twice");
    }

    #[test]
    fn only_known_names_are_kept() {
        let mut pool = Pool::new(["exec", "copy"], []);
        assert_eq!(pool.keep(&["rain".to_owned()]), Err("rain".to_owned()));
        pool.keep(&["copy".to_owned()]).unwrap();
        assert_eq!(pool.sources, [Source::Bundled("copy".to_owned())]);
    }
}
