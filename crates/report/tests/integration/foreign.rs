// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Real recordings of other tools become runs, round trips lose nothing, and an error in a file is
//! reported with its place. tests/data/README.md says how the recordings were made.

use std::fs;
use std::path::{Path, PathBuf};

use irqscope_analysis::{MeasuredCase, SeriesSummary, Summary, check, derive, hold};
use irqscope_quantity::Limit;
use irqscope_report::foreign::{Export, ExportFormat, ForeignError, Import, import};
use irqscope_report::table;
use irqscope_run::RunDir;
use irqscope_wire::BenchmarkKind;

use crate::round_trips::{exported, made_run, threads};

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name)
}

pub fn import_to(out: &Path, file: &Path) -> Result<RunDir, ForeignError> {
    import(&Import {
        files: &[file.to_owned()],
        out,
        format: None,
        unit_ns: None,
        args: Vec::new(),
        tool_version: "0.1.0",
    })
}

fn imported(name: &str) -> Summary {
    let parent = tempfile::tempdir().unwrap();
    let run = import_to(&parent.path().join("run"), &recording(name)).unwrap();
    let summary = derive(&run).unwrap();
    check(&summary).unwrap();
    assert!(summary.complete, "{name}");
    summary
}

/// Imports a file with this content.
fn text(content: &[u8]) -> Result<Summary, String> {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file.txt");
    fs::write(&file, content).unwrap();
    let run = import_to(&parent.path().join("run"), &file).map_err(|error| error.to_string())?;
    let summary = derive(&run).map_err(|error| error.to_string())?;
    check(&summary).map_err(|error| error.to_string())?;
    Ok(summary)
}

fn series(summary: &Summary) -> &[SeriesSummary] {
    let [case] = &summary.cases[..] else { panic!("{summary:?}") };
    &case.benchmarks
}

/// Returns count, dropped, least, median and greatest in microseconds.
fn figures(one: &SeriesSummary) -> (u64, u64, i64, i64, i64) {
    let us = |ns: Option<i64>| ns.unwrap() / 1_000;
    (one.count, one.dropped, us(one.min_ns), us(one.p50_ns), us(one.max_ns))
}

#[test]
fn histograms_of_cyclictest_have_all_samples_and_name_those_beyond_them() {
    let summary = imported("cyclictest-h.txt");
    let [first, second] = series(&summary) else { panic!("{summary:?}") };
    // The maxima are those that cyclictest saw, and quantiles are of all samples.
    assert_eq!(figures(first), (298, 2, 15, 26, 133));
    assert_eq!(figures(second), (293, 7, 16, 25, 2_300));
    assert_eq!(second.beyond.map(|beyond| (beyond.count, beyond.from_ns)), Some((7, 60_000)));
    assert_eq!((second.mean_ns, second.stddev_ns), (None, None), "seven values are not known");
    let shown = table(&summary);
    assert!(shown.contains("2,300.00"), "{shown}");
    let warnings = summary.cases[0].warnings.join("\n");
    assert!(warnings.contains("in which order and at which instants"), "{warnings}");
    assert!(warnings.contains("9 samples lay beyond the histogram (the greatest was 2300"));
    // The column of sums is not a thread.
    assert_eq!(series(&imported("cyclictest-H.txt")).len(), 2);
    let summary = imported("cyclictest.json");
    assert_eq!(figures(&series(&summary)[0]), (286, 14, 15, 28, 8_097));
    assert_eq!(series(&summary)[0].class.as_deref(), Some("fifo 80"), "from its command line");
    assert_eq!(summary.cases[0].release, "6.18.44-fc-v669");
}

#[test]
fn what_lies_beyond_a_histogram_goes_out_as_it_came_in() {
    let parent = tempfile::tempdir().unwrap();
    let last = |text: &str| {
        let figures = text.lines().filter(|line| {
            ["# Total", "# Min", "# Max", "# Histogram Overflows"]
                .iter()
                .any(|one| line.starts_with(one))
        });
        figures.map(str::to_owned).collect::<Vec<_>>()
    };
    let run = import_to(&parent.path().join("run"), &recording("cyclictest-h.txt")).unwrap();
    let original = fs::read_to_string(recording("cyclictest-h.txt")).unwrap();
    let text = exported(&run, &Export::plain(ExportFormat::Cyclictest)).unwrap();
    assert_eq!(last(&text), last(&original));
    let metrics = exported(&run, &Export::plain(ExportFormat::OpenMetrics)).unwrap();
    let of = |name: &str| metrics.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!(["irqscope_latency_seconds_count", "irqscope_latency_seconds_sum"].map(of), [2, 0]);
    assert!(
        metrics
            .lines()
            .any(|line| line.starts_with("irqscope_max") && line.ends_with(" 0.002300000"))
    );
    let json = exported(&run, &Export::plain(ExportFormat::RtTests)).unwrap();
    let thread = &threads(&json)["1"];
    assert_eq!(
        (&thread["cycles"], &thread["max"], &thread["avg"]),
        (&300.into(), &2_300.into(), &serde_json::Value::Null)
    );
    let again = made_run(parent.path(), "again", &json);
    let again = derive(&again).unwrap();
    assert_eq!(figures(&series(&again)[1]), (293, 7, 16, 25, 2_300));
}

