//! Tests of the keys and of the JSON Schema of `reneri.toml`, which is generated from them for
//! editors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::cli::acceptances::{ACCEPT, FIELDS};
use crate::cli::arguments::command;
use crate::cli::configuration;
use serde_json::{Value, json};
use std::path::Path;

const SCHEMA: &str = include_str!("../reneri.schema.json");

/// Builds the schema from clap's definitions alone. The smallest valid number is found by asking
/// clap.
fn schema() -> Value {
    let command = command();
    let analyze = command.find_subcommand("analyze").unwrap();
    let mut properties = serde_json::Map::new();
    for key in keys(&command) {
        let arg = analyze.get_arguments().find(|arg| arg.get_id() == key.id.as_str()).unwrap();
        let choices: Vec<String> = match key.kind {
            Kind::Text => arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
            _ => Vec::new(),
        };
        let taken = |number: &u32| {
            let words = ["reneri".to_owned(), "analyze".to_owned(), format!("--{}={number}", key.name)];
            command.clone().try_get_matches_from(words).is_ok()
        };
        let one = match key.kind {
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Number => json!({ "type": "integer", "minimum": (0..10).find(taken).unwrap() }),
            Kind::Text | Kind::Path if choices.is_empty() => json!({ "type": "string" }),
            Kind::Text | Kind::Path => json!({ "enum": choices }),
        };
        let mut property = if key.is_list { json!({ "anyOf": [one, { "type": "array", "items": one }] }) } else { one };
        let help = arg.get_long_help().or(arg.get_help()).unwrap().to_string();
        property["description"] = help.replace(" (can be repeated)", "").into();
        properties.insert(key.name, property);
    }
    properties.insert(ACCEPT.to_owned(), accept());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "reneri.toml",
        "description": "Settings of reneri for a project. The command line goes before them. Paths are relative to this file.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// The schema of `[[accept]]`. The fields are those of the parser; their combinations are repeated
/// here.
fn accept() -> Value {
    let fields: serde_json::Map<String, Value> = FIELDS
        .iter()
        .map(|(name, help)| {
            let mut field = json!({ "type": "string", "description": help, "minLength": 1 });
            if *name == "until" {
                field["format"] = "date".into();
            }
            ((*name).to_owned(), field)
        })
        .collect();
    let id_alone =
        json!({ "required": ["id"], "properties": { "class": false, "method": false, "transformation": false } });
    let pattern = ["class", "method", "transformation"].map(|name| json!({ "required": [name] }));
    json!({
        "description": "Findings that are accepted: they stand apart in the report and fail no run",
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["reason"],
            "properties": fields,
            "anyOf": [id_alone, { "properties": { "id": false }, "anyOf": pattern }],
        },
    })
}

#[test]
fn the_schema_matches_the_options() {
    let made = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("RENERI_WRITE_SCHEMA").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/reneri.schema.json"), &made).unwrap();
    } else {
        assert_eq!(SCHEMA, made, "start this test with RENERI_WRITE_SCHEMA=1 to write the schema");
    }
}

#[test]
fn every_name_that_is_no_key_is_an_option() {
    let mut command = command();
    command.build();
    let analyze = command.find_subcommand("analyze").unwrap();
    for name in NOT_KEYS {
        assert!(analyze.get_arguments().any(|arg| arg.get_long() == Some(name)), "{name}");
    }
}

fn read(text: &str) -> crate::base::error::Result<Option<configuration::Configuration>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(configuration::FILE), text).unwrap();
    configuration::read(folder.path(), &command())
}

/// Whether the schema refuses the text of a file.
fn refused_by_schema(text: &str) -> bool {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut value = serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap();
    // Editors pass a TOML date to the schema as a string.
    if let Some(entries) = value.get_mut("accept").and_then(Value::as_array_mut) {
        for entry in entries.iter_mut().filter(|entry| entry["until"].is_object()) {
            entry["until"] = entry["until"].as_object().unwrap().values().next().unwrap().clone();
        }
    }
    !jsonschema::validator_for(&schema).unwrap().is_valid(&value)
}

