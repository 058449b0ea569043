// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Foreign files with any damage: a run whose figures hold, or an error that
//! names the file; never a panic.

use std::fs;
use std::path::Path;

use irqscope_analysis::derive;
use irqscope_report::foreign::{
    Export, ExportFormat, ForeignError, Import, ImportFormat, export, import,
};
use proptest::prelude::*;
use proptest::sample::Index;

const FORMATS: [ImportFormat; 8] = [
    ImportFormat::Cyclictest,
    ImportFormat::RtTests,
    ImportFormat::Oslat,
    ImportFormat::Jitterdebugger,
    ImportFormat::JitterdebuggerSamples,
    ImportFormat::Rtla,
    ImportFormat::Latmus,
    ImportFormat::Csv,
];

const RECORDINGS: [&str; 9] = [
    "cyclictest-h.txt",
    "cyclictest-H.txt",
    "cyclictest-v.txt",
    "cyclictest.json",
    "oslat.txt",
    "oslat.json",
    "jitterdebugger/results.json",
    "jitterdebugger/samples.raw",
    "rtla-osnoise.txt",
];

const LATMUS: &[u8] = b"# context: user\n# thread priority: 98\n# thread affinity: CPU1\n\
    # max latency: 2.5\n# sample count: 106\n0 95\n2 8\n199+ 3\n";

const CSV: &[u8] = b"case,benchmark,variant,series,cpu,seq,at_ns,value_ns,count\n\
    a/b,sched,fifo 80,cpu0,0,0,1,2,1\na/b,sched,fifo 80,cpu0,0,1,,2,1\na/b,spin,other,x,,,,7,8\n";

/// Bytes that parsers may trip over, put in the place of some bytes.
const PIECES: [&[u8]; 12] = [
    b"",
    b"-1",
    b"18446744073709551615",
    b"9223372036854775807",
    b"99999999999999999999999",
    b"\n",
    b"\0",
    b"\xff\xfe",
    b"{",
    b"null",
    b"1e9",
    b" : ",
];

type Damage = (Index, usize, usize);

fn damage() -> impl Strategy<Value = Vec<Damage>> {
    prop::collection::vec((any::<Index>(), 0usize..20, 0..PIECES.len()), 0..6)
}

fn damaged(content: &[u8], damage: &[Damage]) -> Vec<u8> {
    let mut content = content.to_vec();
    for (at, length, piece) in damage {
        let from = at.index(content.len() + 1);
        let to = (from + length).min(content.len());
        content.splice(from..to, PIECES[*piece].iter().copied());
    }
    content
}

fn judge(content: &[u8], format: Option<ImportFormat>) -> Result<(), TestCaseError> {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file.txt");
    fs::write(&file, content).unwrap();
    let out = parent.path().join("run");
    match import_as(&file, &out, format) {
        Err(error) => prop_assert!(error.to_string().contains("file.txt"), "{}", error),
        Ok(run) => {
            let summary = derive(&run).unwrap();
            for case in &summary.cases {
                prop_assert!(case.violations.is_empty(), "{:?}", case.violations);
            }
            let formats = [ExportFormat::Csv, ExportFormat::OpenMetrics, ExportFormat::RtTests];
            for format in formats.into_iter().chain([ExportFormat::Cyclictest, ExportFormat::Hdr]) {
                let few = Export { bins: Some(50), ..Export::plain(format) };
                let _ = export(&run, &few, &mut std::io::sink());
            }
        }
    }
    Ok(())
}

fn import_as(
    file: &Path,
    out: &Path,
    format: Option<ImportFormat>,
) -> Result<irqscope_run::RunDir, ForeignError> {
    import(&Import {
        files: &[file.to_owned()],
        out,
        format,
        unit_ns: None,
        args: Vec::new(),
        tool_version: "0.1.0",
    })
}

proptest! {
    // A directory and its files each.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(20_000), ..ProptestConfig::default()
    })]

    #[test]
    fn recordings_with_any_damage_are_read_or_refused(
        which in any::<Index>(),
        damage in damage(),
        forced in prop::option::of(any::<Index>()),
    ) {
        let which = which.index(RECORDINGS.len() + 2);
        let content = match RECORDINGS.get(which) {
            Some(name) => {
                let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
                fs::read(data.join(name)).unwrap()
            }
            None => [LATMUS, CSV][which - RECORDINGS.len()].to_vec(),
        };
        judge(&damaged(&content, &damage), forced.map(|index| FORMATS[index.index(8)]))?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        content in prop::collection::vec(any::<u8>(), 0..300),
        format in any::<Index>(),
    ) {
        judge(&content, Some(FORMATS[format.index(8)]))?;
        judge(&content, None)?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[0-9:#,{}\"TPIC|. \n-]{0,300}", format in any::<Index>()) {
        judge(text.as_bytes(), Some(FORMATS[format.index(8)]))?;
    }
}
