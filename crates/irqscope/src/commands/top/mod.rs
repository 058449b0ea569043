// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope top`: the dashboard's figures in a terminal.

mod bars;
mod screen;
mod view;

use std::io::IsTerminal;
use std::time::Duration;

use irqscope_rig::Stop;
use irqscope_server::{Measurement, Session, Snapshots, Start, StartScenario, State};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::Done;
use crate::cli::Top;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;
use view::View;

/// How long a key is waited for until the picture is drawn again.
const TURN: Duration = Duration::from_millis(200);

pub fn top(options: &Top) -> Done {
    if !(std::io::stdout().is_terminal() && std::io::stdin().is_terminal()) {
        let text = "top needs a terminal; to measure without one: irqscope run, or irqscope serve";
        return Err(Trouble::new(Exit::Usage, text));
    }
    let stop = stop_on_signals()?;
    let session =
        Session::new(&options.runs, env!("CARGO_PKG_VERSION"), std::env::args().collect());
    let shown = begin(options, &session).and_then(|()| show(&session, &stop));
    session.close();
    let view = shown?;
    tell(options, view.measurement())
}

fn begin(options: &Top, session: &Session) -> Result<(), Trouble> {
    if let Some(address) = &options.connect {
        session.connect(address)?;
        let stages = (!options.stages.is_empty()).then(|| options.stages.clone());
        session.start(Start { stages, at: None })?;
    }
    if let Some(scenario) = &options.scenario {
        let (scenario, kernels) = (scenario.clone(), options.kernel.clone());
        session.start_scenario(&StartScenario { scenario, kernels, ..Default::default() })?;
    }
    Ok(())
}

/// Shows the measurement until the user has seen enough, and it has ended.
fn show(session: &Session, stop: &Stop) -> Result<View, Trouble> {
    let newest = session.watch()?;
    let mut terminal = ratatui::try_init()
        .map_err(|error| Trouble::new(Exit::Usage, format!("cannot use the terminal: {error}")))?;
    let shown = run(session, newest, stop, &mut terminal);
    ratatui::restore();
    shown.map_err(|error| Trouble::new(Exit::Usage, format!("the terminal was lost: {error}")))
}

fn run(
    session: &Session,
    mut newest: Snapshots,
    stop: &Stop,
    terminal: &mut ratatui::DefaultTerminal,
) -> std::io::Result<View> {
    let mut view = View::default();
    loop {
        view.learn(&newest.borrow_and_update());
        if view.is_leaving() && view.is_over() || stop.requested() {
            return Ok(view);
        }
        terminal.draw(|frame| screen::draw(frame, &view))?;
        if event::poll(TURN)?
            && let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
        {
            press(session, key, &mut view);
        }
    }
}

fn press(session: &Session, key: KeyEvent, view: &mut View) {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if control => leave(session, view),
        KeyCode::Char('q') | KeyCode::Esc => leave(session, view),
        KeyCode::Char('s') => view.say(session.stop().err().map(|error| error.to_string())),
        KeyCode::Char('p' | ' ') => view.pause(),
        KeyCode::Char('v') => view.turn(),
        KeyCode::Down | KeyCode::Char('j') => view.choose(1),
        KeyCode::Up | KeyCode::Char('k') => view.choose(-1),
        KeyCode::Tab => view.next_case(),
        _ => {}
    }
}

/// Ends the measurement at the first request, and waits for it; at the second one it does not wait.
fn leave(session: &Session, view: &mut View) {
    if view.is_leaving() {
        view.end();
    }
    view.leave();
    // Nothing may be under way any more, which is as good.
    let _ = session.stop();
}

fn tell(options: &Top, measurement: Option<&Measurement>) -> Done {
    let Some(measurement) = measurement else { return Ok(Exit::Interrupted) };
    if let Some(run) = &measurement.run {
        println!("run     {}", options.runs.join(run).display());
    }
    match measurement.state {
        State::Done => Ok(Exit::Fine),
        State::Failed => {
            let error = measurement.error.as_ref();
            let text = error.map_or_else(String::new, |it| format!("{}; {}", it.what, it.remedy));
            Err(Trouble::new(Exit::Lost, text.trim_end_matches("; ")))
        }
        _ => Ok(Exit::Interrupted),
    }
}
