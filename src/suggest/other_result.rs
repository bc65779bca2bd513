//! From a method that always gave the same as the constant to an input for which it gives something else (`rules/suggestions/other-result.toml`).

use super::finding::{Filled, Finding};
use super::other_boolean::{case_values, entry_points};
use crate::diagnose::Symptom;
use crate::observe::Part;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Filled> {
    // Where the result differs deeper down it is not always the constant: another rule says so.
    let differs = finding.diagnosis.evidence.iter().any(|evidence| evidence.part == Part::Result);
    if finding.diagnosis.symptom != Symptom::NoInfection
        || matches!(finding.transformation.name.as_str(), "true" | "false" | "void")
        || differs
    {
        return vec![];
    }
    vec![Filled { entry_points: entry_points(finding), ..finding.at_home(case_values(finding)) }]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::suggest::example::said;

    #[test]
    fn a_result_that_differs_deeper_down_is_not_said_to_be_always_the_constant() {
        let text = said("other-result", |given| {
            let deep = toml::toml! { of = [{ at = "method", part = "result", path = "[0]", type = "byte", original = "1", deep = true }] };
            given.insert("evidence".into(), deep["of"].clone());
        });
        assert_eq!(text, None);
    }
}
