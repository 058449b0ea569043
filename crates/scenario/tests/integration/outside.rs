// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario's settings of the generator and of the views.

use crate::common::{asked, error, on, parse, plan, resolve};
use irqscope_scenario::RigKind;
use irqscope_wire::{
    Changes, Descriptor, Line, Mode, Outside, Setting, Stage, Trigger, Unit, View,
};

#[test]
fn trigger_line_has_both_views_and_the_parallel_ports_wires() {
    let plan = plan("", "kind = \"line\"\nfrequency = \"1kHz\"\nduty = \"12.5%\"\npacket = 32");
    assert_eq!(
        (plan.trigger, plan.line, plan.period_ns),
        (Trigger::Line, Line::Parport, 1_000_000)
    );
    let settings = Changes::default().duty(125).packet(32).or(Outside::default().settings);
    assert_eq!(plan.outside, Some(Outside { cpu: None, settings }));
    assert!(plan.inside.is_some());
}

/// Returns a value of a setting that is not its default, as TOML, and its raw number.
fn other_value(row: &Descriptor) -> (String, u64) {
    match (row.unit, row.names) {
        (Unit::Ticks, _) => ("\"40us\"".into(), 40_000),
        (Unit::PerMille, _) => ("\"12.5%\"".into(), 125),
        (_, []) => ("3".into(), 3),
        (_, [.., last]) => (format!("{last:?}"), row.names.len() as u64 - 1),
    }
}

#[test]
fn every_setting_of_a_generator_is_a_key_by_its_name_and_unit_and_is_asked_for() {
    let line = "kind = \"line\"\nperiod = \"1ms\"";
    for row in Setting::generators() {
        let (setting, (text, raw)) = (row.setting, other_value(&row));
        let asked = plan("", &format!("{line}\n{setting} = {text}"));
        assert_eq!(asked.settings(1).get(setting), Some(raw), "{setting}");
        assert_eq!(plan("", line).settings(1).get(setting), Some(row.default), "{setting}");
        let timer = format!("kind = \"timer\"\nperiod = \"1ms\"\n{setting} = {text}");
        assert!(error("", &timer).contains(&format!("trigger.{setting} is a generator's")));
        let misspelt = error("", &format!("{line}\n{setting}y = {text}"));
        assert!(misspelt.contains(&format!("`{setting}`")), "{misspelt}");
        let no_value = error("", &format!("{line}\n{setting} = [1]"));
        assert!(
            no_value.contains("test.toml:10:") && no_value.contains("invalid type"),
            "{no_value}"
        );
    }
}

#[test]
fn other_triggers_have_no_generator() {
    let plan = plan("", "kind = \"timer\"\nperiod = \"1ms\"");
    assert_eq!((plan.outside, plan.line, plan.inside.is_some()), (None, Line::Record, true));
}

#[test]
fn the_observer_effect_doubles_the_cases() {
    let scenario = parse("observer-effect = true", "kind = \"line\"\nperiod = \"1ms\"").unwrap();
    let cases = scenario.cases();
    let seen = cases.iter().map(|c| (c.plan.case.as_str(), c.plan.has_view(View::Inside)));
    assert_eq!(seen.collect::<Vec<_>>(), [("6.1/idle", true), ("6.1/idle/outside", false)]);
    assert!(cases.iter().all(|case| case.plan.has_view(View::Outside)));
}

#[test]
fn what_does_not_go_together_is_named() {
    let line = "kind = \"line\"\nperiod = \"1ms\"";
    let timer = "kind = \"timer\"\nperiod = \"1ms\"";
    let both = format!("{line}\nfrequency = \"1kHz\"");
    assert!(error("", &both).contains("one of both"));
    assert!(error("", "kind = \"line\"").contains("one of both"));
    assert!(error("", "kind = \"line\"\nfrequency = \"0Hz\"").contains("10us to 1h"));
    assert!(error("", "kind = \"line\"\nfrequency = \"1000000MHz\"").contains("10us to 1h"));
    assert!(error("", &format!("{line}\nduty = \"100%\"")).contains("99.9%"));
    assert!(error("", &format!("{line}\nduty = \"0%\"")).contains("0.1%"));
    assert!(error("", &format!("{line}\npacket = 0")).contains("1 to 1024"));
    let unseen = "stages = [\"work\", \"user\"]";
    assert!(error(unseen, &format!("{line}\nmode = \"isolated\"")).contains("needs stage irq"));
    assert!(error("", &format!("{line}\nline = \"record\"")).contains("parport"));
    assert!(error("", &format!("{timer}\nduty = \"25%\"")).contains("generator"));
    assert!(error("views = [\"outside\"]", timer).contains("kind = \"line\""));
    assert!(error("views = [\"inside\"]", line).contains("outside"));
    assert!(error("views = []", line).contains("views"));
    assert!(error("views = [\"outsid\"]", line).contains("outside"));
    assert!(error("observer-effect = true", timer).contains("both views"));
}