#[test]
fn a_gate_knows_the_bounds_of_what_lies_beyond_a_histogram() {
    let parent = tempfile::tempdir().unwrap();
    let text = "# Histogram\n000010 000900\n# Total: 900\n# Min Latencies: 00010\n\
                # Max Latencies: 00500\n# Histogram Overflows: 00100\n";
    let run = made_run(parent.path(), "run", text);
    let case = MeasuredCase::load(&run, None).unwrap().remove(0);
    let verdict = |quantile: &str, limit_us: i64| {
        let quantile = quantile.parse().unwrap();
        let limit = Limit { name: "sched".into(), limit_ns: limit_us * 1_000, quantile };
        hold(&case, &limit).unwrap().remove(0)
    };
    assert!(verdict("max", 501).passed && !verdict("max", 500).passed);
    assert!(verdict("p90", 11).passed, "it is one of the values");
    let beyond = verdict("p95", 100);
    assert!(!beyond.passed && verdict("p95", 501).passed);
    let found = "100 of 1,000 lay beyond the histogram, from 11 us on; the greatest was 500 us";
    assert_eq!(beyond.found, found);
    let shown = table(&derive(&run).unwrap());
    assert!(shown.contains("unknown thread0, µs"), "{shown}");
    let row = shown.lines().find(|line| line.contains(" 900 ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().rev().take(9).collect();
    assert_eq!(cells, ["0", "-", "-", "500.00", "-", ">=11.00", "10.00", "10.00", "900"]);
}

#[test]
fn values_of_cyclictest_keep_their_order_and_have_no_instants() {
    let parent = tempfile::tempdir().unwrap();
    let run = import_to(&parent.path().join("run"), &recording("cyclictest-v.txt")).unwrap();
    let data = run.case(&run.index().unwrap(), 0).unwrap();
    let rows = &data.benchmarks[0].series[0].rows;
    let values: Vec<i64> = rows.iter().take(4).map(|row| row.value.0).collect();
    assert_eq!(values, [32_000, 16_000, 39_000, 29_000]);
    assert!(rows.iter().all(|row| row.at.is_none()));
    assert_eq!(rows.len(), 40);
}

#[test]
fn oslat_names_bins_by_their_upper_ends() {
    for name in ["oslat.txt", "oslat.json"] {
        let summary = imported(name);
        let [one] = series(&summary) else { panic!("{summary:?}") };
        assert_eq!(one.benchmark, BenchmarkKind::Spin);
        assert_eq!(figures(one), (30_459_450, 388, 0, 0, 439_646), "{name}");
    }
}

#[test]
fn jitterdebugger_keeps_instants_in_its_samples_and_counts_in_its_results() {
    let summary = imported("jitterdebugger/results.json");
    assert_eq!(figures(&series(&summary)[0]), (300, 0, 13, 15, 26));
    let parent = tempfile::tempdir().unwrap();
    let file = recording("jitterdebugger/samples.raw");
    let run = import_to(&parent.path().join("run"), &file).unwrap();
    let data = run.case(&run.index().unwrap(), 0).unwrap();
    let rows = &data.benchmarks[0].series[0].rows;
    assert_eq!((rows[0].at.unwrap().0, rows[0].value.0), (1_180_098_152_846, 18_000));
    assert_eq!(
        data.benchmarks.iter().flat_map(|one| &one.series).map(|s| s.received).sum::<u64>(),
        200
    );
}

#[test]
fn rtla_has_a_series_for_each_context_of_a_cpu() {
    let summary = imported("rtla-timerlat.txt");
    let names: Vec<&str> = series(&summary).iter().map(|one| &*one.series).collect();
    assert_eq!(names, ["cpu0 irq", "cpu0 thread", "cpu1 irq", "cpu1 thread"]);
    assert_eq!(figures(&series(&summary)[0]), (2_388, 12, 3, 56, 491_354));
    let noise = imported("rtla-osnoise.txt");
    assert_eq!(series(&noise)[0].benchmark, BenchmarkKind::Spin);
    assert!(noise.cases[0].warnings.join("\n").contains("bins are at most 5000 ns wide"));
    // Nothing but values that are beyond the histogram.
    assert_eq!(series(&imported("rtla-timerlat-ns.txt"))[0].dropped, 1_914);
}

/// As libevl's sources print it: no kernel of EVL could be had to record one.
const LATMUS: &str = "# test started on: Fri Jan 24 15:36:34 2020
# Linux version 5.5.0-rc7+ (rpm@cobalt) (gcc version 9.2.1) #45 SMP
# libevl version: evl.0 -- #1c4115c
# sampling period: 1000 microseconds
# context: user
# thread priority: 98
# thread affinity: CPU1-noisol
# duration (hhmmss): 00:00:01
# peak (hhmmss): 00:00:01
# min latency: 0.205
# avg latency: 2.000
# max latency: 250.510
# sample count: 106
0 95
1 0
2 8
199+ 3
";

#[test]
fn latmus_says_what_lies_in_and_beyond_its_last_bin() {
    let summary = text(LATMUS.as_bytes()).unwrap();
    let [one] = series(&summary) else { panic!("{summary:?}") };
    assert_eq!(figures(one), (103, 3, 0, 0, 250));
    assert_eq!((one.cpu, one.class.as_deref()), (Some(1), Some("fifo 98")));
    assert_eq!(summary.cases[0].release, "5.5.0-rc7+");
}

/// As EVL's documents show it on a terminal, with other figures: no line `# sample count`, and the
/// head comes after what was said meanwhile. The last run's own summary follows.
const LATMUS_ON_A_TERMINAL: &str = "warming up on CPU1 (not isolated)...
RTT|  00:00:01  (user, 1000 us period, priority 90, CPU1)
RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
RTD|      1.100|      1.200|      2.500|       0|     0|      1.100|      2.500
...
^C
# test started on: Fri Jan 24 15:36:34 2020
# Linux version 5.5.0-rc7+ (rpm@cobalt) (gcc version 9.2.1) #45 SMP
# BOOT_IMAGE=(tftp)/bzImage rw ip=dhcp isolcpus=1 evl.oob_cpus=1
# libevl version: evl.0 -- #1c4115c
# sampling period: 1000 microseconds
# clock gravity: 2000i 3500k 3500u
# clocksource: tsc
# vDSO access: architected
# context: user
# thread priority: 90
# thread affinity: CPU1
# C-state restricted
# duration (hhmmss): 00:00:01
# peak (hhmmss): 00:00:01
# min latency: 1.100
# avg latency: 1.200
# max latency: 3.500
1 95
2 8
3 2
---|-----------|-----------|-----------|--------|------|-------------------------
RTS|      1.100|      1.200|      3.500|       0|     0|    00:00:01/00:00:01
";

#[test]
fn latmus_is_read_off_a_terminal_too() {
    let summary = text(LATMUS_ON_A_TERMINAL.as_bytes()).unwrap();
    let [one] = series(&summary) else { panic!("{summary:?}") };
    assert_eq!(figures(one), (105, 0, 1, 1, 3));
    assert_eq!((one.cpu, one.class.as_deref()), (Some(1), Some("fifo 90")));
    let cut = LATMUS_ON_A_TERMINAL.replace("3 2\n", "");
    assert!(text(cut.as_bytes()).unwrap_err().contains("it is truncated"));
    let twice = format!("{LATMUS}{LATMUS}");
    assert!(text(twice.as_bytes()).unwrap_err().contains("two recordings"));
}

/// Imports a text whose values have this unit.
fn with_unit(content: &str, unit_ns: Option<u32>) -> Result<Summary, String> {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file.txt");
    fs::write(&file, content).unwrap();
    let (files, out) = (&[file][..], &parent.path().join("run"));
    let (format, args) = (None, Vec::new());
    let run = import(&Import { files, out, format, unit_ns, args, tool_version: "0.1.0" });
    Ok(derive(&run.map_err(|error| error.to_string())?).unwrap())
}

#[test]
fn values_that_could_be_nanoseconds_want_their_unit_named() {
    // A histogram of cyclictest -N, its values, and JSON of a version that does not say.
    let histogram =
        "# Histogram\n002500 000001\n002600 000001\n# Total: 2\n# Min Latencies: 02500\n";
    let values = "       0:       0:    2500\n       0:       1:    2600\n";
    let json = r#"{"rt_test_version:": "1.0", "thread": {"0": {"histogram": {"2500": 2},
        "cycles": 2, "min": 2500, "max": 2600, "cpu": 0}}}"#;
    for content in [histogram, values, json] {
        let error = with_unit(content, None).unwrap_err();
        assert!(error.contains("2500") && error.contains("--nanoseconds"), "{error}");
        for (unit_ns, least) in [(1, 2_500), (1_000, 2_500_000)] {
            let summary = with_unit(content, Some(unit_ns)).unwrap();
            assert_eq!(series(&summary)[0].min_ns, Some(least), "{content}");
        }
    }
}

