// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The agent as a program, and what it says.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use irqscope_wire::{Decoder, Message};

pub fn agent(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_irqscope-agent"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end without reading anything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub fn frames(output: &Output) -> Vec<Message> {
    let mut messages = Vec::new();
    Decoder::default().push(&output.stdout, |_, frame| {
        let frame = frame.unwrap();
        assert_eq!(frame.number, messages.len() as u64);
        messages.push(frame.message);
    });
    messages
}
