//! Reads `reneri.toml` and makes its values the defaults of the options. Its keys are the long
//! names of the options, and clap parses its values as if they were typed.

use super::acceptances::{ACCEPT, acceptances};
use super::keys::{Key, Kind, NOT_KEYS, keys};
use super::refusal;
use crate::base::did_you_mean::did_you_mean;
use crate::base::error::{Error, Result};
use crate::base::read::read_text;
use crate::report::Acceptance;
use clap::ArgMatches;
use clap::parser::ValueSource;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The name of the file, which is next to the POM.
pub(super) const FILE: &str = "reneri.toml";
const SEE: &str =
    "docs/configuration.md of reneri's sources describes every key, `reneri config` shows what they come to.";

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    pub file: PathBuf,
    /// In the order of the file.
    pub entries: Vec<Entry>,
    pub accept: Vec<Acceptance>,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    /// The id of the option in clap.
    pub id: String,
    /// Ids of options that conflict with this one.
    conflicts: Vec<String>,
    /// The values as they would be typed.
    pub values: Vec<String>,
    /// From 1.
    pub line: usize,
}

/// Reads the file in `folder`, if there is one. `command` is the whole command line.
///
/// # Errors
/// With file and line: if the file is not TOML, has an unknown key (the error names the nearest
/// one), or has a value that clap refuses.
pub(super) fn read(folder: &Path, command: &clap::Command) -> Result<Option<Configuration>> {
    let file = if folder == Path::new(".") { PathBuf::from(FILE) } else { folder.join(FILE) };
    if !file.is_file() {
        return Ok(None);
    }
    let text = read_text(&file).map_err(|error| {
        Error::usage(
            format!("{} cannot be read: {error}.", file.display()),
            "Correct it, or leave it out with --no-config.",
        )
    })?;
    let reader = Reader { file: &file, text: &text, keys: keys(command) };
    let (entries, accept) = reader.read()?;
    reader.check(&entries, command)?;
    Ok(Some(Configuration { file, entries, accept }))
}

impl Configuration {
    /// The entry that sets an option. `None` if the command line sets it, or sets an option that
    /// conflicts with it.
    pub fn entry(&self, id: &str, given: &ArgMatches) -> Option<&Entry> {
        let is_given = |id: &str| {
            given.ids().any(|known| known.as_str() == id) && given.value_source(id) == Some(ValueSource::CommandLine)
        };
        let entry = self.entries.iter().find(|entry| entry.id == id)?;
        let loses = is_given(id) || entry.conflicts.iter().any(|other| is_given(other));
        (!loses).then_some(entry)
    }

    /// The subcommand with the values of the file as defaults. `given` is the parsed command line.
    /// Options that the subcommand does not have belong to other subcommands.
    pub fn as_defaults(&self, mut subcommand: clap::Command, given: &ArgMatches) -> clap::Command {
        for entry in self.entries.iter().filter_map(|entry| self.entry(&entry.id, given)) {
            if subcommand.get_arguments().any(|arg| arg.get_id() == entry.id.as_str()) {
                subcommand = subcommand.mut_arg(&entry.id, |arg| arg.default_values(entry.values.clone()));
            }
        }
        subcommand
    }
}

struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    keys: Vec<Key>,
}

