// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `/proc/PID/stat`, one line of a process or of a thread.

use std::str::FromStr;

/// The first field of proc_pid_stat(5) after the name.
const AFTER_NAME: usize = 3;

/// A line's name, and its other fields by the numbers of proc_pid_stat(5).
pub struct Stat<'a> {
    /// The name, which may hold anything.
    pub name: &'a str,
    fields: Vec<&'a str>,
}

impl<'a> Stat<'a> {
    /// Reads `pid (name) state ppid …`; `None`: it is no such line.
    pub fn parse(line: &'a str) -> Option<Self> {
        let (before, after) = line.rsplit_once(')')?;
        let name = before.split_once('(')?.1;
        Some(Self { name, fields: after.split_whitespace().collect() })
    }

    /// Returns a field by its number: 3 is the state, 4 the parent, 14 and 15 the ticks in user and in kernel mode.
    pub fn field<T: FromStr>(&self, number: usize) -> Option<T> {
        self.fields.get(number.checked_sub(AFTER_NAME)?)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_what_separates_fields() {
        let stat = Stat::parse("7 (a) b (c) R 1 2 -3\n").unwrap();
        assert_eq!((stat.name, stat.field::<char>(3)), ("a) b (c", Some('R')));
        assert_eq!((stat.field::<i32>(4), stat.field::<i32>(6)), (Some(1), Some(-3)));
        assert_eq!((stat.field::<u32>(6), stat.field::<u32>(7)), (None, None));
        assert_eq!((stat.field::<u32>(0), stat.field::<u32>(2)), (None, None));
        assert!(["", "7", "7 (a", "a) 7"].iter().all(|line| Stat::parse(line).is_none()));
    }
}
