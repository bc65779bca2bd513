//! The registry of rules: each file of `rules/suggestions` with the function that decides when it
//! applies, and the rendering of its text.

use super::finding::{Finding, Proposal};
use crate::base::error::{Error, Result};
use crate::diagnose::Symptom;
use crate::text::escape;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Output, State, UndefinedBehavior};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// One entry of the registry.
pub(super) struct Rule {
    pub name: &'static str,
    toml: &'static str,
    pub apply: fn(&Finding<'_>) -> Vec<Proposal>,
}

macro_rules! rules {
    ($($module:ident = $name:literal,)*) => {
        /// All rules. If two have equally good evidence, the earlier one is more useful.
        pub(super) const RULES: &[Rule] = &[$(Rule {
            name: $name,
            toml: include_str!(concat!("../../rules/suggestions/", $name, ".toml")),
            apply: super::$module::apply,
        }),*];
    };
}

rules! {
    assert_value = "assert-value",
    keep_discarded = "keep-discarded",
    caught_exception = "assert-caught-exception",
    thrown_exception = "assert-thrown-exception",
    assert_more = "assert-more",
    call_directly = "call-directly",
    expect_exception = "expect-exception",
    read_state = "read-changed-state",
    call_through = "call-through",
    no_entry_point = "no-entry-point",
    unequal_objects = "unequal-objects",
    other_boolean = "other-boolean",
    other_result = "other-result",
    void_never_acts = "void-never-acts",
    undecided = "undecided",
}

/// A file of `rules/suggestions`; `reneri explain` prints it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RuleText {
    /// The name of the file without its extension.
    pub name: String,
    pub title: String,
    pub symptom: Symptom,
    /// When the rule applies, in words.
    pub applies: String,
    /// Why it is good advice.
    pub why: String,
    /// Template (minijinja) of one short line that says what to do, for lists and terminals.
    pub brief: String,
    /// Template of the whole suggestion. Every string filled in becomes a code span.
    pub text: String,
    pub example: Example,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Java: the test as it is.
    pub code: String,
    /// Java: the test after following the suggestion.
    pub better: String,
    /// The suggestion's text for this example.
    pub says: String,
    /// The diagnosis behind the example. A test renders `says` from it again.
    pub given: toml::Table,
}

/// The texts of all rules, in the order of the registry.
///
/// # Errors
/// Only if reneri has a bug: the files are part of the binary.
pub fn rule_texts() -> Result<Vec<RuleText>> {
    RULES.iter().map(read).collect()
}

fn read(rule: &Rule) -> Result<RuleText> {
    toml::from_str(rule.toml)
        .map_err(|error| Error::bug(format!("rules/suggestions/{}.toml cannot be read: {error}.", rule.name)))
}

/// Fills `values` into the two texts of the rule called `name`: the brief one and the whole one.
pub(super) fn render(name: &str, values: &Value) -> Result<(String, String)> {
    let rule = RULES
        .iter()
        .find(|rule| rule.name == name)
        .ok_or_else(|| Error::bug(format!("There is no suggestion rule {name}.")))?;
    let text = read(rule)?;
    let fill = |template: &str| {
        // Line breaks in the file only make the file readable: the text is one paragraph.
        let template = template.split_whitespace().collect::<Vec<_>>().join(" ");
        markdown_environment()
            .render_str(&template, values)
            .map_err(|error| Error::bug(format!("rules/suggestions/{name}.toml cannot be filled in: {error:#}.")))
    };
    Ok((fill(&text.brief)?, fill(&text.text)?))
}

/// An environment in which a template cannot forget to escape: a string becomes a code span unless
/// it is marked as Markdown.
pub(crate) fn markdown_environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown".into()));
    environment.set_formatter(|out: &mut Output, _: &mut State, value: &Value| {
        let text = match value.as_str() {
            Some(text) if value.is_safe() => text.to_owned(),
            Some(text) => escape::code_short(text, escape::LONGEST),
            None if value.is_none() => String::new(),
            None => value.to_string(),
        };
        out.write_str(&text).map_err(minijinja::Error::from)
    });
    environment.add_filter("listed", listed);
    environment.add_filter("whole", whole);
    environment
}

