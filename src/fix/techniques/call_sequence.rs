//! Call the method after several calls that change its receiver (`rules/fixes/call-sequence.toml`).

use super::new_input::{arguments, called, entries};
use super::{Look, Subject};
use crate::fix::values::Values;
use crate::fix::write::name::When;

/// File name, without ending, in `rules/fixes`.
pub const SEQUENCE: &str = "call-sequence";
/// How deep objects are made of objects.
const DEPTH: usize = 2;
/// Most lists of arguments of one method.
const LISTS: usize = 4;
/// Most calls of one method.
const CALLS: usize = 480;

/// Calls of the method, or of what leads to it, on objects that two or three calls have changed.
#[must_use]
pub fn sequences(subject: &Subject<'_>, values: &Values<'_>) -> Vec<Look> {
    let mut looks = Vec::new();
    for method in entries(subject, values).into_iter().filter(|entry| !entry.is_static && entry.name != "<init>") {
        let receivers = values.sequences(&method.class, DEPTH);
        let lists = arguments(subject, values, &method, LISTS);
        looks.extend(called(subject, values, &receivers, &method, &lists, CALLS).into_iter().map(named));
    }
    looks
}

/// With both calls, or how often the same was called, in the name of a test.
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
    fn a_name_says_what_was_called() {
        let after = |lines: &[&str]| {
            let before = ["Door door = new Door();"].iter().chain(lines).map(|line| (*line).to_owned()).collect();
            named(Look { before, ..Look::accessor("door", "opens", 0) }).when
        };
        assert_eq!(after(&["door.knock(1);", "door.knock(1);"]), When::After("knockTwice".into()));
        assert_eq!(after(&["door.knock(1);", "door.ring();"]), When::After("knock_and_ring".into()));
        assert_eq!(after(&["door.ring();"]), When::Always);
    }
}
