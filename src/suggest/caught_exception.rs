//! Suggests an assertion on an exception that a test catches
//! (`rules/suggestions/assert-caught-exception.toml`).

use super::code_place;
use super::finding::{Finding, Proposal, value_words};
use super::place::{at_place, class_of_exception, is_variable, places};
use super::snippet::Snippet;
use crate::diagnose::Evidence;
use crate::instrument::ExpressionKind;
use crate::text::words;
use minijinja::{Value, context};

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    places(finding, ExpressionKind::Caught)
        .into_iter()
        .map(|(rank, evidence)| {
            let name = evidence.expression.as_deref().filter(|name| is_variable(name)).unwrap_or("e");
            let only = only_side(evidence);
            let proposal = at_place(finding, rank, evidence, name, only.values(finding, evidence));
            match only {
                Only::Neither => proposal,
                _ => Proposal { snippet: only.snippet(finding, evidence), ..proposal },
            }
        })
        .collect()
}

/// The only side that throws the exception, and its class.
enum Only<'e> {
    Today(&'e str),
    Then(&'e str),
    Neither,
}

/// An assertion in the catch block does not help if only one side throws the exception, because the
/// block does not run on the other side.
fn only_side(evidence: &Evidence) -> Only<'_> {
    match (&evidence.original, &evidence.transformed) {
        (Some(value), None) if evidence.path.is_empty() => Only::Today(class_of_exception(evidence, value)),
        (None, Some(value)) if evidence.path.is_empty() => Only::Then(class_of_exception(evidence, value)),
        _ => Only::Neither,
    }
}

impl Only<'_> {
    fn values(&self, finding: &Finding<'_>, evidence: &Evidence) -> Value {
        let (side, class, assertion) = match self {
            Self::Today(class) => ("today", class, Some(assert_throws(finding, evidence, class, "…"))),
            Self::Then(class) => ("then", class, None),
            Self::Neither => return context! { only => "" },
        };
        let exception = Value::from_safe_string(value_words("non-null", class));
        context! { only => side, exception => exception, assertion => assertion }
    }

    fn snippet(&self, finding: &Finding<'_>, evidence: &Evidence) -> Option<Snippet> {
        let Self::Today(class) = self else { return None };
        let code = assert_throws(finding, evidence, class, "{ }");
        Some(code_place::beside(finding, evidence, code, vec![])?.naming([finding.nameable(evidence, class).as_str()]))
    }
}

fn assert_throws(finding: &Finding<'_>, evidence: &Evidence, class: &str, body: &str) -> String {
    format!("assertThrows({}.class, () -> {body})", words::short_class(&finding.nameable(evidence, class)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::base::id::TestId;
    use crate::suggest::example::{rule_text, rule_text_with_skipped};
    use toml::Table;

    /// Makes the evidence about the exception itself, caught on the given sides.
    fn caught(given: &mut Table, original: Option<&str>, transformed: Option<&str>) {
        let evidence = given["evidence"][0].as_table_mut().unwrap();
        evidence.insert("path".into(), "".into());
        evidence.insert("type".into(), "org.example.ParseException".into());
        for (side, value) in [("original", original), ("transformed", transformed)] {
            evidence.remove(side);
            value.into_iter().for_each(|value| drop(evidence.insert(side.into(), value.into())));
        }
    }

    const RULE: &str = "assert-caught-exception";
    const CLASS: Option<&str> = Some("org.example.ParseException");

    #[test]
    fn if_the_exception_is_gone_the_test_must_expect_it() {
        let text = rule_text(RULE, |given| caught(given, CLASS, None)).unwrap();
        let expected = "In `ParserTest.java`, let the test fail where nothing is caught at line 14: put `assertThrows(ParseException.class, () -> …)` in the \
                        place of `try` and `catch`, or `fail()` at the end of the `try` block. Today a `ParseException` is caught there, and nothing with \
                        the constant `\"\"`.";
        assert_eq!(text, expected);
    }

    #[test]
    fn if_the_exception_is_new_the_catch_block_must_fail() {
        let text = rule_text(RULE, |given| caught(given, None, CLASS)).unwrap();
        let expected = "In `ParserTest.java`, let the `catch` block at line 14 fail the test, or leave it out: nothing is caught there today, and a \
                        `ParseException` with the constant `\"\"`.";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_skipped_test_gets_no_suggestion_about_the_skipping_exception() {
        assert!(rule_text_with_skipped(RULE, |given| caught(given, CLASS, None), &[TestId(0)]).is_none());
        assert!(
            rule_text_with_skipped(RULE, |_| (), &[TestId(0)]).is_some(),
            "it comes to this one, and it is another"
        );
    }
}
