//! Expectations: the assertions that a difference at an expression allows.

use crate::base::id::{ExpressionId, TestId};
use crate::fix::expected::{Expected, Sequence, is_of_jvm};
use crate::observe::{Difference, Key, Part, Property, Recording, Site, Thread};
use crate::suggest::is_literal;
use std::sync::Arc;

/// Most elements in one assertion.
const ELEMENTS: usize = 12;
/// Longest asserted message of an exception, in bytes.
const LONGEST_MESSAGE: usize = 120;

/// The properties of the first value of an expression that are the same in all runs.
#[must_use]
pub fn steady_state(originals: &[Arc<Recording>], test: TestId, expression: ExpressionId) -> Vec<Property> {
    let key = Key { test, site: Site::Expression(expression), thread: Thread::default(), occurrence: 1 };
    let of = |recording: &Recording| {
        let packed = recording.observations.get(&key).map_or(&[][..], |state| recording.states.packed(state));
        packed.iter().map(|packed| recording.states.unpacked(*packed)).collect::<Vec<Property>>()
    };
    let mut runs = originals.iter().map(|recording| of(recording));
    let Some(mut all) = runs.next() else { return Vec::new() };
    for run in runs {
        all.retain(|property| run.contains(property));
    }
    all
}

/// The values of an expression in one test, as Java source. A value is missing if the expression
/// gave none, or an exception.
#[must_use]
pub fn values_each_time(recording: &Recording, test: TestId, expression: ExpressionId) -> Vec<String> {
    let key = |occurrence: u32| Key { test, site: Site::Expression(expression), thread: Thread::default(), occurrence };
    let own = recording.observations.between(&key(1), &key(u32::MAX));
    let value = |state: u32| {
        let mut all = recording.states.packed(state).iter().map(|packed| recording.states.unpacked(*packed));
        let value = all.find(|one| one.part == Part::Expression && one.path.is_empty())?.value;
        (value == "null" || is_literal(&value)).then_some(value)
    };
    own.filter_map(|(_, state)| value(state)).collect()
}

/// The expectations that a difference allows, the most telling first.
#[must_use]
pub fn expectations(difference: &Difference, today: impl Fn() -> Vec<Property>) -> Vec<Expected> {
    let is_exception = difference.part == Part::Exception && difference.original.is_some();
    if is_exception && matches!(difference.path.as_str(), "" | ".message") {
        let today = today();
        let at = |path: &str| today.iter().find(|one| one.part == Part::Exception && one.path == path);
        let Some(class) = at("").map(|one| one.type_name.clone()) else { return Vec::new() };
        // No test should expect an error.
        if class.ends_with("Error") {
            return Vec::new();
        }
        let message = at(".message").map(|one| one.value.clone()).filter(|text| is_text(text));
        // Messages of the JVM differ from version to version.
        let message = message.filter(|text| {
            !is_of_jvm(&class) || (class.ends_with("NullPointerException") && !text.starts_with("\"Cannot "))
        });
        return vec![Expected::Throws { class, message }];
    }
    // Without a value to compare, the test would fail by an exception and not by an assertion.
    if difference.part != Part::Expression || difference.transformed.is_none() {
        return Vec::new();
    }
    let counted = matches!(difference.path.as_str(), ".length" | ".size");
    let is_element = difference.path.starts_with('[');
    let mut found = Vec::new();
    let is_array = difference.path.is_empty() && difference.type_name.ends_with("[]");
    let has_no_value = difference.path.is_empty() && difference.original.as_deref() == Some("non-null");
    if counted || is_element || is_array || has_no_value {
        found.extend(contents(&today()));
    }
    if difference.path.is_empty() && !difference.implementation_only {
        let one =
            Expected::of(&difference.type_name, difference.original.as_deref(), difference.transformed.as_deref());
        found.extend(one);
    }
    found
}

/// The class of an object whose state differs, and the field that leads to the difference. `None`
/// if there is no object on both sides.
#[must_use]
pub fn infected_object(difference: &Difference, today: impl Fn() -> Vec<Property>) -> Option<(String, String)> {
    let path = difference.path.strip_prefix('.').filter(|_| difference.part == Part::Expression)?;
    let is_on_both_sides = difference.original.is_some() && difference.transformed.is_some();
    let field = path.split(['.', '[']).next().filter(|_| is_on_both_sides)?;
    let today = today();
    let class = today.iter().find(|one| one.part == Part::Expression && one.path.is_empty())?.type_name.clone();
    Some((class, field.to_owned()))
}

