// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The JSON schema takes what is right and refuses what is wrong, and its copy among the
//! documents and the tables there have the same keys.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use irqscope_scenario::{Scenario, bundled, schema, template};
use irqscope_wire::Setting;
use serde_json::Value;

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(&schema()).unwrap()).unwrap()
}

fn json(toml: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(toml).unwrap()).unwrap()
}

#[test]
fn every_scenario_of_ours_is_valid() {
    let validator = validator();
    let all = bundled().iter().map(|one| (one.name, one.text)).chain([("template", template())]);
    for (name, text) in all {
        let errors: Vec<String> =
            validator.iter_errors(&json(text)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        // The resolved one is valid, too.
        let resolved = Scenario::parse(name, name, text).unwrap();
        assert!(validator.is_valid(&json(resolved.to_toml())), "{name}");
    }
}

#[test]
fn what_the_program_refuses_by_its_type_the_schema_refuses() {
    let validator = validator();
    let good = bundled()[0].text;
    for (from, to) in [
        ("version = 1", "version = \"1\""),
        ("version = 1", ""),
        ("about =", "abuot ="),
        ("kind = \"", "kind = \"x"),
        ("count =", "cuont ="),
        ("jitter = \"uniform\"", "jitter = \"normal\""),
        ("[trigger]", "[trigger]\nsettle = 100"),
        ("[trigger]", "[trigger]\nsettle = \"100\""),
        ("[trigger]", "[trigger]\nduty = \"25\""),
        ("[trigger]", "[execution]\nirqq = \"1us\"\n[trigger]"),
        ("[trigger]", "[execution]\nirq = { mean = \"1us\", lowest = \"1us\" }\n[trigger]"),
        ("[trigger]", "[priority]\nuser = \"fifo 100\"\n[trigger]"),
        ("[trigger]", "[bench.sched]\nperod = \"1ms\"\n[trigger]"),
        ("rig = \"twin\"", "rig = \"tvin\""),
    ] {
        let wrong = good.replacen(from, to, 1);
        assert_ne!(wrong, good, "{from}");
        assert!(Scenario::parse("x", "x.toml", &wrong).is_err(), "{to}");
        assert!(!validator.is_valid(&json(&wrong)), "{to}");
    }
}

#[test]
fn the_copy_among_the_documents_is_this_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenario.schema.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, schema()).unwrap();
    }
    let update = "UPDATE=1 cargo test -p irqscope-scenario --test schema writes it anew";
    assert!(std::fs::read_to_string(path).unwrap() == schema(), "{update}");
}

/// Adds every key with its path, tables of free names with `NAME` or `STAGE`.
fn keys(schema: &Value, of: &Value, path: &str, all: &mut Vec<String>) {
    let of = match of["$ref"].as_str().or_else(|| of["anyOf"][0]["$ref"].as_str()) {
        Some(name) => &schema["$defs"][name.trim_start_matches("#/$defs/")],
        None => of,
    };
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match of["properties"].as_object() {
        Some(properties) => {
            properties.iter().for_each(|(key, value)| keys(schema, value, &join(key), all));
        }
        None if path == "state" => keys(schema, &of["additionalProperties"], "state.NAME", all),
        None if path == "execution" => all.push("execution.STAGE".into()),
        None if path == "axes" => all.push("axes.NAME".into()),
        None => all.push(path.to_owned()),
    }
}

#[test]
fn the_documents_have_every_key() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let mut all = Vec::new();
    keys(&schema, &schema, "", &mut all);
    assert!(all.len() > 90, "{}", all.len());
    let document = include_str!("../../../docs/scenarios.md");
    // Their table is compared with docs/settings.md where it stands.
    let of_table = |key: &&String| {
        Setting::generators().any(|row| **key == format!("trigger.{}", row.setting))
    };
    // `a.b`, or `.b` behind `a.…` in the same row.
    let rows: Vec<Vec<&str>> = document
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|row| row.split(" | ").next().unwrap().split('`').skip(1).step_by(2).collect())
        .collect();
    let missing: Vec<&String> = all
        .iter()
        .filter(|key| !of_table(key))
        .filter(|key| {
            let last = &key[key.rfind('.').unwrap_or(0)..];
            let table = key.rsplit_once('.').map_or("", |(table, _)| table);
            let any = format!("bench.NAME{last}");
            !rows.iter().any(|row| {
                row.contains(&key.as_str())
                    || row.contains(&any.as_str())
                    || (row.contains(&last) && row[0].starts_with(table))
            })
        })
        .collect();
    assert!(missing.is_empty(), "docs/scenarios.md lacks {missing:?}");
}
