// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chains out of streams of events that were made up.

use super::*;

fn comm(name: &str) -> Comm {
    let mut comm = [0; 16];
    comm[..name.len()].copy_from_slice(name.as_bytes());
    comm
}

fn waking(pid: u32, name: &str) -> What {
    What::Waking { pid, priority: 120, name: comm(name) }
}

fn switch(previous: u32, next: u32, name: &str) -> What {
    What::Switch { next, previous, name: comm(name) }
}

fn interrupts(numbers: &[u32], device: Option<&str>) -> Subject {
    Subject::Interrupts { numbers: numbers.to_vec(), device: device.map(str::to_owned) }
}

fn names() -> Names {
    let function = |address: u64| {
        let known =
            [(0xf, "tick"), (1, "asm_sysvec_apic_timer_interrupt"), (2, "free"), (3, "do_exit")];
        known.iter().find(|(at, _)| *at == address).map(|(_, name)| (*name).to_owned())
    };
    Names::read(std::path::Path::new("/nowhere"), Box::new(function))
}

/// Returns `series=value` of each answer, and the parts of the last one.
fn play(subject: Subject, events: &[(u64, u16, What)]) -> (Vec<String>, Vec<String>) {
    let mut chains = Chains::new(subject, names());
    let (mut said, mut parts) = (Vec::new(), Vec::new());
    let mut answers = Vec::new();
    for (at, cpu, what) in events {
        chains.take(&Event { at: *at, cpu: *cpu, what: *what }, &mut answers);
        for answer in answers.drain(..) {
            said.push(format!("{}={}", answer.stage, answer.value()));
            let split = chains.parts(&answer);
            let sum: u64 = split.iter().map(|part| part.ns).sum();
            assert_eq!(sum, answer.value(), "{}: {split:?}", answer.stage);
            parts = split
                .iter()
                .map(|part| {
                    let own = if part.own { "+" } else { "" };
                    format!("{}{own} {} cpu{}", part.what, part.ns, part.cpu)
                })
                .collect();
        }
    }
    (said, parts)
}

#[test]
fn a_packets_way_has_all_its_stages_and_the_culprit_is_who_held_the_other_cpu() {
    let (said, parts) = play(
        interrupts(&[27], Some("eth0")),
        &[
            (0, 0, switch(9, 0, "swapper/0")),
            (0, 1, switch(9, 8, "hog")),
            (100, 0, What::IrqEntry(27)),
            (105, 0, What::SoftirqRaise(3)),
            (106, 0, What::SoftirqRaise(9)),
            (110, 0, What::IrqExit(27)),
            (115, 0, What::SoftirqEntry(3)),
            (130, 0, waking(50, "app")),
            (140, 0, What::NapiPoll { device: comm("eth1") }),
            (141, 0, What::NapiPoll { device: comm("eth0") }),
            (142, 0, What::NapiPoll { device: comm("eth0") }),
            (145, 0, What::SoftirqRaise(3)),
            (150, 0, What::SoftirqExit(3)),
            (160, 0, What::SoftirqEntry(9)),
            (170, 0, What::SoftirqExit(9)),
            (180, 0, What::SoftirqEntry(3)),
            (190, 0, What::SoftirqExit(3)),
            (400, 1, switch(8, 50, "app")),
            (410, 1, What::User { pid: 50 }),
            (420, 1, What::User { pid: 50 }),
        ],
    );
    let stages = [
        "handler=10",
        "softirq net_rx=15",
        "wakeup app=30",
        "napi=41",
        "on-cpu app=300",
        "user app=310",
    ];
    assert_eq!(said, stages);
    let way = [
        "interrupt 27+ 10 cpu0",
        "idle 5 cpu0",
        "softirq net_rx+ 15 cpu0",
        "thread hog 270 cpu1",
        "thread app 10 cpu1",
    ];
    assert_eq!(parts, way);
}