/// Code that readers copy is not shortened.
fn whole(code: String) -> Value {
    Value::from_safe_string(escape::code(&code))
}

/// `a`, `b` and `c`, each in a code span.
fn listed(items: Vec<String>) -> Value {
    let spans: Vec<String> = items.iter().map(|item| escape::code_short(item, escape::LONGEST)).collect();
    let mut markdown = String::new();
    for (index, span) in spans.iter().enumerate() {
        let separator = match index {
            0 => "",
            _ if index + 1 == spans.len() => " and ",
            _ => ", ",
        };
        // Writing to a String cannot fail.
        let _ = write!(markdown, "{separator}{span}");
    }
    Value::from_safe_string(markdown)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_folder_and_the_registry_have_the_same_rules() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/suggestions");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        let registry: BTreeSet<String> = RULES.iter().map(|rule| rule.name.to_owned()).collect();
        assert_eq!(files, registry);
        for (rule, text) in RULES.iter().zip(rule_texts().unwrap()) {
            assert_eq!(rule.name, text.name);
        }
    }

    #[test]
    fn each_rule_applies_to_its_example_and_renders_the_text_of_its_file() {
        let mut wrong = Vec::new();
        for text in rule_texts().unwrap() {
            let said = crate::suggest::example::suggestions(&text);
            match said.iter().find(|suggestion| suggestion.rule == text.name) {
                None => wrong.push(format!("{} does not fire, but {said:#?}", text.name)),
                Some(suggestion) if suggestion.text != text.example.says.trim() => {
                    wrong.push(format!("{}:\n  says {}\n  file {}", text.name, suggestion.text, text.example.says));
                }
                Some(_) => {}
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Replaces every text of the project in an example.
    fn with_texts(given: &mut toml::Table, text: &str) {
        for key in ["original", "transformed", "expression", "owner", "value", "exception", "type", "source"] {
            if let Some(value) = given.get_mut(key).filter(|value| value.is_str()) {
                *value = text.into();
            }
        }
        if let Some(because) = given.get_mut("undecided_because") {
            *because = text.into();
        }
        for (_, value) in given.iter_mut() {
            match value {
                toml::Value::Table(table) => with_texts(table, text),
                toml::Value::Array(items) => {
                    items.iter_mut().filter_map(toml::Value::as_table_mut).for_each(|table| with_texts(table, text));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn no_text_of_the_project_is_interpreted_in_a_suggestion() {
        use pulldown_cmark::{Event, Parser, Tag, TagEnd};
        for nasty in ["`", "``x`", "</details>", "*x*\n\n# y", "[a](b)", "a|b", "<b>", "\u{202e}x", "", " ", "{{ x }}"]
        {
            for mut text in rule_texts().unwrap() {
                with_texts(&mut text.example.given, nasty);
                let suggestions = crate::suggest::example::suggestions(&text);
                assert!(!suggestions.is_empty(), "{} with {nasty:?}", text.name);
                for markdown in suggestions.iter().flat_map(|suggestion| [&suggestion.text, &suggestion.brief]) {
                    for event in Parser::new(markdown) {
                        let plain = matches!(
                            event,
                            Event::Start(Tag::Paragraph)
                                | Event::End(TagEnd::Paragraph)
                                | Event::Text(_)
                                | Event::Code(_)
                        );
                        assert!(plain, "{event:?} in {markdown}");
                    }
                    assert!(!markdown.contains(['\n', '\u{202e}']), "{markdown:?}");
                }
            }
        }
    }

    #[test]
    fn there_is_always_a_suggestion() {
        for mut text in rule_texts().unwrap() {
            for key in ["evidence", "calls", "callers", "accessors"] {
                text.example.given.remove(key);
            }
            for accessible in [true, false] {
                text.example.given.insert("accessible".into(), accessible.into());
                assert!(!crate::suggest::example::suggestions(&text).is_empty(), "{} {accessible}", text.name);
            }
        }
    }

    #[test]
    fn brief_texts_are_short() {
        for text in rule_texts().unwrap() {
            for suggestion in crate::suggest::example::suggestions(&text) {
                let length = suggestion.brief.chars().count();
                assert!((20..=140).contains(&length), "{length}: {}", suggestion.brief);
            }
        }
    }

    #[test]
    fn words_without_code_say_the_same_without_an_assertion() {
        let mut with_code = BTreeSet::new();
        for text in rule_texts().unwrap() {
            let mut suggestions = crate::suggest::example::suggestions(&text);
            suggestions.retain(|suggestion| suggestion.rule == text.name);
            for mut suggestion in suggestions.into_iter().filter(|suggestion| suggestion.code.is_some()) {
                with_code.insert(text.name.clone());
                let before = suggestion.clone();
                let mut all = vec![suggestion.clone()];
                crate::suggest::leave_code_out(&mut all, &[0].into());
                suggestion = all.remove(0);
                for words in [&suggestion.brief, &suggestion.text] {
                    assert!(!words.contains("assertEquals(") && !words.contains("assertTrue("), "{words}");
                    assert!(!words.contains("assertFalse(") && !words.contains("assertNotNull("), "{words}");
                }
                assert_ne!(suggestion.text, before.text);
                let length = suggestion.brief.chars().count();
                assert!((20..=140).contains(&length), "{length}: {}", suggestion.brief);
                let printed = before.code.unwrap();
                assert_eq!(printed.is_in(&before.text, &format!("{} More.", before.text)), Some(true));
                assert_eq!(printed.is_in(&before.text, &suggestion.text), Some(false));
                assert_eq!(printed.is_in(&before.text, "Other."), None);
            }
        }
        let expected = [
            "assert-caught-exception",
            "assert-more",
            "assert-thrown-exception",
            "assert-value",
            "call-directly",
            "expect-exception",
            "keep-discarded",
            "other-boolean",
            "read-changed-state",
            "unequal-objects",
        ];
        assert!(with_code.iter().map(String::as_str).eq(expected), "{with_code:?}");
    }

    #[test]
    fn two_suggestions_that_are_the_same_without_their_code_are_one() {
        let text = rule_texts().unwrap().into_iter().find(|text| text.name == "assert-value").unwrap();
        let suggestion = crate::suggest::example::suggestions(&text).remove(0);
        let mut all = vec![suggestion.clone(), suggestion.clone()];
        crate::suggest::leave_code_out(&mut all, &[1].into());
        assert_eq!(all.len(), 2);
        crate::suggest::leave_code_out(&mut all, &[0].into());
        assert_eq!(all.len(), 1);
    }

    #[test]
    fn a_template_escapes_every_string() {
        let said = markdown_environment()
            .render_str(
                "{{ a }} {{ b }} {{ n }}",
                minijinja::context! { a => "*`x", b => Value::from_safe_string("*y*".into()), n => 3 },
            )
            .unwrap();
        assert_eq!(said, "`` *`x `` *y* 3".replace(" *`x ", "*`x"));
    }

    #[test]
    fn two_suggestions_with_the_same_words_are_one() {
        let mut text = rule_texts().unwrap().into_iter().find(|text| text.name == "assert-value").unwrap();
        let evidence = text.example.given.get_mut("evidence").unwrap().as_array_mut().unwrap();
        let mut beside = evidence[0].clone();
        beside.as_table_mut().unwrap().insert("column".into(), 30.into());
        evidence.push(beside);
        assert_eq!(crate::suggest::example::suggestions(&text).len(), 1);
    }
}
