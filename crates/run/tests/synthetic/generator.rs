// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's half of a run that is made up.

use irqscope_run::{LogWriter, RunDir, Source};
use irqscope_wire::{
    Answer, Cycles, ExtraEdge, Frame, GeneratorHello, GeneratorKind, Limits, Message,
    OutsideSample, PROTOCOL, Packet, RunState, Seq, Settings, Status, Tick, Totals, encode,
};

const MS: u64 = 1_000_000;

pub fn hello(lines: u8) -> GeneratorHello {
    GeneratorHello {
        protocol: PROTOCOL,
        kind: GeneratorKind::Board,
        tool_version: "0.1.0".into(),
        tick: Tick { femtoseconds: 1_000_000 },
        lines,
        limits: Limits::USUAL,
        challenge: None,
    }
}

pub fn status(state: RunState, totals: Totals) -> Status {
    let settings = Settings {
        high: Cycles(MS / 4),
        count: 4,
        timeout: Cycles(10 * MS),
        lines: 2,
        ..Settings::initial(&Limits::USUAL, Tick { femtoseconds: 1_000_000 })
    };
    Status { run: 1, state, settings, totals, now: Cycles(1 << 34) }
}

/// Makes trigger `seq` at `seq` milliseconds of the generator's clock.
pub fn seen(seq: u64, answers: Vec<Answer>) -> OutsideSample {
    OutsideSample {
        seq: Seq(seq),
        trigger: Cycles(seq * MS),
        answers,
        extra: 0,
        widths: Vec::new(),
        window: 0,
    }
}

/// Puts a whole stream into the log: hello, one packet, done.
pub fn send(run: &RunDir, lines: u8, samples: Vec<OutsideSample>, extras: Vec<ExtraEdge>) {
    let answers = samples.iter().flat_map(|sample| &sample.answers);
    let answers = answers
        .filter(|one| matches!(one, Answer::Prompt(_) | Answer::Late(_) | Answer::Named(_)))
        .count();
    let missing = |sample: &&OutsideSample| sample.answers.contains(&Answer::Missing);
    let missing = samples.iter().filter(missing).count() as u64;
    let totals = Totals {
        triggers: samples.len() as u64,
        complete: samples.len() as u64 - missing,
        missing,
        edges: (answers + extras.len()) as u64,
        answers: answers as u64,
        extra: extras.len() as u64,
        ..Totals::default()
    };
    let messages = [
        Message::GeneratorHello(hello(lines)),
        Message::Packet(Packet { run: 1, samples, extras, totals }),
        Message::Status(status(RunState::Done, totals)),
    ];
    let log: LogWriter = run.log();
    for (number, message) in messages.into_iter().enumerate() {
        let frame = Frame { number: number as u64, message };
        log.append(0, Source::Generator, &encode(&frame).unwrap()).unwrap();
    }
}
