//! The values that rules about an expression of a test share: where it is, what differs there, and
//! how to read it.

use super::assertion::{Assertion, assertion};
use super::code_place;
use super::finding::{Finding, Proposal, is_literal, value_words};
use super::snippet::Snippet;
use crate::code::Signature;
use crate::diagnose::{At, Evidence, Symptom};
use crate::instrument::ExpressionKind;
use crate::observation::{is_call, is_text_builder};
use crate::observe::Part;
use crate::text::escape;
use crate::text::words;
use minijinja::{Value, context};
use std::path::Path;

/// The variable in which the reader is to keep the value of an expression.
pub(super) const KEPT: &str = "actual";

/// A way for a test to read the property that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Java expression that gives the value; only if its name leaves no doubt.
    pub code: Option<String>,
    /// Accessible methods that read the first field of the path.
    pub accessors: Vec<Signature>,
    /// The first field of the path, if it has an accessor or needs one.
    pub field: Option<String>,
}

/// Finds a way to read the evidence's property from `base`, a Java expression of the object at
/// which the path begins.
pub(super) fn reading(finding: &Finding<'_>, evidence: &Evidence, base: &str) -> Reading {
    let path = evidence.path.as_str();
    if path.is_empty() {
        return Reading { code: Some(base.to_owned()), ..Reading::default() };
    }
    let (first, rest) = split(path);
    let accessors = match finding.owner(evidence) {
        Some(owner) => finding.input.structure.accessors_of(&owner, first, &finding.reading_package(evidence)),
        None => vec![],
    };
    if let Some(accessor) = accessors.first() {
        let code = (accessor.descriptor.starts_with("()") && is_named_after(&accessor.name, first))
            .then(|| {
                let on = if accessor.is_static { words::short_class(&accessor.class) } else { base.to_owned() };
                builtin(&format!("{on}.{}()", accessor.name), rest)
            })
            .flatten();
        return Reading { code, accessors, field: Some(first.to_owned()) };
    }
    // A builder of a text has a length and no size.
    let is_text = finding.owner(evidence).is_some_and(|owner| is_text_builder(&owner));
    let read = if path == ".size" && is_text { Some(format!("{base}.length()")) } else { builtin(base, path) };
    match read {
        Some(code) => Reading { code: Some(code), ..Reading::default() },
        None => {
            let is_field = !first.is_empty() && !first.ends_with(')');
            Reading { field: is_field.then(|| first.to_owned()), ..Reading::default() }
        }
    }
}

/// Reads the properties that are not fields: the path `.size` of a collection, `.length` of an
/// array, `.message` of an exception.
fn builtin(base: &str, path: &str) -> Option<String> {
    match path {
        "" => Some(base.to_owned()),
        ".size" => Some(format!("{base}.size()")),
        ".length" => Some(format!("{base}.length")),
        ".message" => Some(format!("{base}.getMessage()")),
        call if is_call(call) => Some(format!("{base}{call}")),
        _ => None,
    }
}

/// `.items[0].size` → `items`, `[0].size`.
fn split(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = path.find(['.', '[']).unwrap_or(path.len());
    path.split_at(end)
}

/// Whether a method name says that it returns the field as it is: `version()`, `getVersion()`,
/// `isOpen()`.
fn is_named_after(method: &str, field: &str) -> bool {
    let same = |rest: &str| rest.eq_ignore_ascii_case(field);
    same(method) || method.strip_prefix("get").is_some_and(same) || method.strip_prefix("is").is_some_and(same)
}

/// The evidence at different expressions of this kind, with its rank among all places.
pub(super) fn places<'a>(finding: &Finding<'a>, kind: ExpressionKind) -> Vec<(usize, &'a Evidence)> {
    if finding.diagnosis.symptom != Symptom::WeakOracle {
        return vec![];
    }
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for (rank, evidence) in finding.diagnosis.evidence.iter().enumerate() {
        if !finding.is_place(evidence) || seen.contains(&place(evidence)) {
            continue;
        }
        seen.push(place(evidence));
        // A place of unknown kind is treated as an ordinary expression.
        if evidence.expression_kind.unwrap_or(ExpressionKind::Value) == kind {
            found.push((rank, evidence));
        }
    }
    found
}

/// The position of the expression.
fn place(evidence: &Evidence) -> (Option<&Path>, [u32; 4]) {
    let Evidence { line, column, end_line, end_column, .. } = *evidence;
    (evidence.file.as_deref(), [line, column, end_line, end_column])
}

