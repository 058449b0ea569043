// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Goal: the generator and the driver's header mean the same bytes.

use std::fs;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use irqscope_generator::words::Word;
use irqscope_vm::memory::{Layout, MAGIC, MOST_LINES, VERSION};

#[test]
fn every_size_offset_and_number_of_the_header_is_that_of_the_generator() {
    let facts = [
        ("IRQSCOPE_DOORBELL_MAGIC", MAGIC as usize),
        ("IRQSCOPE_DOORBELL_VERSION", VERSION as usize),
        ("IRQSCOPE_DOORBELL_LINES", MOST_LINES.into()),
        ("IRQSCOPE_DOORBELL_STRIDE", size_of::<Word>()),
        ("sizeof(struct irqscope_doorbell)", size_of::<Layout>()),
        ("offsetof(struct irqscope_doorbell, magic)", offset_of!(Layout, magic)),
        ("offsetof(struct irqscope_doorbell, version)", offset_of!(Layout, version)),
        ("offsetof(struct irqscope_doorbell, lines)", offset_of!(Layout, lines)),
        ("offsetof(struct irqscope_doorbell, armed)", offset_of!(Layout, armed)),
        ("offsetof(struct irqscope_doorbell, words)", offset_of!(Layout, words)),
    ];
    let assertions: String = facts
        .iter()
        .map(|(c, rust)| format!("_Static_assert(({c}) == {rust}, \"{c} is {rust} in Rust\");\n"))
        .collect();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/irqscope/include");
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("header.c");
    let includes = "#include <stddef.h>\n#include \"irqscope_doorbell.h\"\n";
    fs::write(&source, format!("{includes}{assertions}")).unwrap();
    let compiled = Command::new("cc")
        .args(["-fsyntax-only", "-Wall", "-Werror", "-I"])
        .args([&include, &source])
        .output()
        .expect("a C compiler, which the driver needs as well");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}
