// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One host's connection, over whatever carries bytes.

use alloc::collections::VecDeque;
use core::cell::RefCell;

use embassy_futures::select::select;
use embassy_time::{Duration, Instant, Timer};
use irqscope_generator::{Request, Session};
use irqscope_wire::{Decoder, Frame, FrameError, Message, Refusal, Reply, encode};

use crate::board::Shared;

/// A connection without a frame for this time gets a status.
const KEEP_ALIVE: Duration = Duration::from_secs(1);
/// How often the outbox is looked at.
const LOOK: Duration = Duration::from_millis(1);
/// A host's frames are a few dozen bytes long.
const LONGEST_FRAME: usize = 512;
/// Refusals that may wait.
const REFUSALS: usize = 8;

/// Where bytes come from. None: there will be no more.
pub trait Source {
    async fn read(&mut self, buffer: &mut [u8]) -> Option<usize>;
}

/// Where they go. False: nothing arrives any more.
pub trait Sink {
    async fn write(&mut self, bytes: &[u8]) -> bool;
}

struct State {
    session: Session,
    decoder: Decoder,
    said_hello: bool,
    closing: bool,
    refusals: VecDeque<Message>,
}

/// Serves a host until it goes.
pub async fn serve(shared: &Shared, source: &mut impl Source, sink: &mut impl Sink) {
    let Some(_held) = shared.slot.take() else {
        return turn_away(shared, sink).await;
    };
    shared.board().engine.host().outbox.forget_replies();
    let state = RefCell::new(State {
        session: Session::limited(LONGEST_FRAME as u32),
        decoder: Decoder::limited(LONGEST_FRAME),
        said_hello: false,
        closing: false,
        refusals: VecDeque::new(),
    });
    select(hear_all(shared, &state, source), say_all(shared, &state, sink)).await;
}

async fn hear_all(shared: &Shared, state: &RefCell<State>, source: &mut impl Source) {
    let mut buffer = [0; 64];
    while let Some(length) = source.read(&mut buffer).await {
        let mut frames = VecDeque::new();
        state.borrow_mut().decoder.push(&buffer[..length], |_, frame| frames.push_back(frame));
        for frame in frames {
            // No command is done while there is no room for its reply.
            while !has_room(shared, state) {
                Timer::after(LOOK).await;
            }
            hear(shared, &mut state.borrow_mut(), frame);
        }
    }
}

fn has_room(shared: &Shared, state: &RefCell<State>) -> bool {
    shared.board().engine.host().outbox.has_room() && state.borrow().refusals.len() < REFUSALS
}

fn hear(shared: &Shared, state: &mut State, frame: Result<Frame, FrameError>) {
    if state.closing {
        return;
    }
    match state.session.receive(frame) {
        Request::Hello(_) => state.said_hello = true,
        Request::Command(to, command) => shared.board().command(to, command),
        Request::Refused(to, refusal) => state.refusals.push_back(reply(to, refusal)),
        Request::Close(to, refusal) => {
            state.refusals.push_back(reply(to, refusal));
            state.closing = true;
        }
    }
}

fn reply(to: Option<u64>, refusal: Refusal) -> Message {
    Message::Reply(Reply { to, result: Err(refusal) })
}

/// Sends until the connection is to be closed.
async fn say_all(shared: &Shared, state: &RefCell<State>, sink: &mut impl Sink) {
    let frames = shared.board().engine.first_frames();
    for message in frames {
        if !say(shared, sink, message).await {
            return;
        }
    }
    let mut said = Instant::now();
    loop {
        let message = next(shared, &mut state.borrow_mut(), said.elapsed() >= KEEP_ALIVE);
        match message {
            Some(message) => {
                if !say(shared, sink, message).await {
                    return;
                }
                said = Instant::now();
            }
            None if state.borrow().closing => return,
            None => Timer::after(LOOK).await,
        }
    }
}

/// Returns the next message; samples wait for a host that has said hello.
fn next(shared: &Shared, state: &mut State, quiet: bool) -> Option<Message> {
    let mut board = shared.board();
    if let Some(refusal) = state.refusals.pop_front() {
        return Some(refusal);
    }
    if state.said_hello && !state.closing {
        if let Some(note) = board.take_note() {
            return Some(Message::Note(note));
        }
        if let Some(message) = board.engine.host().outbox.pop() {
            return Some(message);
        }
    }
    (quiet && !state.closing).then(|| Message::Status(board.status()))
}

async fn say(shared: &Shared, sink: &mut impl Sink, message: Message) -> bool {
    let frame = shared.board().engine.host().outbox.number(message);
    // A frame that does not fit is a bug, and its number shows that it is missing.
    match encode(&frame) {
        Ok(bytes) => sink.write(&bytes).await,
        Err(_) => true,
    }
}

/// Refuses a second host.
async fn turn_away(shared: &Shared, sink: &mut impl Sink) {
    let hello = shared.board().engine.host().hello_message();
    if say(shared, sink, hello).await {
        say(shared, sink, reply(None, Refusal::OtherHost)).await;
    }
}
