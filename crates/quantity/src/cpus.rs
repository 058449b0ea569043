// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lists of CPUs, as the kernel, cyclictest and taskset write them: `0-3,6`.

use std::fmt;
use std::str::FromStr;

/// More than a kernel can have (`CONFIG_NR_CPUS` of x86): a longer range is a mistake.
const MOST: u32 = 8192;

/// CPUs in ascending order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuList(pub Vec<u32>);

/// A text that is no list of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no list of CPUs; write 0,1 or 0-3,6")]
pub struct NoCpuList(String);

impl FromStr for CpuList {
    type Err = NoCpuList;

    fn from_str(text: &str) -> Result<Self, NoCpuList> {
        let wrong = || NoCpuList(text.to_owned());
        let mut cpus = Vec::new();
        for range in text.trim().split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let number = |text: &str| text.trim().parse::<u32>().ok().filter(|cpu| *cpu < MOST);
            let (first, last) = number(first).zip(number(last)).ok_or_else(wrong)?;
            if first > last {
                return Err(wrong());
            }
            cpus.extend(first..=last);
        }
        cpus.sort_unstable();
        cpus.dedup();
        Ok(Self(cpus))
    }
}

impl fmt::Display for CpuList {
    /// Writes runs of three and more, and of two, as ranges.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.0.chunk_by(|a, b| a + 1 == *b).enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            match run {
                [one] => write!(f, "{one}")?,
                [first, .., last] => write!(f, "{first}-{last}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_the_kernel_writes_them() {
        let cpus = |text: &str| text.parse::<CpuList>().unwrap().0;
        assert_eq!(cpus("0-2,5"), [0, 1, 2, 5]);
        assert_eq!(cpus("3\n"), [3]);
        assert_eq!(cpus("5, 1-2,2"), [1, 2, 5]);
        for bad in ["", "x", "1-", "-1", "3-1", "0-99999999", "1;2", "0-4294967295"] {
            let error = bad.parse::<CpuList>().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("`{bad}` is no list of CPUs; write 0,1 or 0-3,6")
            );
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["0-2,5", "3", "0,2,4", "0-1"] {
            assert_eq!(text.parse::<CpuList>().unwrap().to_string(), text);
        }
        assert_eq!(CpuList::default().to_string(), "");
    }
}