#[test]
fn a_threaded_handler_hands_the_chain_on_though_it_is_woken_after_the_handler() {
    let (said, parts) = play(
        interrupts(&[7], None),
        &[
            (0, 0, switch(9, 5, "busy")),
            (10, 0, What::IrqEntry(7)),
            (12, 0, What::IrqExit(7)),
            (13, 0, waking(70, "irq/7-par")),
            (20, 0, switch(5, 70, "irq/7-par")),
            (25, 0, waking(50, "app")),
            (26, 0, What::SoftirqRaise(3)),
            (27, 0, What::SoftirqEntry(3)),
            (27, 0, What::IrqEntry(8)),
            (27, 0, What::IrqExit(8)),
            (27, 0, waking(80, "irq/8-other")),
            // Switched out within its softirq, as on RT.
            (28, 0, switch(70, 60, "higher")),
            (38, 0, switch(60, 70, "irq/7-par")),
            (39, 0, waking(51, "late")),
            (40, 0, What::SoftirqExit(3)),
            (41, 0, switch(70, 50, "app")),
            (60, 0, switch(50, 51, "late")),
        ],
    );
    let stages = [
        "handler=2",
        "wakeup irq/7-par=3",
        "on-cpu irq/7-par=10",
        "wakeup app=15",
        "softirq net_rx=17",
        "wakeup late=29",
        "on-cpu app=31",
        "on-cpu late=50",
    ];
    assert_eq!(said, stages);
    assert!(parts.contains(&"thread higher 10 cpu0".to_owned()), "{parts:?}");
    assert!(parts.contains(&"thread app 19 cpu0".to_owned()), "{parts:?}");
}

#[test]
fn a_wakeup_after_the_handler_that_is_not_its_threads_is_none_of_it() {
    let (said, _) = play(
        interrupts(&[7], None),
        &[
            (0, 0, switch(9, 5, "busy")),
            (10, 0, What::IrqEntry(7)),
            (11, 0, What::IrqEntry(8)),
            (12, 0, waking(51, "others")),
            (13, 0, What::IrqExit(8)),
            (14, 0, What::IrqExit(7)),
            (15, 0, waking(50, "app")),
            (16, 0, waking(80, "irq/8-par")),
            (20, 0, switch(5, 50, "app")),
        ],
    );
    assert_eq!(said, ["handler=4"]);
}

#[test]
fn a_sleepers_release_is_its_timers_expiry_and_what_kept_the_timer_is_named() {
    let timer = What::TimerEntry { function: 0xf, due: Some(1_000) };
    let (said, parts) = play(
        Subject::Thread(50),
        &[
            (0, 0, switch(9, 0, "swapper/0")),
            (900, 0, What::IrqEntry(3)),
            (1_300, 0, What::IrqExit(3)),
            (1_310, 0, timer),
            (1_320, 0, waking(50, "loop")),
            (1_325, 0, What::TimerExit),
            (1_400, 0, switch(0, 50, "loop")),
            (1_500, 0, switch(50, 0, "swapper/0")),
            // Woken by a thread: no instant before is known.
            (2_000, 0, waking(50, "loop")),
            (2_030, 0, switch(0, 50, "loop")),
            // Already running: no latency.
            (2_040, 0, waking(50, "loop")),
        ],
    );
    assert_eq!(said, ["timer loop=320", "release loop=400", "on-cpu loop=80", "on-cpu loop=30"]);
    assert_eq!(parts, ["idle 30 cpu0"]);
    let until_release = play(
        Subject::RealTime,
        &[
            (0, 0, switch(9, 0, "swapper/0")),
            (900, 0, What::IrqEntry(3)),
            (1_300, 0, What::IrqExit(3)),
            (1_310, 0, timer),
            (1_320, 0, waking(50, "loop")),
        ],
    );
    assert_eq!(until_release.1, ["interrupt 3 300 cpu0", "idle 10 cpu0", "timer tick 10 cpu0"]);
}

