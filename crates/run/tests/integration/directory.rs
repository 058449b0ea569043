// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The run directory from its beginning to its end, and after a death.

use crate::synthetic;
use crate::synthetic::{Sender, answered, draft, plan, sample};
use irqscope_run::{RunDir, RunError, Source};
use irqscope_wire::{Counters, Failure, Message, Stage};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

#[test]
fn nothing_is_overwritten() {
    let parent = tempfile::tempdir().unwrap();
    let error = RunDir::create(parent.path(), &draft(&[])).unwrap_err();
    assert!(matches!(error, RunError::Exists { .. }));
    assert!(error.to_string().contains("--out"), "{error}");
    assert!(matches!(RunDir::open(parent.path()), Err(RunError::NotARun { .. })));
}

#[test]
fn only_a_run_that_received_nothing_is_removed() {
    let parent = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let plans = [plan("k/idle", &[Stage::Irq], 1)];
        RunDir::create(parent.path().join(name), &draft(&plans)).unwrap()
    };
    let finished = |mut run: RunDir| {
        run.finish(run.manifest().cases.clone()).unwrap();
        run
    };
    let (open, empty, with_file, with_record) = (run("a"), run("b"), run("c"), run("d"));
    std::fs::write(with_file.path().join("console"), "").unwrap();
    Sender::new(&with_record, 0).open("6.1.0", &[Stage::Irq]);
    assert!(!open.clone().remove_if_empty().unwrap());
    assert!(finished(empty).remove_if_empty().unwrap());
    assert!(!finished(with_file).remove_if_empty().unwrap());
    assert!(!finished(with_record).remove_if_empty().unwrap());
    let is_there = |name| parent.path().join(name).exists();
    assert_eq!(["a", "b", "c", "d"].map(is_there), [true, false, true, true]);
}

#[test]
fn a_run_that_was_killed_is_incomplete_and_readable() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("deep/run");
    let run = RunDir::create(&path, &draft(&[plan("k/idle", &[Stage::Irq], 9)])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[Stage::Irq]);
    target.send(Message::Samples(vec![sample(0, vec![answered(Stage::Irq, 567, 0)])]));
    drop(run); // and nothing else: as after kill -9
    let run = RunDir::open(&path).unwrap();
    assert!(!run.manifest().complete);
    let case = run.cases().unwrap().next().unwrap().unwrap();
    assert_eq!((case.samples, case.rows[0].latency.unwrap().0), (1, 1134));
    assert_eq!(case.counters, None);
    assert!(matches!(run.log().append(0, Source::Target, &[1]), Err(RunError::ReadOnly { .. })));
}

#[test]
fn a_finished_run_knows_what_its_target_said() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let plans = [plan("k/idle", &[Stage::Irq], 1), plan("k/load", &[Stage::Irq], 1)];
    let mut run = RunDir::create(&path, &draft(&plans)).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[Stage::Irq]);
    target.warn("the clock is odd");
    target.send(Message::Finished(Counters::default()));
    let failure =
        Failure { what: "guest panicked".into(), remedy: "see its log".into(), invalid: false };
    Sender::new(&run, 1).send(Message::Failed(failure.clone()));
    run.finish(run.manifest().cases.clone()).unwrap();
    let manifest = RunDir::open(&path).unwrap().manifest().clone();
    assert_eq!(&manifest, run.manifest());
    assert!(!manifest.complete, "one case failed");
    assert!(manifest.finished_utc.is_some());
    assert_eq!(manifest.cases[0].warnings, ["the clock is odd"]);
    assert_eq!(manifest.cases[0].target.as_ref().unwrap().kernel, "6.1.0");
    assert!(manifest.cases[0].has_result());
    assert_eq!(manifest.cases[1].failure, Some(failure));
}

#[test]
fn a_manifest_of_a_later_version_is_refused_by_name() {
    let parent = tempfile::tempdir().unwrap();
    std::fs::write(parent.path().join("manifest.json"), r#"{"version": 99, "new": 1}"#).unwrap();
    let error = RunDir::open(parent.path()).unwrap_err();
    assert!(matches!(error, RunError::Version { found: 99, .. }), "{error}");
}

#[test]
fn a_lost_frame_is_told_with_its_number() {
    let parent = tempfile::tempdir().unwrap();
    let run =
        RunDir::create(parent.path().join("run"), &draft(&[plan("k/idle", &[Stage::Irq], 9)]))
            .unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[Stage::Irq]);
    target.lose();
    target.send(Message::Finished(Counters::default()));
    let case = run.cases().unwrap().next().unwrap().unwrap();
    assert_eq!(case.gaps.len(), 1);
    assert_eq!(case.gaps[0].to_string(), "frame 3 of the target is missing");
}

#[test]
fn samples_parquet_holds_every_row_and_the_same_bytes_each_time() {
    let parent = tempfile::tempdir().unwrap();
    let run = synthetic::demo(&parent.path().join("run"), 300);
    let write = || {
        let mut writer = run.samples_writer().unwrap();
        let index = run.index().unwrap();
        for number in run.cases_by_name() {
            let data = run.case(&index, number).unwrap();
            writer.write(&data.case, &data.rows).unwrap();
        }
        std::fs::read(writer.finish().unwrap()).unwrap()
    };
    let bytes = write();
    assert_eq!(bytes, write());
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
    let expected: usize = run.cases().unwrap().map(|data| data.unwrap().rows.len()).sum();
    assert_eq!(rows.len(), expected);
    let first = &rows[0];
    assert_eq!(first.get_string(0).unwrap(), "6.1-rt/idle");
    assert_eq!((first.get_ulong(1).unwrap(), first.get_string(2).unwrap().as_str()), (0, "irq"));
    assert!(rows.iter().all(|row| row.get_long(5).is_ok() || row.get_uint(7).unwrap() == 2));
}
