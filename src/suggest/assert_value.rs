//! Suggests the missing assertion on an ordinary expression of a test
//! (`rules/suggestions/assert-value.toml`).

use super::finding::{Finding, Proposal};
use super::place::{KEPT, at_place, is_variable, places};
use crate::instrument::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    places(finding, ExpressionKind::Value)
        .into_iter()
        .map(|(rank, evidence)| {
            let expression = evidence.expression.as_deref().unwrap_or_default();
            let variable = is_variable(expression);
            let base = if variable { expression } else { KEPT };
            at_place(finding, rank, evidence, base, context! { variable => variable })
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::suggest::example::rule_text;

    #[test]
    fn a_variable_is_named_even_if_no_value_can_be_asserted() {
        let text = rule_text("assert-value", |given| {
            let seen = given["evidence"][0].as_table_mut().unwrap();
            seen.insert("path".into(), "".into());
            seen.insert("type".into(), "int".into());
            seen.insert("expression".into(), "read".into());
            seen.insert("repeats".into(), true.into());
        });
        let text = text.unwrap();
        assert!(text.contains("assert what tells the two apart: `read` is `1`, and `0`"), "{text}");
    }

    #[test]
    fn no_value_is_asserted_at_a_place_with_two_values() {
        let text = rule_text("assert-value", |given| {
            let mut later = given["evidence"][0].clone();
            later["original"] = "2".into();
            given["evidence"].as_array_mut().unwrap().push(later);
        });
        let text = text.unwrap();
        assert!(!text.contains("assertEquals"), "{text}");
        assert!(
            text.contains("and `0` with an empty body, the first time that `VersionedSetTest.adds()` comes by"),
            "{text}"
        );
    }
}
