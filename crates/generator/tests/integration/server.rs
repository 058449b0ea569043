// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server over real loopback TCP: good hosts, bad hosts, hosts that go.

use crate::common;
use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use crate::common::{Host, MS, Owner};
use irqscope_generator::server::{Server, ServerError};
use irqscope_wire::{
    Changes, Command, Cycles, MAX_FRAME_BYTES, Message, PROTOCOL, Refusal, RunState, Setting,
    StartAt,
};

#[test]
fn a_run_is_set_started_and_read_to_its_end_without_a_loss() {
    let owner = Owner::start(3, 64);
    let (mut host, idle) = Host::greet(owner.address);
    assert_eq!((idle.run, idle.state), (0, RunState::Idle));
    host.ask(Changes::default().count(100)).unwrap();
    let (lowest, highest) = (1, 999);
    let refusal = Refusal::OutOfRange { setting: Setting::Duty, asked: 1000, lowest, highest };
    assert_eq!(host.ask(Changes::default().duty(1000)), Err(refusal));
    host.ask(Command::Start(StartAt::Now)).unwrap();
    let (seqs, done) = host.read_run();
    assert_eq!(seqs, (0..100).collect::<Vec<_>>());
    assert_eq!((done.totals.complete, done.totals.answers, done.totals.dropped), (100, 300, 0));
}

#[test]
fn an_idle_connection_is_kept_alive_by_a_status() {
    let owner = Owner::start(1, 64);
    let (mut host, _) = Host::greet(owner.address);
    assert!(matches!(host.receive(), Some(Message::Status(_))));
    assert!(matches!(host.receive(), Some(Message::Status(_))));
}

#[test]
fn a_host_that_does_not_read_costs_counted_samples_and_the_run_goes_on() {
    let owner = Owner::start(8, 4);
    let (mut host, _) = Host::greet(owner.address);
    host.ask(Changes::default().count(1 << 32)).unwrap();
    host.ask(Changes::default().packet(1024)).unwrap();
    host.ask(Changes::default().period(Cycles(10_000))).unwrap();
    host.ask(Command::Start(StartAt::Now)).unwrap();
    let dropping = owner.await_status(|status| status.totals.dropped > 0).totals;
    let later = owner.await_status(|s| s.totals.dropped > dropping.dropped + 10_000).totals;
    assert!(later.identity_holds());
    // It reads again, and misses nothing but what was counted as dropped.
    host.send(Message::Command(Command::Stop));
    let (seqs, done) = host.read_run();
    assert!(done.totals.identity_holds() && done.totals.open == 0);
    assert_eq!(seqs.len() as u64, done.totals.complete);
    assert_eq!(done.totals.triggers - done.totals.dropped, done.totals.complete);
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]));
    // Its command was done although it was asked while there was no room.
    assert!(host.ask(Command::Status).is_ok());
}

#[test]
fn commands_of_a_host_that_does_not_read_are_bounded_and_each_answered() {
    let owner = Owner::start(1, 2);
    let (mut host, _) = Host::greet(owner.address);
    let numbers: Vec<u64> = (0..500)
        .map(|seed| host.send(Message::Command(Changes::default().seed(seed).into())))
        .collect();
    let answered: Vec<u64> = numbers.iter().map(|_| host.reply().0.unwrap()).collect();
    assert_eq!(answered, numbers);
}

#[test]
fn a_second_host_is_turned_away_and_the_first_notices_nothing() {
    let owner = Owner::start(1, 64);
    let (mut first, _) = Host::greet(owner.address);
    let mut second = Host::connect(owner.address);
    assert!(matches!(second.receive(), Some(Message::GeneratorHello(_))));
    assert_eq!(second.reply(), (None, Err(Refusal::OtherHost)));
    assert!(second.receive().is_none());
    assert!(first.ask(Command::Status).is_ok());
}

