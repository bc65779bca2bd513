//! The tests that an engine runs as one, as the ids of the drivers tell.

use crate::base::id::TestId;
use crate::jvm::protocol::{Finished, FoundTest, RunTest};

/// The fields of a TestNG id; see `TestNGIds.java`.
const TESTNG_FIELDS: usize = 8;

/// The part of a test's id that names what the engine runs as one: a top-level class, a runner or a
/// suite of JUnit; for TestNG, a class within a suite.
pub(crate) fn unit(id: &str) -> &str {
    let end = if id.starts_with("[engine:") {
        id.match_indices("/[").nth(1)
    } else if is_of_testng(id) {
        id.match_indices('\t').nth(2)
    } else {
        id.match_indices('/').next()
    };
    end.and_then(|(end, _)| id.get(..end)).unwrap_or(id)
}

/// Other classes that have a test on which the test with this id depends, directly or not (TestNG's
/// `dependsOnMethods` and `dependsOnGroups`).
pub(crate) fn classes_depended_upon(id: &str) -> impl Iterator<Item = &str> {
    let classes = if is_of_testng(id) { id.rsplit('\t').next().unwrap_or_default() } else { "" };
    classes.split(',').filter(|class| !class.is_empty())
}

fn is_of_testng(id: &str) -> bool {
    id.matches('\t').count() == TESTNG_FIELDS - 1
}

/// Counts the result of a test that is found only while its class runs for that class: it is
/// another invocation, or the way in which a runner reports a failure of the whole class.
pub(super) fn count_for_classes(finished: &mut [Finished], unexpected: &[(TestId, FoundTest)], known: &[RunTest]) {
    for one in finished {
        let Some((_, found)) = unexpected.iter().find(|(number, _)| *number == one.number) else { continue };
        // The id with the longest beginning in common is that of the same method.
        let common = |id: &str| id.bytes().zip(found.id.bytes()).take_while(|(own, other)| own == other).count();
        let of_class = known.iter().filter(|test| unit(&test.id) == unit(&found.id));
        if let Some(test) = of_class.rev().max_by_key(|test| common(&test.id)) {
            (one.number, one.of_class) = (test.number, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvm::protocol::Limit;

    #[test]
    fn a_test_belongs_to_the_outermost_class_or_suite_that_was_asked_for() {
        let nested = "[engine:junit-jupiter]/[class:A]/[nested-class:N]/[method:c()]";
        assert_eq!(unit(nested), "[engine:junit-jupiter]/[class:A]");
        let suite = "[engine:junit-platform-suite]/[suite:S]/[engine:junit-jupiter]/[class:A]/[method:a()]";
        assert_eq!(unit(suite), "[engine:junit-platform-suite]/[suite:S]");
        assert_eq!(unit("[engine:own]/[spec:A]"), "[engine:own]/[spec:A]");
        assert_eq!(unit("org.A/a[x/y](org.A)#1"), "org.A");
        assert_eq!(unit("my/suite\tt\tA\ta()\t1\t\tA,B\tB"), "my/suite\tt\tA");
    }

    #[test]
    fn only_testng_knows_classes_that_a_test_depends_on() {
        let classes = |id: &'static str| classes_depended_upon(id).collect::<Vec<_>>();
        assert_eq!(classes("s\tt\tA\ta()\t1\t\tA,B,C\tB,C"), ["B", "C"]);
        assert!(classes("s\tt\tA\ta()\t1\t\tA\t").is_empty() && classes("A/a(A)#1").is_empty());
    }

    #[test]
    fn what_is_found_while_a_class_runs_counts_for_the_class_of_the_most_similar_test() {
        let test =
            |(number, id): (u32, &str)| RunTest { number: TestId(number), id: id.into(), limit: Limit::of_time(1) };
        let known = [(0, "A/a(A)#1"), (1, "A/b[1](A)#1"), (2, "B/b[1](B)#1")].map(test);
        let found =
            |number: u32, id: &str| (TestId(number), FoundTest { id: id.into(), name: id.into(), class: "A".into() });
        let mut finished = [1, 7, 8, 9].map(|number| Finished::passed(number, &[]));
        count_for_classes(
            &mut finished,
            &[found(7, "A/b[2](A)#1"), found(8, "A/unused stubs(A)#1"), found(9, "C/c(C)#1")],
            &known,
        );
        let results = finished.map(|one| (one.number.0, one.of_class));
        assert_eq!(results, [(1, false), (1, true), (0, true), (9, false)]);
    }
}
