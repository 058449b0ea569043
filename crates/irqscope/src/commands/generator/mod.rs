// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope generator`: a generator by hand.

mod flash;
mod follow;
mod itself;
mod limits;
mod list;
mod set;
mod show;

use irqscope_rig::Stop;
use irqscope_rig::generator::{Client, look};
use irqscope_wire::StartAt;

use super::Done;
use crate::cli::Generator;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;
use irqscope_quantity::Span;

pub fn generator(command: &Generator) -> Done {
    let stop = stop_on_signals()?;
    match command {
        Generator::List => list::list(&stop),
        Generator::Flash { image, to, with } => {
            flash::flash(image.as_deref(), to.as_deref(), *with, &stop)
        }
        Generator::Status { generator, json, clock } => {
            status(&generator.connect, *json, *clock, &stop)
        }
        Generator::Calibrate { generator } => itself::calibrate(&generator.connect, &stop),
        Generator::Set { generator, settings } => set::set(&generator.connect, settings, &stop),
        Generator::Start { generator, at, follow } => {
            start(&generator.connect, *at, *follow, &stop)
        }
        Generator::Stop { generator } => end(&generator.connect, &stop),
    }
}

fn status(address: &str, json: bool, clock: Option<Span>, stop: &Stop) -> Done {
    let (hello, status) = look(address, stop)?;
    if json {
        let text = serde_json::json!({
            "hello": hello,
            "status": status,
            "identity_holds": status.totals.identity_holds(),
        });
        println!("{text:#}");
    } else {
        print!("{}{}", show::hello(address, &hello), show::status(&hello, &status));
    }
    if let Some(span) = clock {
        print!("{}", itself::clock(address, span, stop)?);
    }
    Ok(Exit::Fine)
}

fn start(address: &str, at: StartAt, follow: bool, stop: &Stop) -> Done {
    let mut client = Client::connect(address, stop)?;
    let status = client.start(at).map_err(|error| limits::explain(error, client.hello()))?;
    if follow {
        return follow::follow(&mut client, status.run);
    }
    print!("{}", show::state(&status));
    Ok(Exit::Fine)
}

fn end(address: &str, stop: &Stop) -> Done {
    let status = Client::connect(address, stop)?.stop()?;
    print!("{}{}", show::state(&status), show::totals(&status.totals));
    Ok(Exit::Fine)
}

/// Judges a run that is over by the accounting identity.
fn judged(totals: &irqscope_wire::Totals) -> Done {
    if totals.identity_holds() {
        return Ok(Exit::Fine);
    }
    Err(Trouble::new(Exit::Invalid, "the generator's totals do not add up: do not use this run"))
}