#[test]
fn a_disconnect_in_mid_run_leaves_a_gap_that_is_seen_and_the_run_goes_on() {
    let owner = Owner::start(1, 1024);
    let (mut host, _) = Host::greet(owner.address);
    host.ask(Changes::default().count(1 << 32)).unwrap();
    host.ask(Command::Start(StartAt::Now)).unwrap();
    let first = host.await_some(|message| match message {
        Message::Packet(packet) => Some(packet.samples[0].seq.0),
        _ => None,
    });
    assert_eq!(first, 0);
    // In the middle of a frame.
    host.stream.write_all(&[9, 9]).unwrap();
    let seen = host.seen.unwrap();
    drop(host);
    let (mut again, status) = Host::greet(owner.address);
    assert_eq!((status.run, status.state), (1, RunState::Running));
    assert!(again.seen.unwrap() > seen + 1, "hello and status at least");
    again.send(Message::Command(Command::Stop));
    let (seqs, done) = again.read_run();
    assert!(done.totals.identity_holds() && done.totals.open == 0);
    // Samples that went down with the connection are missing, and that shows.
    assert!(seqs[0] > 0 && seqs.windows(2).all(|pair| pair[0] < pair[1]));
    assert!((seqs.len() as u64) < done.totals.complete);
    assert_eq!(done.totals.complete + done.totals.dropped, done.totals.triggers);
}

#[test]
fn who_is_no_host_gets_no_samples_and_takes_none_away() {
    let owner = Owner::start(1, 1024);
    let (mut host, _) = Host::greet(owner.address);
    host.ask(Changes::default().count(200)).unwrap();
    host.ask(Command::Start(StartAt::Now)).unwrap();
    drop(host);
    owner.await_status(|status| status.state == RunState::Done);
    let (mut wrong, _) = loop {
        let mut host = Host::connect(owner.address);
        host.receive().unwrap();
        if let Some(Message::Status(status)) = host.receive() {
            break (host, status);
        }
    };
    wrong.hello(99);
    let refusal = Refusal::OtherProtocol { theirs: 99, ours: PROTOCOL };
    assert_eq!(wrong.reply(), (Some(0), Err(refusal)));
    assert!(wrong.receive().is_none());
    drop(wrong);
    let (mut right, _) = Host::greet(owner.address);
    let (seqs, _) = right.read_run();
    assert_eq!(seqs.last(), Some(&199));
}

#[test]
fn a_command_before_the_hello_closes_the_connection() {
    let owner = Owner::start(1, 64);
    let mut host = Host::connect(owner.address);
    host.send(Message::Command(Command::Stop));
    assert_eq!(host.reply(), (Some(0), Err(Refusal::NoHello)));
    assert!(host.receive().is_none());
}

#[test]
fn connections_that_say_nothing_hold_no_place_and_have_a_time_limit() {
    let owner = Owner::start(1, 64);
    let mut silent: Vec<Host> = (0..12).map(|_| Host::connect(owner.address)).collect();
    let begun = Instant::now();
    let (mut host, _) = Host::greet(owner.address);
    assert!(host.ask(Command::Status).is_ok());
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    // The one that says hello too late learns that there is a host.
    let mut late = silent.pop().unwrap();
    late.hello(PROTOCOL);
    assert_eq!(late.reply(), (None, Err(Refusal::OtherHost)));
    for mut other in silent {
        assert_eq!(other.reply(), (None, Err(Refusal::NoHello)));
        assert!(other.receive().is_none());
    }
    assert!(begun.elapsed() > Duration::from_secs(4));
    // Its numbers have no gap that others made.
    assert!(host.ask(Command::Status).is_ok());
}

#[test]
fn many_that_are_turned_away_do_not_delay_the_next_host() {
    let owner = Owner::start(1, 64);
    let (host, _) = Host::greet(owner.address);
    let idle: Vec<Host> = (0..40).map(|_| Host::connect(owner.address)).collect();
    drop(host);
    let begun = Instant::now();
    let (mut next, _) = Host::greet(owner.address);
    assert!(next.ask(Command::Status).is_ok());
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    drop(idle);
}

