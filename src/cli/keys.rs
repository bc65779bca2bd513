//! Derives the keys of `reneri.toml` and their types from the options of `reneri analyze`. There is
//! no other list of either.

use clap::ArgAction;
use std::any::TypeId;
use std::path::PathBuf;

/// Long names of options that cannot be keys, because they belong to one run or to the person who
/// starts it.
pub(super) const NOT_KEYS: [&str; 11] =
    ["project", "no-config", "self-check", "since", "in-diff", "shard", "verbose", "quiet", "color", "help", "version"];

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Flag,
    Number,
    Text,
    /// Relative to the folder of the file.
    Path,
}

/// A key of the file, which is an option of the command line.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// Long name of the option.
    pub name: String,
    /// The id of the option in clap.
    pub id: String,
    pub kind: Kind,
    /// Whether several values may be given.
    pub is_list: bool,
    /// Ids of options that conflict with it.
    pub conflicts: Vec<String>,
    /// Description of a default that clap does not know: `one per processor`.
    pub without: Option<String>,
}

/// The keys, in the order of the options.
pub(super) fn keys(command: &clap::Command) -> Vec<Key> {
    let Some(analyze) = command.find_subcommand("analyze") else { return Vec::new() };
    let key = |arg: &clap::Arg| {
        let name = arg.get_long().filter(|name| !NOT_KEYS.contains(name))?.to_owned();
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        Some(Key {
            id: arg.get_id().to_string(),
            kind: kind(arg),
            is_list: matches!(arg.get_action(), ArgAction::Append),
            conflicts: conflicts(analyze, arg),
            without: help.split_once("[default: ").map(|(_, default)| default.trim_end_matches(']').to_owned()),
            name,
        })
    };
    analyze.get_arguments().filter_map(key).collect()
}

/// The options that conflict with an option, whichever of the two declares it. `--project` is left
/// out, because the file itself is next to the project.
fn conflicts(analyze: &clap::Command, arg: &clap::Arg) -> Vec<String> {
    let declares = |arg: &clap::Arg, conflicting: &clap::Arg| {
        analyze.get_arg_conflicts_with(arg).iter().any(|conflict| conflict.get_id() == conflicting.get_id())
    };
    let others = analyze.get_arguments().filter(|other| other.get_long() != Some("project"));
    others
        .filter(|other| declares(arg, other) || declares(other, arg))
        .map(|other| other.get_id().to_string())
        .collect()
}

fn kind(arg: &clap::Arg) -> Kind {
    let held = arg.get_value_parser().type_id();
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        Kind::Flag
    } else if held == TypeId::of::<PathBuf>() {
        Kind::Path
    } else if [TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<usize>()].iter().any(|number| held == *number) {
        Kind::Number
    } else {
        Kind::Text
    }
}

#[cfg(test)]
mod tests;
