// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope serve`: the dashboard.

use std::time::Duration;

use irqscope_rig::generator::GeneratorError;
use irqscope_server::{Lake, Options, Page, Server, Session, StartScenario};

use super::Done;
use crate::cli::Serve;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

/// How soon a signal is seen.
const TURN: Duration = Duration::from_millis(50);

pub fn serve(options: &Serve) -> Done {
    let stop = stop_on_signals()?;
    let page = options.page.clone().map_or(Page::BuiltIn, Page::Directory);
    page.check()?;
    let args = std::env::args().collect();
    let session = Session::new(&options.runs, env!("CARGO_PKG_VERSION"), args);
    let (listen, names) = (options.address(), options.name.clone());
    let allow = options.allow.iter().chain(&options.connect).map(|text| text.parse());
    let allow = allow.collect::<Result<_, GeneratorError>>()?;
    let lake = options.lake.as_deref().map(Lake::open).transpose()?;
    let listening = Options { listen, names, allow, page, lake };
    let server = Server::start(listening, session.clone())?;
    if let Err(trouble) = begin(options, &session) {
        session.close();
        return Err(trouble);
    }
    println!("irqscope: open {}", server.link());
    if server.token().is_some() {
        eprintln!(
            "irqscope: this address can be reached from other machines, unencrypted; the link has \
             a token, without which no request is served: give it only to people who may measure here"
        );
    }
    while !stop.requested() {
        std::thread::sleep(TURN);
    }
    eprintln!("irqscope: ending");
    session.close();
    drop(server);
    Ok(Exit::Fine)
}

fn begin(options: &Serve, session: &Session) -> Result<(), Trouble> {
    if let Some(address) = &options.connect {
        session.connect(address)?;
    }
    if let Some(scenario) = &options.scenario {
        let (scenario, kernels) = (scenario.clone(), options.kernel.clone());
        session.start_scenario(&StartScenario { scenario, kernels, ..Default::default() })?;
    }
    Ok(())
}