/// Whether a recorded message can be asserted: it is a text, complete, not too long, and names no
/// object by its identity.
fn is_text(value: &str) -> bool {
    value.starts_with('"') && !value.contains('…') && value.len() <= LONGEST_MESSAGE && !value.contains('@')
}

/// The elements of an array or a list, or their number.
fn contents(today: &[Property]) -> Option<Expected> {
    let at = |path: &str| today.iter().find(|one| one.part == Part::Expression && one.path == path);
    let class = at("").map(|one| one.type_name.as_str()).unwrap_or_default();
    let (of, count) = match (at(".length"), at(".size")) {
        (Some(length), _) => (Sequence::Array, length.value.parse().ok()?),
        (_, Some(size)) if class.ends_with("List") => (Sequence::List, size.value.parse().ok()?),
        (_, Some(size)) => (Sequence::Sized, size.value.parse().ok()?),
        _ => return None,
    };
    let elements: Vec<&Property> =
        (0..count).map_while(|index: usize| at(&format!("[{index}]"))).take(ELEMENTS + 1).collect();
    let is_whole = elements.len() == count
        && count <= ELEMENTS
        && elements.iter().all(|one| is_literal(&one.value) && !one.value.contains('…'));
    let element = class.strip_suffix("[]").unwrap_or_default();
    let is_plain = of == Sequence::List || !element.is_empty() && !element.ends_with("[]");
    if is_whole && is_plain && of != Sequence::Sized {
        let sources = elements.iter().map(|one| one.value.clone()).collect();
        return Some(Expected::Elements { of, element: element.to_owned(), sources });
    }
    Some(Expected::Count { of, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(part: Part, path: &str, type_name: &str, value: &str) -> Property {
        Property { part, path: path.into(), type_name: type_name.into(), value: value.into(), deep: false }
    }

    fn difference(part: Part, path: &str, original: Option<&str>, transformed: Option<&str>) -> Difference {
        Difference {
            key: Key {
                test: TestId(0),
                site: Site::Expression(ExpressionId(0)),
                thread: Thread::default(),
                occurrence: 1,
            },
            part,
            path: path.into(),
            type_name: "x".into(),
            original: original.map(str::to_owned),
            transformed: transformed.map(str::to_owned),
            deep: false,
            implementation_only: false,
            owner: None,
            stack: vec![],
        }
    }

    #[test]
    fn all_elements_are_expected_if_they_are_known_otherwise_their_number() {
        let of = |length: &str| {
            vec![
                property(Part::Expression, "", "byte[]", "non-null"),
                property(Part::Expression, ".length", "int", length),
                property(Part::Expression, "[0]", "byte", "48"),
                property(Part::Expression, "[1]", "byte", "49"),
            ]
        };
        let found = |length: &str| {
            expectations(&difference(Part::Expression, ".length", Some(length), Some("0")), || of(length))
        };
        let sources = vec!["48".to_owned(), "49".to_owned()];
        assert_eq!(found("2"), [Expected::Elements { of: Sequence::Array, element: "byte".into(), sources }]);
        assert_eq!(found("3"), [Expected::Count { of: Sequence::Array, count: 3 }]);
    }

    #[test]
    fn an_exception_of_the_original_code_only_is_expected() {
        let message = |text: &str| {
            let today = vec![
                property(Part::Exception, "", "a.NoMatch", "non-null"),
                property(Part::Exception, ".message", "java.lang.String", text),
            ];
            expectations(&difference(Part::Exception, "", Some("non-null"), None), || today.clone())
        };
        let throws = |message: Option<&str>| {
            [Expected::Throws { class: "a.NoMatch".into(), message: message.map(str::to_owned) }]
        };
        assert_eq!(message("\"no\""), throws(Some("\"no\"")));
        assert_eq!(
            message("\"a.X@1f\""),
            throws(None),
            "what names an object by its identity is another one each time"
        );
        assert_eq!(expectations(&difference(Part::Exception, "", None, Some("non-null")), Vec::new), []);
        assert_eq!(expectations(&difference(Part::Expression, "", Some("1"), None), Vec::new), []);
    }

    #[test]
    fn an_object_is_infected_if_one_of_its_fields_differs() {
        let today = vec![property(Part::Expression, "", "a.Set", "non-null")];
        let of = |path: &str, transformed: Option<&str>| {
            infected_object(&difference(Part::Expression, path, Some("1"), transformed), || today.clone())
        };
        assert_eq!(of(".items[0].id", Some("2")), Some(("a.Set".into(), "items".into())));
        assert_eq!(of(".items", None), None, "nothing to compare with");
        assert_eq!(of("", Some("2")), None);
    }
}