#[test]
fn lines_that_cyclictest_does_not_write_are_counted_and_missing_cycles_refused() {
    let values = "Max CPUs = 1\n0: 0: 32\n0: 1: 16\n!! 2: 17\n";
    let warnings = text(values.as_bytes()).unwrap().cases[0].warnings.join("\n");
    assert!(warnings.contains("cyclictest does not write 1 of its lines"), "{warnings}");
    assert!(warnings.contains("the first is line 4"), "{warnings}");
    let damaged = format!("{values}0: 3: 18\n");
    let error = text(damaged.as_bytes()).unwrap_err();
    assert!(error.contains("line 5: cycle 3 of thread 0 comes after cycle 1"), "{error}");
    let whole = imported("cyclictest-v.txt").cases[0].warnings.join("\n");
    assert!(!whole.contains("cyclictest does not write"), "{whole}");
}

#[test]
fn json_without_a_histogram_is_no_run_of_no_samples() {
    let json = r#"{"rt_test_version:": "2.40", "resolution_in_ns": 0, "thread": {"0":
        {"histogram": {}, "cycles": 300, "min": 3, "max": 40, "cpu": 0}}}"#;
    let error = text(json.as_bytes()).unwrap_err();
    assert!(error.contains("histogram: of no thread has a sample: record with -h"), "{error}");
}

