//! Chooses the differences to show as evidence, with their places and stacks, best first.
//!
//! Differences that an assertion can use directly (a value, a size, an exception) come before those
//! inside a field. Among these, the unit's own test comes first, then the expression nearest to the call
//! of the method. A place that repeats (in a loop, in another test) comes after all other places.

use super::alike::alike;
use super::calls::Calls;
use super::stack::{from_test_to_method, nearest_test_frame};
use super::{At, Evidence, Input, Symptom, unit_rank};
use crate::base::id::TestId;
use crate::cover::Test;
use crate::instrument::{Expression, ExpressionKind};
use crate::observation::{CutText, is_call};
use crate::observe::{Difference, Observed, Part, Site};
use crate::transform::Method;
use std::collections::HashSet;

/// Number of differences that a diagnosis shows.
pub(super) const EVIDENCE: usize = 20;
/// How many of these are reserved for the other site: the infection in the method if the symptom shows
/// in a test, and the other way round.
const FOR_THE_OTHER_SITE: usize = 5;

/// The evidence, best first, and the number of differences left out.
pub(super) fn evidence(
    input: &Input<'_>,
    method: &Method,
    symptom: Symptom,
    differences: &[&Difference],
    calls: &Calls,
    observed: &Observed,
) -> (Vec<Evidence>, usize) {
    let ranked = |at: At| -> Vec<&Difference> {
        let of_site = differences.iter().copied().filter(|difference| at_of(difference) == at);
        match at {
            At::Test => ranked(of_site, |difference| test_rank(input, method, difference, calls)),
            At::Method => ranked(of_site, |difference| method_rank(input, method, difference)),
        }
    };
    let (first, second) = match symptom {
        Symptom::WeakOracle => (ranked(At::Test), ranked(At::Method)),
        Symptom::NoPropagation | Symptom::NoInfection | Symptom::Undecided => (ranked(At::Method), ranked(At::Test)),
    };
    let of_first = first.len().min(EVIDENCE - second.len().min(FOR_THE_OTHER_SITE));
    let of_second = second.len().min(EVIDENCE - of_first);
    let chosen: Vec<Evidence> = first
        .iter()
        .take(of_first)
        .chain(second.iter().take(of_second))
        .map(|difference| piece(input, method, difference, observed))
        .collect();
    let cut = differences.len() - chosen.len();
    (chosen, cut)
}

fn at_of(difference: &Difference) -> At {
    match difference.key.site {
        Site::Method(_) => At::Method,
        Site::Expression(_) => At::Test,
    }
}

/// Sorts by rank, and moves repeated properties of a place behind all others.
fn ranked<'d, R: Ord>(
    differences: impl Iterator<Item = &'d Difference>,
    rank: impl Fn(&Difference) -> R,
) -> Vec<&'d Difference> {
    let mut ranked: Vec<(R, &Difference)> = differences.map(|difference| (rank(difference), difference)).collect();
    ranked.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.cmp(other)));
    let mut met = HashSet::new();
    let (first, again): (Vec<_>, Vec<_>) =
        ranked.into_iter().map(|(_, difference)| difference).partition(|difference| {
            // An expression is the same place in all tests; a method is reached from one place per test.
            let test = (at_of(difference) == At::Method).then_some(difference.key.test);
            met.insert((test, difference.key.site, difference.part, difference.path.as_str()))
        });
    first.into_iter().chain(again).collect()
}

/// Smaller is better.
type Rank = (u8, bool, u8, u64, u8, usize, TestId, u32);

fn test_rank(input: &Input<'_>, method: &Method, difference: &Difference, calls: &Calls) -> Rank {
    let Site::Expression(number) = difference.key.site else {
        return (u8::MAX, true, u8::MAX, u64::MAX, 0, 0, TestId(0), 0);
    };
    let expression = input.expression(number);
    let looked_at = expression
        .is_some_and(|expression| matches!(expression.kind, ExpressionKind::Asserted | ExpressionKind::Thrown));
    (
        tier(difference),
        looked_at,
        unit_rank_of(input, method, difference),
        expression.map_or(u64::MAX, |expression| distance(expression, difference.key.test, calls)),
        readability(difference),
        expression.map_or(usize::MAX, |expression| expression.text.len()),
        difference.key.test,
        difference.key.occurrence,
    )
}

