//! Expectations for random values: what holds of many calls on the original code, whatever chance
//! decides, and does not hold with the transformation.
//!
//! Calls are assumed to be independent of each other; nothing else is known of their distribution.
//! There is an expectation only if a test fails by chance with a probability below [`FALSE_ALARM`].
//! Two bounds are used, and both hold for any distribution:
//!
//! * All calls of a test give one value. If a value has the probability `p`, that happens with
//!   `p^n`, and `m` recorded calls gave it no more than `c` times with at most `exp(-m D(c/m ||
//!   p))` (Chernoff). Of both together the greatest is at `p = (n + c) / (n + m)`; the bounds of
//!   all values are added.
//!
//! * A test sees many fewer values than were recorded. The difference of two counts of different
//!   values among `n` calls each changes by no more than one with each call, and its mean is zero:
//!   `t` fewer values come with at most `exp(-t²/n)` (McDiarmid).
//!
//! A value that never comes (`null`, a number out of some range) is not asserted: its absence from
//! a few hundred calls does not bound an event as rare as that.

use crate::fix::candidate::Repeat;
use crate::fix::expected::Expected;
use std::collections::{BTreeMap, BTreeSet};

/// The number of calls in one test.
const CALLS: usize = Repeat::CALLS;
/// The probability with which a test may fail that should pass.
const FALSE_ALARM: f64 = 1e-9;
/// A test sees fewer values by this number with a smaller probability: the square root of -n
/// ln(1e-9), rounded up.
const FEWER: usize = 46;
/// Numbers of different values that people would write down.
const ROUND: [usize; 4] = [1, 10, 20, 50];

/// The expectation that holds of the values on the original code only. Values are Java source, with
/// one list for each run. `None` if runs are incomplete, or chance may decide.
#[must_use]
pub fn variation(original: &[Vec<String>], transformed: &[Vec<String>]) -> Option<Expected> {
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
    // With half as many values more, chance does not decide on the transformed side either.
    let above = ROUND.into_iter().find(|above| *above >= most + most / 2)?;
    (above + FEWER <= fewest).then_some(Expected::Varied { is_boolean: false, above })
}

/// A bound for the probability that calls like these give a single value in a test.
fn one_value_only(runs: &[Vec<String>]) -> f64 {
    let mut counts: BTreeMap<&String, u32> = BTreeMap::new();
    runs.iter().flatten().for_each(|value| *counts.entry(value).or_default() += 1);
    let recorded: u32 = counts.values().sum();
    // One more value, which did not come.
    counts.values().copied().chain([0]).map(|count| only(f64::from(count), f64::from(recorded))).sum()
}

/// The same bound for one value that came `count` times in `recorded` calls.
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
    fn both_truth_values_are_expected_if_neither_is_rare() {
        let never = often(0);
        let both = Some(Expected::Varied { is_boolean: true, above: 1 });
        assert_eq!(variation(&often(50), &never), both);
        assert_eq!(variation(&often(30), &never), both);
        assert_eq!(variation(&often(10), &never), None, "one test in some ten thousand would fail");
        assert_eq!(variation(&never, &never), None);
        assert_eq!(variation(&often(50), &often(40)), None, "random on both sides");
        assert_eq!(variation(&[], &never), None);
        let short = vec![vec!["true".to_owned(), "false".to_owned()]];
        assert_eq!(variation(&short, &never), None, "a call has failed");
    }

    #[test]
    fn the_bound_is_not_below_the_probability() {
        // With p = 0.8, the chance of a single value is 0.8^100 = 2e-10. The bound must be above
        // the probability of recording what was seen and then failing.
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
    fn many_values_are_distinguished_from_few() {
        let texts = |different: usize| vec![run(|call| format!("\"{}\"", call % different)); 2];
        let above = |original: usize, transformed: usize| match variation(&texts(original), &texts(transformed)) {
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
