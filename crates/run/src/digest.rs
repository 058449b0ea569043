// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SHA-256 over all samples of a run, in one canonical form.
//!
//! Cases in bytewise order of their names; within a case rows in order of
//! sequence number, stage (by its index) and view (outside before inside). A
//! row is, all numbers little-endian:
//!
//! | field      | form                                            |
//! | ---------- | ----------------------------------------------- |
//! | case       | length as u32, then that many bytes of UTF-8    |
//! | seq        | u64                                             |
//! | stage      | u8, index in `Stage::ALL`                       |
//! | view       | u8, 0 outside, 1 inside                         |
//! | trigger_ns | i64                                             |
//! | latency_ns | i64, the smallest one when not answered         |
//! | cpu        | u16, the largest one when not answered          |
//! | flags      | u32                                             |
//! | interrupts | u16                                             |
//! | execution_ns | i64, only where it is known                   |
//!
//! A case's benchmarks come after its stages, in the plan's order, each with
//! its series in the target's order and their rows in order of arrival. Such a
//! row is
//!
//! | field      | form                                            |
//! | ---------- | ----------------------------------------------- |
//! | case       | as above                                        |
//! | benchmark  | u8, 128 plus its index in `BenchmarkKind::ALL`  |
//! | variant, series | as a case                                  |
//! | seq        | u64                                             |
//! | at_ns      | i64, the smallest one when not known            |
//! | value_ns   | i64                                             |
//!
//! and, where only a histogram is known, for each of its bins in order
//!
//! | field      | form                                            |
//! | ---------- | ----------------------------------------------- |
//! | case, benchmark, variant, series | as above                  |
//! | value_ns   | i64                                             |
//! | count      | u64                                             |

use irqscope_wire::ValueCount;
use sha2::{Digest as _, Sha256};

use crate::{BenchRow, BenchmarkData, SampleRow};

/// A digest of all samples, in their order.
#[derive(Clone, Default)]
pub struct Digest {
    hash: Sha256,
    /// One row; hashed at once, because many small updates cost more.
    row: Vec<u8>,
}

impl Digest {
    /// Adds a row of stages.
    pub fn update(&mut self, case: &str, row: &SampleRow) {
        self.row.clear();
        self.text(case);
        let bytes = &mut self.row;
        bytes.extend(row.seq.to_le_bytes());
        bytes.extend([row.stage as u8, row.view as u8]);
        bytes.extend(row.trigger.0.to_le_bytes());
        bytes.extend(row.latency.map_or(i64::MIN, |latency| latency.0).to_le_bytes());
        bytes.extend(row.cpu.unwrap_or(u16::MAX).to_le_bytes());
        bytes.extend(row.flags.to_le_bytes());
        bytes.extend(row.interrupts.to_le_bytes());
        if let Some(execution) = row.execution {
            bytes.extend(execution.0.to_le_bytes());
        }
        self.hash.update(bytes);
    }

    /// Adds a row of a benchmark.
    pub fn update_bench(&mut self, case: &str, of: &BenchmarkData, series: &str, row: &BenchRow) {
        self.begin_bench(case, of, series);
        let bytes = &mut self.row;
        bytes.extend(row.seq.to_le_bytes());
        bytes.extend(row.at.map_or(i64::MIN, |at| at.0).to_le_bytes());
        bytes.extend(row.value.0.to_le_bytes());
        self.hash.update(bytes);
    }

    /// Adds a bin of an imported series.
    pub fn update_bin(&mut self, case: &str, of: &BenchmarkData, series: &str, bin: &ValueCount) {
        self.begin_bench(case, of, series);
        let bytes = &mut self.row;
        bytes.extend(bin.value.0.to_le_bytes());
        bytes.extend(bin.count.to_le_bytes());
        self.hash.update(bytes);
    }

    fn begin_bench(&mut self, case: &str, of: &BenchmarkData, series: &str) {
        self.row.clear();
        self.text(case);
        self.row.push(128 + of.kind.index() as u8);
        self.text(&of.variant);
        self.text(series);
    }

    fn text(&mut self, text: &str) {
        self.row.extend((text.len() as u32).to_le_bytes());
        self.row.extend(text.as_bytes());
    }

    /// Returns lower-case hexadecimal.
    pub fn finish(self) -> String {
        self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Nanoseconds, Stage, View};

    #[test]
    fn the_canonical_form_does_not_change() {
        let row = SampleRow {
            seq: 1,
            trigger: Nanoseconds(2),
            latency: Some(Nanoseconds(3)),
            stage: Stage::Softirq,
            view: View::Inside,
            cpu: Some(4),
            flags: 1,
            interrupts: 5,
            execution: Some(Nanoseconds(6)),
        };
        let mut digest = Digest::default();
        digest.update("k/s", &row);
        let bytes = b"\x03\0\0\0k/s\x01\0\0\0\0\0\0\0\x01\x01\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x04\0\x01\0\0\0\x05\0\x06\0\0\0\0\0\0\0";
        let expected: String =
            Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest.finish(), expected);
    }
}
