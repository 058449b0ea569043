// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator that receives anything: what it executes is within its limits, and its account is in
//! order.

use std::sync::LazyLock;

use crate::mutate;
use crate::mutate::{apply, body, conversation, edits, framed};
use irqscope_generator::{Request, Session, Source};
use irqscope_wire::{Decoder, GeneratorHello, Message, Refusal, encode};
use proptest::prelude::*;

/// Hands bytes to a generator; returns the number of commands it was given.
fn receive(bytes: &[u8], source: &mut Source) -> usize {
    let (mut decoder, mut session) = (Decoder::default(), Session::default());
    let (mut now, mut commands, mut open) = (0u64, 0, true);
    decoder.push(bytes, |_, frame| {
        now = now.saturating_add(10_000);
        if !open {
            return;
        }
        match session.receive(frame) {
            Request::Hello(_) => {}
            Request::Command(to, command) => {
                commands += 1;
                source.command(to, command, now);
            }
            Request::Refused(to, refusal) => source.reply(to, Err(refusal)),
            Request::Close(to, refusal) => {
                source.reply(to, Err(refusal));
                open = false;
            }
        }
        while let Some(due) = source.due().filter(|due| *due <= now) {
            source.tick(due);
        }
        source.pump();
    });
    commands
}

fn source() -> Source {
    let hello = GeneratorHello { lines: 2, challenge: None, ..mutate::messages::generator_hello() };
    Source::new(hello, 16, 4, 100)
}

fn judge(source: &mut Source) -> Result<Vec<Message>, TestCaseError> {
    let status = source.status();
    prop_assert!(status.totals.identity_holds(), "{:?}", status.totals);
    let (limits, set) = (mutate::messages::limits(), status.settings);
    prop_assert!(limits.period.contains(set.period.0) && limits.count.contains(set.count));
    prop_assert!((1..=999).contains(&set.duty));
    Ok(std::iter::from_fn(|| source.outbox.next()).map(|frame| frame.message).collect())
}

#[test]
fn the_whole_conversation_is_heard_and_answered() {
    let bytes: Vec<u8> = conversation().iter().flat_map(|frame| encode(frame).unwrap()).collect();
    let mut source = source();
    assert_eq!(receive(&bytes, &mut source), conversation().len() - 1);
    let said = judge(&mut source).unwrap();
    let replies = said.iter().filter(|message| matches!(message, Message::Reply(_))).count();
    assert_eq!(replies, conversation().len() - 1);
}

proptest! {
    #[test]
    fn a_damaged_conversation_is_obeyed_within_the_limits_only(edits in edits(6)) {
        static BYTES: LazyLock<Vec<u8>> =
            LazyLock::new(|| conversation().iter().flat_map(|f| encode(f).unwrap()).collect());
        let mut source = source();
        receive(&apply(&BYTES, &edits), &mut source);
        judge(&mut source)?;
    }

    #[test]
    fn wrong_commands_with_right_checksums_are_obeyed_within_the_limits_only(
        edits in prop::collection::vec((any::<prop::sample::Index>(), edits(4)), 0..8),
    ) {
        static BODIES: LazyLock<Vec<Vec<u8>>> =
            LazyLock::new(|| conversation().iter().map(body).collect());
        let mut bodies = BODIES.clone();
        for (which, edits) in &edits {
            let which = which.index(bodies.len());
            bodies[which] = apply(&bodies[which], edits);
        }
        let bytes: Vec<u8> = bodies.iter().flat_map(|body| framed(body)).collect();
        let mut source = source();
        let commands = receive(&bytes, &mut source);
        let said = judge(&mut source)?;
        // Each was answered once; what was no command was refused, if at all.
        let executed = said.iter().filter(|message| match message {
            Message::Reply(reply) => !matches!(reply.result, Err(
                Refusal::Garbled { .. }
                    | Refusal::OutOfSequence { .. }
                    | Refusal::NoCommand
                    | Refusal::NoHello
                    | Refusal::OtherProtocol { .. }
            )),
            _ => false,
        });
        prop_assert_eq!(executed.count(), commands);
    }
}
