//! Finds the tests that can depend on chance, from what they and the methods that they enter call: random numbers, the clock,
//! identity hash codes, the order of threads.

use super::calls::tests_that_call;
use super::coverage::Coverage;
use crate::base::id::{IdSlice, RecipeId, TestId};
use crate::classfile::names::Member;
use crate::classfile::outlines::Outlines;
use crate::transform::Transformations;

/// Classes of the JDK all of whose methods depend on chance.
const CLASSES: [&str; 5] = [
    "java.util.concurrent.ThreadLocalRandom",
    "java.security.SecureRandom",
    "java.time.Clock",
    "java.util.concurrent.ForkJoinTask",
    "java.util.concurrent.ForkJoinPool",
];
/// Constructors that choose a seed or read the clock, if they have no parameters.
const CONSTRUCTORS: [&str; 4] =
    ["java.util.Random", "java.util.SplittableRandom", "java.util.Date", "java.util.GregorianCalendar"];
/// Methods of the JDK, by class and name.
const METHODS: [(&str, &str); 9] = [
    ("java.lang.Math", "random"),
    ("java.lang.StrictMath", "random"),
    ("java.util.UUID", "randomUUID"),
    ("java.lang.System", "currentTimeMillis"),
    ("java.lang.System", "nanoTime"),
    ("java.lang.System", "identityHashCode"),
    ("java.util.Calendar", "getInstance"),
    ("java.lang.Thread", "start"),
    ("java.lang.Thread", "startVirtualThread"),
];
/// Methods that hand work to other threads, by name, of any class of `java.util`.
const IN_THREADS: [&str; 9] = [
    "submit",
    "execute",
    "invokeAll",
    "invokeAny",
    "schedule",
    "supplyAsync",
    "runAsync",
    "parallelStream",
    "parallel",
];

/// The tests of the build that can depend on chance, in order. `tests` are the classes of the tests, `program` those that they test.
#[must_use]
pub fn by_chance(
    tests: &IdSlice<RecipeId, Outlines>,
    program: &Outlines,
    transformations: &Transformations,
    coverage: &Coverage,
) -> Vec<TestId> {
    tests_that_call(draws, tests, program, transformations, coverage)
}

fn draws(to: &Member) -> bool {
    let (owner, name) = (to.owner.as_str(), to.name.as_str());
    let is_of_jdk = owner.starts_with("java.");
    CLASSES.contains(&owner)
        || METHODS.contains(&(owner, name))
        || name == "<init>" && to.descriptor == "()V" && CONSTRUCTORS.contains(&owner)
        || owner.starts_with("java.time.") && name == "now" && !to.descriptor.starts_with("(Ljava/time/Clock;")
        || owner == "java.util.Collections" && name == "shuffle" && to.descriptor == "(Ljava/util/List;)V"
        || owner.starts_with("java.util.") && IN_THREADS.contains(&name)
        // Libraries of random data name their classes so.
        || !is_of_jdk && ["Random", "Faker", "Fuzz"].iter().any(|word| owner.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(owner: &str, name: &str, descriptor: &str) -> Member {
        Member { owner: owner.into(), name: name.into(), descriptor: descriptor.into() }
    }

    #[test]
    fn a_seed_that_the_code_chooses_is_no_chance() {
        assert!(draws(&member("java.util.Random", "<init>", "()V")));
        assert!(!draws(&member("java.util.Random", "<init>", "(J)V")));
        assert!(draws(&member("java.util.Collections", "shuffle", "(Ljava/util/List;)V")));
        assert!(!draws(&member("java.util.Collections", "shuffle", "(Ljava/util/List;Ljava/util/Random;)V")));
        assert!(draws(&member("java.time.LocalDate", "now", "()Ljava/time/LocalDate;")));
        assert!(!draws(&member("java.time.LocalDate", "now", "(Ljava/time/Clock;)Ljava/time/LocalDate;")));
        assert!(draws(&member("org.apache.commons.lang3.RandomStringUtils", "random", "(I)Ljava/lang/String;")));
    }
}