#[test]
fn the_code_that_let_a_timers_interrupt_wait_is_named_where_nothing_else_came_before() {
    let timer = What::TimerEntry { function: 0xf, due: Some(1_000) };
    let of_stack = |has_user_space| {
        let stacked = |(place, address)| What::Stacked { place, address, has_user_space };
        [(0, 0xf), (1, 1), (2, 2), (3, 3)].map(stacked)
    };
    let stack = of_stack(true);
    let release = |before: &[(u64, u16, What)], stack: &[What]| {
        let mut events = vec![(0, 0, switch(9, 8, "exits"))];
        events.extend(before);
        events.extend(stack.iter().map(|what| (41_310, 0, *what)));
        events.extend([(41_310, 0, timer), (41_320, 0, waking(50, "loop"))]);
        play(Subject::RealTime, &events).1.join("; ")
    };
    let held = "(interrupts disabled: free < do_exit)";
    let tail = "timer tick 10 cpu0";
    assert_eq!(release(&[], &stack), format!("thread exits {held} 40310 cpu0; {tail}"));
    assert_eq!(release(&[], &[]), format!("thread exits 40310 cpu0; {tail}"));
    // Of a stack with a hole nothing is known.
    assert_eq!(release(&[], &stack[2..]), format!("thread exits 40310 cpu0; {tail}"));
    let user = format!("thread exits (stood still in user space) 40310 cpu0; {tail}");
    assert_eq!(release(&[], &stack[..2]), user);
    // Of a thread of the kernel, or of a softirq, a stack that ends there is not whole.
    let unknown = format!("thread exits 40310 cpu0; {tail}");
    assert_eq!(release(&[], &of_stack(false)[..2]), unknown);
    let interrupt = [(900, 0, What::IrqEntry(3)), (41_300, 0, What::IrqExit(3))];
    let after = format!("interrupt 3 40300 cpu0; thread exits 10 cpu0; {tail}");
    assert_eq!(release(&interrupt, &stack), after);
    let softirq = [(900, 0, What::SoftirqEntry(3))];
    assert_eq!(release(&softirq, &stack), format!("softirq net_rx {held} 40310 cpu0; {tail}"));
    assert_eq!(release(&softirq, &stack[..2]), format!("softirq net_rx 40310 cpu0; {tail}"));
}

#[test]
fn a_timer_that_is_watched_begins_its_chains_where_it_was_due() {
    let functions = vec![0xf];
    let expiry = |function| What::TimerEntry { function, due: Some(1_000) };
    let (said, parts) = play(
        Subject::Timers { functions },
        &[
            (0, 0, switch(9, 0, "swapper/0")),
            (1_200, 0, expiry(0xf)),
            (1_205, 0, What::SoftirqRaise(6)),
            (1_206, 0, waking(15, "ksoftirqd/0")),
            (1_207, 0, waking(50, "app")),
            (1_210, 0, What::TimerExit),
            (1_220, 0, expiry(0xe)),
            (1_230, 0, waking(51, "others")),
            (1_240, 0, What::TimerExit),
            (1_250, 0, switch(0, 15, "ksoftirqd/0")),
            (1_260, 0, What::SoftirqEntry(6)),
            (1_270, 0, What::SoftirqExit(6)),
            (1_300, 0, switch(15, 50, "app")),
        ],
    );
    let stages = ["callback=200", "wakeup app=207", "softirq tasklet=260", "on-cpu app=300"];
    assert_eq!(said, stages);
    assert_eq!(parts[..3], ["idle 200 cpu0", "timer tick+ 10 cpu0", "idle 10 cpu0"]);
}

#[test]
fn what_was_before_the_first_event_is_not_made_up() {
    let (_, parts) = play(
        interrupts(&[7], None),
        &[
            (10, 0, What::IrqEntry(7)),
            (12, 0, waking(50, "app")),
            (13, 0, What::IrqExit(7)),
            (20, 1, switch(3, 50, "app")),
        ],
    );
    assert_eq!(parts, ["interrupt 7+ 2 cpu0", "not recorded 8 cpu1"]);
}
