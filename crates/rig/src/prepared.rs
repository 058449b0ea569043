// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The needs of a virtual machine's cases, fetched, built and found before any of them begins.

use std::path::PathBuf;

use irqscope_scenario::{Case, KernelName, Payload};
use irqscope_wire::{Plan, Stage};

use crate::arch::{Arch, Guest};
use crate::case::{Follower, Stream};
use crate::error::Result;
use crate::guest::qemu::check_programs;
use crate::kernel::Kernel;
use crate::kernel::driver::{Build, Driver};
use crate::parts::Part;
use crate::payload::Brought;
use crate::stop::Stop;

/// A kernel with the driver, where a plan needs it.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) kernel: Kernel,
    /// The image that QEMU boots.
    pub(crate) boots: PathBuf,
    pub(crate) driver: Option<Driver>,
    /// Kernel parameters that a case asks for.
    boot: String,
    /// Files and modules that the scenario brings.
    pub(crate) brought: Brought,
}

impl Prepared {
    /// Fetches and builds for each case, once the programs for all are found. `marks`: the driver is needed for
    /// its marks, whatever is measured.
    pub(crate) fn all(
        cases: &mut [Case],
        payload: &Payload,
        marks: bool,
        say: &dyn Fn(&str),
        stop: &Stop,
    ) -> Result<Vec<Self>> {
        Part::OWN_AGENT.find()?;
        check_programs(cases.iter().map(|case| case.kernel.label.as_str()))?;
        let mut all: Vec<Self> = Vec::new();
        for index in 0..cases.len() {
            let earlier = cases[..index].iter().position(|one| one.kernel == cases[index].kernel);
            let case = &mut cases[index];
            let prepared = Self::get(&case.kernel, &case.plan, marks, say, stop)?;
            let brought = match earlier {
                Some(same) => all[same].brought.clone(),
                None => prepared.bring(payload, say)?,
            };
            case.payload_origin.clone_from(&brought.origin);
            case.origin.clone_from(&prepared.kernel.origin);
            all.push(Self { boot: case.boot.clone(), brought, ..prepared });
        }
        Ok(all)
    }

    /// Fetches the kernel and builds the driver, where the cache has them not; `marks` as in [`Self::all`].
    ///
    /// # Errors
    /// The kernel, the driver, the agent or QEMU cannot be had.
    pub fn get(
        kernel: &KernelName,
        plan: &Plan,
        marks: bool,
        say: &dyn Fn(&str),
        stop: &Stop,
    ) -> Result<Self> {
        let arch = Arch::of_kernel(&kernel.label);
        let kernel = Kernel::get(kernel, say, stop)?;
        arch.check(plan, lines_on(&kernel, plan))?;
        let build = Build { test: needs_test_build(plan), ..build_for(&kernel) };
        let driver =
            (plan.needs_driver() || marks).then(|| Driver::build(build, say)).transpose()?;
        let boots = kernel.boots(say)?;
        Ok(Self { kernel, boots, driver, boot: String::new(), brought: Brought::default() })
    }

    fn bring(&self, payload: &Payload, say: &dyn Fn(&str)) -> Result<Brought> {
        Brought::to_guest(payload, build_for(&self.kernel), self.kernel.arch(), say)
    }

    /// Returns a kernel's command line: the rig's own part, then what the case asks for.
    pub(crate) fn command_line(&self, own: &str) -> String {
        if self.boot.is_empty() { own.to_owned() } else { format!("{own} {}", self.boot) }
    }

    /// Makes the follower of a guest that boots with this command line.
    pub(crate) fn follower(&self) -> Follower {
        Follower::new(Stream::Target).of_kernel_with(&self.boot)
    }

    /// Returns how many response lines a plan has on this kernel: one for each asked stage that
    /// there is.
    pub(crate) fn lines(&self, plan: &Plan) -> usize {
        lines_on(&self.kernel, plan)
    }
}

/// Returns what modules for a kernel are built with.
fn build_for(kernel: &Kernel) -> Build<'_> {
    let image = Some(kernel.image.as_path());
    let (headers, release) = (&kernel.headers, &kernel.release);
    Build { headers, release, arch: kernel.arch(), image, test: false }
}

/// Returns whether a plan asks for what only a test build of the driver has.
fn needs_test_build(plan: &Plan) -> bool {
    plan.stages().is_some_and(|asked| asked.delay.is_some() || asked.faults.is_some())
}

/// Returns how many response lines a plan has on a kernel of this release.
pub(crate) fn lines(plan: &Plan, release: &str) -> usize {
    asked(plan).iter().filter(|stage| has_stage(release, **stage)).count()
}

/// Returns how many response lines a plan has on a kernel whose configuration is known, too.
fn lines_on(kernel: &Kernel, plan: &Plan) -> usize {
    let polls = asked(plan).contains(&Stage::Softirq) && !kernel.has("IRQ_POLL");
    lines(plan, &kernel.release) - usize::from(polls)
}

fn asked(plan: &Plan) -> &[Stage] {
    plan.stages().map_or(&[], |asked| &asked.stages)
}

fn has_stage(release: &str, stage: Stage) -> bool {
    let mut numbers = release.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    stage.since().is_none_or(|since| version >= since)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_there_from_its_first_kernel_on() {
        let has = |release| has_stage(release, Stage::WorkBh);
        assert!(!has("6.1.0-56-amd64") && !has("5.10.0"));
        assert!(has("6.9.0-rc1") && has("6.12.117+deb12-rt-amd64") && has("7.0"));
        assert!(has_stage("5.10.0", Stage::Softirq));
    }
}
