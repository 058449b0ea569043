// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs with static probes, made by a real compiler.

use super::*;
use std::process::Command;

/// A probe of `app:tick` in two places, one of `app:off` behind a semaphore, and a place for it.
const SOURCE: &str = r#"
unsigned short semaphore;
#define NOTE(name, semaphore) \
	__asm__ volatile("990: nop\n" \
		".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n" \
		".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
		"993: .8byte 990b, _.stapsdt.base, " semaphore "\n" \
		".asciz \"app\"\n.asciz \"" name "\"\n.asciz \"\"\n994: .balign 4\n.popsection\n" \
		".ifndef _.stapsdt.base\n" \
		".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
		".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n" \
		".size _.stapsdt.base, 1\n.popsection\n.endif\n")
int main(void)
{
	NOTE("tick", "0");
	NOTE("off", "semaphore");
	NOTE("tick", "0");
	return 0;
}
"#;

fn build(directory: &Path, options: &[&str]) -> PathBuf {
    let source = directory.join("app.c");
    std::fs::write(&source, SOURCE).unwrap();
    let program = directory.join("app");
    let status =
        Command::new("cc").args(options).arg("-o").arg(&program).arg(&source).status().unwrap();
    assert!(status.success(), "the compiler takes it");
    program
}

/// Returns the offsets of a program's instructions `nop` that lie after the beginning of `main`.
fn nops(program: &Path) -> Vec<u64> {
    let listing = Command::new("objdump")
        .args(["-d", "-F", "--no-show-raw-insn"])
        .arg(program)
        .output()
        .unwrap();
    let listing = String::from_utf8(listing.stdout).unwrap();
    let main = listing.split("\n\n").find(|part| part.contains("<main> (File Offset:")).unwrap();
    let (head, body) = main.split_once("):\n").unwrap();
    let hex = |text: &str| u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).unwrap();
    let offset = hex(head.rsplit_once("File Offset:").unwrap().1);
    let address = hex(head.trim_start().split_once(' ').unwrap().0);
    let nops = body.lines().filter(|line| line.ends_with("\tnop"));
    nops.map(|line| hex(line.split_once(':').unwrap().0) - address + offset).collect()
}

#[test]
fn a_static_probe_is_found_at_each_of_its_places() {
    for options in [&["-O2"][..], &["-O2", "-static"], &["-O2", "-no-pie"]] {
        let directory = tempfile::tempdir().unwrap();
        let program = build(directory.path(), options);
        let places = nops(&program);
        let [first, _, third] = places[..3] else { panic!("{places:?}") };
        assert_eq!(offsets(&program, "app", "tick").unwrap(), [first, third], "{options:?}");
        let off = offsets(&program, "app", "off").unwrap_err();
        assert!(off.contains("semaphore"), "{off}");
        let none = offsets(&program, "app", "tock").unwrap_err();
        assert!(none.contains("app:off, app:tick") || options.contains(&"-static"), "{none}");
    }
}

#[test]
fn what_is_no_program_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    assert!(offsets(&file, "app", "tick").unwrap_err().contains("No such file"));
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    assert!(offsets(&file, "app", "tick").unwrap_err().contains("no 64-bit ELF file"));
    // Damage anywhere is no panic.
    let bytes = std::fs::read(build(directory.path(), &["-O2"])).unwrap();
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        let _ = sites(&damaged);
        let _ = sites(&bytes[..at]);
    }
}

#[test]
fn places_are_parsed() {
    let function = Reach::parse("/usr/bin/app:on_packet").unwrap();
    assert_eq!((function.program.to_str(), &*function.name()), (Some("/usr/bin/app"), "on_packet"));
    let probe = Reach::parse("usdt:/usr/bin/a:b:app:tick").unwrap();
    assert_eq!((probe.program.to_str(), &*probe.name()), (Some("/usr/bin/a:b"), "app:tick"));
    for wrong in
        ["", "app", "/usr/bin/app:", ":f", "usdt:/usr/bin/app:tick", "usdt:/a::tick", "usdt::p:n"]
    {
        let said = Reach::parse(wrong).unwrap_err().to_string();
        assert!(said.contains("usdt:/usr/bin/app:provider:name"), "{wrong}: {said}");
    }
}