/// Says when the value was observed if the place may have several:
/// `, the second time that `StackTest.pops()` comes by`. An assertion there would have to hold for
/// all of them.
///
/// A place may have several values if tests reach it more than once. The source, the name of the
/// test, or the evidence shows that. It has only one if all invocations of the test are known to
/// have the same value.
fn one_of_several(finding: &Finding<'_>, evidence: &Evidence) -> Option<String> {
    let test = finding.input.coverage.tests.get(evidence.test)?;
    let is_other = |other: &Evidence| {
        other.at == At::Test
            && (place(other), other.part, &other.path) == (place(evidence), evidence.part, &evidence.path)
            && other.original != evidence.original
    };
    let again = evidence.repeats || evidence.invocation > 1;
    let is_invocation = test.is_invocation() && !evidence.alike;
    let is_one_of_several = again
        || is_invocation
        || evidence.file.as_deref().is_some_and(|file| !words::is_source_name(file, &test.class))
        || finding.diagnosis.evidence.iter().any(is_other);
    is_one_of_several.then(|| {
        let name = escape::code(&finding.test_name(evidence.test));
        if is_invocation && !again {
            return format!(", in {name}");
        }
        let index = u16::try_from(evidence.invocation.saturating_sub(1)).unwrap_or(u16::MAX);
        format!(", the {} time that {name} comes by", words::ordinal(index))
    })
}

/// A suggestion about one place. `base` is the Java expression of the object there.
pub(super) fn at_place(finding: &Finding<'_>, rank: usize, evidence: &Evidence, base: &str, more: Value) -> Proposal {
    let reading = reading(finding, evidence, base);
    let when = one_of_several(finding, evidence);
    let is_one_of_several = when.is_some();
    let assertion = asserted(finding, evidence, &reading).filter(|_| !is_one_of_several);
    let snippet = assertion.as_ref().and_then(|assertion| at_place_snippet(finding, evidence, base, assertion));
    let when = when.unwrap_or_default();
    let seen = seen(finding, evidence).to_string() + &when;
    let values = context! {
        file => file_name(evidence),
        line => evidence.line,
        test => finding.test_name(evidence.test),
        expression => one_line(evidence.expression.as_deref().unwrap_or_default()),
        base => base,
        seen => Value::from_safe_string(seen),
        when => Value::from_safe_string(when),
        several => is_one_of_several,
        ..context! { ..more, ..values(finding, evidence, &reading, assertion) }
    };
    Proposal {
        // A value that can be asserted as it is comes first.
        rank: if is_one_of_several { rank + finding.diagnosis.evidence.len() } else { rank },
        values,
        entry_points: vec![],
        accessors: reading.accessors.iter().map(Signature::full).collect(),
        file: evidence.file.clone(),
        line: Some(evidence.line).filter(|&line| line > 0),
        snippet,
    }
}

/// The assertion about a place, as it can be compiled there. A test has no variable for the value
/// of its expression yet, so the expression itself stands for it.
fn at_place_snippet(finding: &Finding<'_>, evidence: &Evidence, base: &str, assertion: &Assertion) -> Option<Snippet> {
    let kind = evidence.expression_kind.unwrap_or(ExpressionKind::Value);
    let expression = evidence.expression.as_deref().filter(|_| base == KEPT);
    let code = match expression {
        Some(expression) => {
            let base = format!("({expression})");
            asserted(finding, evidence, &reading(finding, evidence, &base))?.whole
        }
        None => assertion.whole.clone(),
    };
    let snippet = match kind {
        ExpressionKind::Caught => code_place::caught(finding, evidence, code),
        ExpressionKind::Thrown => {
            let class = evidence.owner.as_deref().unwrap_or("java.lang.Exception");
            let variable = (base.to_owned(), finding.nameable(evidence, class));
            code_place::beside(finding, evidence, code, vec![variable])
        }
        ExpressionKind::Value | ExpressionKind::Discarded | ExpressionKind::Asserted => {
            code_place::before(finding, evidence, code)
        }
    };
    Some(snippet?.naming(named(finding, evidence).iter().map(String::as_str)))
}

/// The classes that an assertion about the evidence may name: that of the value, that of an
/// exception, and that of a static accessor.
pub(super) fn named(finding: &Finding<'_>, evidence: &Evidence) -> Vec<String> {
    let thrown = thrown_class(evidence).map(str::to_owned);
    let accessors = reading(finding, evidence, "").accessors;
    let accessor = accessors.into_iter().next().map(|accessor| accessor.class);
    [Some(evidence.type_name.clone()), thrown, accessor].into_iter().flatten().collect()
}