impl Reader<'_> {
    fn read(&self) -> Result<(Vec<Entry>, Vec<Acceptance>)> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let line = self.line(error.span().map_or(0, |span| span.start));
            self.wrong(line, error.message().trim_end_matches('.'), SEE)
        })?;
        let (mut entries, mut accept) = (Vec::new(), Vec::new());
        for (name, value) in table.get_ref() {
            let line = self.line(name.span().start);
            if name.get_ref() == ACCEPT {
                accept = acceptances(value, &|offset| format!("{FILE}:{}", self.line(offset)))
                    .map_err(|wrong| self.wrong(self.line(wrong.offset), &wrong.what, &wrong.next))?;
                continue;
            }
            entries.push(self.entry(name.get_ref(), value, line)?);
        }
        entries.sort_by_key(|entry| entry.line);
        Ok((entries, accept))
    }

    fn entry(&self, name: &str, value: &Spanned<DeValue<'_>>, line: usize) -> Result<Entry> {
        let Some(key) = self.keys.iter().find(|key| key.name == name) else {
            return Err(self.unknown(name, line));
        };
        let values = self.values(key, value.get_ref()).ok_or_else(|| {
            let what = match (key.kind, key.is_list) {
                (Kind::Flag, _) => "true or false",
                (Kind::Number, _) => "a number",
                (Kind::Text | Kind::Path, false) => "a text in quotes",
                (Kind::Text | Kind::Path, true) => "a text in quotes, or several in brackets",
            };
            self.wrong(line, &format!("`{name}` has to be {what}"), SEE)
        })?;
        Ok(Entry { name: key.name.clone(), id: key.id.clone(), conflicts: key.conflicts.clone(), values, line })
    }

    fn unknown(&self, name: &str, line: usize) -> Error {
        if NOT_KEYS.contains(&name) {
            let next = "Give it on the command line: it belongs to one run and not to the project.";
            return self.wrong(line, &format!("`{name}` cannot stand in {FILE}"), next);
        }
        let names: Vec<&str> = self.keys.iter().map(|key| key.name.as_str()).chain([ACCEPT]).collect();
        let next = did_you_mean(name, &names).map_or_else(|| SEE.to_owned(), |next| format!("{next} {SEE}"));
        self.wrong(line, &format!("there is no key `{name}`"), &next)
    }

    /// The values as they would be typed; `None` if one has the wrong type.
    fn values(&self, key: &Key, value: &DeValue<'_>) -> Option<Vec<String>> {
        match value {
            DeValue::Array(items) if key.is_list => {
                items.iter().map(|item| self.value(key.kind, item.get_ref())).collect()
            }
            value => Some(vec![self.value(key.kind, value)?]),
        }
    }

    fn value(&self, kind: Kind, value: &DeValue<'_>) -> Option<String> {
        match (kind, value) {
            (Kind::Flag, DeValue::Boolean(value)) => Some(value.to_string()),
            // clap does not know the underscores and radixes of TOML.
            (Kind::Number, DeValue::Integer(value)) => {
                i64::from_str_radix(&value.as_str().replace('_', ""), value.radix()).ok().map(|value| value.to_string())
            }
            (Kind::Text, DeValue::String(text)) => Some(text.to_string()),
            (Kind::Path, DeValue::String(text)) => {
                let file = std::path::absolute(self.file).ok()?;
                Some(file.parent()?.join(&**text).to_str()?.to_owned())
            }
            _ => None,
        }
    }

    /// Lets clap parse the entries, adding one at a time, so that an error is always about the last
    /// one.
    fn check(&self, entries: &[Entry], command: &clap::Command) -> Result<()> {
        let mut words = vec!["reneri".to_owned(), "analyze".to_owned()];
        for entry in entries {
            let is_flag = self.keys.iter().any(|key| key.id == entry.id && key.kind == Kind::Flag);
            match entry.values.as_slice() {
                [value] if is_flag => words.extend((value == "true").then(|| format!("--{}", entry.name))),
                values => words.extend(values.iter().map(|value| format!("--{}={value}", entry.name))),
            }
            if let Err(error) = command.clone().try_get_matches_from(&words) {
                let message = refusal::message(&error);
                let what: Vec<&str> =
                    message.split("\n\nUsage:").next().unwrap_or(&message).split_whitespace().collect();
                return Err(self.wrong(entry.line, what.join(" ").trim_end_matches('.'), SEE));
            }
        }
        Ok(())
    }

    fn wrong(&self, line: usize, what: &str, next: &str) -> Error {
        Error::usage(format!("{}:{line}: {what}.", self.file.display()), next)
    }

    /// From 1.
    fn line(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }
}
