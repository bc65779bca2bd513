//! `reneri list`: lists the transformations that an analysis would make and the methods that rules
//! leave out, without running a test.

use crate::base::error::{Error, ExitCode, Result};
use crate::base::id::{IdVec, MethodId};
use crate::cli::ListSettings;
use crate::code::Sources;
use crate::pipeline;
use crate::recipe::Build;
use crate::report::short_ids;
use crate::terminal::Terminal;
use crate::text::words::count;
use crate::transform::{Method, Selection, Transformations, list};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Prints the list to standard output, and a summary to standard error.
///
/// # Errors
/// Whatever would end an analysis before its first test.
pub fn run(listing: &ListSettings, terminal: &Terminal) -> Result<ExitCode> {
    let selection = Selection::new(listing.transformations.clone(), listing.disabled_stop_rules.clone())?;
    let build = pipeline::build(&listing.target, terminal)?;
    let listed = TransformationList::new(&build, &list(&pipeline::compiled_classes(&build, terminal)?, &selection)?)?;
    terminal.output(&if listing.json { listed.json()? } else { listed.lines() });
    terminal.remark(&listed.sum());
    Ok(ExitCode::Done)
}

/// The list, with the keys that `--json` prints.
#[derive(Debug, Serialize)]
struct TransformationList {
    /// Sorted by class, method, descriptor, and the order of `rules/transformations.toml`.
    transformations: Vec<Change>,
    /// Sorted by class, method and descriptor.
    stopped: Vec<LeftOut>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    /// As in `report.json`: `org.example.Stack.isEmpty()Z/true`.
    id: String,
    /// The id that reports show after "Finding".
    short_id: String,
    transformation: String,
    #[serde(flatten)]
    method: Place,
}

#[derive(Debug, Serialize)]
struct LeftOut {
    /// A file of `rules/stop-methods`.
    rule: String,
    #[serde(flatten)]
    method: Place,
}

/// A method and its position in the source.
#[derive(Clone, Debug, Serialize)]
struct Place {
    class: String,
    method: String,
    descriptor: String,
    module: String,
    /// Relative to the project; null if no source root has the class.
    file: Option<String>,
    line: Option<u32>,
}

impl TransformationList {
    fn new(build: &Build, transformations: &Transformations) -> Result<Self> {
        let sources = Sources::of(build);
        let place = |method: &Method| Place {
            class: method.class.clone(),
            method: method.name.clone(),
            descriptor: method.descriptor.clone(),
            module: build.modules[method.module].name.clone(),
            file: sources.file_of(method).and_then(|file| sources.relative(&file)),
            line: method.line,
        };
        let places: IdVec<MethodId, Place> = transformations.methods.iter().map(place).collect();
        let mut changes = Vec::with_capacity(transformations.transformations.len());
        for transformation in &transformations.transformations {
            changes.push(Change {
                id: transformations.id(transformation),
                short_id: String::new(),
                transformation: transformation.name.clone(),
                method: places[transformation.method].clone(),
            });
        }
        let ids = short_ids(changes.iter().map(|change| (change.method.module.as_str(), change.id.as_str())));
        for (change, short_id) in changes.iter_mut().zip(ids) {
            change.short_id = short_id;
        }
        let left_out = |stopped: &crate::transform::Stopped| LeftOut {
            rule: stopped.rule.clone(),
            method: place(&stopped.method),
        };
        Ok(Self { transformations: changes, stopped: transformations.stopped.iter().map(left_out).collect() })
    }

    fn json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| Error::bug(format!("The list cannot be written as JSON: {error}.")))
    }

    /// Lines of columns separated by tabs, sorted by method: id, position, and the rule if the
    /// method is left out.
    fn lines(&self) -> String {
        let changes = self.transformations.iter().map(|change| (&change.method, change.id.clone(), None));
        let stopped = self.stopped.iter().map(|left_out| {
            let Place { class, method, descriptor, .. } = &left_out.method;
            (&left_out.method, format!("{class}.{method}{descriptor}"), Some(&left_out.rule))
        });
        let mut lines: Vec<(&Place, String, Option<&String>)> = changes.chain(stopped).collect();
        lines.sort_by(|(a, ..), (b, ..)| a.order().cmp(&b.order()));
        let mut out = String::new();
        for (place, what, rule) in lines {
            // Writing to a String cannot fail.
            let _ = write!(out, "{what}\t{}", place.shown());
            let _ = rule.map_or(Ok(()), |rule| write!(out, "\t{rule}"));
            out.push('\n');
        }
        out
    }

    fn sum(&self) -> String {
        let mut methods: Vec<_> = self.transformations.iter().map(|change| change.method.order()).collect();
        methods.dedup();
        let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
        for left_out in &self.stopped {
            *rules.entry(&left_out.rule).or_default() += 1;
        }
        let mut rules: Vec<(&str, usize)> = rules.into_iter().collect();
        rules.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        let rules: Vec<String> = rules.iter().map(|(rule, number)| format!("{rule} {number}")).collect();
        let stopped = count(self.stopped.len() as u64, "method");
        format!(
            "{} of {}; {}",
            count(self.transformations.len() as u64, "transformation"),
            count(methods.len() as u64, "method"),
            if rules.is_empty() {
                "no method is left out by a rule.".to_owned()
            } else {
                format!("{stopped} left out by rule: {}. `reneri explain RULE` says why.", rules.join(", "))
            }
        )
    }
}

impl Place {
    fn order(&self) -> (&str, &str, &str, &str) {
        (&self.class, &self.module, &self.method, &self.descriptor)
    }

    fn shown(&self) -> String {
        let file = self.file.as_deref().unwrap_or("");
        self.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
    }
}