fn method_rank(input: &Input<'_>, method: &Method, difference: &Difference) -> Rank {
    let one_sided = difference.original.is_none() || difference.transformed.is_none();
    let part = match (difference.part, one_sided) {
        // If only one side throws, that explains all other differences of the invocation.
        (Part::Exception, true) | (Part::Result, false) => 0,
        (Part::Receiver, _) => 1,
        (Part::Argument(_), _) => 2,
        (Part::Exception, false) => 3,
        (Part::Result, true) => 4,
        (Part::Static, _) => 5,
        (Part::Expression, _) => 6,
    };
    let way = from_test_to_method(&difference.stack, input.test(difference.key.test), &method.class, input.tests);
    let length = if way.is_empty() { u64::MAX } else { way.len() as u64 };
    (
        part,
        false,
        unit_rank_of(input, method, difference),
        length,
        readability(difference),
        difference.path.len(),
        difference.key.test,
        difference.key.occurrence,
    )
}

fn unit_rank_of(input: &Input<'_>, method: &Method, difference: &Difference) -> u8 {
    input.test(difference.key.test).map_or(u8::MAX, |test| unit_rank(&test.class, &method.class))
}

/// 0: an assertion can use it directly (the value, or a property that every caller can read). 1: it is
/// inside a field. 2: it is too long for an assertion.
fn tier(difference: &Difference) -> u8 {
    if difference.original.as_deref().is_some_and(|value| CutText::parse(value).is_some()) {
        return 2;
    }
    let path = difference.path.as_str();
    let is_direct = matches!(path, "" | ".size" | ".length" | ".message") || is_call(path);
    u8::from(!is_direct)
}

/// How readable the two values are; smaller is better: two values, then null or not, then classes only.
fn readability(difference: &Difference) -> u8 {
    let opaque = |value: &Option<String>| value.as_deref().is_some_and(|value| value.starts_with("non-null"));
    let depth = difference.path.matches(['.', '[']).count().min(40) as u8;
    let unreadable = u8::from(opaque(&difference.original)) + u8::from(opaque(&difference.transformed));
    unreadable * 50 + depth
}

/// Lines from the nearest call of the method, in the same file and test, to the expression. An expression
/// before every call is farther than any after a call, and one in another file is farther still.
fn distance(expression: &Expression, test: TestId, calls: &Calls) -> u64 {
    const BEFORE: u64 = 1 << 32;
    const ELSEWHERE: u64 = 1 << 33;
    let lines = calls.lines.get(&test).into_iter().flatten().filter(|(file, _)| *file == expression.file);
    lines
        .map(|(_, line)| {
            if (expression.line..=expression.end_line).contains(line) {
                0
            } else if expression.line > *line {
                u64::from(expression.line - line)
            } else {
                BEFORE + u64::from(line - expression.line)
            }
        })
        .min()
        .unwrap_or(ELSEWHERE)
}

fn piece(input: &Input<'_>, method: &Method, difference: &Difference, observed: &Observed) -> Evidence {
    let mut piece = Evidence {
        test: difference.key.test,
        invocation: difference.key.occurrence,
        at: at_of(difference),
        part: difference.part,
        path: difference.path.clone(),
        type_name: difference.type_name.clone(),
        owner: difference.owner.clone(),
        original: difference.original.clone(),
        transformed: difference.transformed.clone(),
        deep: difference.deep,
        file: None,
        line: 0,
        column: 0,
        end_line: 0,
        end_column: 0,
        expression: None,
        expression_kind: None,
        repeats: false,
        alike: false,
        stack: from_test_to_method(&difference.stack, input.test(difference.key.test), &method.class, input.tests),
    };
    match difference.key.site {
        Site::Expression(number) => {
            if let Some(expression) = input.expression(number) {
                piece.file = Some(expression.file.clone());
                piece.line = expression.line;
                piece.column = expression.column;
                piece.end_line = expression.end_line;
                piece.end_column = expression.end_column;
                piece.expression = Some(expression.text.clone());
                piece.expression_kind = Some(expression.kind);
                piece.repeats = expression.repeats;
                let is_invocation = input.test(difference.key.test).is_some_and(Test::is_invocation);
                piece.alike = is_invocation && alike(input, observed, difference);
            }
        }
        Site::Method(_) => {
            if let Some(frame) = nearest_test_frame(&difference.stack, input.tests) {
                piece.file = input.tests.file(frame).map(ToOwned::to_owned);
                piece.line = frame.line.unwrap_or(0);
            }
        }
    }
    piece
}
