// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loads that a search mixes.

/// stress-ng's stressors, one in a line with the options that change its size.
const STRESSORS: &str = include_str!("stressors.txt");

/// System calls, one load in a line with the values of its arguments.
const CALLS: &str = include_str!("calls.txt");

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
    /// System calls that are made in their order again and again.
    Calls {
        /// The name by which they are chosen.
        name: String,
        /// The calls; `<bytes>` stands for a value of the size whose option is `bytes`.
        calls: Vec<String>,
        /// The arguments that have several values.
        sizes: Vec<Size>,
    },
}

/// An option of a stressor that changes its size, or an argument of system calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The option, `--vm-bytes`, or the argument, `bytes`.
    pub option: String,
    /// Its values, the smallest first.
    pub values: Vec<String>,
}

impl Source {
    /// Returns the name by which it is chosen: `exec`, `logger`, `stress-ng:vm`, `call:munmap`.
    pub fn name(&self) -> String {
        match self {
            Self::Bundled(name) | Self::Own(name, _) => name.clone(),
            Self::Stressor { name, .. } => format!("stress-ng:{name}"),
            Self::Calls { name, .. } => format!("call:{name}"),
        }
    }

    /// Returns the options that change its size, or the arguments that have several values.
    pub fn sizes(&self) -> &[Size] {
        match self {
            Self::Stressor { sizes, .. } | Self::Calls { sizes, .. } => sizes,
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
    /// Makes a pool of the tool's loads, those of a scenario, stress-ng's stressors, and system calls.
    pub fn new<'a>(
        bundled: impl IntoIterator<Item = &'a str>,
        own: impl IntoIterator<Item = (String, toml::Table)>,
    ) -> Self {
        let bundled = bundled.into_iter().map(|name| Source::Bundled(name.to_owned()));
        let own = own.into_iter().map(|(name, table)| Source::Own(name, table));
        let stressors = STRESSORS.lines().filter_map(stressor);
        let calls = CALLS.lines().filter_map(calls);
        Self { sources: bundled.chain(own).chain(stressors).chain(calls).collect() }
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

/// Returns calls with a value for each argument: the chosen one, or the first.
pub(crate) fn with_values(
    calls: &[String],
    sizes: &[Size],
    chosen: &[Option<usize>],
) -> Vec<String> {
    let with = |call: String, (size, chosen): (&Size, &Option<usize>)| {
        call.replace(&format!("<{}>", size.option), &size.values[chosen.unwrap_or(0)])
    };
    calls.iter().map(|call| sizes.iter().zip(chosen).fold(call.clone(), with)).collect()
}

/// Reads `name argument=value,value … : call; call; …`; `#` begins a comment at the begin of a line.
fn calls(line: &str) -> Option<Source> {
    let (head, calls) = line.split_once(" : ").filter(|_| !line.starts_with('#'))?;
    let mut words = head.split_whitespace();
    let name = words.next()?.to_owned();
    let sizes = words.filter_map(|word| {
        let (argument, values) = word.split_once('=')?;
        let values = values.split(',').map(str::to_owned).collect();
        Some(Size { option: argument.to_owned(), values })
    });
    let calls = calls.split(';').map(|call| call.trim().to_owned()).collect();
    Some(Source::Calls { name, sizes: sizes.collect(), calls })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_calls_can_be_read_with_any_of_its_values() {
        let read: Vec<Source> = CALLS.lines().filter_map(calls).collect();
        let lines = CALLS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert!(read.len() == lines.count() && read.len() > 50);
        for source in &read {
            let Source::Calls { calls, sizes, .. } = source else { panic!("{source:?}") };
            let most = sizes.iter().map(|size| size.values.len()).max().unwrap_or(1);
            for choice in 0..most {
                let chosen = sizes.iter().map(|size| Some(choice % size.values.len()));
                let texts = with_values(calls, sizes, &chosen.collect::<Vec<_>>());
                irqscope_calls::calls(texts.iter().map(String::as_str)).unwrap();
            }
        }
    }

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
