//! Writes the text of `reneri config`: each effective setting and where it is set. The text is
//! itself a `reneri.toml`.

use super::configuration::{Configuration, Entry, FILE};
use super::keys::{Key, Kind};
use clap::ArgMatches;
use clap::parser::ValueSource;
use std::fmt::Write as _;

/// Renders the settings. `parsed` combines command line and file, `given` is the command line
/// alone.
pub(super) fn effective(
    keys: &[Key],
    parsed: &ArgMatches,
    given: &ArgMatches,
    configuration: Option<&Configuration>,
) -> String {
    let mut out = match configuration {
        Some(configuration) => format!("# With {}.\n", configuration.file.display()),
        None => format!("# Without a {FILE}.\n"),
    };
    let lines: Vec<(String, String)> = keys.iter().map(|key| line(key, parsed, given, configuration)).collect();
    let width = lines.iter().map(|(value, _)| value.chars().count()).filter(|width| *width <= 40).max().unwrap_or(0);
    for (value, origin) in lines {
        // Writing to a String cannot fail.
        let _ =
            if value.is_empty() { writeln!(out, "# {origin}") } else { writeln!(out, "{value:width$}  # {origin}") };
    }
    let accept = configuration.map_or(&[][..], |configuration| &configuration.accept);
    if !accept.is_empty() {
        let origins: Vec<&str> = accept.iter().map(|acceptance| acceptance.origin.as_str()).collect();
        let _ = writeln!(out, "# [[accept]] entries: {} ({})", accept.len(), origins.join(", "));
    }
    out
}

/// The setting and where it is set: `runs = 20`. A setting without a value is described in a
/// comment.
fn line(key: &Key, parsed: &ArgMatches, given: &ArgMatches, configuration: Option<&Configuration>) -> (String, String) {
    let values: Vec<String> =
        parsed.get_raw(&key.id).into_iter().flatten().map(|value| value.to_string_lossy().into_owned()).collect();
    let in_file = configuration.and_then(|configuration| configuration.entries.iter().find(|entry| entry.id == key.id));
    let used = configuration.and_then(|configuration| configuration.entry(&key.id, given));
    let origin = match (given.value_source(&key.id), used, in_file) {
        (Some(ValueSource::CommandLine), _, None) => "command line".to_owned(),
        (Some(ValueSource::CommandLine), _, Some(entry)) => format!("command line, instead of {}", place(entry)),
        (_, Some(entry), _) => place(entry),
        (_, None, Some(entry)) => format!("default: the command line has what cannot stand beside {}", place(entry)),
        (_, None, None) => "default".to_owned(),
    };
    if values.is_empty() {
        let without = key.without.as_ref().map_or_else(String::new, |without| format!(", which means {without}"));
        let origin = if origin == "default" { String::new() } else { format!(" ({origin})") };
        return (String::new(), format!("{} is not set{without}{origin}", key.name));
    }
    let values: Vec<String> = values.iter().map(|value| as_toml(key.kind, value)).collect();
    let value = if key.is_list { format!("[{}]", values.join(", ")) } else { values.concat() };
    (format!("{} = {value}", key.name), origin)
}

fn place(entry: &Entry) -> String {
    format!("{FILE}:{}", entry.line)
}

fn as_toml(kind: Kind, value: &str) -> String {
    match kind {
        Kind::Flag | Kind::Number => value.to_owned(),
        Kind::Text | Kind::Path => toml::Value::from(value).to_string(),
    }
}
