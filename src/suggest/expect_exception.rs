//! Suggests a direct call that expects an exception which only one side throws and no test sees
//! (`rules/suggestions/expect-exception.toml`).

use super::call_directly::{call_values, method_evidence};
use super::code_place;
use super::finding::{Finding, Proposal};
use super::place::{seen, thrown_class};
use crate::observe::Part;
use crate::text::words;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    let Some(evidence) = method_evidence(finding, |part| part == Part::Exception) else { return vec![] };
    if !finding.is_accessible() {
        return vec![];
    }
    let class = thrown_class(evidence).or(evidence.owner.as_deref()).unwrap_or(&evidence.type_name);
    let seen_call = finding.model_call(Some(evidence));
    let call = finding.call_code(seen_call);
    let nameable = finding.nameable(evidence, class);
    let exception = words::short_class(&nameable);
    let assertion = format!("assertThrows({exception}.class, () -> {call})");
    let snippet = evidence.original.as_ref().and_then(|_| {
        let variables = finding.call_variables(seen_call);
        Some(code_place::at_home(finding, assertion.clone(), variables)?.naming([nameable.as_str()]))
    });
    let values = context! {
        throws => evidence.original.is_some(),
        both => evidence.original.is_some() && evidence.transformed.is_some(),
        exception => exception,
        assertion => assertion,
        path => evidence.path.clone(),
        seen => seen(finding, evidence),
        instead => finding.instead(),
        ..call_values(finding, Some(evidence))
    };
    vec![Proposal { entry_points: vec![finding.signature.full()], snippet, ..finding.at_home(values) }]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::suggest::example::rule_text;

    #[test]
    fn an_exception_that_a_test_cannot_name_is_expected_by_its_superclass() {
        let text = |hidden: &str| {
            let text = rule_text("expect-exception", |given| {
                given.insert("hidden".into(), vec![hidden.to_owned()].into());
            });
            text.unwrap()
        };
        let expected = "`assertThrows(Exception.class, () -> registry.check(\"x\"))`";
        assert!(text("java.lang.IllegalArgumentException").contains(expected));
        assert!(!text("java.lang.IllegalStateException").contains(expected));
    }

    #[test]
    fn a_method_of_a_class_that_a_test_cannot_name_is_not_to_be_called() {
        let text = rule_text("expect-exception", |given| {
            given.insert("hidden".into(), vec!["org.example.Registry"].into());
        });
        assert_eq!(text, None);
    }
}
