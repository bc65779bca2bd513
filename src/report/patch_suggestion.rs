//! Turns patches, and attempts without success, into the words of suggestions.

use super::findings::Findings;
use super::model::{Fix, Suggestion};
use super::phrases;
use crate::base::id::TransformationId;
use crate::fix::{FailedSearch, Patch};
use crate::text::escape;
use crate::text::words;
use std::collections::BTreeSet;

/// The addition to a suggestion if no tried expression distinguished the original from the
/// transformation. It does not advise to accept the finding: a search that fails proves nothing.
pub(super) fn in_vain_text(search: &FailedSearch) -> String {
    let expressions = |count: usize| words::count(u64::try_from(count).unwrap_or(u64::MAX), "expression");
    let (written, evaluated) = (expressions(search.written), expressions(search.evaluated));
    if search.evaluated == 0 {
        return format!(
            " reneri has no patch: it wrote {written} into tests of its own, and none of these tests came as far as its expression."
        );
    }
    if !search.is_reached {
        return format!(
            " reneri has no patch: it tried {evaluated} in tests of its own, and none of these tests reached the method."
        );
    }
    format!(
        " reneri has no proven patch: it tried {evaluated} in tests of its own, and none gave, with the transformation, another value that \
         an assertion can state. An input that reneri does not make may."
    )
}

/// Longest code of a patch in one short line, in characters.
const BRIEF: usize = 60;
/// Longest doubt about a patch in one short line, in characters.
const DOUBT: usize = 160;

/// Turns a patch into a suggestion: its words and its diff. `others` are the other transformations that it closes.
pub(super) fn patch_suggestion(findings: &Findings<'_>, patch: &Patch, others: &[TransformationId]) -> Suggestion {
    let (test, code) = (escape::code(&patch.test), escape::code_short(&patch.code, escape::LONGEST));
    let id = |id: &TransformationId| findings.transformations.id(&findings.transformations.transformations[*id]);
    let (word, proof) = match &patch.because {
        None => (
            "Proven",
            "With it the tests pass today, also in reversed order and in another time zone and locale, and fail with the transformation.".to_owned(),
        ),
        Some(because) => ("Not proven", format!("It notices the transformation, but {}.", escape::prose(because))),
    };
    let asks = patch.strange.as_ref().map_or_else(String::new, |strange| {
        format!(" **Look twice**: {strange}. The patch says what the program does today; if that is wrong, mend the program.")
    });
    Suggestion {
        rule: patch.technique.clone(),
        trust: patch.trust,
        brief: brief(patch),
        text: format!("{word}: in {test}, {code}. {proof}{}{asks}", of_others(findings, patch, others)),
        entry_points: Vec::new(),
        accessors: Vec::new(),
        file: findings.relative(Some(&patch.file)),
        line: Some(patch.line).filter(|line| *line > 0),
        patch: Some(patch.diff.clone()),
        fix: Some(Fix {
            test: patch.test.clone(),
            test_classes: patch.test_classes.iter().cloned().collect(),
            content: patch.content.clone(),
            encoding: patch.encoding.clone(),
            new_lines: patch.new_lines,
            also_closes: others.iter().map(id).collect(),
            because: patch.because.clone(),
        }),
    }
}

/// One short line of advice: to apply the patch, if it is proven.
fn brief(patch: &Patch) -> String {
    let (test, code) = (escape::code(&patch.test), escape::code(&escape::shorten(&patch.code, BRIEF).0));
    match &patch.because {
        None => format!("Apply the patch that asserts {code} in {test}."),
        Some(because) => {
            let (because, _) = escape::shorten(because, DOUBT);
            format!("There is a draft that asserts {code} in {test}, but {}.", escape::prose(&because))
        }
    }
}

/// Names the other methods with findings that the patch closes as well.
fn of_others(findings: &Findings<'_>, patch: &Patch, others: &[TransformationId]) -> String {
    let of_others = others.iter().filter(|id| !patch.also_closes.contains(id));
    let methods = of_others.filter_map(|id| {
        let method = findings.transformations.transformations.get(*id)?.method;
        let method = findings.transformations.methods.get(method)?;
        Some(escape::code(&words::short_method(&method.class, &method.name, &method.descriptor)))
    });
    let methods: BTreeSet<String> = methods.collect();
    if methods.is_empty() {
        return String::new();
    }
    let methods: Vec<String> = methods.into_iter().collect();
    let findings = if methods.len() == 1 { "a finding" } else { "findings" };
    format!(" The same test also closes {findings} of {}.", phrases::and(&methods))
}
