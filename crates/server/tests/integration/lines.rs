// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines of a generator whose latencies are known: while it is measured, and of the finished run.

use crate::common::generator::{Generator, LATE_EVERY, LATE_NS, LINES, latency};
use crate::common::{Served, until};
use serde_json::{Value, json};

const COUNT: u64 = 1_700;

/// Measures to the end, with what the newest snapshot says then.
fn measured(served: &Served, generator: &Generator) -> (String, Value) {
    let connect = json!({"address": generator.address.to_string()}).to_string();
    served.post("/api/generator/connect", &connect).good();
    let set = json!({"count": COUNT, "period_ns": 100_000, "timeout_ns": 1_000_000_000});
    served.post("/api/generator/set", &set.to_string()).good();
    let run = served.post("/api/generator/start", "{}").good()["run"].as_str().unwrap().to_owned();
    let measurement = until("done", || {
        let newest = served.session.watch().unwrap().borrow().clone();
        let it = serde_json::to_value(&*newest).unwrap()["measurement"].clone();
        (it["state"] == "done").then_some(it)
    });
    (run, measurement)
}

/// Returns the case's name as the run has it.
fn case(served: &Served, run: &str) -> String {
    let details = served.get(&format!("/api/runs/{run}")).good();
    details["summary"]["cases"][0]["case"].as_str().unwrap().to_owned()
}

#[test]
fn a_capture_is_never_missed_and_has_the_trigger_s_lines() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1 << 12));
    let hold = json!({"above_ns": {"irq": 780, "tasklet": LATE_NS}}).to_string();
    served.post("/api/live/hold", &hold).good();
    let (_, measurement) = measured(&served, &generator);
    let lines = &measurement["cases"][0]["lines"];
    assert_eq!(lines["triggers"], COUNT);
    let recent = &lines["recent"][0];
    let seq: Vec<u64> =
        recent["seq"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    assert_eq!(seq, (COUNT - 128..COUNT).collect::<Vec<u64>>());
    assert_eq!(recent["lines"].as_array().unwrap().len(), usize::from(LINES) + 1);
    let captures = lines["captures"].as_array().unwrap();
    let find = |reason: &str, stage: &Value| {
        captures.iter().find(|one| one["reason"] == reason && one["stage"] == *stage)
    };
    // The last line is late every 500th trigger, and by no more the later times.
    let last = &recent["lines"][usize::from(LINES)]["stage"];
    let worst = find("worst", last).unwrap();
    assert_eq!(worst["seq"], LATE_EVERY - 1);
    assert_eq!(worst["latency_ns"], LATE_NS);
    let of_irq = find("above", &json!("irq")).unwrap();
    let wanted = |seq: &u64| latency(0, *seq) >= 780;
    assert_eq!(of_irq["count"], (0..COUNT).filter(wanted).count());
    assert_eq!(of_irq["seq"].as_u64(), (0..COUNT).rfind(wanted));
    assert_eq!(of_irq["lines"][0]["lines"][1]["latency_ns"], json!([of_irq["latency_ns"]]));
    served.post("/api/live/hold", "{\"above_ns\": {\"irq\": -1}}").refused(400, "bad_request");
    served.post("/api/live/hold", "{\"above_ns\": {\"nothing\": 1}}").refused(400, "bad_request");
}

#[test]
fn the_stream_carries_lines_only_where_they_are_asked_for() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1 << 12));
    measured(&served, &generator);
    let first = |query: &str| {
        use std::io::{BufRead, BufReader, Write};
        let mut stream = served.connect();
        let host = served.host();
        write!(stream, "GET /api/live{query} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).unwrap();
        serde_json::from_str::<Value>(&data).unwrap()["measurement"]["cases"][0]["lines"].clone()
    };
    assert_eq!(first(""), Value::Null);
    let all = first("?lines=true");
    let captures = all["captures"].as_array().unwrap();
    assert!(captures.iter().all(|one| one["lines"] == json!([])), "{captures:?}");
    let one = first("?lines=true&capture=worst:irq:outside");
    let with: Vec<&Value> = one["captures"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["lines"] != json!([]))
        .collect();
    assert_eq!(with.len(), 1);
    assert_eq!((&with[0]["reason"], &with[0]["stage"]), (&json!("worst"), &json!("irq")));
    served.get("/api/live?capture=best:irq:outside").refused(400, "bad_request");
}

#[test]
fn a_finished_run_gives_the_lines_that_are_asked_for_and_finds_triggers() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1 << 12));
    let (run, _) = measured(&served, &generator);
    let name = case(&served, &run);
    let get = |what: &str, query: &str| {
        served.get(&format!("/api/runs/{run}/{what}?case={name}{query}")).good()
    };
    let lines = get("lines", "&seq=499&count=3");
    assert_eq!((&lines["first"], &lines["last"]), (&json!(0), &json!(COUNT - 1)));
    let view = &lines["views"][0];
    assert_eq!(view["seq"], json!([499, 500, 501]));
    assert_eq!(view["trigger_ns"], json!([0, 100_000, 200_000]));
    let last = usize::from(LINES);
    let late = [LATE_NS, latency(LINES - 1, 500), latency(LINES - 1, 501)];
    assert_eq!(view["lines"][last]["latency_ns"], json!(late));
    assert_eq!(
        view["lines"][last]["at_ns"],
        json!([late[0], 100_000 + late[1], 200_000 + late[2]])
    );
    assert_eq!(get("lines", &format!("&seq={COUNT}"))["views"], json!([]));
    let many = get("lines", "&count=100000");
    assert_eq!(many["views"][0]["seq"].as_array().unwrap().len() as u64, COUNT);

    let stage = view["lines"][last]["stage"].as_str().unwrap().to_owned();
    let find =
        |query: &str| get("find", &format!("&stage={stage}&view=outside&{query}"))["seq"].as_u64();
    assert_eq!(find("what=worst"), Some(499));
    let above = format!("what=above&above_ns={LATE_NS}");
    assert_eq!(find(&above), Some(499));
    assert_eq!(find(&format!("{above}&after=499")), Some(999));
    assert_eq!(find(&format!("{above}&before=999")), Some(499));
    assert_eq!(find(&format!("{above}&after=1499")), None);
    assert_eq!(find("what=missing"), None);
    assert_eq!(find("what=any&after=7"), Some(8));
    let path = format!("/api/runs/{run}/find?case={name}&stage={stage}&view=outside");
    served.get(&format!("{path}&what=above")).refused(400, "bad_request");
    served.get(&format!("{path}&what=any&after=1&before=9")).refused(400, "bad_request");

    let trigger = get("trigger", "&seq=499");
    let answers = trigger["answers"].as_array().unwrap();
    assert_eq!(answers.len(), usize::from(LINES));
    assert_eq!(answers[last - 1]["latency_ns"], LATE_NS);
    // Nothing of this run is explained: there is no target.
    assert_eq!((&trigger["explained_view"], &answers[0]["segments"]), (&Value::Null, &json!([])));
    served.get(&format!("/api/runs/{run}/lines?case=no/such")).refused(404, "no_case");
}
