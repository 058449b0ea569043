// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Goal: the agent and the driver's header mean the same bytes.

use std::fs;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use irqscope_agent::generator::{Layout, MOST_LINES};
use irqscope_agent::uapi::{self, Answer, Call, Event, Fault, Injection, Response, Ring, Sample};
use irqscope_agent::user_edge;
use irqscope_generator::words::Word;
use irqscope_wire::{Called, Context, FaultKind, Stage, Vector};

/// Returns C expressions, and their values by Rust.
fn facts() -> Vec<(String, usize)> {
    let mut facts = vec![
        ("IRQSCOPE_ABI".into(), uapi::ABI as usize),
        ("IRQSCOPE_MAGIC".into(), uapi::MAGIC as usize),
        ("IRQSCOPE_STAGE_SLOTS".into(), uapi::STAGE_SLOTS),
        ("IRQSCOPE_ANSWERED".into(), uapi::ANSWERED as usize),
        ("IRQSCOPE_MERGED".into(), uapi::MERGED as usize),
        ("IRQSCOPE_SAMPLE_DONE".into(), uapi::SAMPLE_DONE as usize),
        ("IRQSCOPE_RELEASE".into(), nix::request_code_write!(b'I', 1, 8) as usize),
        ("IRQSCOPE_INJECT_NOW".into(), nix::request_code_read!(b'I', 2, 16) as usize),
        ("IRQSCOPE_INJECTION_MERGED".into(), uapi::INJECTION_MERGED as usize),
        ("IRQSCOPE_INJECTION_DROPPED".into(), uapi::INJECTION_DROPPED as usize),
        ("IRQSCOPE_WORDS".into(), MOST_LINES.into()),
        ("sizeof(struct irqscope_injection)".into(), size_of::<Injection>()),
        ("sizeof(struct irqscope_word)".into(), size_of::<Word>()),
        ("sizeof(struct irqscope_memory)".into(), size_of::<Layout>()),
        ("IRQSCOPE_STAGES".into(), Stage::COUNT),
        ("IRQSCOPE_FAULT_KINDS".into(), FaultKind::ALL.len()),
        ("IRQSCOPE_FAULT_HRTIMER_SOFTIRQ".into(), FaultKind::HrtimerSoftirq as usize),
        ("IRQSCOPE_FAULT_PAGE_FAULTS".into(), FaultKind::PageFaults as usize),
        ("IRQSCOPE_FAULT_SMI".into(), FaultKind::Smi as usize),
        ("sizeof(struct irqscope_fault)".into(), size_of::<Fault>()),
        ("IRQSCOPE_PREEMPTED".into(), uapi::PREEMPTED as usize),
        ("IRQSCOPE_THRESHOLD + 1".into(), Vector::ALL.len()),
        ("IRQSCOPE_CALLED_STOP + 1".into(), Called::ALL.len()),
        ("IRQSCOPE_EVENT_KINDS".into(), uapi::EVENT_KINDS.into()),
        ("IRQSCOPE_IN_IRQ".into(), Context::IRQ.into()),
        ("IRQSCOPE_IN_SOFTIRQ".into(), Context::SOFTIRQ.into()),
        ("IRQSCOPE_IN_NMI".into(), Context::NMI.into()),
        ("IRQSCOPE_IRQS_DISABLED".into(), Context::IRQS_DISABLED.into()),
        ("IRQSCOPE_NO_PREEMPTION".into(), Context::NO_PREEMPTION.into()),
        ("IRQSCOPE_BH_DISABLED".into(), Context::BH_DISABLED.into()),
        ("IRQSCOPE_IN_IDLE".into(), Context::IDLE.into()),
        ("IRQSCOPE_IN_USER".into(), Context::USER.into()),
        ("sizeof(struct irqscope_event)".into(), size_of::<Event>()),
        ("sizeof(struct irqscope_response)".into(), size_of::<Response>()),
        ("sizeof(struct irqscope_sample)".into(), size_of::<Sample>()),
        ("sizeof(struct irqscope_ring)".into(), size_of::<Ring>()),
        ("sizeof(struct irqscope_call)".into(), uapi::CALL_BYTES),
        ("sizeof(struct irqscope_user_edge)".into(), size_of::<user_edge::Layout>()),
        ("IRQSCOPE_USER_EDGE_PAGE".into(), uapi::USER_EDGE_PAGE as usize),
        ("IRQSCOPE_USER_WORDS_PAGE".into(), uapi::USER_WORDS_PAGE as usize),
        ("IRQSCOPE_EDGE_DATA".into(), uapi::EDGE_DATA as usize),
        ("IRQSCOPE_EDGE_CONTROL".into(), uapi::EDGE_CONTROL as usize),
        ("IRQSCOPE_EDGE_WORD".into(), uapi::EDGE_WORD as usize),
        ("sizeof(struct irqscope_answer)".into(), size_of::<Answer>()),
    ];
    macro_rules! offsets {
        ($type:ty, $name:literal: $($field:ident),+) => {
            $(facts.push((
                format!("offsetof(struct {}, {})", $name, stringify!($field)),
                offset_of!($type, $field),
            ));)+
        };
    }
    offsets!(Response, "irqscope_response": cycles, cpu, interrupts, flags);
    offsets!(Sample, "irqscope_sample": state, asked, seq, trigger_cycles, trigger_ns, responses);
    offsets!(Ring, "irqscope_ring": magic, abi, slots, sample_size, samples_offset, running);
    offsets!(Ring, "irqscope_ring": tick_fs, triggers, complete, missing, coalesced, overrun);
    offsets!(Ring, "irqscope_ring": skipped, spurious, published);
    offsets!(Injection, "irqscope_injection": cycles, number, flags);
    offsets!(Layout, "irqscope_memory": armed, words);
    offsets!(Call, "irqscope_call": seq, rounds, number);
    offsets!(Answer, "irqscope_answer": seq, cycles, edge);
    offsets!(user_edge::Layout, "irqscope_user_edge": wires, way, step, port, keep, word);
    offsets!(Fault, "irqscope_fault": begin, end, kind, number);
    offsets!(Event, "irqscope_event": cycles, address, value, pid, order, kind, priority, context);
    for (kind, name) in uapi::KIND_NAMES.iter().enumerate() {
        facts.push((format!("IRQSCOPE_{name}"), kind));
    }
    for stage in Stage::ALL {
        facts.push((format!("IRQSCOPE_{}", stage.name().to_uppercase()), stage.index()));
    }
    facts
}

#[test]
fn every_size_offset_and_number_of_the_header_is_that_of_the_agent() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/irqscope/include");
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/faults");
    let assertions: String = facts()
        .iter()
        .map(|(c, rust)| format!("_Static_assert(({c}) == {rust}, \"{c} is {rust} in Rust\");\n"))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("header.c");
    fs::write(
        &source,
        format!(
            "#include <stddef.h>\n#include \"irqscope.h\"\n#include \"faults.h\"\n{assertions}"
        ),
    )
    .unwrap();
    let compiled = Command::new("cc")
        .args(["-fsyntax-only", "-Wall", "-Werror", "-I"])
        .args([&include, Path::new("-I"), &faults, &source])
        .output()
        .expect("a C compiler, which the driver needs as well");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}
