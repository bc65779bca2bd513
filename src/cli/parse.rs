//! Parses the command line together with `reneri.toml`. Everything is checked before anything runs.

use super::arguments::{Command, CommandLine, command};
use super::configuration;
use super::effective::effective;
use super::keys::keys;
use super::refusal::refused;
use super::resolve::distinct;
use super::{FixSettings, Request, ShowSettings, VerifySettings};
use crate::base::error::{Error, Result};
use clap::FromArgMatches;
use std::ffi::OsString;
use std::path::PathBuf;

/// Parses and resolves the command line. `arguments` begin with the name of the program. Options
/// that are not given take their values from `reneri.toml` in the folder of the project.
///
/// # Errors
/// With exit code 1 if the command line cannot be parsed or names something that does not exist.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command = command();
    let given = match command.clone().try_get_matches_from(&arguments) {
        Ok(given) => given,
        Err(error) => return refused(&error),
    };
    let Some((name, given)) = given.subcommand() else { return Err(Error::bug("A command line without a command.")) };
    let configuration = match given.try_get_one::<PathBuf>("project") {
        Ok(Some(project)) if !given.get_flag("no_config") => configuration::read(project, &command)?,
        _ => None,
    };
    let with_file = match &configuration {
        Some(configuration) => {
            command.clone().mut_subcommand(name, |subcommand| configuration.as_defaults(subcommand, given))
        }
        None => command.clone(),
    };
    let parsed = with_file.try_get_matches_from(&arguments);
    let (matches, parsed) = match parsed.and_then(|all| Ok((all.clone(), CommandLine::from_arg_matches(&all)?.command)))
    {
        Ok(parsed) => parsed,
        Err(error) => return refused(&error),
    };
    let file = configuration.as_ref().map(|configuration| configuration.file.clone());
    Ok(match parsed {
        Command::Analyze(analyze) => Request::Analyze(Box::new(analyze.resolve(configuration)?)),
        Command::Merge { analyze, reports } => {
            Request::Merge { settings: Box::new(analyze.resolve(configuration)?), reports }
        }
        Command::Doctor(target) => Request::Doctor(Box::new(target.resolve(file)?)),
        Command::List(list) => Request::List(Box::new(list.resolve(file)?)),
        Command::Show { place, id } => Request::Show(ShowSettings { output: place.resolve()?.1, id }),
        Command::Verify { target, ids } => {
            Request::Verify(Box::new(VerifySettings { target: target.resolve(file)?, ids: distinct("ID", ids)? }))
        }
        Command::Fix { target, ids, all, apply } => {
            let ids = if all { None } else { Some(distinct("ID", ids)?) };
            Request::Fix(Box::new(FixSettings { target: target.resolve(file)?, ids, apply }))
        }
        Command::Explain { rule } => Request::Explain { rule },
        Command::Config(analyze) => {
            // `reneri config` refuses whatever an analysis would refuse.
            analyze.resolve(configuration.clone())?;
            let parsed = matches.subcommand().map_or(given, |(_, parsed)| parsed);
            Request::Print(effective(&keys(&command), parsed, given, configuration.as_ref()))
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command.clone(), "reneri", &mut script);
            Request::Print(String::from_utf8_lossy(&script).into_owned())
        }
        Command::Man { command: name } => Request::Print(manual_page(command, name.as_deref())?),
        Command::Worker { socket } => Request::Worker { socket },
    })
}

/// A manual page in the language of troff.
fn manual_page(mut command: clap::Command, name: Option<&str>) -> Result<String> {
    // Gives each command its whole name: `reneri-analyze`.
    command.build();
    let page = match name {
        None => command,
        Some(name) => {
            let found = command
                .get_subcommands()
                .find(|subcommand| subcommand.get_name() == name && !subcommand.is_hide_set())
                .cloned();
            found.ok_or_else(|| {
                Error::usage(format!("There is no command `{name}`."), "`reneri --help` lists all commands.")
            })?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|error| Error::bug(format!("The manual page cannot be written: {error}.")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests;
