//! The table of all stop rules, which keep methods from being transformed.

mod annotated;
mod body;
mod origin;

use crate::base::error::{Error, Result};
use crate::transform::candidate::Candidate;
use serde::Deserialize;

/// The effect of a rule on a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Nothing,
    /// The method is not transformed.
    Method,
    /// The method is not transformed in these ways (Descartes' names).
    Transformations(Vec<String>),
}

impl From<bool> for Stop {
    fn from(stops: bool) -> Self {
        if stops { Self::Method } else { Self::Nothing }
    }
}

/// A rule: the file in `rules/stop-methods` that describes it, and the function that decides.
pub struct Rule {
    /// Name of the file, without ending.
    pub name: &'static str,
    text: &'static str,
    stops: fn(&Candidate<'_>) -> Stop,
}

impl Rule {
    #[must_use]
    pub(super) fn stops(&self, method: &Candidate<'_>) -> Stop {
        (self.stops)(method)
    }

    /// The content of the rule's file.
    ///
    /// # Errors
    /// A bug if the built-in file is broken; a test reads it.
    pub fn manual(&self) -> Result<Manual> {
        toml::from_str(self.text).map_err(|error| {
            Error::bug(format!("The built-in rules/stop-methods/{}.toml cannot be read: {error}.", self.name))
        })
    }
}

/// A file in `rules/stop-methods`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manual {
    /// A short name for people.
    pub title: String,
    pub on_by_default: bool,
    /// The methods that it stops, in a sentence or two.
    pub stops: String,
    /// The reason why they are not worth transforming.
    pub why: String,
    pub example: Example,
}

/// Java source that shows a rule at work.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Example {
    pub java: String,
    /// Options for javac, if it needs any.
    #[serde(default)]
    pub javac: Vec<String>,
    /// Methods whose line numbers a tool removed after compilation.
    #[serde(default)]
    pub without_lines: Vec<String>,
    /// Names of the methods that the rule stops.
    pub stopped: Vec<String>,
    /// Names of methods that look similar and are transformed. The name of a stopped method is
    /// among them if only one of its overloads is stopped.
    #[serde(default)]
    pub kept: Vec<String>,
}

macro_rules! rules {
    ($($name:literal => $stops:path,)*) => {
        &[$(Rule {
            name: $name,
            text: include_str!(concat!("../../../rules/stop-methods/", $name, ".toml")),
            stops: $stops,
        },)*]
    };
}

/// All rules, in the order in which they are asked. The first one that stops a method is reported.
pub const RULES: &[Rule] = rules! {
    "do-not-mutate" => annotated::do_not_mutate,
    "generated" => annotated::generated,
    "deprecated" => annotated::deprecated,
    "enum" => origin::enum_member,
    "record" => origin::record_member,
    "kotlin-generated" => origin::kotlin_member,
    "synthetic" => origin::synthetic,
    "static-initializer" => origin::static_initializer,
    "without-lines" => origin::without_lines,
    "to-string" => origin::to_string,
    "hash-code" => origin::hash_code,
    "empty" => body::empty,
    "null-return" => body::returns_null,
    "constant" => body::returns_constant,
    "empty-array" => body::returns_empty_array,
    "return-this" => body::returns_this,
    "return-parameter" => body::returns_parameter,
    "getter" => body::getter,
    "setter" => body::setter,
    "kotlin-setter" => body::kotlin_setter,
    "delegate" => body::delegate,
    "not-null" => annotated::not_null,
};