#[test]
fn a_failed_import_leaves_no_directory() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("long.json");
    let long = "6".repeat(3 << 20);
    let json = format!(
        r#"{{"rt_test_version:": "2.40", "resolution_in_ns": 0, "sysinfo": {{"release": "{long}"}},
        "thread": {{"0": {{"histogram": {{"3": 1}}, "cycles": 1, "min": 3, "max": 3, "cpu": 0}}}}}}"#
    );
    fs::write(&file, json).unwrap();
    let out = parent.path().join("run");
    assert!(import_to(&out, &file).is_err());
    assert!(!out.exists());
}

#[test]
fn what_is_wrong_is_told_with_file_place_and_reason() {
    let histogram = fs::read_to_string(recording("cyclictest-h.txt")).unwrap();
    let json = fs::read_to_string(recording("cyclictest.json")).unwrap();
    let oslat = fs::read_to_string(recording("oslat.txt")).unwrap();
    let rtla = fs::read_to_string(recording("rtla-osnoise.txt")).unwrap();
    let samples = fs::read(recording("jitterdebugger/samples.raw")).unwrap();
    let changed = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    let cut = |text: &str, at: &str| text.split(at).next().unwrap().as_bytes().to_vec();
    let many = [&samples[..4], &[0xff; 24]].concat();
    let wrong: [(Vec<u8>, &str); 17] = [
        (Vec::new(), "it is empty"),
        (b"hello\n".to_vec(), "it begins like none of them"),
        (vec![b'#'; 3 << 20], "it begins like none of them"),
        ([b"# Histogram\n".to_vec(), vec![b'1'; 3 << 20]].concat(), "line 2: is longer than"),
        (b"# Histogram\n\xff\xff\n".to_vec(), "line 2: is no text"),
        (changed(&histogram, "000015 000001", "000015 -00001"), "`-00001` is below zero"),
        (changed(&histogram, "000015 000001", "000015 18446744073709551616"), "more than 64 bits"),
        (changed(&histogram, "000015 000001", "000013 000001"), "line 18: the bins do not ascend"),
        (changed(&histogram, "000015 000001", "000015 000002"), "298 in the line `# Total`"),
        (cut(&histogram, "# Min"), "at its end: ends before its line `# Min Latencies`"),
        (format!("{histogram}{histogram}").into_bytes(), "two recordings"),
        (
            changed(&json, "\"cycles\": 300", "\"cycles\": 3"),
            "thread 0, cycles: is 3, and there are more",
        ),
        (cut(&json, "\"num_threads\""), "is no JSON"),
        (cut(&oslat, "    016"), "(including overflows)`: it is truncated"),
        (changed(&rtla, "count:", "over:"), "at its end: ends before its lines"),
        (samples[..30].to_vec(), "byte 28: 2 bytes are left of a sample of 28"),
        (many, "nanoseconds of a second"),
    ];
    for (content, expected) in wrong {
        let error = text(&content).unwrap_err();
        assert!(error.contains("file.txt") && error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn nothing_is_overwritten_or_left_behind() {
    let parent = tempfile::tempdir().unwrap();
    let out = parent.path().join("run");
    let damaged = parent.path().join("damaged.txt");
    fs::write(&damaged, "# Histogram\n0 1\n").unwrap();
    assert!(import_to(&out, &damaged).is_err());
    assert!(!out.exists());
    import_to(&out, &recording("oslat.txt")).unwrap();
    let again = import_to(&out, &recording("oslat.txt")).unwrap_err();
    assert!(again.to_string().contains("nothing is overwritten"));
}
