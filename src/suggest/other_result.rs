//! Suggests an input for which a method returns something other than the constant that it always
//! returned (`rules/suggestions/other-result.toml`).

use super::case::{case_values, entry_points};
use super::finding::{Finding, Proposal};
use crate::diagnose::Symptom;
use crate::text::words;
use minijinja::{Value, context};

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    if finding.diagnosis.symptom != Symptom::NoInfection
        || matches!(finding.transformation.name.as_str(), "true" | "false" | "void")
    {
        return vec![];
    }
    let values = context! {
        place => Value::from_safe_string(place(finding).to_owned()),
        ..case_values(finding)
    };
    vec![Proposal { entry_points: entry_points(finding), ..finding.at_home(values) }]
}

/// Names what a different result depends on: an input, an object, or a state.
fn place(finding: &Finding<'_>) -> &'static str {
    match (finding.signature.is_static, words::types(&finding.method.descriptor).0.is_empty()) {
        (_, false) => "with an input for which",
        (false, true) => "on an object for which",
        (true, true) => "in a state in which",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::suggest::example::rule_text;

    #[test]
    fn the_text_names_what_a_different_result_depends_on() {
        let text = |method: &str, is_static: bool| {
            rule_text("other-result", |given| {
                given.insert("method".into(), method.into());
                given.insert("static".into(), is_static.into());
            })
            .unwrap()
        };
        assert!(text("org.example.Hex.digits()[B", false).contains("call it on an object for which it returns"));
        assert!(text("org.example.Hex.digits()[B", true).contains("call it in a state in which it returns"));
        assert!(text("org.example.Hex.digits(I)[B", false).contains("call it with an input for which it returns"));
    }
}