#[test]
fn every_generator_has_its_own_wires() {
    let trigger = "kind = \"line\"\nperiod = \"1ms\"";
    assert_eq!(plan("rig = \"vm\"", trigger).line, Line::Ivshmem);
    assert_eq!(asked(&on(RigKind::Vm, "", trigger)).line, Line::Ivshmem);
    let vm = "rig = \"vm\"";
    assert_eq!(asked(&on(RigKind::Twin, vm, trigger)).line, Line::Parport);
    let wrong = format!("{trigger}\nline = \"parport\"");
    assert!(error("rig = \"vm\"", &wrong).contains("ivshmem"));
}

#[test]
fn another_rig_has_no_generator_of_itself() {
    let trigger = "kind = \"line\"\nperiod = \"1ms\"\nduty = \"10%\"";
    let scenario = on(RigKind::Local, "observer-effect = true", trigger);
    let cases = scenario.cases();
    assert_eq!((cases.len(), asked(&scenario).trigger), (1, Trigger::Timer));
}

#[test]
fn a_machine_that_is_there_watches_itself_by_a_spare_cpu() {
    let inject = "kind = \"inject\"\nperiod = \"1ms\"";
    let local = "rig = \"local\"";
    let spare = plan(local, &format!("{inject}\ngenerator-cpu = 2"));
    assert_eq!((spare.trigger, spare.line), (Trigger::Inject, Line::Memory));
    assert_eq!(spare.outside.and_then(|outside| outside.cpu), Some(2));
    assert!(spare.inside.is_some() && spare.uses_spare_cpu());
    // The scenario's views and stages decide whether there is one.
    let inside = |top: &str, more: &str| {
        let plan = plan(&format!("{local}\n{top}"), &format!("{inject}\n{more}"));
        (plan.line, plan.outside) == (Line::Record, None)
    };
    assert!(inside("views = [\"inside\"]", ""));
    assert!(inside("", "line = \"record\""));
    let blind = format!("{local}\nviews = [\"outside\"]");
    assert!(plan(&blind, inject).inside.is_none());
}

#[test]
fn a_spare_cpu_is_used_where_the_rig_has_one() {
    let inject = "kind = \"inject\"\nperiod = \"1ms\"";
    assert_eq!(plan("", inject).line, Line::Record);
    assert_eq!(asked(&on(RigKind::Ssh, "", inject)).line, Line::Memory);
    let memory = format!("{inject}\nline = \"memory\"\ngenerator-cpu = 1");
    let plan = asked(&on(RigKind::Twin, "rig = \"ssh\"", &memory));
    assert_eq!((plan.trigger, plan.line), (Trigger::Inject, Line::Record));
    assert!(plan.outside.is_none() && plan.inside.is_some());
}

#[test]
fn what_a_spare_cpu_cannot_do_is_refused_with_a_remedy() {
    let local = |trigger: &str| error("rig = \"local\"", &format!("period = \"1ms\"\n{trigger}"));
    assert!(local("kind = \"timer\"\nline = \"memory\"").contains("spare CPU"));
    assert!(local("kind = \"timer\"\ngenerator-cpu = 1").contains("kind = \"inject\""));
    assert!(local("kind = \"inject\"\ngenerator-cpu = 0").contains("under test"));
    let twin = "kind = \"inject\"\nperiod = \"1ms\"";
    assert!(error("views = [\"outside\"]", twin).contains("rig local"));
    assert!(error("", &format!("{twin}\nline = \"memory\"")).contains("rig local"));
}

#[test]
fn a_sweep_repeats_every_case_at_every_frequency_and_keeps_the_jitters_share() {
    let trigger =
        "kind = \"line\"\nperiod = \"1ms\"\njitter = \"uniform\"\njitter-amount = \"500us\"";
    let scenario = resolve("", trigger, |overrides| {
        overrides.set("trigger.count", 7);
        overrides.set("trigger.mode", "together");
        overrides.set("sweep", "{ from = \"10kHz\", to = \"40kHz\", steps-per-octave = 1 }");
    })
    .unwrap();
    let cases = scenario.cases();
    let seen: Vec<_> = cases
        .iter()
        .map(|case| {
            let asked = case.plan.stages().unwrap();
            (case.plan.case.as_str(), asked.period_ns, asked.jitter.ns, asked.count)
        })
        .collect();
    let expected = [
        ("6.1/idle/10kHz", 100_000, 50_000, 7),
        ("6.1/idle/20kHz", 50_000, 25_000, 7),
        ("6.1/idle/40kHz", 25_000, 12_500, 7),
    ];
    assert_eq!(seen, expected);
    assert!(cases.iter().all(|case| case.step_of.as_deref() == Some("6.1/idle")));
}

