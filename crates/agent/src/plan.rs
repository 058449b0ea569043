// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the plan comes from: one frame, with or without its delimiter.

use std::io::Read;

use irqscope_wire::{Decoder, Frame, Message, Plan, decode};

use crate::error::{Error, Result};

/// Reads up to the frame's delimiter, or to the end of the input.
///
/// # Errors
/// It cannot be read, or is of another version.
pub fn read(mut input: impl Read) -> Result<Plan> {
    let mut decoder = Decoder::default();
    let mut held = Vec::new();
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(0) => return plan_of(decode(&held)),
            Ok(_) => held.push(byte[0]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::Plan(error.to_string())),
        }
        let mut frame = None;
        decoder.push(&byte, |_, decoded| frame = Some(decoded));
        if let Some(frame) = frame {
            return plan_of(frame);
        }
    }
}

fn plan_of(frame: std::result::Result<Frame, irqscope_wire::FrameError>) -> Result<Plan> {
    match frame.map_err(|error| Error::Plan(error.to_string()))?.message {
        Message::Plan(plan) => Ok(*plan),
        _ => Err(Error::Plan("the frame holds another message".into())),
    }
}

/// Its tests, and plans for those of other modules.
#[cfg(test)]
#[allow(missing_docs, reason = "for tests")]
pub mod tests {
    use super::*;
    use irqscope_wire::*;

    pub fn asked() -> StagePlan {
        StagePlan {
            stages: vec![Stage::Irq, Stage::Softirq, Stage::User],
            count: 2_000,
            timeout_ms: 100,
            ..StagePlan::default()
        }
    }

    pub fn plan() -> Plan {
        Plan { case: "6.1/idle".into(), settle_ms: 10, ..Plan::of_stages(asked()) }
    }

    fn encoded(message: Message) -> Vec<u8> {
        encode(&Frame { number: 0, message }).unwrap()
    }

    #[test]
    fn the_delimiter_may_be_left_out() {
        let mut bytes = encoded(Message::Plan(plan().into()));
        assert_eq!(read(&bytes[..]).unwrap(), plan());
        assert_eq!(bytes.pop(), Some(0));
        assert_eq!(read(&bytes[..]).unwrap(), plan());
    }

    #[test]
    fn what_follows_the_frame_is_left_in_the_input() {
        let mut bytes = encoded(Message::Plan(plan().into()));
        bytes.extend(b"more");
        let mut input = &bytes[..];
        read(&mut input).unwrap();
        assert_eq!(input, b"more");
    }

    #[test]
    fn anything_else_is_refused_as_wrong_usage() {
        let finished = encoded(Message::Finished(Counters::default()));
        for bytes in [&b""[..], b"nonsense\0", b"\0", &finished] {
            assert_eq!(read(bytes).unwrap_err().exit_code(), 2);
        }
    }
}
