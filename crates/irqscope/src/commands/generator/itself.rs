// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's measurements of its own error: `calibrate`, and `status --clock`.

use std::time::{Duration, Instant};

use irqscope_report::{clock_text, offsets_text};
use irqscope_rig::Stop;
use irqscope_rig::generator::{Client, GeneratorError};
use irqscope_run::{ClockError, line_offsets};
use irqscope_wire::{Calibration, Command, Message, RunState};

use super::limits;
use crate::commands::Done;
use crate::exit::{Exit, Trouble};
use irqscope_quantity::Span;

/// How long a generator may take to look at all its lines.
const LIMIT: Duration = Duration::from_secs(60);
const TURN: Duration = Duration::from_millis(200);
/// Readings of the clock, at most.
const READINGS: u32 = 100;

pub fn calibrate(address: &str, stop: &Stop) -> Done {
    let mut client = Client::connect(address, stop)?;
    let explain = |error, client: &Client| limits::explain(error, client.hello());
    client.ask(Command::Calibrate).map_err(|error| explain(error, &client))?;
    let calibration = wait_for_calibration(&mut client)?;
    let offsets = line_offsets(&calibration, client.hello().tick);
    for (line, offset) in offsets.iter().enumerate() {
        match offset {
            Some(it) => println!(
                "line {line}  {} ns ({} to {}, {} times)",
                it.offset_ns, it.lowest_ns, it.highest_ns, it.measurements
            ),
            None => println!("line {line}  the trigger does not come here"),
        }
    }
    if offsets.iter().all(Option::is_none) {
        let text = "no line is joined to the trigger\n  remedy: join them (docs/board.md), and \
                    calibrate again before the target is connected";
        return Err(Trouble::new(Exit::Usage, text));
    }
    println!("what was found is subtracted from every latency of its line");
    Ok(Exit::Fine)
}

/// Waits for the calibration that follows the reply; one that was stored may have come before.
fn wait_for_calibration(client: &mut Client) -> Result<Calibration, Trouble> {
    let deadline = Instant::now() + LIMIT;
    let mut answered = false;
    while Instant::now() < deadline {
        let Some(received) = client.next(TURN)? else { continue };
        match received.frame.map(|frame| frame.message) {
            Ok(Message::Reply(_)) => answered = true,
            Ok(Message::Calibration(calibration)) if answered => return Ok(calibration),
            Ok(Message::Failed(failure)) => {
                let (what, remedy) = (failure.what, failure.remedy);
                return Err(GeneratorError::Failed { what, remedy }.into());
            }
            _ => {}
        }
    }
    let text = format!("the generator has not sent a calibration within {} s", LIMIT.as_secs());
    Err(Trouble::new(Exit::Lost, text))
}

/// Reads a generator's clock for this span, beside the host's.
pub fn clock(address: &str, span: Span, stop: &Stop) -> Result<String, Trouble> {
    let mut client = Client::connect(address, stop)?;
    let before = client.status()?;
    if !matches!(before.state, RunState::Idle | RunState::Done) {
        let text = "a run is under way, and its samples would be lost: read the clock before or \
                    after it (a run's own readings are in its manifest)";
        return Err(Trouble::new(Exit::Usage, text));
    }
    let (begin, whole) = (Instant::now(), Duration::from_nanos(span.0));
    let (mut readings, mut stored) = (Vec::new(), None);
    while begin.elapsed() < whole {
        let sent = begin.elapsed();
        let status = client.status()?;
        let middle = (sent + begin.elapsed()) / 2;
        let own = status.now.0 as f64 * client.hello().tick.femtoseconds as f64 / 1e6;
        readings.push((middle.as_nanos() as f64, own));
        let next = Instant::now() + whole / READINGS;
        while let Some(received) = client.next(next.saturating_duration_since(Instant::now()))? {
            if let Ok(Message::Calibration(it)) = received.frame.map(|frame| frame.message) {
                stored = Some(line_offsets(&it, client.hello().tick));
            }
        }
    }
    let clock = ClockError::of(&readings).ok_or_else(|| {
        Trouble::new(Exit::Usage, "too short to say anything of its clock: --clock 10s")
    })?;
    let offsets = stored.as_deref().and_then(offsets_text);
    let lines = offsets.into_iter().chain([clock_text(&clock)]);
    Ok(lines.map(|line| format!("           {line}\n")).collect())
}
