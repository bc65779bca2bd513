//! Schemas of others, which reports in their formats have to follow.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

/// What a file of `tests/schemas` has against `instance`.
pub fn schema_errors(schema: &str, instance: &Value) -> Vec<String> {
    let path = format!("{}/tests/schemas/{schema}", env!("CARGO_MANIFEST_DIR"));
    // The published schema of SARIF closes a bracket that it never opened, in a property that we do not write: no regular expression.
    let text = std::fs::read_to_string(path).unwrap().replace("{2}]?$", "{2}$");
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
}
