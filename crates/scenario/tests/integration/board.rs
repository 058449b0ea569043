// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario's settings of a generator at an address.

use crate::common::{asked, error, on, parse, plan, resolve};
use irqscope_scenario::{Gpio, RigKind, Scenario};
use irqscope_wire::{Line, Polarity, Stage, Trigger};

#[test]
fn a_board_sees_from_outside_and_has_as_many_stages_as_lines() {
    let line = "kind = \"line\"\nperiod = \"1ms\"";
    let board = "rig = \"board\"\nboard.address = \"serial:///dev/ttyACM0\"";
    let falling = format!("{line}\npolarity = \"falling\"");
    let scenario = parse(board, &falling).unwrap();
    assert_eq!(scenario.board.address, "serial:///dev/ttyACM0");
    let plan = asked(&scenario);
    assert!(plan.inside.is_none() && plan.stages.is_empty());
    assert_eq!(plan.outside.unwrap().settings.polarity, Some(Polarity::Falling));
    let named = parse(&format!("{board}\nstages = [\"irq\"]"), line).unwrap();
    assert_eq!(asked(&named).stages, [Stage::Irq]);
    assert!(error(board, "kind = \"timer\"\nperiod = \"1ms\"").contains("kind = \"line\""));
    assert!(error(&format!("{board}\nviews = [\"inside\"]"), line).contains("outside"));
    assert!(error(board, &format!("{line}\npolarity = \"low\"")).contains("polarity"));
}

#[test]
fn any_scenario_can_be_measured_with_a_board() {
    let timer = "kind = \"timer\"\nperiod = \"1ms\"";
    let scenario = on(RigKind::Board, "explain-effect = true", timer);
    let cases = scenario.cases();
    assert_eq!(cases.len(), 1);
    let plan = asked(&scenario);
    assert_eq!((plan.trigger, plan.inside), (Trigger::Line, None));
    assert!(plan.stages.is_empty() && plan.outside.is_some() && cases[0].plan.tick.is_none());
}

#[test]
fn a_real_machine_is_measured_from_both_sides_with_a_board_beside_it() {
    let wired = plan("rig = \"ssh\"", "kind = \"line\"\nperiod = \"1ms\"");
    assert_eq!((wired.trigger, wired.line), (Trigger::Line, Line::Parport));
    assert!(wired.inside.is_some() && wired.outside.is_some() && wired.stages.is_empty());
    let address = "board.address = \"board:7000\"";
    let local = format!("rig = \"local\"\n{address}");
    let timer = "kind = \"timer\"\nperiod = \"1ms\"";
    assert!(error(&local, timer).contains("kind = \"line\""));
    // Where it is not asked it says nothing.
    assert!(!parse(address, timer).unwrap().needs_board());
}

#[test]
fn an_address_makes_any_trigger_of_a_real_machine_a_wires() {
    for trigger in ["timer", "inject", "line"] {
        let kind = format!("kind = \"{trigger}\"\nperiod = \"1ms\"");
        let connect = |rig: RigKind| {
            resolve("observer-effect = false", &kind, |overrides| {
                overrides.set_rig(rig);
                overrides.set("board.address", "board:7000");
            })
        };
        let scenario = connect(RigKind::Ssh).unwrap();
        let plan = asked(&scenario);
        assert!(scenario.needs_board() && plan.inside.is_some() && plan.outside.is_some());
        assert_eq!((plan.trigger, plan.line), (Trigger::Line, Line::Parport), "{trigger}");
        // No board is wired to a guest.
        let refused = connect(RigKind::Vm).unwrap_err();
        assert!(refused.to_string().contains("add --rig board"), "{refused}");
    }
}

#[test]
fn gpio_lines_are_named_by_label_and_offset() {
    let trigger = "kind = \"line\"\nperiod = \"1ms\"\nline = \"gpio\"";
    let lines = |trigger: &str, response: &str| {
        format!(
            "rig = \"local\"\nboard.gpio.trigger = \"{trigger}\"\n\
             board.gpio.responses = [\"{response}\", \"107d508500.gpio:9:low\"]"
        )
    };
    let scenario = parse(&lines("pinctrl-bcm2711:17", "a@7e2,x_y:0"), trigger);
    assert!(scenario.unwrap_err().contains("gpiodetect"), "a comma ends a parameter");
    let scenario = parse(&lines("pinctrl-bcm2711:17", "gpio@7e2:0"), trigger).unwrap();
    let Gpio { trigger: line, responses } = scenario.board.gpio.as_ref().unwrap();
    assert_eq!((line.as_str(), responses.len()), ("pinctrl-bcm2711:17", 2));
    for wrong in ["17", "chip:x", ":3", "chip 1:3", "a;b:3", "$(id):3", "*:3"] {
        assert!(error(&lines(wrong, "chip:3"), trigger).contains("LABEL:OFFSET"), "{wrong}");
    }
    let parport = "kind = \"line\"\nperiod = \"1ms\"";
    assert!(error(&lines("chip:1", "chip:2"), parport).contains("trigger.line = \"gpio\""));
}

#[test]
fn a_board_alone_runs_no_benchmarks() {
    let text =
        "version = 1\nabout = \"a test\"\nrig = \"board\"\nstates = [\"idle\"]\n[bench.sched]\n";
    let error = Scenario::parse("test", "test.toml", text).unwrap_err().to_string();
    assert!(error.contains("rig = \"ssh\""), "{error}");
}
