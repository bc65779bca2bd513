//! Places the code of a suggestion: in an existing test, or in a new one.

use super::finding::{Finding, Proposal};
use super::snippet::{Snippet, SnippetPlace};
use crate::base::id::TestId;
use crate::diagnose::Evidence;
use minijinja::{Value, context};

/// Code before the expression of the evidence. `None` if its source is unknown.
pub(super) fn before(finding: &Finding<'_>, evidence: &Evidence, code: String) -> Option<Snippet> {
    let Evidence { line, column, .. } = *evidence;
    let place = SnippetPlace::Before { file: evidence.file.clone()?, line, column };
    placed(finding, evidence.test, place, code)
}

/// Code in the catch block whose parameter is the expression of the evidence.
pub(super) fn caught(finding: &Finding<'_>, evidence: &Evidence, code: String) -> Option<Snippet> {
    let Evidence { line, column, .. } = *evidence;
    let place = SnippetPlace::Caught { file: evidence.file.clone()?, line, column };
    placed(finding, evidence.test, place, code)
}

/// Code in a new test next to the one of the evidence.
pub(super) fn beside(
    finding: &Finding<'_>,
    evidence: &Evidence,
    code: String,
    variables: Vec<(String, String)>,
) -> Option<Snippet> {
    let (package, like) = (finding.reading_package(evidence), evidence.file.clone());
    placed(finding, evidence.test, SnippetPlace::NewTest { package, like, variables }, code)
}

/// Code in a new test of the method's test class.
pub(super) fn at_home(finding: &Finding<'_>, code: String, variables: Vec<(String, String)>) -> Option<Snippet> {
    let test = finding.any_test()?;
    let package = finding.test_package().to_owned();
    let like = finding.home.as_ref().and_then(|home| home.file.clone());
    let class = |test: TestId| finding.input.coverage.tests.get(test).map(|test| test.class.as_str());
    let like = like.or_else(|| finding.input.sources.test_file_of(class(test)?));
    placed(finding, test, SnippetPlace::NewTest { package, like, variables }, code)
}

fn placed(finding: &Finding<'_>, test: TestId, place: SnippetPlace, code: String) -> Option<Snippet> {
    let recipe = finding.input.coverage.tests.get(test)?.recipe;
    Some(Snippet { recipe, place, code, classes: vec![finding.method.class.clone()] })
}

/// The values of a proposal for its words without code.
pub(super) fn without_code(finding: &Finding<'_>, proposal: &Proposal) -> Value {
    context! { assertion => (), expected => (), call => finding.signature.short(), ..proposal.values.clone() }
}
