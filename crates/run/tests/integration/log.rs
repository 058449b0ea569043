// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The log, as it survives threads, deaths and damage.

use crate::synthetic;
use std::path::Path;

use irqscope_run::{LOG_HEADER, LogHealth, LogReader, LogRecord, RunDir, RunError, Source};
use irqscope_wire::Stage;
use proptest::prelude::*;

fn new_run(path: &Path, cases: &[&str]) -> RunDir {
    let plans: Vec<_> = cases.iter().map(|c| synthetic::plan(c, &[Stage::Irq], 1)).collect();
    RunDir::create(path, &synthetic::draft(&plans)).unwrap()
}

/// Makes the bytes of a log with these frames.
fn log_of(frames: &[Vec<u8>]) -> Vec<u8> {
    let parent = tempfile::tempdir().unwrap();
    let run = new_run(&parent.path().join("run"), &["k/s"]);
    let log = run.log();
    frames.iter().for_each(|frame| log.append(0, Source::Target, frame).unwrap());
    std::fs::read(run.path().join("run.log")).unwrap()
}

fn read(bytes: &[u8]) -> Result<(Vec<LogRecord>, LogHealth), RunError> {
    let mut reader = LogReader::new(bytes, Path::new("run.log"))?;
    let records = reader.by_ref().collect::<Result<_, _>>()?;
    Ok((records, reader.health()))
}

#[test]
fn what_was_appended_is_read_back_without_its_delimiter() {
    let (records, health) = read(&log_of(&[vec![1, 2, 0], vec![3]])).unwrap();
    let frames: Vec<_> = records.iter().map(|r| (r.number, r.frame.as_slice())).collect();
    assert_eq!(frames, [(0, &[1, 2][..]), (1, &[3][..])]);
    assert!(records[0].host_ns <= records[1].host_ns);
    assert!(health.is_sound());
}

#[test]
fn threads_of_several_cases_share_the_log() {
    let parent = tempfile::tempdir().unwrap();
    let run = new_run(&parent.path().join("run"), &["a/s", "b/s", "c/s", "d/s"]);
    std::thread::scope(|scope| {
        for case in 0..4u16 {
            let log = run.log();
            scope.spawn(move || {
                for number in 1..=200u8 {
                    log.append(case, Source::Target, &[case as u8 + 1, number]).unwrap();
                }
            });
        }
    });
    let records: Vec<_> = run.records().unwrap().collect::<Result<_, _>>().unwrap();
    assert!(records.iter().enumerate().all(|(place, record)| record.number == place as u64));
    let index = run.index().unwrap();
    for case in 0..4u16 {
        let mine: Vec<_> = index.records(case).map(|record| record.unwrap().frame).collect();
        let sent: Vec<_> = (1..=200u8).map(|number| vec![case as u8 + 1, number]).collect();
        assert_eq!(mine, sent);
    }
}

#[test]
fn a_log_cut_anywhere_keeps_every_record_before_the_cut() {
    let frames: Vec<Vec<u8>> = (1..20u8).map(|n| vec![n; usize::from(n) * 30]).collect();
    let bytes = log_of(&frames);
    let ends: Vec<usize> =
        (LOG_HEADER.len()..bytes.len()).filter(|at| bytes[*at] == 0).map(|at| at + 1).collect();
    for cut in 0..bytes.len() {
        let (records, health) = read(&bytes[..cut]).unwrap();
        // Even a record that lacks only its delimiter is whole.
        let whole = ends.iter().filter(|end| **end <= cut + 1).count();
        assert_eq!(records.len(), whole, "cut at {cut}");
        assert_eq!((health.damaged, health.lost), (0, 0), "cut at {cut}");
        let at_end =
            cut == LOG_HEADER.len() || ends.iter().any(|end| *end == cut || *end == cut + 1);
        assert_eq!(health.truncated, !at_end, "cut at {cut}");
    }
}

#[test]
fn another_file_is_not_taken_for_a_log() {
    assert!(matches!(read(b"PAR1 and so on"), Err(RunError::NotALog { .. })));
}

proptest! {
    #[test]
    fn a_damaged_record_is_counted_and_the_next_is_read(
        lengths in prop::collection::vec(1usize..400, 2..12),
        position in any::<prop::sample::Index>(),
        flip in 1u8..=255,
    ) {
        let frames: Vec<Vec<u8>> = lengths.iter().map(|length| vec![7; *length]).collect();
        let mut bytes = log_of(&frames);
        let body = bytes.len() - LOG_HEADER.len();
        let at = LOG_HEADER.len() + position.index(body);
        bytes[at] ^= flip;
        let (records, health) = read(&bytes).unwrap();
        // One byte touches one record, or two if it was the delimiter between.
        prop_assert!(records.len() + 2 >= frames.len());
        prop_assert!(records.iter().all(|record| record.frame == frames[record.number as usize]));
        let last_delimiter = at == bytes.len() - 1;
        prop_assert!(!health.is_sound() || last_delimiter);
    }

    #[test]
    fn any_bytes_are_read_without_panic(
        bytes in prop::collection::vec(prop_oneof![3 => any::<u8>(), 1 => Just(0u8)], 0..2048),
    ) {
        let _ = read(&bytes);
        let mut headed = LOG_HEADER.to_vec();
        headed.extend(&bytes);
        let (records, _) = read(&headed).unwrap();
        prop_assert!(records.is_empty());
    }
}
