// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The JSON schema of scenarios, from the types that read them: for editors.

use irqscope_wire::Stage;
use schemars::{Schema, SchemaGenerator, json_schema};

use crate::raw::{Text, TimeText};

/// Returns the JSON schema of a scenario. Only `irqscope scenario check` knows which keys go
/// together.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Text);
    schema.insert("title".into(), "An irqscope scenario".into());
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    format!("{text}\n")
}

/// Returns the schema of a table with a key for each stage.
pub(crate) fn by_stage(generator: &mut SchemaGenerator) -> Schema {
    let time = generator.subschema_for::<TimeText>();
    json_schema!({
        "type": "object",
        "propertyNames": { "enum": Stage::NAMES },
        "additionalProperties": time,
    })
}
