//! Suggests to keep and assert a value that the test discards
//! (`rules/suggestions/keep-discarded.toml`).

use super::finding::{Finding, Proposal};
use super::place::{KEPT, at_place, places};
use crate::instrument::ExpressionKind;
use minijinja::context;

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    places(finding, ExpressionKind::Discarded)
        .into_iter()
        .map(|(rank, evidence)| {
            let may_be_receiver = !finding.signature.is_static && evidence.type_name == finding.method.class;
            at_place(finding, rank, evidence, KEPT, context! { may_be_receiver => may_be_receiver })
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::suggest::example::rule_text;

    #[test]
    fn a_value_that_cannot_be_the_receiver_is_not_compared_with_it() {
        let text = rule_text("keep-discarded", |_| {}).unwrap();
        assert!(text.contains("assertSame"), "{text}");
        let text = rule_text("keep-discarded", |given| {
            given.insert("static".into(), true.into());
        });
        assert!(!text.unwrap().contains("assertSame"));
        let text = rule_text("keep-discarded", |given| {
            given["evidence"][0]["type"] = "org.example.Product".into();
        });
        assert!(!text.unwrap().contains("assertSame"));
    }
}
