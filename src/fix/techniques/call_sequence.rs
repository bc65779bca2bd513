//! Call the method after several calls that change its receiver (`rules/fixes/call-sequence.toml`).

use crate::fix::candidate::{Candidate, Probe};
use crate::fix::look::{Look, When};
use crate::fix::subject::Subject;
use crate::fix::techniques::new_input::{argument_lists, calls_on, entry_points};
use crate::fix::techniques::technique::{Reach, SecondRound, Technique};
use crate::fix::values::catalog::Values;

pub const TECHNIQUE: Technique = Technique {
    second_round: Some(SecondRound { turn: 2, candidates }),
    ..Technique::new("call-sequence", include_str!("../../../rules/fixes/call-sequence.toml"))
};

/// Depth to which objects are made of objects.
const DEPTH: usize = 2;
/// Most lists of arguments of one method.
const LISTS: usize = 4;
/// Most calls of one method.
const CALLS: usize = 480;

/// New tests that call the method after several other calls.
fn candidates(reach: &Reach<'_>) -> Vec<Candidate> {
    let Some((home, values)) = &reach.home else { return Vec::new() };
    let looks = sequences(reach.subject, values).into_iter();
    Candidate::new_tests(looks.map(|look| Probe::at_end(TECHNIQUE.name, look)), *home)
}

/// Calls of the method, or of its callers, on objects after two or three other calls.
fn sequences(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    let mut looks = Vec::new();
    for method in entry_points(subject, values).into_iter().filter(|entry| !entry.is_static && entry.name != "<init>") {
        let receivers = values.sequences(&method.class, DEPTH);
        let lists = argument_lists(subject, values, &method, LISTS);
        looks.extend(calls_on(subject, values, &receivers, &method, &lists, CALLS).into_iter().map(named));
    }
    looks
}

/// The same look, whose test name has both calls, or says how often the same method was called.
fn named(look: Look) -> Look {
    let calls: Vec<&str> = look.before.iter().filter_map(|line| name_of(line)).collect();
    let when = match calls.as_slice() {
        [one, other, third] if one == other && other == third => When::After(format!("{one}ThreeTimes")),
        [one, other] if one == other => When::After(format!("{one}Twice")),
        [one, other] => When::After(format!("{one}_and_{other}")),
        _ => look.when.clone(),
    };
    Look { when, ..look }
}

/// The method that a statement calls on a variable: `add` of `set.add(1);`.
fn name_of(line: &str) -> Option<&str> {
    let (receiver, call) = line.split_once('.')?;
    let (name, _) = call.split_once('(')?;
    let is_name = |text: &str| text.chars().all(char::is_alphanumeric);
    (is_name(receiver) && is_name(name)).then_some(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_test_has_the_calls() {
        let after = |lines: &[&str]| {
            let before = ["Door door = new Door();"].iter().chain(lines).map(|line| (*line).to_owned()).collect();
            named(Look { before, ..Look::accessor("door", "opens", 0) }).when
        };
        assert_eq!(after(&["door.knock(1);", "door.knock(1);"]), When::After("knockTwice".into()));
        assert_eq!(after(&["door.knock(1);", "door.ring();"]), When::After("knock_and_ring".into()));
        assert_eq!(after(&["door.ring();"]), When::Always);
    }
}
