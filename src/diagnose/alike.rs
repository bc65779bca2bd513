//! Finds out whether all invocations of a test have the same value at an expression. Then an assertion
//! on it holds in each of them.

use super::Input;
use crate::base::id::TestId;
use crate::observation::{Digest, Thread};
use crate::observe::{Difference, Observed, Site};
use std::collections::BTreeSet;

/// Whether each invocation of the test's method evaluates the expression of the difference once, and
/// all with the same value, on the original code. `false` if some invocation was not observed.
pub(super) fn alike(input: &Input<'_>, observed: &Observed, difference: &Difference) -> bool {
    let Site::Expression(number) = difference.key.site else { return false };
    let method = input.expression(number).and_then(|expression| expression.method.as_deref());
    let (Some(method), Some(test)) = (method, input.test(difference.key.test)) else { return false };
    // A runner names invocations as it likes, but somewhere in the name is that of the method.
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let names_method = |name: &str| name.split(|c| !is_word(c)).any(|word| word == method);
    let invocations: BTreeSet<TestId> = (input.coverage.tests.iter_enumerated())
        .filter(|(_, other)| (other.recipe, &other.class) == (test.recipe, &test.class) && names_method(&other.name))
        .map(|(number, _)| number)
        .collect();
    let runs = observed.of_all_tests().original;
    let mut hashes = BTreeSet::new();
    for run in &runs {
        let there = run.digests.iter().filter(|digest| digest.site == difference.key.site);
        let mut met = BTreeSet::new();
        for Digest { test, thread, late, thrown, count, hash, .. } in there {
            if !invocations.contains(test) || !met.insert(*test) || *count != 1 || *late || *thread != Thread::default()
            {
                return false;
            }
            hashes.insert((*thrown, *hash));
        }
        if met != invocations {
            return false;
        }
    }
    hashes.len() == 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::{ExpressionId, RecipeId};
    use crate::cover::{Coverage, Test};
    use crate::diagnose::TestCode;
    use crate::instrument::{Expression, ExpressionKind, Instrumented};
    use crate::observe::recorded::{sides, test_key};
    use crate::observe::{Part, Recording};
    use crate::transform::Transformations;

    const FIRST: &str = "a.StackTest.pops(int)[1]";
    const SECOND: &str = "a.StackTest.pops(int)[2]";
    const OTHER: &str = "a.StackTest.popsAll(int)[1]";

    /// What expression 4 has in each of these tests, in both runs of the original code; whether it is the same in all invocations of the first one.
    fn alike_in(tests: &[(&str, &[(u32, u64)])]) -> bool {
        let test =
            |name: &str| Test { id: name.into(), name: name.into(), class: "a.StackTest".into(), recipe: RecipeId(0) };
        let place = Expression {
            file: "/p/StackTest.java".into(),
            line: 7,
            column: 1,
            end_line: 7,
            end_column: 2,
            text: "size".into(),
            kind: ExpressionKind::Value,
            method: Some("pops".into()),
            repeats: false,
        };
        let instrumented = Instrumented { expressions: vec![place; 5].into(), ..Instrumented::default() };
        let coverage = Coverage { tests: tests.iter().map(|(name, _)| test(name)).collect(), ..Coverage::default() };
        let digests = (0..).zip(tests).flat_map(|(test, (_, seen))| {
            seen.iter().map(move |(count, hash)| Digest {
                test: TestId(test),
                site: Site::Expression(ExpressionId(4)),
                thread: Thread::default(),
                late: false,
                thrown: false,
                count: *count,
                hash: *hash,
            })
        });
        let run = Recording { digests: digests.collect(), ..Recording::default() };
        let difference = Difference {
            key: test_key(0, 4, 1),
            part: Part::Expression,
            path: String::new(),
            type_name: "int".into(),
            original: Some("1".into()),
            transformed: Some("0".into()),
            deep: false,
            implementation_only: false,
            owner: None,
            stack: Vec::new(),
        };
        let input = Input {
            transformations: &Transformations::default(),
            coverage: &coverage,
            instrumented: &instrumented,
            tests: &TestCode::default(),
        };
        alike(&input, &sides(vec![run.clone(), run.clone()], vec![run]), &difference)
    }

    #[test]
    fn what_all_invocations_have_once_and_the_same_is_alike() {
        assert!(alike_in(&[(FIRST, &[(1, 5)]), (SECOND, &[(1, 5)]), (OTHER, &[])]));
        assert!(!alike_in(&[(FIRST, &[(1, 5)]), (SECOND, &[(1, 6)])]), "another value");
        assert!(!alike_in(&[(FIRST, &[(1, 5)]), (SECOND, &[(2, 5)])]), "two of them");
        assert!(!alike_in(&[(FIRST, &[(1, 5)]), (SECOND, &[])]), "one was not observed, or does not come by");
        assert!(!alike_in(&[(FIRST, &[(1, 5)]), (SECOND, &[(1, 5)]), (OTHER, &[(1, 5)])]), "another test comes by");
    }
}
