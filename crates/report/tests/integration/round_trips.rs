// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Round trips: exports for other tools lose nothing when they are imported again.

use std::fs;
use std::path::Path;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use irqscope_analysis::derive;
use irqscope_report::foreign::{Export, ExportFormat, ForeignError, export};
use irqscope_run::RunDir;
use proptest::prelude::*;

use crate::foreign::import_to;

/// Kind, variant, series, CPU and the samples of a series.
type Made = (usize, Option<u16>, Vec<(Option<i64>, i64)>);

fn made() -> impl Strategy<Value = Vec<Made>> {
    let sample = (prop::option::of(0i64..1 << 50), any::<i64>());
    let one = (0usize..5, prop::option::of(any::<u16>()), prop::collection::vec(sample, 1..40));
    prop::collection::vec(one, 1..6)
}

const KINDS: [&str; 5] =
    ["sched,fifo 80", "sched,rr 3", "gtod,monotonic-raw", "async,futex", "spin,other"];

fn csv(made: &[Made]) -> String {
    let mut lines = vec!["case,benchmark,variant,series,cpu,seq,at_ns,value_ns,count".to_owned()];
    for (number, (kind, cpu, samples)) in made.iter().enumerate() {
        let cpu = cpu.map(|cpu| cpu.to_string()).unwrap_or_default();
        for (seq, (at, value)) in samples.iter().enumerate() {
            let at = at.map(|at| at.to_string()).unwrap_or_default();
            let kind = KINDS[*kind];
            lines.push(format!("6.1/idle,{kind},\"s, {number}\",{cpu},{seq},{at},{value},1"));
        }
    }
    lines.join("\n") + "\n"
}

pub fn exported(run: &RunDir, what: &Export) -> Result<String, ForeignError> {
    let mut output = Vec::new();
    export(run, what, &mut output)?;
    Ok(String::from_utf8(output).unwrap())
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Makes non-negative values as a histogram of one series.
fn counted(values: &[(u32, u32)]) -> String {
    let mut lines = vec!["case,benchmark,variant,series,cpu,seq,at_ns,value_ns,count".to_owned()];
    for (value, count) in values {
        lines.push(format!("6.1/idle,sched,fifo 80,cpu0,0,,,{value},{}", count.max(&1)));
    }
    lines.join("\n") + "\n"
}

pub fn made_run(parent: &Path, name: &str, text: &str) -> RunDir {
    let file = parent.join(format!("{name}.txt"));
    fs::write(&file, text).unwrap();
    import_to(&parent.join(name), &file).unwrap()
}

/// Removes what distinguishes one run from another: commands and instants.
pub fn threads(json: &str) -> serde_json::Value {
    serde_json::from_str::<serde_json::Value>(json).unwrap()["thread"].clone()
}

proptest! {
    // Some directories each.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(500), ..ProptestConfig::default()
    })]

    #[test]
    fn csv_gives_every_sample_back(made in made()) {
        let parent = tempfile::tempdir().unwrap();
        let text = csv(&made);
        let run = made_run(parent.path(), "a", &text);
        let back = exported(&run, &Export::plain(ExportFormat::Csv)).unwrap();
        prop_assert_eq!(sorted(&back), sorted(&text));
        let again = made_run(parent.path(), "b", &back);
        prop_assert_eq!(derive(&again).unwrap().digest, derive(&run).unwrap().digest);
    }

    #[test]
    fn histograms_give_every_count_back(values in prop::collection::vec((0u32..300_000, 1u32..9), 1..60)) {
        let parent = tempfile::tempdir().unwrap();
        let run = made_run(parent.path(), "a", &counted(&values));
        let json = Export { nanoseconds: true, ..Export::plain(ExportFormat::RtTests) };
        let first = exported(&run, &json).unwrap();
        let second = exported(&made_run(parent.path(), "b", &first), &json).unwrap();
        prop_assert_eq!(threads(&first), threads(&second), "nanoseconds lose nothing");
        let text = Export { bins: Some(200), ..Export::plain(ExportFormat::Cyclictest) };
        let first = exported(&run, &text).unwrap();
        let shown = |text: &str| text.split("# Min").next().unwrap().lines().skip(1).map(String::from).collect::<Vec<_>>();
        let within = values.iter().any(|(value, _)| *value < 200_000);
        let again = made_run(parent.path(), "c", &first);
        match exported(&again, &text) {
            Ok(second) => prop_assert_eq!(shown(&first), shown(&second)),
            Err(error) => prop_assert!(!within, "{}", error),
        }
        prop_assert_eq!(derive(&again).unwrap().cases[0].benchmarks[0].dropped,
            values.iter().filter(|(value, _)| *value >= 200_000).map(|(_, n)| u64::from(*n)).sum::<u64>());
    }

    #[test]
    fn a_log_of_hdrhistogram_has_every_value_to_three_digits(values in prop::collection::vec((any::<u32>(), 1u32..9), 1..60)) {
        let parent = tempfile::tempdir().unwrap();
        let run = made_run(parent.path(), "a", &counted(&values));
        let log = exported(&run, &Export::plain(ExportFormat::Hdr)).unwrap();
        let mut decoded: Vec<Histogram<u64>> = Vec::new();
        for entry in IntervalLogIterator::new(log.as_bytes()) {
            if let LogEntry::Interval(interval) = entry.unwrap() {
                let bytes = base64(interval.encoded_histogram());
                decoded.push(Deserializer::new().deserialize(&mut &bytes[..]).unwrap());
            }
        }
        let [histogram] = &decoded[..] else { panic!("{log}") };
        let total: u64 = values.iter().map(|(_, count)| u64::from(*count)).sum();
        prop_assert_eq!(histogram.len(), total);
        for (value, _) in &values {
            let same = values.iter().filter(|(other, _)| histogram.equivalent(u64::from(*other), u64::from(*value)));
            let expected: u64 = same.map(|(_, count)| u64::from(*count)).sum();
            prop_assert_eq!(histogram.count_at(u64::from(*value)), expected);
        }
    }
}

/// Decodes RFC 4648 without a crate for it.
fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| LETTERS.iter().position(|one| *one == byte));
    let (mut bits, mut held, mut bytes) = (0u32, 0, Vec::new());
    for digit in digits {
        (bits, held) = (bits << 6 | digit as u32, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