#[test]
fn what_nobody_watches_from_outside_cannot_be_swept() {
    let timer = "kind = \"timer\"\nperiod = \"1ms\"";
    let refused = |key: &str, value: &str| {
        resolve("", timer, |overrides| overrides.set(key, value)).unwrap_err().to_string()
    };
    let swept = refused("sweep", "{ from = \"1kHz\", to = \"2kHz\" }");
    assert!(swept.contains("kind = \"line\""), "{swept}");
    assert!(refused("trigger.count", "0").contains("1 to 4294967296"));
}

#[test]
fn a_path_is_traced_in_the_twin_with_a_generator_only() {
    let line = "kind = \"line\"\nperiod = \"1ms\"\n[twin]\ntrace = 5";
    assert_eq!(parse("", line).unwrap().twin.trace, 5);
    assert!(error("rig = \"local\"", line).contains("rig twin"));
    let timer = "kind = \"timer\"\nperiod = \"1ms\"";
    assert!(error("", &format!("{timer}\n[twin]\ntrace = 5")).contains("trigger.kind"));
    let trace = |rig: RigKind, trigger: &str, triggers: u64| {
        resolve("", trigger, |overrides| {
            overrides.set_rig(rig);
            overrides.set("twin.trace", triggers);
        })
    };
    let line = "kind = \"line\"\nperiod = \"1ms\"";
    assert!(trace(RigKind::Twin, timer, 5).is_err());
    assert!(trace(RigKind::Twin, timer, 0).is_ok());
    assert!(trace(RigKind::Vm, line, 5).unwrap_err().to_string().contains("rig vm"));
}

#[test]
fn a_sweep_of_isolated_stages_has_each_by_itself() {
    let trigger = "kind = \"line\"\nperiod = \"1ms\"";
    let scenario = resolve("stages = [\"irq\", \"work\", \"user\"]", trigger, |overrides| {
        overrides.set("sweep", "{ from = \"10kHz\", to = \"20kHz\", steps-per-octave = 1 }");
    })
    .unwrap();
    let seen: Vec<_> = scenario
        .cases()
        .iter()
        .map(|case| {
            let stages = case.plan.stages().unwrap().stages.clone();
            (case.plan.case.as_str(), case.step_of.as_deref(), case.step_stage, stages)
        })
        .collect();
    let (irq, of) = (Stage::Irq, Some("6.1/idle"));
    let with = |name, stage, stages| (name, of, Some(stage), stages);
    let expected = [
        with("6.1/idle/irq/10kHz", irq, vec![irq]),
        with("6.1/idle/irq/20kHz", irq, vec![irq]),
        with("6.1/idle/work/10kHz", Stage::Work, vec![irq, Stage::Work]),
        with("6.1/idle/work/20kHz", Stage::Work, vec![irq, Stage::Work]),
        with("6.1/idle/user/10kHz", Stage::User, vec![irq, Stage::User]),
        with("6.1/idle/user/20kHz", Stage::User, vec![irq, Stage::User]),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn stages_are_isolated_where_the_target_can_be_asked() {
    let stages = "stages = [\"irq\", \"work\", \"user\"]";
    let line = "kind = \"line\"\nperiod = \"1ms\"";
    let turns = |count: u64| {
        let trigger = line;
        let set = |overrides: &mut irqscope_scenario::Overrides| {
            overrides.set("trigger.count", i64::try_from(count).unwrap());
        };
        let asked = asked(&resolve(stages, trigger, set).unwrap());
        (asked.mode, asked.turn_length)
    };
    // 100 each: two turns of 50.
    assert_eq!(turns(200), (Mode::Isolated, 50));
    assert_eq!(turns(5), (Mode::Isolated, 2));
    assert_eq!(plan(stages, &format!("{line}\nturn-length = 7")).turn_length, 7);
    let board = on(RigKind::Board, stages, line);
    assert_eq!(asked(&board).mode, Mode::Together, "nothing can ask that target");
    let refused = |trigger: &str| error(stages, &format!("{line}\n{trigger}"));
    assert!(refused("turn-length = 0").contains("turn-length is 1 to"));
    assert!(refused("mode = \"together\"\nturn-length = 3").contains("turn-length is 1 to"));
}

#[test]
fn a_guest_is_called_hung_within_a_week() {
    let timer = "kind = \"timer\"\nperiod = \"1ms\"";
    for rig in ["twin", "vm"] {
        for limit in ["0", "604801", "9223372036854775807"] {
            let said = error("", &format!("{timer}\n[{rig}]\nlimit = {limit}"));
            assert!(said.contains(&format!("{rig}.limit is 1 to 604800 seconds")), "{said}");
        }
        assert!(parse("", &format!("{timer}\n[{rig}]\nlimit = 604800")).is_ok());
    }
}
