//! `reneri explain`: prints what the file of a rule in `rules/` says, as Markdown that reads well
//! on a terminal; without a name, lists all rules.

use crate::base::did_you_mean::did_you_mean;
use crate::base::error::{Error, Result};
use crate::fix::{FixText, fix_texts};
use crate::report::{SymptomText, symptom_texts, word};
use crate::suggest::RuleText;
use crate::suggest::rules::rule_texts;
use crate::transform::operators::{self, Operator};
use crate::transform::stop::{self, Manual};

/// Most classes in a transformation's list of return types.
const CLASSES: usize = 8;
/// Most constants in the line of a word that selects several transformations.
const CONSTANTS: usize = 4;

/// The kinds of rules, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Symptom,
    Suggestion,
    Fix,
    StopRule,
    Transformation,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Symptom, Self::Suggestion, Self::Fix, Self::StopRule, Self::Transformation];

    fn heading(self) -> &'static str {
        match self {
            Self::Symptom => "Symptoms: why tests do not notice a change",
            Self::Suggestion => "Suggestions: what to write",
            Self::Fix => "Techniques: how patches for tests come about",
            Self::StopRule => {
                "Stop methods: what is not transformed (`--disable-stop-rule NAME` transforms it all the same)"
            }
            Self::Transformation => {
                "Transformations: what stands in place of a method's body (`--transformations NAME,…`)"
            }
        }
    }
}

/// The explanation of one name of one kind.
struct Topic {
    kind: Kind,
    name: String,
    line: String,
    /// Markdown, without a heading.
    text: String,
}

/// The text about `name`. If rules of several kinds have that name, all of them are explained.
///
/// # Errors
/// If no rule has that name; the error gives the nearest ones.
pub fn run(name: Option<&str>) -> Result<String> {
    let topics = topics()?;
    let Some(name) = name else { return Ok(list(&topics)) };
    let named: Vec<&Topic> = topics.iter().filter(|topic| topic.name.eq_ignore_ascii_case(name.trim())).collect();
    if named.is_empty() {
        let names: Vec<&str> = topics.iter().map(|topic| topic.name.as_str()).collect();
        return Err(Error::usage(
            format!("There is no rule `{name}`."),
            format!(
                "{}`reneri explain` lists all.",
                did_you_mean(name, &names).map_or_else(String::new, |next| next + " ")
            ),
        ));
    }
    let texts: Vec<String> = named
        .iter()
        .map(|topic| format!("# {}: {}\n\n{}\n", topic.name, topic.line.trim_end_matches('.'), topic.text.trim()))
        .collect();
    Ok(texts.join("\n"))
}

fn list(topics: &[Topic]) -> String {
    let width = topics.iter().map(|topic| topic.name.chars().count()).max().unwrap_or(0);
    let parts: Vec<String> = Kind::ALL
        .iter()
        .map(|kind| {
            let lines: Vec<String> = topics
                .iter()
                .filter(|topic| topic.kind == *kind)
                .map(|topic| format!("    {:width$}  {}\n", topic.name, topic.line))
                .collect();
            format!("# {}\n\n{}", kind.heading(), lines.concat())
        })
        .collect();
    format!("{}\n`reneri explain NAME` says more about one of them.\n", parts.join("\n"))
}

fn topics() -> Result<Vec<Topic>> {
    let symptoms = symptom_texts()?;
    let suggestions = rule_texts()?;
    let mut topics: Vec<Topic> = symptoms.iter().map(|text| symptom(text, &suggestions)).collect();
    topics.extend(suggestions.iter().map(suggestion));
    topics.extend(fix_texts()?.iter().map(technique));
    for rule in stop::RULES {
        topics.push(stop_rule(rule.name, &rule.manual()?));
    }
    let operators = operators::all()?;
    let mut selectors: Vec<&str> = Vec::new();
    for operator in &operators {
        if !selectors.contains(&operator.selector()) {
            selectors.push(operator.selector());
        }
    }
    topics.extend(selectors.into_iter().map(|selector| transformation(selector, &operators)));
    Ok(topics)
}

fn symptom(text: &SymptomText, suggestions: &[RuleText]) -> Topic {
    let answers: Vec<String> = suggestions
        .iter()
        .filter(|suggestion| suggestion.symptom == text.name)
        .map(|suggestion| format!("    {:24} {}\n", suggestion.name, suggestion.title))
        .collect();
    Topic {
        kind: Kind::Symptom,
        name: word(text.name).to_owned(),
        line: text.short.clone(),
        text: format!(
            "{}\n\n## Example\n\n{}\n## Suggestions\n\n{}",
            text.long.trim(),
            code(&text.example),
            answers.concat()
        ),
    }
}

fn suggestion(text: &RuleText) -> Topic {
    Topic {
        kind: Kind::Suggestion,
        name: text.name.clone(),
        line: text.title.clone(),
        text: format!(
            "A suggestion for {}.\n\n{}\n\n{}\n\n## Example\n\n{}\nreneri says: {}\n\n{}",
            word(text.symptom),
            text.applies.trim(),
            text.why.trim(),
            code(&text.example.code),
            text.example.says.trim(),
            code(&text.example.better)
        ),
    }
}

fn technique(text: &FixText) -> Topic {
    Topic {
        kind: Kind::Fix,
        name: text.name.clone(),
        line: text.title.clone(),
        text: format!(
            "A technique for patches, each of which is proven by running it.\n\n{}\n\n{}\n\n## Example\n\n{}\nThe patch adds:\n\n{}",
            text.applies.trim(),
            text.why.trim(),
            code(&text.example.code),
            code(&text.example.better)
        ),
    }
}

