//! Tests and results that unit tests of several files use.

use super::coverage::Test;
use crate::base::id::{IdVec, RecipeId, TestId};
use crate::jvm::protocol::Finished;

/// Tests `a` and `c` of `ATest`, with the slow `b` between them, and one of `BTest`.
pub(super) fn tests() -> IdVec<TestId, Test> {
    let test =
        |name: &str, class: &str| Test { id: name.into(), name: name.into(), class: class.into(), recipe: RecipeId(0) };
    vec![test("ATest.a", "ATest"), test("ATest.b", "ATest"), test("ATest.c", "ATest"), test("BTest.a", "BTest")].into()
}

pub(super) fn took(number: u32, cpu_nanoseconds: u64) -> Finished {
    Finished { cpu_nanoseconds, ..Finished::passed(number, &[number]) }
}
