//! Names of new tests, in the words and the case of their class.

use crate::fix::expected::Expected;
use crate::fix::look::{About, When};
use crate::fix::source::style::Style;

/// Longest part of a name that comes from a value, in characters.
const LONGEST: usize = 20;

/// A name such as `isEmptyIsFalseAfterAdd`, `testIsEmptyIsFalseAfterAdd` or
/// `is_empty_is_false_after_add`. A number follows if the name is `taken`.
#[must_use]
pub fn test_name(
    style: &Style,
    about: &About,
    expected: &Expected,
    when: &When,
    taken: impl Fn(&str) -> bool,
) -> String {
    let mut words: Vec<String> = Vec::new();
    match about {
        About::Equality { one, other } => {
            words.extend(split(one));
            let verb = match expected {
                Expected::Bool(true) => "IsEqualTo".to_owned(),
                Expected::Throws { .. } => format!("Equals{}For", of(expected)),
                _ => "IsNotEqualTo".to_owned(),
            };
            words.extend(split(&verb));
            words.extend(split(other));
        }
        About::MockCalls { by, .. } => {
            words.extend(split(by));
            words.extend(split(&of(expected)));
        }
        About::Same { method } => {
            words.extend(split(method));
            words.extend(split("GivesTheSameObject"));
        }
        About::Result { method } | About::Printed { by: method } => {
            words.extend(split(method));
            let more = split(&match about {
                About::Printed { .. } => printed(expected),
                _ => of(expected),
            });
            // `value` says it already.
            if words.last() != more.first() || more.len() > 1 {
                words.extend(more);
            }
            match when {
                When::Always => {}
                When::New(class) => {
                    words.extend(split("ForNew"));
                    words.extend(split(class));
                }
                When::After(call) => {
                    words.push("after".to_owned());
                    words.extend(split(call));
                }
                When::For(arguments) => {
                    let arguments: Vec<String> = arguments.iter().filter_map(|argument| value(argument)).collect();
                    for (number, argument) in arguments.iter().enumerate() {
                        words.push(if number == 0 { "for" } else { "and" }.to_owned());
                        words.extend(split(argument));
                    }
                }
            }
        }
    }
    let mut name = if style.snake_case { words.join("_") } else { camel(&words) };
    if style.prefixed {
        name = if style.snake_case { format!("test_{name}") } else { format!("test{}", capitalized(&name)) };
    }
    if name.starts_with(|first: char| !first.is_alphabetic()) {
        name.insert_str(0, "value");
    }
    first_free(&name, taken)
}

/// The name itself, or the name with the first number from 2 that makes it free. An underscore keeps it apart from a
/// number at the end of the name.
#[must_use]
pub fn first_free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    let between = if name.ends_with(|last: char| last.is_ascii_digit()) { "_" } else { "" };
    let mut number = 2;
    while is_taken(&free) {
        free = format!("{name}{between}{number}");
        number += 1;
    }
    free
}

fn of(expected: &Expected) -> String {
    match expected {
        Expected::Bool(true) => "IsTrue".to_owned(),
        Expected::Bool(false) => "IsFalse".to_owned(),
        Expected::Sign { is_negative: true } => "IsNegative".to_owned(),
        Expected::Sign { is_negative: false } => "IsPositive".to_owned(),
        Expected::Null => "IsNull".to_owned(),
        Expected::NotNull => "IsNotNull".to_owned(),
        Expected::Elements { sources, .. } if sources.is_empty() => "IsEmpty".to_owned(),
        Expected::Elements { .. } => "Contents".to_owned(),
        Expected::Count { count, .. } => format!("Has{count}Elements"),
        Expected::Called { call, times, .. } => {
            let name = call.split('(').next().unwrap_or_default();
            format!("{}Calls{}", if *times == 0 { "Never" } else { "" }, capitalized(name))
        }
        Expected::Edge { at_end: false, .. } => "StartsWithText".to_owned(),
        Expected::Edge { at_end: true, .. } => "EndsWithText".to_owned(),
        Expected::Varied { above: 0 | 1, .. } => "IsNotAlwaysTheSame".to_owned(),
        Expected::Varied { above, .. } => format!("GivesMoreThan{above}Values"),
        Expected::Throws { class, .. } => format!("Throws{}", class.rsplit(['.', '$']).next().unwrap_or(class)),
        Expected::Equal { source, .. } => {
            value(source).map_or_else(|| "Value".to_owned(), |value| format!("Is{}", capitalized(&value)))
        }
    }
}