#[test]
fn garbled_truncated_oversized_and_replayed_frames_are_refused_and_have_no_effect() {
    let owner = Owner::start(1, 64);
    let (mut host, _) = Host::greet(owner.address);
    host.stream.write_all(&[7, 7, 7, 0]).unwrap();
    assert_eq!(host.reply(), (None, Err(Refusal::Garbled { bytes: 3 })));
    let frame = irqscope_wire::Frame {
        number: 1,
        message: Message::Command(Changes::default().seed(9).into()),
    };
    let bytes = irqscope_wire::encode(&frame).unwrap();
    let truncated = bytes.len() - 3;
    host.stream.write_all(&bytes[..truncated]).unwrap();
    host.stream.write_all(&bytes).unwrap();
    let bytes = (truncated + bytes.len() - 1) as u32;
    assert_eq!(host.reply(), (None, Err(Refusal::Garbled { bytes })));
    host.stream.write_all(&vec![1; MAX_FRAME_BYTES + 1]).unwrap();
    let limit = MAX_FRAME_BYTES as u32;
    assert_eq!(host.reply(), (None, Err(Refusal::Oversized { limit })));
    host.stream.write_all(&[0]).unwrap();
    host.ask(Changes::default().seed(1)).unwrap();
    host.sent -= 1;
    let replayed = Refusal::OutOfSequence { number: 1, expected: 2 };
    assert_eq!(host.ask(Changes::default().seed(2)), Err(replayed));
    host.sent = 9;
    let lost = Refusal::OutOfSequence { number: 9, expected: 2 };
    assert_eq!(host.ask(Changes::default().seed(3)), Err(lost));
    host.sent = 2;
    assert_eq!(host.ask(Command::Status).unwrap().settings.seed, 1);
    host.send(Message::Status(owner.status()));
    assert_eq!(host.reply(), (Some(3), Err(Refusal::NoCommand)));
}

#[test]
fn a_reply_is_for_the_host_that_asked_and_for_no_other() {
    // The test is the owner, so that it decides which host is there at the exchange.
    let mut source = common::source(1, 64);
    let mut server = Server::start("127.0.0.1:0", &source).unwrap();
    let mut gone = Host::connect(server.address());
    gone.hello(PROTOCOL);
    gone.send(Message::Command(Changes::default().seed(5).into()));
    gone.stream.shutdown(Shutdown::Write).unwrap();
    while gone.receive().is_some() {}
    drop(gone);
    let (mut host, _) = Host::greet(server.address());
    host.send(Message::Command(Changes::default().duty(500).into()));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while source.status().settings.duty != 500 {
        server.exchange(&mut source, MS);
        assert!(std::time::Instant::now() < deadline);
    }
    while !source.outbox.is_empty() {
        server.exchange(&mut source, MS);
    }
    // Both were done; the one reply is about both.
    let (to, status) = host.reply();
    assert_eq!((to, status.unwrap().settings.seed), (Some(1), 5));
}

#[test]
fn the_end_is_told_before_the_connection_closes() {
    let owner = Owner::start(1, 1024);
    let (mut host, _) = Host::greet(owner.address);
    host.ask(Changes::default().count(1 << 32)).unwrap();
    host.ask(Command::Start(StartAt::Now)).unwrap();
    owner.await_status(|status| status.totals.triggers > 100);
    owner.stop();
    let (seqs, done) = host.read_run();
    assert_eq!(seqs.len() as u64, done.totals.complete);
    assert!(done.totals.identity_holds() && done.totals.open == 0);
    assert!(host.receive().is_none());
}

#[test]
fn an_address_that_is_taken_is_named_and_free_again_after_the_server() {
    let source = common::source(1, 64);
    let server = Server::start("127.0.0.1:0", &source).unwrap();
    let address = server.address();
    let error = Server::start(address, &source).unwrap_err();
    assert!(matches!(error, ServerError::Listen { .. }));
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    let (host, _) = Host::greet(address);
    drop(server);
    drop(host);
    Server::start(address, &source).unwrap();
}
