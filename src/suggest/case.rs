//! The values that all suggestions of a new test case share: how the tests call the method today,
//! and where to start.

use super::call_through;
use super::finding::Finding;
use minijinja::{Value, context};

/// How often and how the method was called, and which test to start from.
pub(super) fn case_values(finding: &Finding<'_>) -> Value {
    let call = finding.model_call(None);
    let accessible = finding.is_accessible();
    let through: Vec<String> = if accessible { vec![] } else { call_through::nearest(finding).0 };
    context! {
        method => finding.signature.short(),
        call => finding.call_code(None),
        in_all_calls => finding.in_all_calls(),
        how => call.map(|call| finding.call_words(call, true)).unwrap_or_else(|| Value::from("")),
        test => call.map(|call| finding.test_name(call.test)).unwrap_or_default(),
        home => finding.home_name(),
        accessible => accessible,
        through => through,
        constant => finding.constant(),
        instead => finding.instead(),
    }
}

/// Entry points of a new test case: the method itself, or the methods that reach it.
pub(super) fn entry_points(finding: &Finding<'_>) -> Vec<String> {
    if finding.is_accessible() { vec![finding.signature.full()] } else { call_through::nearest(finding).1 }
}
