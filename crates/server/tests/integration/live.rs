// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A live generator through the whole server: connected, set, measured, stopped, and
//! what is left behind against what was shown.

use std::io::{BufRead, BufReader, Write};

use crate::common::generator::{Generator, LATE_NS, LINES};
use crate::common::{Served, until};
use serde_json::{Value, json};

fn connect(served: &Served, generator: &Generator) -> Value {
    let body = json!({"address": generator.address.to_string()}).to_string();
    served.post("/api/generator/connect", &body).good()
}

fn measurement(served: &Served) -> Value {
    let newest = served.session.watch().unwrap();
    let snapshot = newest.borrow().clone();
    serde_json::to_value(&*snapshot).unwrap()["measurement"].clone()
}

/// Starts, and gives the run's name.
fn start(served: &Served) -> String {
    served.post("/api/generator/start", "{}").good()["run"].as_str().unwrap().to_owned()
}

fn wait_for(served: &Served, state: &str) -> Value {
    until(state, || Some(measurement(served)).filter(|it| it["state"] == state))
}

fn case(measurement: &Value) -> &Value {
    &measurement["cases"][0]
}

/// Starts a run without an end, and waits for its first samples.
fn endless(served: &Served, generator: &Generator) -> String {
    connect(served, generator);
    let set = json!({"count": 1u64 << 32, "period_ns": 200_000, "timeout_ns": 1_000_000_000});
    served.post("/api/generator/set", &set.to_string()).good();
    let run = start(served);
    until("samples", || (case(&measurement(served))["samples"].as_u64()? > 100).then_some(()));
    run
}

/// Measures a run of `count` triggers to its end.
fn measured(served: &Served, generator: &Generator, count: u64) -> String {
    connect(served, generator);
    let set = json!({"count": count, "period_ns": 100_000, "timeout_ns": 1_000_000_000});
    served.post("/api/generator/set", &set.to_string()).good();
    let run = start(served);
    wait_for(served, "done");
    run
}

#[test]
fn a_generator_says_what_it_is_and_what_it_really_set() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    let known = connect(&served, &generator);
    assert_eq!(known["generator"]["kind"], "board");
    assert_eq!(known["generator"]["lines"], LINES);
    assert_eq!(known["generator"]["default_stages"].as_array().unwrap().len(), usize::from(LINES));
    let asked = json!({"frequency_millihertz": 3_000_000, "duty_per_mille": 125, "packet": 8});
    let set = served.post("/api/generator/set", &asked.to_string()).good();
    let settings = &set["generator"]["status"]["settings"];
    assert_eq!((&settings["period_ns"], &settings["high_ns"]), (&json!(333_333), &json!(41_667)));
    let differs =
        json!([{"setting": "frequency_millihertz", "asked": 3_000_000, "set": 3_000_003}]);
    assert_eq!(set["differs"], differs);
    served.post("/api/generator/set", "{\"duty_per_mille\": 1000}").refused(409, "refused");
    served.post("/api/generator/set", "{}").refused(400, "bad_request");
    served.post("/api/generator/start", "{\"stages\": [\"irq\"]}").refused(400, "bad_request");
    served.post("/api/generator/start", "{\"at\": \"armed\"}").refused(409, "refused");
    served.post("/api/generator/disconnect", "{}").good();
    served.post("/api/generator/set", "{\"packet\": 8}").refused(409, "not_connected");
    served
        .post("/api/generator/connect", "{\"address\": \"127.0.0.1:1\"}")
        .refused(502, "unreachable");
}

#[test]
fn a_measurement_with_a_generator_leaves_a_run_like_any_other() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    let run = measured(&served, &generator, 1000);
    let shown = measurement(&served);
    let one = served.get(&format!("/api/runs/{run}")).good();
    let disk = std::fs::read_to_string(served.runs().join(&run).join("summary.json")).unwrap();
    assert_eq!(one["summary"], serde_json::from_str::<Value>(&disk).unwrap());
    let summary = &one["summary"]["cases"][0];
    assert_eq!(one["manifest"]["complete"], true);
    assert_eq!((&summary["violations"], &summary["identity_holds"]), (&json!([]), &json!(true)));
    assert_eq!((&summary["triggers"], &summary["complete"]), (&json!(1000), &json!(1000)));
    // The figures that were shown at the end are those on the disk; quantiles within 0.1 %.
    let live = case(&shown);
    assert_eq!(live["samples"], 1000);
    assert_eq!(
        live["frames"],
        json!({"received": live["frames"]["received"], "missed": 0, "damaged": 0})
    );
    assert_eq!(
        (&live["account"]["from"], &live["account"]["holds"]),
        (&json!("generator"), &json!(true))
    );
    for (live, exact) in
        live["series"].as_array().unwrap().iter().zip(summary["stages"].as_array().unwrap())
    {
        for figure in ["stage", "view", "count", "min_ns", "mean_ns", "max_ns", "missing"] {
            assert_eq!(live[figure], exact[figure], "{figure}");
        }
        assert_eq!((&live["p99_9_ns"], &exact["p99_9_ns"]), (&Value::Null, &Value::Null));
        for figure in ["p5_ns", "p50_ns", "p99_ns"] {
            let [live, exact] = [live, exact].map(|it| it[figure].as_f64().unwrap());
            assert!((live / exact - 1.0).abs() <= 0.001, "{figure}: {live} {exact}");
        }
    }
    assert_eq!(live["worst"].as_array().unwrap().len(), 10 * usize::from(LINES));
}

