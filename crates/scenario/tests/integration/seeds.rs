// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A case once for each of several seeds.

use irqscope_scenario::Scenario;

fn parse(top: &str, trigger: &str) -> Result<Scenario, String> {
    let text = format!(
        "version = 1\nabout = \"a test\"\nkernels = [\"6.1\"]\nstates = [\"idle\"]\n{top}\n\
         [trigger]\ncount = 100\n{trigger}\n"
    );
    Scenario::parse("test", "test.toml", &text).map_err(|error| error.to_string())
}

const TIMER: &str = "kind = \"timer\"\nperiod = \"1ms\"";

#[test]
fn each_case_is_there_once_for_each_seed_from_the_first_on() {
    let with = |top: &str, seeds: &str| {
        let scenario = parse(top, &format!("{TIMER}\n{seeds}")).unwrap();
        let cases = scenario.cases().iter().map(|case| {
            let seed = case.plan.stages().unwrap().seed;
            (case.plan.case.clone(), case.seed_of.clone(), seed)
        });
        cases.collect::<Vec<_>>()
    };
    let case = |name: &str, of: Option<&str>, seed| (name.into(), of.map(str::to_owned), seed);
    let plain = [case("6.1/idle", None, 7)];
    assert_eq!(with("", "seed = 7"), plain);
    assert_eq!(with("", "seed = 7\nseeds = 1"), plain);
    let of = Some("6.1/idle");
    let expected = [
        case("6.1/idle/seed-7", of, 7),
        case("6.1/idle/seed-8", of, 8),
        case("6.1/idle/seed-9", of, 9),
    ];
    assert_eq!(with("", "seed = 7\nseeds = 3"), expected);
    let explained = Some("6.1/idle/explained");
    let expected = [
        case("6.1/idle/seed-0", of, 0),
        case("6.1/idle/seed-1", of, 1),
        case("6.1/idle/explained/seed-0", explained, 0),
        case("6.1/idle/explained/seed-1", explained, 1),
    ];
    assert_eq!(with("explain-effect = true", "seeds = 2"), expected);
}

#[test]
fn the_target_does_not_hear_of_the_other_seeds() {
    let trigger = format!("{TIMER}\nseed = 7\nseeds = 2");
    let alone = parse("", &format!("{TIMER}\nseed = 8")).unwrap();
    let among = parse("", &trigger).unwrap();
    assert_eq!(among.cases()[1].plan.without_seed_in_name(), alone.cases()[0].plan);
    assert_eq!(alone.cases()[0].plan.without_seed_in_name(), alone.cases()[0].plan);
}

#[test]
fn numbers_of_seeds_that_cannot_be_are_refused() {
    for seeds in ["seeds = 0", "seeds = 1001"] {
        let text = parse("", &format!("{TIMER}\n{seeds}")).unwrap_err();
        assert!(text.contains("trigger.seeds is 1 to 1000"), "{text}");
    }
    assert!(parse("", &format!("{TIMER}\nseeds = 1000")).is_ok());
    let line = "kind = \"line\"\nperiod = \"1ms\"\nseeds = 2";
    let swept = parse("", &format!("{line}\n[sweep]\nfrom = \"1kHz\"\nto = \"2kHz\"")).unwrap_err();
    assert!(swept.contains("leave trigger.seeds out"), "{swept}");
}
