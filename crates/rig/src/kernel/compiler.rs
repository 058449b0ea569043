// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The compiler of a kernel, which its configuration names, for the modules that are built for it.

use std::path::Path;

use crate::arch::{Arch, Guest};
use crate::command::installed;
use crate::error::{Result, RigError};

/// The compiler that modules for a kernel are built with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiler {
    /// The arguments of make.
    pub args: Vec<String>,
    /// Its name, `gcc-12`.
    pub name: String,
    /// The kernel's own, by name, where that is another one, and the package that has it.
    pub instead_of: Option<(String, String)>,
}

/// A compiler by `CONFIG_CC_VERSION_TEXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Gcc(u32),
    Clang(u32),
}

impl Compiler {
    /// Finds the compiler of the kernel with these headers, or another one of its kind.
    pub fn of(headers: &Path, arch: Arch) -> Result<Self> {
        let config = std::fs::read_to_string(headers.join(".config")).unwrap_or_default();
        Self::choose(kind(&config), arch, &|name| installed(name).is_some())
    }

    fn choose(kind: Option<Kind>, arch: Arch, exists: &dyn Fn(&str) -> bool) -> Result<Self> {
        let prefix = arch.compiler().map_or("", |compiler| compiler.name);
        if let Some(Kind::Clang(major)) = kind {
            for (program, llvm) in [
                (format!("clang-{major}"), format!("LLVM=-{major}")),
                ("clang".into(), "LLVM=1".into()),
            ] {
                if exists(&program) {
                    return Ok(Self { args: vec![llvm], name: program, instead_of: None });
                }
            }
            return Err(missing(
                &format!("clang-{major}"),
                &format!("clang-{major} lld-{major} llvm-{major}"),
            ));
        }
        let gcc = |program: &str| Self {
            args: vec![format!("CC={program}")],
            name: program.to_owned(),
            instead_of: None,
        };
        let own = kind.map(|kind| match kind {
            Kind::Gcc(major) | Kind::Clang(major) => format!("{prefix}gcc-{major}"),
        });
        if let Some(own) = own.as_ref().filter(|own| exists(own)) {
            return Ok(gcc(own));
        }
        // The nearest one below the kernel's knows no option that the kernel's does not.
        let major = own.as_ref().and_then(|own| own.rsplit_once('-')?.1.parse().ok());
        let majors = (5..=major.unwrap_or(40)).rev().chain(major.unwrap_or(40)..=40);
        let numbered = majors.map(|major: u32| format!("{prefix}gcc-{major}"));
        let found = numbered.chain([format!("{prefix}gcc")]).find(|program| exists(program));
        let package = |own: &str| match own.strip_prefix(prefix).filter(|_| !prefix.is_empty()) {
            Some(plain) => format!("{plain}-{}", prefix.trim_end_matches('-')),
            None => own.to_owned(),
        };
        match (found, own) {
            (Some(program), Some(own)) => {
                let package = package(&own);
                let mut compiler = gcc(&program);
                compiler.args.extend(unknown_options(&program));
                Ok(Self { instead_of: Some((own, package)), ..compiler })
            }
            (Some(program), None) => Ok(gcc(&program)),
            (None, own) => {
                let own = own.unwrap_or_else(|| format!("{prefix}gcc"));
                Err(missing(&own, &package(&own)))
            }
        }
    }

    /// Adds to an error of a build that the compiler is not the kernel's own.
    pub fn explain(&self, error: RigError) -> RigError {
        match (&self.instead_of, error) {
            (Some((own, package)), RigError::Unready { what, remedy }) => RigError::Unready {
                what: format!(
                    "{what}\n  (built with {}; the kernel was built with {own})",
                    self.name
                ),
                remedy: format!(
                    "install the kernel's own compiler, package {package}; or {remedy}"
                ),
            },
            (_, error) => error,
        }
    }
}

/// Returns settings by which a kernel's makefile leaves out options that a compiler does not know.
fn unknown_options(program: &str) -> Vec<String> {
    let major: Option<u32> = program.rsplit_once('-').and_then(|(_, major)| major.parse().ok());
    // -fmin-function-alignment, of which modules have no need.
    let since_14 = major.is_some_and(|major| major < 14);
    since_14.then(|| "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=".to_owned()).into_iter().collect()
}

fn missing(program: &str, packages: &str) -> RigError {
    RigError::unready(
        format!("{program}, which the kernel was built with, is not there, nor another one"),
        format!("apt-get install {packages}"),
    )
}

/// Reads `CONFIG_CC_VERSION_TEXT="x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0"`.
fn kind(config: &str) -> Option<Kind> {
    let text = config.lines().find_map(|line| line.strip_prefix("CONFIG_CC_VERSION_TEXT="))?;
    let text = text.trim_matches('"');
    let major = |version: &str| version.split('.').next()?.parse().ok();
    if let Some((_, version)) = text.split_once("clang version ") {
        return major(version).map(Kind::Clang);
    }
    // The version stands behind the last bracket, and after it, at times, a date.
    let version = text.rsplit_once(") ").map_or(text, |(_, version)| version);
    major(version.split_whitespace().next()?).map(Kind::Gcc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_names_the_compiler() {
        for (text, expected) in [
            ("gcc-10 (Debian 10.2.1-6) 10.2.1 20210110", Some(Kind::Gcc(10))),
            ("x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0", Some(Kind::Gcc(14))),
            ("gcc (GCC) 13.2.1 20230801", Some(Kind::Gcc(13))),
            ("Debian clang version 14.0.6", Some(Kind::Clang(14))),
            ("tcc", None),
        ] {
            let config = format!("CONFIG_X=y\nCONFIG_CC_VERSION_TEXT=\"{text}\"\n");
            assert_eq!(kind(&config), expected, "{text}");
        }
        assert_eq!(kind(""), None);
    }

    #[test]
    fn another_compiler_is_named_beside_the_kernels_own() {
        let choose = |kind, arch, there: &[&str]| {
            Compiler::choose(kind, arch, &|name| there.contains(&name))
        };
        let own = choose(Some(Kind::Gcc(12)), Arch::X86_64, &["gcc", "gcc-12"]).unwrap();
        assert_eq!((own.args, own.instead_of), (vec!["CC=gcc-12".into()], None));
        let other = choose(Some(Kind::Gcc(14)), Arch::X86_64, &["gcc-11", "gcc-12"]).unwrap();
        assert_eq!(other.name, "gcc-12");
        assert_eq!(other.instead_of, Some(("gcc-14".into(), "gcc-14".into())));
        let newer = choose(Some(Kind::Gcc(10)), Arch::X86_64, &["gcc-12", "gcc-13"]).unwrap();
        assert_eq!(newer.name, "gcc-12");
        let arm = choose(Some(Kind::Gcc(14)), Arch::Arm64, &["aarch64-linux-gnu-gcc"]).unwrap();
        assert_eq!(arm.instead_of.unwrap().1, "gcc-14-aarch64-linux-gnu");
        let clang = choose(Some(Kind::Clang(14)), Arch::X86_64, &["gcc"]).unwrap_err().to_string();
        assert!(clang.contains("apt-get install clang-14"), "{clang}");
        let none = choose(Some(Kind::Gcc(12)), Arch::Arm64, &[]).unwrap_err().to_string();
        assert!(none.contains("gcc-12-aarch64-linux-gnu"), "{none}");
    }
}
