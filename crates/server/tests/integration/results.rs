// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Further results of a finished run: what it has is offered, and what it lacks is refused with a remedy.

use crate::common::generator::{Generator, LINES, latency};
use crate::common::{Served, until};
use serde_json::{Value, json};

const COUNT: u64 = 1_200;

fn measured(served: &Served, generator: &Generator) -> String {
    let connect = json!({"address": generator.address.to_string()}).to_string();
    served.post("/api/generator/connect", &connect).good();
    let set = json!({"count": COUNT, "period_ns": 100_000, "timeout_ns": 1_000_000_000});
    served.post("/api/generator/set", &set.to_string()).good();
    let run = served.post("/api/generator/start", "{}").good()["run"].as_str().unwrap().to_owned();
    until("done", || {
        let newest = served.session.watch().unwrap().borrow().clone();
        let state = serde_json::to_value(&*newest).unwrap()["measurement"]["state"].clone();
        (state == "done").then_some(())
    });
    run
}

#[test]
fn a_run_has_limits_and_tails_and_says_how_to_get_the_rest() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1 << 12));
    let run = measured(&served, &generator);
    let details = served.get(&format!("/api/runs/{run}")).good();
    let case = details["summary"]["cases"][0]["case"].as_str().unwrap().to_owned();
    let ask = |what: &str| served.get(&format!("/api/runs/{run}/{what}"));

    let drawn = ask(&format!("series?case={case}")).good();
    assert_eq!(drawn["results"], json!(["tail", "gate"]));
    assert_eq!(drawn["measured"].as_array().unwrap().len(), usize::from(LINES));

    let longest = (0..COUNT).map(|seq| latency(0, seq)).max().unwrap();
    let limits = format!("irq%3C{longest}ns%40max,irq%3C{}ns%40max", longest + 1);
    let answer = ask(&format!("gate?case={case}&limits={limits}")).good();
    let verdicts: &Vec<Value> = answer["verdicts"].as_array().unwrap();
    let passed: Vec<&Value> = verdicts.iter().map(|one| &one["passed"]).collect();
    assert_eq!(passed, [&json!(false), &json!(true)]);
    assert!(verdicts.iter().all(|one| one["found_ns"] == longest), "{verdicts:?}");

    let tails = ask(&format!("tail?case={case}&name=irq")).good();
    let [tail] = tails["tails"].as_array().unwrap().as_slice() else { panic!("{tails}") };
    assert!(tail["tail"].is_null() != tail["refusal"].is_null(), "{tail}");

    ask(&format!("gate?case={case}&limits=irq")).refused(400, "bad_request");
    ask(&format!("gate?case={case}&limits={}", "irq%3C1s%40max,".repeat(65)))
        .refused(400, "bad_request");
    ask(&format!("gate?case={case}&limits=user%3C1s%40max")).refused(404, "no_series");
    ask(&format!("tail?case={case}&name=nothing")).refused(404, "no_series");
    ask("tail?case=nowhere&name=irq").refused(404, "no_case");
    ask(&format!("path?case={case}&stage=irq&at=median")).refused(400, "bad_request");
    let lacks = [
        (format!("path?case={case}&stage=irq&at=p50"), "no_path", "--trace"),
        (format!("bursts?case={case}"), "no_bursts", "irqscope run bursts"),
        ("sweep".to_owned(), "no_sweep", "irqscope sweep"),
        (format!("locks?case={case}"), "no_locks", "--explain"),
        (format!("isolate?case={case}"), "no_isolation", "irqscope run isolate"),
    ];
    for (address, code, command) in lacks {
        let answer = ask(&address);
        answer.refused(404, code);
        let remedy = answer.json()["error"]["remedy"].as_str().unwrap().to_owned();
        assert!(remedy.contains(command), "{remedy}");
    }
}

#[test]
fn without_a_lake_every_question_about_one_says_how_to_get_it() {
    let served = Served::on_loopback();
    assert_eq!(served.get("/api/hello").good()["has_lake"], json!(false));
    let trend = "scenario=demo&stage=irq&view=inside&figure=max_ns";
    let series = "place=a&scenario=demo&case=b&is_virtual=true&stage=irq&view=inside";
    for address in [
        "/api/lake".to_owned(),
        format!("/api/lake/trend?{trend}"),
        format!("/api/lake/histograms?{series}"),
        "/api/lake/maxima?run=a&stage=irq&view=inside".to_owned(),
    ] {
        let answer = served.get(&address);
        answer.refused(404, "no_lake");
        assert_eq!(answer.json()["error"]["remedy"], "irqscope serve --lake URL", "{address}");
    }
    served.get(&format!("/api/lake/trend?{trend}&more=1")).refused(400, "bad_request");
    served.get("/api/lake/trend").refused(400, "bad_request");
}
