// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The view from outside of a real machine: a CPU that it can spare is its generator, which the
//! session starts there and ends. Its code is in `crates/agent`.

use irqscope_wire::secret::Secret;
use irqscope_wire::{Listening, Outside as Settings, Plan};

use crate::case::{Event, Events};
use crate::error::{Result, RigError};
use crate::generator::outside::Outside;
use crate::prepared::lines;
use crate::stop::Stop;
use crate::transport::facts::Facts;
use crate::transport::session::Session;
use crate::transport::shell::Shell;

/// Returns the plan that this machine can do: a single CPU has none to spare.
pub(crate) fn plan(plan: &Plan, facts: &Facts, events: &mut Events<'_>) -> Result<Plan> {
    if !plan.uses_spare_cpu() || facts.cpus > 1 {
        return Ok(plan.clone());
    }
    events(Event::warning(
        "there is one CPU only, so that none can inject and watch: only the view from inside was \
         measured",
    ))?;
    Ok(plan.without_generator())
}

/// Lets the session load the modules and start the generator; sets it, and starts its run, which
/// waits for the driver. The plan says which CPU it is on. None: the session has ended instead, and
/// is judged by its exit status.
pub(crate) fn start(
    session: &mut Session<'_>,
    shell: &Shell,
    modules: &[String],
    facts: &Facts,
    plan: &mut Plan,
    stop: &Stop,
) -> Result<Option<Outside>> {
    let settings = plan.outside().unwrap_or_default();
    session.go(modules, Some(&arguments(plan, settings, facts)))?;
    let Some(said) = session.generator(stop)? else { return Ok(None) };
    let Listening { address, cpu, secret } = Listening::parse(&said).ok_or_else(|| {
        let target = &shell.target;
        let what = format!("the generator on {target} says `{said}` instead of where it listens");
        RigError::Lost { what, console: None, tail: String::new() }
    })?;
    let address = format!("127.0.0.1:{}", shell.forward(address.port(), stop)?);
    let settings = Settings { cpu: Some(cpu), ..settings };
    let Some(asked) = plan.stages_mut() else { return Ok(None) };
    asked.outside = Some(settings);
    let secret =
        secret.as_deref().map(Secret::new).transpose().map_err(|error| RigError::Lost {
            what: format!("the generator on {} says no secret: {error}", shell.target),
            console: None,
            tail: String::new(),
        })?;
    Outside::begin(&address, secret, asked, stop).map(Some)
}

/// Returns the generator's options. It runs as root on a machine with users of its own, so that it
/// serves this program alone.
fn arguments(plan: &Plan, settings: Settings, facts: &Facts) -> String {
    let lines = lines(plan, &facts.release);
    let cpu = settings.cpu.map(|cpu| format!(" --cpu {cpu}")).unwrap_or_default();
    format!("--own-secret --lines {lines} --under-test {}{cpu}", plan.cpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Line, Stage, StagePlan, Trigger};

    fn spare() -> Plan {
        Plan::of_stages(StagePlan {
            trigger: Trigger::Inject,
            line: Line::Memory,
            outside: Some(Settings { cpu: Some(2), ..Settings::default() }),
            inside: None,
            ..StagePlan::default()
        })
    }

    #[test]
    fn a_generator_is_told_its_words_and_its_cpus() {
        let facts = Facts {
            release: crate::kernel::release::Release::new("6.1.0-56-amd64", "").unwrap(),
            ..Facts::default()
        };
        let said = arguments(&spare(), Settings::default(), &facts);
        assert_eq!(said, format!("--own-secret --lines {} --under-test 0", Stage::COUNT - 1));
        assert!(arguments(&spare(), spare().outside().unwrap(), &facts).ends_with("--cpu 2"));
    }

    #[test]
    fn one_cpu_is_measured_from_inside_and_that_is_told() {
        let mut told = 0;
        let mut events = |event: Event<'_>| {
            told += usize::from(matches!(event, Event::Note(_)));
            Ok(())
        };
        let two = Facts { cpus: 2, ..Facts::default() };
        assert_eq!(plan(&spare(), &two, &mut events).unwrap(), spare());
        let one = Facts { cpus: 1, ..Facts::default() };
        let alone = plan(&spare(), &one, &mut events).unwrap();
        let asked = alone.stages().unwrap();
        assert_eq!((asked.trigger, asked.line), (Trigger::Inject, Line::Record));
        assert!(asked.inside.is_some() && asked.outside.is_none());
        assert_eq!(told, 1);
    }
}