#[test]
fn a_finished_run_is_drawn_explained_and_taken_away() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    let run = measured(&served, &generator, 600);
    let summary = served.get(&format!("/api/runs/{run}")).good()["summary"].clone();
    let stages = summary["cases"][0]["stages"].as_array().unwrap().clone();
    let name = "board%2Funknown";
    let series = served.get(&format!("/api/runs/{run}/series?case={name}")).good();
    let account = &series["account"];
    assert_eq!((&account["from"], &account["holds"]), (&json!("generator"), &json!(true)));
    assert_eq!((&account["triggers"], &account["complete"]), (&json!(600), &json!(600)));
    for (drawn, exact) in series["series"].as_array().unwrap().iter().zip(&stages) {
        assert_eq!((&drawn["p95_ns"], &drawn["missing"]), (&exact["p95_ns"], &exact["missing"]));
        let sum =
            |what: &Value| what.as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>();
        assert_eq!(sum(&drawn["histogram"]["counts"]), exact["count"].as_u64().unwrap());
        assert_eq!(sum(&drawn["course"]["count"]), exact["count"].as_u64().unwrap());
        let highest =
            drawn["course"]["max_ns"].as_array().unwrap().iter().filter_map(Value::as_i64).max();
        assert_eq!(highest, exact["max_ns"].as_i64());
    }
    let stage = stages.last().unwrap()["stage"].as_str().unwrap();
    let of = format!("/api/runs/{run}/worst?case={name}&stage={stage}&view=outside&limit=2");
    let worst = served.get(&of).good();
    assert_eq!(worst["samples"][0]["latency_ns"], LATE_NS);
    assert_eq!(worst["samples"][0]["others"].as_array().unwrap().len(), usize::from(LINES) - 1);
    assert_eq!(worst["samples"][0]["segments"], Value::Null);
    served.get(&format!("/api/runs/{run}/series?case=none")).refused(404, "no_case");
    served.get(&format!("/api/runs/{run}/series?case={name}&stage=user")).refused(404, "no_series");

    let listed = served.get(&format!("/api/runs/{run}")).good()["files"].clone();
    for file in listed.as_array().unwrap() {
        let got = served.get(file["url"].as_str().unwrap());
        assert_eq!((got.status, got.body.len() as u64), (200, file["bytes"].as_u64().unwrap()));
        assert!(got.header("content-disposition").unwrap().starts_with("attachment;"));
    }
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().filter_map(|it| it["name"].as_str()).collect();
    for wanted in [
        "samples.parquet",
        "summary.json",
        "report.html",
        "figures/overview.svg",
        "figures/overview.png",
    ] {
        assert!(names.contains(&wanted), "{wanted}: {names:?}");
    }
    let report = served.get(&format!("/api/runs/{run}/report"));
    assert!(report.header("content-security-policy").unwrap().starts_with("sandbox"));
    let csv = served.get(&format!("/api/runs/{run}/export/csv"));
    let lines = String::from_utf8(csv.body).unwrap().lines().count();
    assert_eq!(lines, 600 * usize::from(LINES) + 1);
    let compared = served.get(&format!("/api/compare?base={run}&other={run}")).good();
    assert_eq!(compared["comparisons"][0]["series"].as_array().unwrap().len(), usize::from(LINES));
    assert_eq!(compared["comparisons"][0]["series"][0]["identical"], true);
}

#[test]
fn what_was_not_derived_is_derived_when_it_is_looked_at() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    let run = measured(&served, &generator, 100);
    let dir = served.runs().join(&run);
    for name in ["summary.json", "report.html", "samples.parquet"] {
        std::fs::remove_file(dir.join(name)).unwrap();
    }
    let listed = served.get("/api/runs").good()["runs"][0].clone();
    assert_eq!((&listed["id"], &listed["derived"]), (&json!(run), &json!(false)));
    assert_eq!(served.get(&format!("/api/runs/{run}")).good()["summary"]["complete"], true);
    assert!(dir.join("samples.parquet").exists() && dir.join("report.html").exists());
}

