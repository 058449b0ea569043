// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The log's reader, and what makes a case of its frames, on anything.

use crate::synthetic;
use std::path::Path;
use std::sync::LazyLock;

use crate::mutate::{Edit, apply, body_in_corpus, corpus, damage, damaged_run, edits, framed};
use irqscope_run::{
    CaseData, LOG_HEADER, LogHealth, LogIndex, LogReader, LogRecord, RunDir, RunError, Source,
};
use irqscope_wire::{Message, Stage, decode, encode};
use proptest::prelude::*;
use proptest::sample::Index;

const SOURCES: [Source; 3] = [Source::Target, Source::Generator, Source::Host];

fn new_run(parent: &Path) -> RunDir {
    let plan = synthetic::plan("6.1/idle", &[Stage::Irq, Stage::Softirq], 9);
    RunDir::create(parent.join("run"), &synthetic::draft(&[plan])).unwrap()
}

/// Makes a case of which the log has these frames, whatever they are.
fn case_of(frames: &[(Source, Vec<u8>)]) -> CaseData {
    let parent = tempfile::tempdir().unwrap();
    let run = new_run(parent.path());
    let log = run.log();
    frames.iter().for_each(|(source, frame)| log.append(0, *source, frame).unwrap());
    let index = run.index().unwrap();
    assert!(index.health().is_sound());
    let data = run.case(&index, 0).unwrap();
    assert_streamed(&run, &index, &data);
    data
}

/// Checks that the pieces that are handed out are the whole case.
fn assert_streamed(run: &RunDir, index: &LogIndex, data: &CaseData) {
    let stream = run.stream(index, 0).unwrap();
    let mut rows = Vec::new();
    stream
        .stages(|piece| {
            rows.extend_from_slice(piece);
            Ok::<(), RunError>(())
        })
        .unwrap();
    assert_eq!(rows, data.rows);
    assert_eq!(stream.data().benchmarks.len(), data.benchmarks.len());
    for (benchmark, one) in data.benchmarks.iter().enumerate() {
        for (place, series) in one.series.iter().enumerate() {
            let mut rows = Vec::new();
            stream
                .series(benchmark, place, |piece| {
                    rows.extend_from_slice(piece);
                    Ok::<(), RunError>(())
                })
                .unwrap();
            assert_eq!(rows, series.rows, "{}", series.name);
            let streamed = &stream.data().benchmarks[benchmark].series[place];
            assert_eq!((&streamed.counted, streamed.received), (&series.counted, series.received));
        }
    }
}

fn read(bytes: &[u8]) -> (Vec<LogRecord>, LogHealth) {
    let mut reader = LogReader::new(bytes, Path::new("run.log")).unwrap();
    let records = reader.by_ref().collect::<Result<_, _>>().unwrap();
    (records, reader.health())
}

/// Makes a record's content, up to the frame; see the log's description.
fn record(number: u64, case: u16, source: u8, frame: &[u8]) -> Vec<u8> {
    let numbers = [number.to_le_bytes(), 1_000_000u64.to_le_bytes()].concat();
    [&numbers[..], &case.to_le_bytes(), &[source], frame].concat()
}

proptest! {
    // Most of these make a directory each.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(50_000), ..ProptestConfig::default()
    })]

    #[test]
    fn a_log_with_any_damage_gives_whole_records_only(edits in edits(6)) {
        static FRAMES: LazyLock<Vec<Vec<u8>>> =
            LazyLock::new(|| corpus().iter().map(|frame| encode(frame).unwrap()).collect());
        static LOG: LazyLock<Vec<u8>> = LazyLock::new(|| {
            let records = FRAMES.iter().zip(0..).map(|(frame, number)| {
                framed(&record(number, 0, 1, &frame[..frame.len() - 1]))
            });
            records.flatten().collect()
        });
        let (records, health) = read(&[&LOG_HEADER[..], &apply(&LOG, &edits)].concat());
        for record in &records {
            let frame = &FRAMES[usize::try_from(record.number).unwrap()];
            prop_assert_eq!(&record.frame, &frame[..frame.len() - 1]);
        }
        prop_assert_eq!(health.records, records.len() as u64);
        let cut = edits.iter().any(|edit| matches!(edit, Edit::Cut(_)));
        prop_assert!(cut || records.len() + 10 * edits.len() >= FRAMES.len());
    }

    #[test]
    fn records_with_right_checksums_and_any_content_are_read(
        contents in prop::collection::vec((any::<u64>(), any::<u16>(), any::<u8>(), edits(3)), 0..9),
    ) {
        let records = contents.iter().map(|(number, case, source, edits)| {
            framed(&apply(&record(*number, *case, *source, b"frame"), edits))
        });
        let log: Vec<u8> = LOG_HEADER.into_iter().chain(records.flatten()).collect();
        let (records, health) = read(&log);
        prop_assert_eq!(records.len() as u64, health.records);
        prop_assert_eq!(health.records + health.damaged, contents.len() as u64);
    }

    #[test]
    fn a_case_of_any_frames_is_made_and_accounts_for_each(
        frames in prop::collection::vec(
            (prop::sample::select(SOURCES.to_vec()), any::<Index>(), edits(4)),
            0..12,
        ),
    ) {
        let damaged = |(source, which, edits): &(Source, Index, Vec<Edit>)| {
            (*source, framed(&apply(body_in_corpus(*which), edits)))
        };
        judge(&frames.iter().map(damaged).collect::<Vec<_>>())?;
    }

    #[test]
    fn a_run_with_any_damage_makes_a_case(damage in damage()) {
        let sources = |(generator, frame)| {
            (if generator { Source::Generator } else { Source::Target }, frame)
        };
        judge(&damaged_run(&damage).into_iter().map(sources).collect::<Vec<_>>())?;
    }
}

fn judge(frames: &[(Source, Vec<u8>)]) -> Result<(), TestCaseError> {
    let decoded = frames.iter().map(|(_, frame)| decode(&frame[..frame.len() - 1]));
    let (mut damaged, mut stray) = (0u64, 0);
    for frame in decoded {
        match frame.map(|frame| frame.message) {
            Err(_) => damaged += 1,
            // The plan may have no such benchmark.
            Ok(
                Message::BenchSamples(_)
                | Message::BenchValues(_)
                | Message::BenchEnd(_)
                | Message::Watched(_),
            ) => stray += 1,
            Ok(_) => {}
        }
    }
    prop_assert!((damaged..=damaged + stray).contains(&case_of(frames).undecodable));
    Ok(())
}

#[test]
fn the_undamaged_run_is_one_with_both_views() {
    let frames: Vec<_> = damaged_run(&[])
        .into_iter()
        .map(|(generator, frame)| {
            (if generator { Source::Generator } else { Source::Target }, frame)
        })
        .collect();
    assert_eq!(case_of(&frames).rows.len(), 5 * 2 * 2);
}
