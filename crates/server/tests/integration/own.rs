// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios that were written on the page: checked with the line of what is wrong, and refused where
//! they may reach beyond a guest. And metrics, which name nothing but what is known.

use crate::common::generator::{Generator, LINES};
use crate::common::{Answer, Served, until};
use serde_json::json;

fn check(served: &Served, toml: &str) -> Answer {
    let body = json!({"scenario": "own", "toml": toml}).to_string();
    served.post("/api/scenario/check", &body)
}

#[test]
fn a_scenario_is_checked_and_what_is_wrong_has_its_line() {
    let served = Served::on_loopback();
    let good = "version = 1\nabout = \"x\"\nrig = \"twin\"\nkernels = [\"6.1\"]\nstates = [\"idle\"]\n\
        [trigger]\nkind = \"line\"\nperiod = \"1ms\"\ncount = 50\n";
    let checked = check(&served, good).good();
    assert_eq!(checked, json!({"about": "x", "cases": ["6.1/idle"], "count": 50}));
    for (wrong, says) in [
        (good.replace("count", "cuont"), "own.toml:9"),
        (good.replace("\"1ms\"", "\"1 fortnight\""), "own.toml:8"),
        (good.replace("[trigger]", "[trigger"), "own.toml:6"),
    ] {
        let answer = check(&served, &wrong);
        answer.refused(400, "bad_request");
        let what = answer.json()["error"]["what"].as_str().unwrap().to_owned();
        assert!(what.contains(says), "{says} in {what}");
    }
    assert!(!served.runs().exists(), "nothing was begun");
}

#[test]
fn nothing_of_this_machine_is_named_read_or_executed() {
    let served = Served::on_loopback();
    let marker = served.dir.path().join("executed");
    let touch = format!("touch {}", marker.display());
    for toml in [
        format!(
            "rig = \"local\"\nstates = [\"x\"]\n[state.x]\nloads = [\"m\"]\n[load.m]\ncommand = \"{touch}\"\n"
        ),
        "[load.m]\ncommand = \"./m\"\nfiles = [\"/etc/passwd\"]\n".into(),
        "modules = [\"/root\"]\n".into(),
        "kernels = [\"/usr/src/linux\"]\n".into(),
        "rig = \"ssh\"\n[ssh]\nhost = \"x\"\noptions = [\"-oProxyCommand=id\"]\n".into(),
    ] {
        check(&served, &toml).refused(403, "not_allowed");
        let body = json!({"scenario": "own", "toml": toml}).to_string();
        served.post("/api/scenario/start", &body).refused(403, "not_allowed");
    }
    // A file that is there and one that is not get the same answer.
    let of = |path: &str| check(&served, &format!("[load.m]\nfiles = [\"{path}\"]\n")).body;
    assert_eq!(of("/etc/passwd"), of("/etc/no-such-file"));
    assert!(!marker.exists());
}

#[test]
fn metrics_are_the_figures_that_are_shown() {
    let (served, generator) = (Served::on_loopback(), Generator::start(1 << 12));
    let text = || String::from_utf8(served.get("/metrics").body).unwrap();
    assert!(text().contains("irqscope_measuring{tool_version=\"test\"} 0"), "{}", text());
    assert!(text().ends_with("# EOF\n") && !text().contains("irqscope_latency_seconds"));
    let connect = json!({"address": generator.address.to_string()}).to_string();
    served.post("/api/generator/connect", &connect).good();
    let set = json!({"count": 1200, "period_ns": 100_000, "timeout_ns": 1_000_000_000});
    served.post("/api/generator/set", &set.to_string()).good();
    served.post("/api/generator/start", "{}").good();
    let measurement = until("done", || {
        let newest = served.session.watch().unwrap().borrow().clone();
        let it = serde_json::to_value(&*newest).unwrap()["measurement"].clone();
        (it["state"] == "done").then_some(it)
    });
    let text = text();
    let case = &measurement["cases"][0];
    let name = case["case"].as_str().unwrap();
    let count = format!("irqscope_triggers{{case=\"{name}\",outcome=\"all\"}} 1200\n");
    assert!(text.contains(&count), "{text}");
    let series = case["series"].as_array().unwrap();
    assert_eq!(series.len(), usize::from(LINES));
    for one in series {
        let (stage, view) = (one["stage"].as_str().unwrap(), one["view"].as_str().unwrap());
        let of = format!("case=\"{name}\",stage=\"{stage}\",view=\"{view}\"");
        let seconds = |key: &str| format!("{:.9}", one[key].as_i64().unwrap() as f64 / 1e9);
        for line in [
            format!("irqscope_latency_seconds_count{{{of}}} 1200\n"),
            format!("irqscope_latency_seconds{{{of},quantile=\"0.99\"}} {}\n", seconds("p99_ns")),
            format!("irqscope_max_seconds{{{of}}} {}\n", seconds("max_ns")),
        ] {
            assert!(text.contains(&line), "{line} in {text}");
        }
    }
    // Ten latencies must lie beyond a quantile.
    assert!(!text.contains("quantile=\"0.999\""), "{text}");
}
