//! Suggests the assertion that would see a difference inside the argument of an existing assertion
//! (`rules/suggestions/assert-more.toml`).

use super::finding::{Finding, Proposal};
use super::place::{KEPT, at_place, one_line, places};
use crate::instrument::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    places(finding, ExpressionKind::Asserted)
        .into_iter()
        .map(|(rank, evidence)| {
            // The existing assertion evaluates the expression already, so a stronger assertion may
            // evaluate it as well, unless it is too long for a sentence.
            let expression = evidence.expression.as_deref().unwrap_or_default();
            let line = one_line(expression);
            let is_whole = expression.trim() == line;
            at_place(finding, rank, evidence, if is_whole { &line } else { KEPT }, context! { kept => !is_whole })
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::suggest::example::rule_text;

    #[test]
    fn an_expression_that_is_too_long_for_the_code_is_kept_in_a_variable() {
        let text = rule_text("assert-more", |given| {
            let expression = format!("reader.lineOf(\"{}\")", "x".repeat(100));
            given["evidence"][0].as_table_mut().unwrap().insert("expression".into(), expression.into());
        });
        let end = "Make it stronger, or keep this value in a variable (`actual`) and add `assertEquals(3, actual)`.";
        assert!(text.as_ref().unwrap().ends_with(end), "{text:?}");
    }
}
