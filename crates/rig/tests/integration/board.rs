// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario's cases on the generator that is there.

use crate::common::Owner;
use irqscope_rig::generator::GeneratorError;
use irqscope_rig::{Event, Events, Job, Rig, RigError, Stop, board, rig};
use irqscope_scenario::{Case, Scenario};
use irqscope_wire::{Load, Message, Outside, Plan, Polarity, Stage, StagePlan, SystemState};

/// Makes rig `board` with this generator.
fn board_rig(address: &str) -> Box<dyn Rig> {
    let text = format!(
        "version = 1\nabout = \"\"\nrig = \"board\"\nstates = [\"idle\"]\n\
         [board]\naddress = \"{address}\"\n[trigger]\nkind = \"line\"\nperiod = \"1ms\"\ncount = 50\n"
    );
    rig(&Scenario::parse("board", "board.toml", &text).unwrap())
}

fn run(owner: &Owner, plan: &Plan, events: &mut Events<'_>) -> Result<(), RigError> {
    let (stop, console) = (Stop::default(), std::path::Path::new("unused"));
    let job = Job { index: 0, plan, console, stop: &stop, first: None };
    board_rig(&owner.address.to_string()).run_case(&job, events)
}

fn prepare(owner: &Owner, plan: &mut Plan) -> Result<(), RigError> {
    board::prepare(&owner.address.to_string(), std::iter::once(plan), &Stop::default())
}

fn plan() -> Plan {
    let outside = Some(Outside::default());
    Plan::of_stages(StagePlan { stages: Vec::new(), count: 50, outside, ..StagePlan::default() })
}

#[test]
fn lines_without_names_get_stages_and_no_more_can_be_named_than_there_are() {
    let owner = Owner::start(3, 64);
    let mut unnamed = plan();
    prepare(&owner, &mut unnamed).unwrap();
    assert_eq!(unnamed.stages().unwrap().stages, board::default_stages(3));
    let owner = Owner::start(3, 64);
    let four = vec![Stage::Irq, Stage::Softirq, Stage::Work, Stage::User];
    let named = prepare(&owner, &mut plan().with_stages(|asked| asked.stages = four)).unwrap_err();
    assert!(named.to_string().contains("3 lines"), "{named}");
}

#[test]
fn what_a_board_cannot_do_is_refused_before_anything_is_made() {
    let state = SystemState::of("load", vec![Load::Copy]);
    let asked = Plan { state, ..plan() };
    let case = Case::new(irqscope_scenario::KernelName::running("unknown"), asked);
    let loaded = board_rig("").prepare(&mut [case], &|_| {}, &Stop::default()).unwrap_err();
    assert!(loaded.to_string().contains("by hand"), "{loaded}");
    let nowhere = board::prepare("", std::iter::once(&mut plan()), &Stop::default()).unwrap_err();
    assert!(nowhere.to_string().contains("--connect"), "{nowhere}");
}

#[test]
fn a_plan_is_set_and_followed_to_its_end() {
    // Two of its lines have no wire.
    let owner = Owner::start(3, 64);
    let mut plan = plan().with_stages(|asked| asked.stages = vec![Stage::Irq]);
    prepare(&owner, &mut plan).unwrap();
    let mut samples = 0;
    let mut events = |event: Event<'_>| {
        if let Event::Frame { frame, .. } = event
            && let Message::Packet(packet) = &frame.message
        {
            assert!(packet.samples.iter().all(|sample| sample.answers.len() == 1));
            samples += packet.samples.len();
        }
        Ok(())
    };
    run(&owner, &plan, &mut events).unwrap();
    assert_eq!(samples, 50);
}

#[test]
fn a_polarity_that_the_generator_does_not_offer_ends_the_case() {
    let owner = Owner::start(1, 64);
    let mut outside = Outside::default();
    outside.settings.polarity = Some(Polarity::Falling);
    let mut plan = plan().with_stages(|asked| asked.outside = Some(outside));
    let beforehand = prepare(&Owner::start(1, 64), &mut plan).unwrap_err();
    assert!(matches!(beforehand, RigError::Generator(GeneratorError::Refused(_))), "{beforehand}");
    let refused = run(&owner, &plan, &mut |_| Ok(())).unwrap_err();
    assert!(matches!(refused, RigError::Generator(GeneratorError::Refused(_))), "{refused}");
}
