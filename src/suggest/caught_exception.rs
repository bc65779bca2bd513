//! From a difference in an exception that a test catches to the assertion on it (`rules/suggestions/assert-caught-exception.toml`).

use super::finding::{Filled, Finding, value_words};
use super::place::{at_place, class_of_exception, is_variable, places};
use crate::diagnose::Evidence;
use crate::instrument::ExpressionKind;
use crate::text::words;
use minijinja::{Value, context};

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    places(finding, ExpressionKind::Caught)
        .into_iter()
        .map(|(rank, evidence)| {
            let name = evidence.expression.as_deref().filter(|name| is_variable(name)).unwrap_or("e");
            at_place(finding, rank, evidence, name, only_side(evidence))
        })
        .collect()
}

/// Where the exception is caught on one side only: on which, and which it is. What an assertion in the catch block would say there, nobody hears.
fn only_side(evidence: &Evidence) -> Value {
    let (side, value) = match (&evidence.original, &evidence.transformed) {
        (Some(value), None) if evidence.path.is_empty() => ("today", value),
        (None, Some(value)) if evidence.path.is_empty() => ("then", value),
        _ => return context! { only => "" },
    };
    let class = class_of_exception(evidence, value);
    let exception = Value::from_safe_string(value_words("non-null", class));
    context! { only => side, class => words::short_class(class), exception => exception }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::suggest::example::{said, said_with_skipped};
    use toml::Table;

    /// The exception itself, caught on these sides.
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
    fn where_nothing_is_caught_any_more_an_assertion_in_the_catch_block_would_not_run() {
        let text = said(RULE, |given| caught(given, CLASS, None)).unwrap();
        let expected = "In `ParserTest.java`, let the test fail where nothing is caught at line 14: put `assertThrows(ParseException.class, () -> …)` in the \
                        place of `try` and `catch`, or `fail()` at the end of the `try` block. Today a `ParseException` is caught there, and nothing with \
                        the constant `\"\"`.";
        assert_eq!(text, expected);
    }

    #[test]
    fn where_nothing_is_caught_today_the_catch_block_has_to_fail() {
        let text = said(RULE, |given| caught(given, None, CLASS)).unwrap();
        let expected = "In `ParserTest.java`, let the `catch` block at line 14 fail the test, or leave it out: nothing is caught there today, and a \
                        `ParseException` with the constant `\"\"`.";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_test_that_is_skipped_comes_to_no_exception() {
        assert!(said_with_skipped(RULE, |given| caught(given, CLASS, None), &[0]).is_none());
        assert!(said_with_skipped(RULE, |_| (), &[0]).is_some(), "it comes to this one, and it is another");
    }
}