/// The assertion of the property, if one can be written.
pub(super) fn asserted(finding: &Finding<'_>, evidence: &Evidence, reading: &Reading) -> Option<Assertion> {
    let actual = reading.code.as_deref()?;
    if let Some(class) = thrown_class(evidence) {
        if finding.nameable(evidence, class) != class {
            return None;
        }
        // The value of an exception is its class (`observe`).
        let code = format!("assertEquals({}.class, {actual}.getClass())", words::short_class(class));
        return Some(Assertion::plain(code));
    }
    if evidence.part == Part::Exception && evidence.path.is_empty() {
        return None;
    }
    assertion(&evidence.type_name, evidence.original.as_deref(), evidence.transformed.as_deref(), actual)
}

/// The class of the exception that the original code throws, if the evidence is about the exception
/// itself.
pub(super) fn thrown_class(evidence: &Evidence) -> Option<&str> {
    let value =
        evidence.original.as_deref().filter(|_| evidence.part == Part::Exception && evidence.path.is_empty())?;
    Some(class_of_exception(evidence, value))
}

/// The class of an exception: its recorded value (`observe`) if that is known.
pub(super) fn class_of_exception<'a>(evidence: &'a Evidence, value: &'a str) -> &'a str {
    if is_literal(value) { value } else { &evidence.type_name }
}

/// The values that describe the difference and how to assert it.
pub(super) fn values(
    finding: &Finding<'_>,
    evidence: &Evidence,
    reading: &Reading,
    assertion: Option<Assertion>,
) -> Value {
    let accessors: Vec<String> = reading.accessors.iter().take(3).map(Signature::short).collect();
    let (code, expected) = assertion.map_or((None, None), |assertion| (Some(assertion.code), assertion.expected));
    context! {
        what => what(evidence),
        path => evidence.path.clone(),
        original => evidence.original.clone(),
        seen => seen(finding, evidence),
        instead => finding.instead(),
        field => reading.field.clone(),
        accessors => accessors,
        assertion => code,
        expected => expected,
    }
}

/// The values before and after: `is `1`, and `0` with an empty body`.
pub(super) fn seen(finding: &Finding<'_>, evidence: &Evidence) -> Value {
    let instead = finding.instead();
    let is_thrown = evidence.part == Part::Exception && evidence.path.is_empty();
    let code = |value: &str| match is_thrown && is_literal(value) {
        true => value_words("non-null", value),
        false => value_words(value, &evidence.type_name),
    };
    let words = match (&evidence.original, &evidence.transformed) {
        // The transformed result is the constant itself.
        (Some(original), Some(transformed)) if evidence.part == Part::Result && evidence.path.is_empty() => {
            format!("is {} where the transformation gives {}", code(original), code(transformed))
        }
        (Some(original), Some(transformed)) => {
            format!("is {}, and {} with {instead}", code(original), code(transformed))
        }
        (Some(original), None) => format!("is {}, and is not there with {instead}", code(original)),
        (None, Some(transformed)) => format!("is not there, and is {} with {instead}", code(transformed)),
        (None, None) => format!("is not the same with {instead}"),
    };
    Value::from_safe_string(words)
}

/// The part in words: `the result`, `the receiver`, `the second argument`, `the expression`.
pub(super) fn what(evidence: &Evidence) -> Value {
    let words = match evidence.part {
        Part::Receiver => "the receiver".to_owned(),
        Part::Argument(index) => format!("the {} argument", words::ordinal(index)),
        Part::Result => "the result".to_owned(),
        Part::Exception => "the exception".to_owned(),
        Part::Expression => "the expression".to_owned(),
        Part::Static => "the class".to_owned(),
    };
    Value::from_safe_string(words)
}

fn file_name(evidence: &Evidence) -> Value {
    let name = evidence.file.as_ref().and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
    match name {
        Some(name) => Value::from(name),
        None => Value::from_safe_string("the test".to_owned()),
    }
}

/// Puts source text on one line, short enough for a sentence.
pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape::shorten(&line, 80).0.into_owned()
}