#[test]
fn the_parser_and_the_schema_refuse_the_same_files() {
    for (text, fine) in [
        ("runs = 4\njobs = 1\noffline = true\nno-history = false", true),
        ("module = \"core\"\nformat = [\"html\", \"sarif\"]\nmaven-arg = [\"-Pfast\"]\nfail-on = \"any\"", true),
        ("output = \"build/reneri\"\ntransformations = [\"null\", \"-1\"]\ndisable-stop-rule = [\"getter\"]", true),
        ("max-undetected = 0", true),
        ("baseline = \"main.json\"\nfail-on = \"new\"", true),
        ("baseline = true", false),
        ("[[accept]]\nid = \"0123456789\"\nreason = \"x\"\nuntil = 2027-06-30", true),
        ("[[accept]]\nclass = \"a.*\"\ntransformation = \"null\"\nreason = \"x\"\nuntil = \"2027-06-30\"", true),
        ("[[accept]]\nid = \"0123456789\"", false),
        ("[[accept]]\nid = \"0123456789\"\nreason = \"\"", false),
        ("[[accept]]\nid = \"0123456789\"\nclass = \"a\"\nreason = \"x\"", false),
        ("[[accept]]\nreason = \"x\"", false),
        ("[[accept]]\nmethod = \"a\"\nbecause = \"x\"", false),
        ("[[accept]]\nmethod = \"a\"\nreason = \"x\"\nuntil = 3", false),
        ("accept = [\"0123456789\"]", false),
        ("[accept]\nid = \"0123456789\"\nreason = \"x\"", false),
        ("runs = 1", false),
        ("runs = \"4\"", false),
        ("runs = [4]", false),
        ("runs = 4.5", false),
        ("offline = \"true\"", false),
        ("fail-on = \"all\"", false),
        ("fail-on = [\"any\"]", false),
        ("format = [\"pdf\"]", false),
        ("module = [1]", false),
        ("rnus = 4", false),
        ("verbose = true", false),
        ("[runs]\nof = 4", false),
    ] {
        assert_eq!(read(text).is_ok(), fine, "{text}");
        assert_eq!(!refused_by_schema(text), fine, "{text}");
    }
}

#[test]
fn the_file_in_the_manual_is_valid() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    let files: Vec<&str> = manual.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(!files.is_empty());
    for file in files {
        assert!(read(file).is_ok(), "{file}\n{}", read(file).unwrap_err());
        assert!(!refused_by_schema(file), "{file}");
    }
    for key in keys(&command()) {
        assert!(manual.contains(&format!("`{}`", key.name)), "{} is not described", key.name);
    }
}

#[test]
fn an_error_names_its_line_and_the_nearest_key() {
    for (text, told, next) in [
        ("\nrunz = 3", "reneri.toml:2: there is no key `runz`.", "Did you mean `runs`?"),
        ("# x\n\nmodules = [\"a\"]", "reneri.toml:3: there is no key `modules`.", "Did you mean `module`"),
        ("runs = 3\nruns = 4", "reneri.toml:2: duplicate key", "docs/configuration.md"),
        ("runs = 3\nquiet = true", "reneri.toml:2: `quiet` cannot stand in reneri.toml.", "command line"),
        ("runs = true", "reneri.toml:1: `runs` has to be a number.", "docs/configuration.md"),
        (
            "runs = 3\n\n[[accept]]\nid = \"a\"\nreson = \"x\"",
            "reneri.toml:5: there is no key `reson` in an",
            "`reason`",
        ),
        ("[[accept]]\nid = \"a\"", "reneri.toml:1: an entry of `accept` does not say why.", "Give it a `reason`"),
        ("[[accept]]\nid = \"a\"\nreason = \"x\"\nuntil = 3", "reneri.toml:4: `until` has to be a date.", "2027-06-30"),
        ("runs = 1", "reneri.toml:1: invalid value '1' for '--runs <N>': 1 is not in 2..=1000.", "reneri config"),
        (
            "recipe = \"r.json\"\noffline = true",
            "reneri.toml:2: the argument '--recipe <FILE>' cannot be used with '--offline'.",
            "",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.what.contains(told), "{error}");
        assert!(error.next.contains(next), "{error}");
        assert!(!error.what.contains("Usage"), "{error}");
    }
}
