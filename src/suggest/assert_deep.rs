//! Suggests to assert a difference that is deeper in the state than the symptom looks
//! (`rules/suggestions/assert-deep-state.toml`).

use super::case::{case_values, entry_points};
use super::finding::{Finding, Proposal};
use super::place::{at_place, one_line, reading, values};
use crate::code::Signature;
use crate::diagnose::{At, Symptom};
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    let evidence = &finding.diagnosis.evidence;
    // Evidence in a test comes before evidence at the method, because an assertion already has its
    // place there.
    let at_test = || evidence.iter().find(|evidence| evidence.deep && evidence.at == At::Test);
    let at_method = || evidence.iter().find(|evidence| evidence.deep && evidence.at == At::Method);
    let found = match finding.diagnosis.symptom {
        Symptom::NoInfection => at_test().or_else(at_method),
        Symptom::NoPropagation => at_test(),
        Symptom::WeakOracle | Symptom::Undecided => None,
    };
    let Some(evidence) = found else { return vec![] };
    let infected = finding.diagnosis.symptom == Symptom::NoPropagation;
    let more = context! {
        method => finding.signature.short(),
        home => finding.home_name(),
        at_test => evidence.at == At::Test,
        infected => infected,
    };
    if evidence.at == At::Test {
        let expression = one_line(evidence.expression.as_deref().unwrap_or("actual"));
        return vec![Proposal { rank: 0, ..at_place(finding, 0, evidence, &expression, more) }];
    }
    let reading = reading(finding, evidence, "actual");
    let accessors = reading.accessors.iter().map(Signature::full).collect();
    let values =
        context! { ..more, ..context! { ..values(finding, evidence, &reading, None), ..case_values(finding) } };
    vec![Proposal { accessors, entry_points: entry_points(finding), ..finding.at_home(values) }]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::suggest::example::rule_text;

    #[test]
    fn an_inaccessible_method_is_called_through_its_caller() {
        let text = rule_text("assert-deep-state", |given| {
            given.insert("accessible".into(), false.into());
            given.insert(
                "callers".into(),
                toml::toml! { of = [["org.example.Table.show()V", "org.example.Table.sort()V"]] }["of"].clone(),
            );
        });
        let text = text.unwrap();
        assert!(
            text.contains("In `TableTest`, call `Table.show()`, which leads to it, and assert what comes of that"),
            "{text}"
        );
    }

    #[test]
    fn no_value_is_asserted_at_a_place_that_repeats() {
        let in_test = |repeats: bool| {
            rule_text("assert-deep-state", |given| {
                let evidence = given["evidence"][0].as_table_mut().unwrap();
                evidence.insert("at".into(), "test".into());
                evidence.insert("expression".into(), "table".into());
                evidence.insert("repeats".into(), repeats.into());
            })
            .unwrap()
        };
        let text = in_test(false);
        assert!(
            text.contains("`.rows[0]` of `table` is `\"a\"`, and `\"c\"` with an empty body. Assert that there"),
            "{text}"
        );
        let text = in_test(true);
        let end = "with an empty body, the first time that `TableTest.sorts()` comes by. Assert there what tells the two apart";
        assert!(text.contains(end), "{text}");
    }

    #[test]
    fn a_difference_in_the_whole_value_has_no_path() {
        let text = rule_text("assert-deep-state", |given| {
            given["evidence"][0]["path"] = "".into();
            given["evidence"][0]["part"] = "result".into();
        });
        let text = text.unwrap();
        assert!(text.contains("does make a difference: the result is"), "{text}");
    }
}
