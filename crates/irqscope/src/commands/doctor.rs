// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope doctor`: what this machine can do, and what spoils its figures.

use irqscope_rig::doctor::{Finding, Level, Topic, examine};

use super::Done;
use crate::exit::Exit;

pub fn doctor() -> Done {
    let findings = examine();
    for topic in Topic::ALL {
        println!("{}", heading(topic));
        findings.iter().filter(|finding| finding.topic == topic).for_each(show);
        println!();
    }
    Ok(Exit::Fine)
}

const fn heading(topic: Topic) -> &'static str {
    match topic {
        Topic::Twin => "Measuring in the twin",
        Topic::Vm => "Measuring in a virtual machine",
        Topic::Native => "Measuring this machine",
        Topic::Figures => "Settings that spoil the figures of this machine",
    }
}

fn show(finding: &Finding) {
    let mark = match finding.level {
        Level::Fine => "ok",
        Level::Advice => "advice",
        Level::Problem => "PROBLEM",
    };
    println!("  {mark:8} {}", finding.what);
    if let Some(remedy) = &finding.remedy {
        println!("  {:8} -> {remedy}", "");
    }
}