#[test]
fn a_run_that_is_stopped_is_complete_and_says_so() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    let run = endless(&served, &generator);
    served.post("/api/generator/start", "{}").refused(409, "busy");
    served.post("/api/scenario/start", "{\"scenario\": \"demo\"}").refused(409, "busy");
    served.post("/api/generator/disconnect", "{}").refused(409, "busy");
    served.get(&format!("/api/runs/{run}")).refused(409, "busy");
    // During a run the period may be set, and a count may not.
    let set = served.post("/api/generator/set", "{\"period_ns\": 300000}").good();
    assert_eq!(set["generator"]["status"]["settings"]["period_ns"], 300_000);
    assert_eq!(set["differs"], json!([]));
    served.post("/api/generator/set", "{\"count\": 5}").refused(409, "refused");
    served.post("/api/stop", "{}").good();
    wait_for(&served, "done");
    let one = served.get(&format!("/api/runs/{run}")).good();
    let summary = &one["summary"]["cases"][0];
    assert_eq!((&summary["violations"], &one["manifest"]["complete"]), (&json!([]), &json!(true)));
    assert!(summary["warnings"].to_string().contains("stopped after"), "{}", summary["warnings"]);
    // The generator is at hand again, and another run is another run.
    let second = measured(&served, &generator, 50);
    assert_ne!(second, run);
    let second = served.get(&format!("/api/runs/{second}")).good();
    assert_eq!(second["summary"]["cases"][0]["warnings"], json!([]));
}

#[test]
fn closing_ends_a_measurement_as_an_interruption_and_keeps_what_came() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    let run = endless(&served, &generator);
    served.session.close();
    let run = irqscope_run::RunDir::open(served.runs().join(run)).unwrap();
    assert!(!run.manifest().complete && run.manifest().finished_utc.is_some());
    assert!(run.manifest().cases[0].failure.is_some());
}

#[test]
fn a_generator_that_is_lost_fails_its_measurement_and_another_takes_its_place() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    let run = endless(&served, &generator);
    drop(generator);
    let failed = wait_for(&served, "failed");
    assert!(failed["error"]["remedy"].as_str().unwrap().contains("start it"), "{failed}");
    assert_eq!(case(&failed)["frames"]["missed"], 0);
    let known = until("the loss is known", || {
        let known = served.get("/api/generator").good()["generator"].clone();
        (known["connected"] == false).then_some(known)
    });
    assert!(known["error"]["what"].as_str().unwrap().contains("no generator can be reached"));
    // The frames that came are kept, and can be looked at.
    assert_eq!(served.get(&format!("/api/runs/{run}")).good()["summary"]["complete"], false);
    served.post("/api/generator/start", "{}").refused(409, "not_connected");
    served.post("/api/generator/set", "{\"packet\": 8}").refused(502, "lost");
    measured(&served, &Generator::start(1024), 50);
}

#[test]
fn the_stream_begins_at_once_and_carries_what_was_asked_for() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1024));
    measured(&served, &generator, 100);
    let snapshot = |query: &str| -> Value {
        let mut stream = served.connect();
        let head = format!("GET /api/live{query} HTTP/1.1\r\nHost: {}\r\n\r\n", served.host());
        stream.write_all(head.as_bytes()).unwrap();
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        let data = lines.filter_map(|line| line.strip_prefix("data:").map(str::to_owned)).next();
        serde_json::from_str(data.unwrap().trim()).unwrap()
    };
    let drawn = |snapshot: &Value| {
        let series = case(&snapshot["measurement"])["series"].as_array().unwrap().clone();
        series.iter().filter(|one| !one["histogram"].is_null() && !one["course"].is_null()).count()
    };
    let whole = snapshot("");
    assert_eq!(whole["measurement"]["state"], "done");
    assert_eq!(whole["measurement"]["shown"], "board/unknown");
    assert_eq!(drawn(&whole), usize::from(LINES));
    assert_eq!(drawn(&snapshot("?series=irq:outside")), 1);
    assert_eq!(drawn(&snapshot("?series=")), 0);
}

#[test]
fn a_page_that_does_not_read_holds_nothing_up() {
    let (served, generator) = (Served::on_loopback(), Generator::start(64));
    let head = format!("GET /api/live HTTP/1.1\r\nHost: {}\r\n\r\n", served.host());
    let stuck: Vec<_> = (0..16)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let run = measured(&served, &generator, 20_000);
    let summary = served.get(&format!("/api/runs/{run}")).good()["summary"]["cases"][0].clone();
    assert_eq!((&summary["triggers"], &summary["outside"]["dropped"]), (&json!(20_000), &json!(0)));
    drop(stuck);
}
