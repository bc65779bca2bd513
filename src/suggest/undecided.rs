//! Says what helps where a symptom could not be decided
//! (`rules/suggestions/undecided.toml`).

use super::case::{case_values, entry_points};
use super::finding::{Finding, Proposal};
use crate::code::structure::{Chance, ChanceUse};
use crate::diagnose::{NOT_OBSERVED, Symptom};
use crate::text::words;
use minijinja::{Value, context};

pub(super) fn apply(finding: &Finding<'_>) -> Vec<Proposal> {
    if finding.diagnosis.symptom != Symptom::Undecided {
        return vec![];
    }
    let values = context! {
        is_interrupted => finding.diagnosis.undecided_because.as_deref() == Some(NOT_OBSERVED),
        is_void => finding.method.descriptor.ends_with(")V"),
        chance => finding.input.structure.chance_in(&finding.signature).map(|asked| chance(&asked)),
        ..case_values(finding)
    };
    vec![Proposal { entry_points: entry_points(finding), ..finding.at_home(values) }]
}

/// The source of chance, the class that uses it, and the object that a test can pass in to control
/// it.
fn chance(asked: &ChanceUse) -> Value {
    let (of, type_name, example) = match asked.chance {
        Chance::Random => ("random numbers", "Random", "new Random(1)"),
        Chance::Clock => ("the time", "Clock", "Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)"),
    };
    context! {
        of => Value::from_safe_string(of.to_owned()),
        type_name,
        example,
        class => words::short_class(&asked.class),
        is_handed => asked.is_handed,
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::rule_text;

    #[test]
    fn the_text_names_what_makes_random_numbers_predictable() {
        let with = |chance: &str| {
            rule_text("undecided", |given| {
                given.insert("chance".into(), chance.into());
            })
            .unwrap_or_default()
        };
        let text = with("random org.example.Picker");
        let change = "It depends on random numbers, which `Picker` asks for by itself: let its constructor, or the method, take a `Random`, and a test \
                      can hand in `new Random(1)`.";
        assert!(text.ends_with(change), "{text}");
        let text = with("clock org.example.Watch handed");
        let hand = "It depends on the time, and `Watch` can be given a `Clock`: hand in `Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)`.";
        assert!(text.ends_with(hand), "{text}");
    }
}