fn printed(expected: &Expected) -> String {
    match expected {
        Expected::Equal { source, .. } if source == "\"\"" => "PrintsNothing".to_owned(),
        Expected::Equal { source, .. } => {
            value(source).map_or_else(|| "PrintsText".to_owned(), |value| format!("Prints{}", capitalized(&value)))
        }
        other => of(other),
    }
}

/// The words of a value. `None` if it has no words that can be part of a name.
fn value(source: &str) -> Option<String> {
    if source == "\"\"" {
        return Some("EmptyString".to_owned());
    }
    let inner = source.trim_matches('"').trim_matches('\'');
    let inner = inner.rsplit('.').next().filter(|_| inner.starts_with(char::is_uppercase)).unwrap_or(inner);
    let (minus, inner) = inner.strip_prefix('-').map_or(("", inner), |rest| ("Minus", rest));
    let is_word =
        !inner.is_empty() && inner.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    (is_word && inner.len() <= LONGEST).then(|| format!("{minus}{}", capitalized(inner)))
}

/// The words of `aNameLikeThis` or `LIKE_THIS` in lower case. Abbreviations stay together.
fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let is_new = character == '_' || (character.is_uppercase() && !before.is_uppercase());
        if is_new && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character != '_' && character != '$') {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn camel(words: &[String]) -> String {
    let rest: String = words.iter().skip(1).map(|word| capitalized(word)).collect();
    format!("{}{rest}", words.first().map_or("", String::as_str))
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::source::test_source::TestSource;
    use std::path::Path;

    fn style(method: &str) -> Style {
        let text = format!("class T {{ @Test void {method}() {{ a(); }} }}");
        let source = TestSource::of(Path::new("T.java"), text).unwrap();
        Style::of(&source, &source.methods[0])
    }

    #[test]
    fn a_name_states_the_behaviour_in_the_case_of_the_class() {
        let about = About::Result { method: "isEmpty".into() };
        let named =
            |method: &str, when: &When| test_name(&style(method), &about, &Expected::Bool(false), when, |_| false);
        let after = When::After("add".into());
        assert_eq!(named("adds", &after), "isEmptyIsFalseAfterAdd");
        assert_eq!(named("testAdds", &after), "testIsEmptyIsFalseAfterAdd");
        assert_eq!(named("adds_one", &after), "is_empty_is_false_after_add");
        assert_eq!(named("adds", &When::New("VersionedSet".into())), "isEmptyIsFalseForNewVersionedSet");
        assert_eq!(named("adds", &When::For(vec!["null".into(), "\"a b\"".into()])), "isEmptyIsFalseForNull");
        let both = When::For(vec!["14820".into(), "25".into()]);
        assert_eq!(named("adds", &both), "isEmptyIsFalseFor14820And25");
        assert_eq!(named("adds_one", &both), "is_empty_is_false_for_14820_and_25");
        let equality = About::Equality { one: "VersionedSet".into(), other: "null".into() };
        assert_eq!(
            test_name(&style("a"), &equality, &Expected::Bool(false), &When::Always, |_| false),
            "versionedSetIsNotEqualToNull"
        );
    }

    #[test]
    fn a_value_is_named_if_it_is_a_word_and_a_taken_name_gets_a_number() {
        let about = About::Result { method: "getURL".into() };
        let named = |source: &str, type_name: &str| {
            let expected = Expected::Equal { source: source.into(), type_name: type_name.into() };
            test_name(&style("a"), &about, &expected, &When::Always, |name| name == "geturlIs3" || name == "getUrlIs3")
        };
        assert_eq!(named("3", "int"), "getUrlIs3_2");
        assert_eq!(named("-3", "int"), "getUrlIsMinus3");
        assert_eq!(named("Color.RED", "a.Color"), "getUrlIsRed");
        assert_eq!(named("\"a b\"", "java.lang.String"), "getUrlValue");
        assert_eq!(named("\"\"", "java.lang.String"), "getUrlIsEmptyString");
    }
}
