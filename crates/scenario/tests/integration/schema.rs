// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The JSON schema, its copy among the documents and the tables there have the same keys. A validator that
//! others wrote tries scenarios with it, in tests/28-scenario.sh.

use irqscope_scenario::schema;
use irqscope_wire::Setting;
use serde_json::Value;

#[test]
fn the_copy_among_the_documents_is_this_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenario.schema.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, schema()).unwrap();
    }
    let update =
        "UPDATE=1 cargo test -p irqscope-scenario --test integration schema writes it anew";
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
    let document = include_str!("../../../../docs/scenarios.md");
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
