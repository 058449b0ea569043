// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario's way to its target: a file runs no program of this machine by itself.

use crate::common::{error, parse, resolve};
use irqscope_scenario::Overrides;

const TIMER: &str = "kind = \"timer\"\nperiod = \"1ms\"";
const RUNS: &str =
    "rig = \"ssh\"\nssh = { host = \"pi\", options = [\"-o\", \"ProxyCommand=touch x\"] }";

#[test]
fn options_that_can_run_a_program_are_refused_with_the_remedy() {
    let said = error(RUNS, TIMER);
    assert!(said.contains("`-o` of ssh.options") && said.contains("--allow-ssh-options"), "{said}");
    assert!(error("rig = \"ssh\"\nssh.host = \"$(touch x)\"", TIMER).contains("ssh.host"));
    assert!(error("rig = \"ssh\"\nssh.host = \"-oProxyCommand=x\"", TIMER).contains("ssh.host"));
    let harmless = "rig = \"ssh\"\nssh = { host = \"root@pi\", options = [\"-p\", \"22\"] }";
    assert_eq!(parse(harmless, TIMER).unwrap().ssh.options, ["-p", "22"]);
}

#[test]
fn the_command_line_is_trusted_and_may_trust_the_file() {
    let trusting = resolve(RUNS, TIMER, Overrides::allow_ssh_options).unwrap();
    assert_eq!(trusting.ssh.options.len(), 2);
    let own = resolve(RUNS, TIMER, |all| all.set_list("ssh.options", &["-F", "mine"])).unwrap();
    assert_eq!(own.ssh.options, ["-F", "mine"]);
}