/// Whether the expression only reads a variable, so that an assertion can repeat it.
pub(super) fn is_variable(expression: &str) -> bool {
    !expression.is_empty()
        && expression.split('.').all(|name| {
            name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
                && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::suggest::SnippetPlace;
    use crate::suggest::example::rule_text;

    /// The text of a rule for its example, at a place that repeats or does not.
    fn at_place(rule: &str, repeats: bool) -> String {
        let text = rule_text(rule, |given| {
            given["evidence"][0].as_table_mut().unwrap().insert("repeats".into(), repeats.into());
        });
        text.unwrap()
    }

    #[test]
    fn at_a_place_that_repeats_all_rules_say_when_the_value_was_seen() {
        for (rule, expected) in [
            (
                "assert-value",
                "assert what `VersionedSet.getVersion()` gives: `.version` of `set` is `1`, and `0` with an empty body, \
                 the first time that `VersionedSetTest.adds()` comes by.",
            ),
            (
                "keep-discarded",
                "assert what tells the two apart: it is a `Builder`, and `null` with the constant `null`, \
                 the first time that `BuilderTest.builds()` comes by. If it returns",
            ),
            (
                "assert-more",
                "it is `3`, and `1` with the constant `1`, the first time that `ReaderTest.positions()` comes by. \
                 Make it tell the two apart.",
            ),
            (
                "assert-caught-exception",
                "assert what tells the two apart: `.message` of `e` is `\"Ambiguous option: '--ver'\"`, \
                 and `\"\"` with the constant `\"\"`, the first time that `ParserTest.ambiguous()` comes by.",
            ),
            (
                "assert-thrown-exception",
                "and assert what tells the two apart: its `.message` is `\"Empty option\"`, \
                 and `\"A\"` with the constant `\"A\"`, the first time that `ParserTest.rejects()` comes by.",
            ),
        ] {
            assert!(!at_place(rule, false).contains("comes by"), "{rule}");
            let text = at_place(rule, true);
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn invocations_of_a_test_may_have_different_values() {
        let text = |test: &str| {
            rule_text("assert-value", |given| {
                given["tests"] = vec![format!("org.example.VersionedSetTest{test}")].into()
            })
        };
        assert!(text(".adds()").unwrap().contains("add `assertEquals(1, set.getVersion())`"));
        assert!(text(".adds(int[], String)").unwrap().contains("add `assertEquals(1, set.getVersion())`"));
        for test in [".adds(int)[2]", "[2].adds()", ".adds()[2: a(1)]"] {
            let text = text(test).unwrap();
            assert!(text.contains(&format!("with an empty body, in `VersionedSetTest{test}`.")), "{text}");
            assert!(!text.contains("assertEquals"), "{text}");
        }
        let alike = rule_text("assert-value", |given| {
            given["tests"] = vec!["org.example.VersionedSetTest.adds(int)[2]"].into();
            given["evidence"][0].as_table_mut().unwrap().insert("alike".into(), true.into());
        });
        assert!(alike.unwrap().contains("add `assertEquals(1, set.getVersion())`"));
    }

    #[test]
    fn the_expression_stands_for_a_value_that_is_not_kept_yet() {
        let snippet = |rule: &str| {
            let text = crate::suggest::rules::rule_texts().unwrap().into_iter().find(|text| text.name == rule);
            let mut suggestions = crate::suggest::example::suggestions(&text.unwrap());
            suggestions.retain(|suggestion| suggestion.rule == rule);
            let snippet = suggestions.remove(0).code.unwrap().snippet;
            let place = match snippet.place {
                SnippetPlace::Before { line, .. } => format!("before {line}"),
                SnippetPlace::Caught { line, .. } => format!("caught {line}"),
                SnippetPlace::NewTest { package, variables, .. } => format!("{package} {variables:?}"),
            };
            (snippet.code, place)
        };
        let is = |code: &str, place: &str| (code.to_owned(), place.to_owned());
        assert_eq!(snippet("keep-discarded"), is("assertNotNull((builder.add(\"a\")))", "before 12"));
        assert_eq!(snippet("assert-value"), is("assertEquals(1, set.getVersion())", "before 13"));
        assert_eq!(snippet("assert-caught-exception").1, "caught 14");
        let thrown = is(
            "assertEquals(\"Empty option\", e.getMessage())",
            "org.example [(\"e\", \"org.example.ParseException\")]",
        );
        assert_eq!(snippet("assert-thrown-exception"), thrown);
        let state =
            is("server.start(); assertTrue(server.isRunning())", "org.example [(\"server\", \"org.example.Server\")]");
        assert_eq!(snippet("read-changed-state"), state);
    }
}
