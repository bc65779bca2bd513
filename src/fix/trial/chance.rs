//! From what an expression gave in many calls on both sides to what holds of so many calls today, whatever comes of chance, and not otherwise.
//!
//! Calls are taken to be independent of each other; nothing else is known of what they draw. A test may fail by chance less often than once in
//! [`FALSE_ALARM`]'s inverse, or there is none. Two bounds are used, and both hold for any distribution:
//!
//! * All calls of a test give one value. If a value has the probability `p`, that happens with `p^n`, and `m` recorded calls gave it no more than `c`
//!   times with at most `exp(-m D(c/m || p))` (Chernoff). Of both together the greatest is at `p = (n + c) / (n + m)`; all values are added up.
//! * A test sees many values fewer than were recorded. The difference of two counts of different values among `n` calls each changes by no more than
//!   one with each call, and is zero in the mean: `t` fewer come with at most `exp(-t²/n)` (McDiarmid).
//!
//! What never comes (`null`, a number out of some range) is not asserted: that it did not come in some hundred calls bounds nothing as rare as that.

use crate::fix::write::assertion::Expected;
use std::collections::{BTreeMap, BTreeSet};

/// How often a test calls.
pub const CALLS: usize = 100;
/// How often a test may fail that should pass.
const FALSE_ALARM: f64 = 1e-9;
/// So many values fewer come with less than that: the square root of -n ln(1e-9), rounded up.
const FEWER: usize = 46;
/// Numbers of different values that people write down.
const ROUND: [usize; 4] = [1, 10, 20, 50];

/// What of the values (Java source, a list for each run) holds of the original alone. `None` where runs are not complete, or chance may decide.
#[must_use]
pub fn varied(original: &[Vec<String>], transformed: &[Vec<String>]) -> Option<Expected> {
    let is_complete = |runs: &[Vec<String>]| !runs.is_empty() && runs.iter().all(|run| run.len() == CALLS);
    if !is_complete(original) || !is_complete(transformed) {
        return None;
    }
    let different = |run: &Vec<String>| run.iter().collect::<BTreeSet<&String>>().len();
    let fewest = original.iter().map(different).min()?;
    let most = transformed.iter().map(different).max()?;
    if most == 1 && one_value_only(original) < FALSE_ALARM {
        let mut all = original.iter().flatten();
        return Some(Expected::Varied {
            is_boolean: all.all(|one| matches!(one.as_str(), "true" | "false")),
            above: 1,
        });
    }
    // With half of them more, chance does not decide on the other side either.
    let above = ROUND.into_iter().find(|above| *above >= most + most / 2)?;
    (above + FEWER <= fewest).then_some(Expected::Varied { is_boolean: false, above })
}

/// At most so probable is it that calls like these give a single value in a test.
fn one_value_only(runs: &[Vec<String>]) -> f64 {
    let mut counts: BTreeMap<&String, u32> = BTreeMap::new();
    runs.iter().flatten().for_each(|value| *counts.entry(value).or_default() += 1);
    let recorded: u32 = counts.values().sum();
    // And one that did not come.
    counts.values().copied().chain([0]).map(|count| only(f64::from(count), f64::from(recorded))).sum()
}

/// The same of one value that came so often in so many calls.
fn only(count: f64, recorded: f64) -> f64 {
    let calls = u32::try_from(CALLS).map_or(f64::INFINITY, f64::from);
    let p = (calls + count) / (calls + recorded);
    // 0 ln 0 is 0.
    let term = |part: f64, probability: f64| if part > 0.0 { part * (probability * recorded / part).ln() } else { 0.0 };
    (calls * p.ln() + term(count, p) + term(recorded - count, 1.0 - p)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(values: impl Fn(usize) -> String) -> Vec<String> {
        (0..CALLS).map(values).collect()
    }

    fn often(yes: usize) -> Vec<Vec<String>> {
        vec![run(|call| (call < yes).to_string()); 2]
    }

    #[test]
    fn both_values_come_where_neither_is_rare() {
        let never = often(0);
        let both = Some(Expected::Varied { is_boolean: true, above: 1 });
        assert_eq!(varied(&often(50), &never), both);
        assert_eq!(varied(&often(30), &never), both);
        assert_eq!(varied(&often(10), &never), None, "one test in some ten thousand would fail");
        assert_eq!(varied(&never, &never), None);
        assert_eq!(varied(&often(50), &often(40)), None, "random on both sides");
        assert_eq!(varied(&[], &never), None);
        let short = vec![vec!["true".to_owned(), "false".to_owned()]];
        assert_eq!(varied(&short, &never), None, "a call has failed");
    }

    #[test]
    fn the_bound_is_no_less_than_what_chance_does() {
        // With p = 0.8 the chance of a single value is 0.8^100 = 2e-10; seen as it is, the bound is above that of seeing it and failing.
        for seen in [10, 40, 80, 120, 160, 190] {
            let count = f64::from(seen);
            for p in [0.3_f64, 0.5, 0.8, 0.9, 0.99] {
                let share = count / 200.0;
                let seen_so =
                    (200.0 * (share * (p / share).ln() + (1.0 - share) * ((1.0 - p) / (1.0 - share)).ln())).exp();
                let together = p.powi(100) * if share < p { seen_so } else { 1.0 };
                assert!(only(count, 200.0) >= together * 0.999_999 || share >= p, "{seen} {p}");
            }
        }
        assert!(only(200.0, 200.0) > 0.999, "nothing speaks against a constant");
        assert!((-(f64::from(46_u8)).powi(2) / 100.0).exp() < FALSE_ALARM);
    }

    #[test]
    fn many_values_are_more_than_few() {
        let texts = |different: usize| vec![run(|call| format!("\"{}\"", call % different)); 2];
        let above = |original: usize, transformed: usize| match varied(&texts(original), &texts(transformed)) {
            Some(Expected::Varied { above, .. }) => Some(above),
            _ => None,
        };
        assert_eq!(above(97, 1), Some(1));
        assert_eq!(above(6, 1), Some(1), "six values, none of them rare");
        assert_eq!(above(97, 6), Some(10));
        assert_eq!(above(97, 30), Some(50));
        assert_eq!(above(55, 6), None, "too near to the threshold");
        assert_eq!(above(97, 60), None);
    }
}