fn stop_rule(name: &str, manual: &Manual) -> Topic {
    let example = &manual.example;
    let transformed = if example.kept.is_empty() {
        String::new()
    } else {
        format!(" Transformed all the same: {}.", names(&example.kept))
    };
    Topic {
        kind: Kind::StopRule,
        name: name.to_owned(),
        line: manual.title.clone(),
        text: format!(
            "A rule that leaves methods out{}: `--disable-stop-rule {name}` transforms them all the same.\n\n{}\n\n{}\n\n## Example\n\n{}\n\
             Left out: {}.{transformed}",
            if manual.on_by_default { "" } else { ", off by default" },
            manual.stops.trim(),
            manual.why.trim(),
            code(&example.java),
            names(&example.stopped),
        ),
    }
}

/// Explains which transformations `--transformations SELECTOR` makes, and which others have that
/// name in reports.
fn transformation(selector: &str, operators: &[Operator]) -> Topic {
    let (own, by_name): (Vec<&Operator>, Vec<&Operator>) = operators
        .iter()
        .filter(|operator| operator.selector() == selector || operator.name == selector)
        .partition(|operator| operator.selector() == selector);
    let line = match own.as_slice() {
        [only] => only.description.clone(),
        several => {
            let names: Vec<&str> = several.iter().take(CONSTANTS).map(|operator| operator.name.as_str()).collect();
            let more = if several.len() > CONSTANTS { ", …" } else { "" };
            format!("{} constants: {}{more}.", several.len(), names.join(", "))
        }
    };
    let set = if own.iter().all(|operator| operator.default) {
        "A transformation of the default set.".to_owned()
    } else {
        format!("A transformation that has to be asked for: `--transformations default,{}`.", quoted(selector))
    };
    let operators: Vec<String> = own.iter().chain(&by_name).map(|operator| made(operator, selector)).collect();
    Topic {
        kind: Kind::Transformation,
        name: selector.to_owned(),
        line,
        text: format!("{set}\n\n{}", operators.join("\n")),
    }
}

fn made(operator: &Operator, selector: &str) -> String {
    let types = operator.return_types();
    let mut named: Vec<String> = types.iter().take(CLASSES).map(|name| return_type(name)).collect();
    named.extend((types.len() > CLASSES).then(|| format!("{} more", types.len() - CLASSES)));
    let asked = if operator.selector() == selector {
        String::new()
    } else {
        format!(" It has to be asked for: `--transformations default,{}`.", operator.selector())
    };
    format!(
        "{} In reports: `{}`. For methods that return {}.{asked}\n\n## Example\n\n{}",
        operator.description,
        operator.name,
        named.join(", "),
        code(&operator.example)
    )
}

fn return_type(name: &str) -> String {
    match name {
        "void" => "nothing".to_owned(),
        "array" => "an array".to_owned(),
        "reference" => "an object or array".to_owned(),
        name => format!("`{name}`"),
    }
}

/// Quotes a word for a POSIX shell.
fn quoted(selector: &str) -> String {
    if selector.contains(|c: char| !c.is_alphanumeric() && !"-._".contains(c)) {
        format!("'{}'", selector.replace('\'', "'\\''"))
    } else {
        selector.to_owned()
    }
}

fn names(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A code block for Markdown that is also easy to read on a terminal.
fn code(text: &str) -> String {
    text.trim_matches('\n').lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::error::ExitCode;
    use std::path::Path;

    fn files(folder: &str) -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(folder);
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()
        };
        std::fs::read_dir(folder).unwrap().map(name).collect()
    }

    #[test]
    fn every_rule_file_can_be_explained_and_has_an_example() {
        let operators = operators::all().unwrap();
        let names = files("suggestions")
            .into_iter()
            .chain(files("symptoms"))
            .chain(files("stop-methods"))
            .chain(operators.iter().map(|operator| operator.name.clone()))
            .chain(operators.iter().map(|operator| operator.selector().to_owned()));
        for name in names {
            let text = run(Some(&name)).unwrap();
            assert!(text.starts_with(&format!("# {name}: ")), "{text}");
            for topic in text.split("\n# ") {
                let example = topic.split("## Example\n\n").nth(1).unwrap_or_default();
                assert!(example.starts_with("    "), "{name} has no example:\n{topic}");
            }
            assert!(!text.contains("{{") && !text.contains("{%"), "templates are not for readers:\n{text}");
        }
    }

    #[test]
    fn the_list_has_one_line_for_each_rule() {
        let list = run(None).unwrap();
        let lines = list.lines().filter(|line| line.starts_with("    ")).count();
        assert_eq!(lines, topics().unwrap().len());
        for line in list.lines() {
            assert!(line.chars().count() <= 140, "{line}");
        }
        insta::assert_snapshot!("list", list);
    }

    #[test]
    fn one_page_of_each_kind_matches_its_snapshot() {
        let pages: Vec<String> =
            ["weak-oracle", "assert-value", "getter", "true"].map(|name| run(Some(name)).unwrap()).to_vec();
        insta::assert_snapshot!("pages", pages.join("\n~~~~~~~~\n\n"));
    }

    #[test]
    fn a_name_with_two_kinds_is_explained_twice() {
        let text = run(Some("Undecided")).unwrap();
        assert_eq!(text.matches("\n# ").count() + 1, 2, "{text}");
    }

    #[test]
    fn an_unknown_rule_is_an_error_with_the_nearest_ones() {
        let error = run(Some("asert-value")).unwrap_err();
        assert_eq!(error.exit_code, ExitCode::Usage);
        assert!(error.next.starts_with("Did you mean `assert-value`"), "{error}");
    }
}
