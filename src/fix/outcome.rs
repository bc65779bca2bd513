//! Outcomes: the patches for the findings of a method, and the facts from which a later analysis
//! sees whether they still hold.

use crate::base::id::{MethodId, RecipeId, TransformationId};
use crate::fix::edit::Edit;
use crate::fix::trial::entered::EnteredMethods;
use crate::suggest::Trust;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The outcome for one method with findings.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct MethodOutcome {
    pub method: MethodId,
    /// The recipe whose tests were tried.
    pub recipe: RecipeId,
    pub findings: Vec<Finding>,
    /// The patches in their places, each once.
    pub placed: Vec<PlacedPatch>,
    pub entered: EnteredMethods,
}

/// The outcome for one transformation of the method.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Finding {
    pub transformation: TransformationId,
    pub attempt: Attempt,
    /// The index of its patch in [`MethodOutcome::placed`].
    pub place: Option<usize>,
}

/// A patch in its place, proven by itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct PlacedPatch {
    /// The test source that the patch changes.
    pub file: PathBuf,
    pub edits: Vec<Edit>,
    /// Name of the test with the new code.
    pub test: String,
    /// Test classes (binary names) that run that test.
    pub runners: BTreeSet<String>,
    /// Transformations that it makes the tests notice.
    pub closes: BTreeSet<TransformationId>,
    /// A doubt that no proof can remove.
    pub doubt: Option<String>,
    /// The methods with patches for the same file, with which this patch was proven in place.
    pub beside: BTreeSet<MethodId>,
}

impl MethodOutcome {
    /// The same outcome with other numbers for its transformations. `None` if one of them has no
    /// new number.
    #[must_use]
    pub fn renumbered(mut self, number: impl Fn(TransformationId) -> Option<TransformationId>) -> Option<Self> {
        for finding in &mut self.findings {
            finding.transformation = number(finding.transformation)?;
            for closed in finding.attempt.patch.iter_mut().flat_map(|patch| &mut patch.also_closes) {
                *closed = number(*closed)?;
            }
        }
        for placed in &mut self.placed {
            placed.closes = placed.closes.iter().map(|closed| number(*closed)).collect::<Option<_>>()?;
        }
        Some(self)
    }

    /// Whether all findings have a proven patch.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        let mut patches = self.findings.iter().map(|finding| finding.attempt.patch.as_ref());
        patches.all(|patch| patch.is_some_and(|patch| patch.because.is_none()))
    }

    /// Whether a finding has a patch with a doubt.
    #[must_use]
    pub fn has_drafts(&self) -> bool {
        let mut patches = self.findings.iter().filter_map(|finding| finding.attempt.patch.as_ref());
        patches.any(|patch| patch.because.is_some())
    }

    /// The test sources for which the patches were made, and their content at that time.
    pub fn sources(&self) -> impl Iterator<Item = (&Path, &str)> {
        let patches = self.findings.iter().filter_map(|finding| finding.attempt.patch.as_ref());
        patches.map(|patch| (patch.file.as_path(), patch.content.as_str()))
    }
}

impl PlacedPatch {
    /// Whether both patches are in the same test.
    #[must_use]
    pub fn is_in_test_of(&self, other: &Self) -> bool {
        (&self.file, &self.test) == (&other.file, &other.test)
    }
}

/// By file, the methods with patches for it.
#[must_use]
pub fn by_file<'f>(all: impl IntoIterator<Item = &'f MethodOutcome>) -> BTreeMap<PathBuf, BTreeSet<MethodId>> {
    let mut files: BTreeMap<PathBuf, BTreeSet<MethodId>> = BTreeMap::new();
    for fixed in all {
        for placed in &fixed.placed {
            files.entry(placed.file.clone()).or_default().insert(fixed.method);
        }
    }
    files
}

/// The tests that the patches change or add: source and name.
#[must_use]
pub fn tests_of<'f>(all: impl IntoIterator<Item = &'f MethodOutcome>) -> BTreeSet<(PathBuf, String)> {
    let placed = all.into_iter().flat_map(|outcome| &outcome.placed);
    placed.map(|placed| (placed.file.clone(), placed.test.clone())).collect()
}

/// A change of a test source that makes the tests notice a transformation.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Patch {
    /// Never [`Trust::Hint`].
    pub trust: Trust,
    /// File name, without its ending, in `rules/fixes`.
    pub technique: String,
    /// Simple names of the class and of the new or changed test.
    pub test: String,
    /// Absolute path of the source.
    pub file: PathBuf,
    /// The line of the source, as it is, that is changed, or after which the first new line stands.
    pub line: u32,
    /// The assertion.
    pub code: String,
    /// SHA-256 of the source for which the patch was made.
    pub content: String,
    /// The encoding of the source. `None` for UTF-8.
    pub encoding: Option<String>,
    /// Test classes (binary names) that run the test.
    pub test_classes: BTreeSet<String>,
    /// Unified diff with paths relative to the project.
    pub diff: String,
    /// The number of lines that the patch adds, without blank ones.
    pub new_lines: usize,
    /// Other transformations of the method that it also makes the tests notice.
    pub also_closes: Vec<TransformationId>,
    /// The reason why it is only a draft.
    pub because: Option<String>,
    /// A remark on an asserted value that contradicts the names: Markdown.
    pub strange: Option<String>,
}

/// The doubt about a patch that only expects an exception such as a `NullPointerException`.
pub(super) const ON_NO_PURPOSE: &str =
    "it expects an exception that nobody throws on purpose: whether that is wanted, only you know";

impl Patch {
    /// Whether it only expects an exception that nobody throws on purpose. Any other advice is better.
    #[must_use]
    pub fn is_last_resort(&self) -> bool {
        self.because.as_deref() == Some(ON_NO_PURPOSE)
    }

    /// Sets the doubt, and the trust that follows from it.
    pub(super) fn doubted(&mut self, because: Option<String>) {
        self.trust = if because.is_none() { Trust::Verified } else { Trust::Draft };
        self.because = because;
    }
}

/// The result of searching a patch for one diagnosis.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Attempt {
    pub patch: Option<Patch>,
    /// Set if some expressions were tried, and none of them gave different values.
    pub in_vain: Option<FailedSearch>,
}

/// The extent of a search that showed nothing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct FailedSearch {
    /// The number of expressions that were written into trial tests.
    pub written: usize,
    /// The number of these that the original code evaluated. The others did not compile, or stand
    /// behind an exception.
    pub evaluated: usize,
    /// Whether a trial test may have entered the method.
    pub is_reached: bool,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    use crate::suggest::Trust;

    #[test]
    fn renumbering_changes_all_transformations_in_an_outcome() {
        let patch = Patch {
            trust: Trust::Verified,
            technique: String::new(),
            test: String::new(),
            file: PathBuf::from("ATest.java"),
            line: 1,
            code: String::new(),
            content: "0".into(),
            encoding: None,
            test_classes: BTreeSet::new(),
            diff: String::new(),
            new_lines: 1,
            also_closes: vec![TransformationId(4)],
            because: None,
            strange: None,
        };
        let finding = |transformation| Finding {
            transformation: TransformationId(transformation),
            attempt: Attempt { patch: Some(patch.clone()), in_vain: None },
            place: Some(0),
        };
        let placed =
            PlacedPatch { closes: [TransformationId(3), TransformationId(4)].into(), ..PlacedPatch::default() };
        let fixed = MethodOutcome { findings: vec![finding(3)], placed: vec![placed], ..MethodOutcome::default() };
        let other = fixed.clone().renumbered(|id| id.0.checked_sub(3).map(TransformationId)).unwrap();
        assert_eq!(
            (other.findings[0].transformation, other.placed[0].closes.clone()),
            (TransformationId(0), [TransformationId(0), TransformationId(1)].into())
        );
        assert_eq!(other.findings[0].attempt.patch.as_ref().unwrap().also_closes, [TransformationId(1)]);
        assert_eq!(fixed.clone().renumbered(|id| id.0.checked_sub(4).map(TransformationId)), None);
        assert!(fixed.is_proven() && fixed.sources().eq([(Path::new("ATest.java"), "0")]));
        assert!(!MethodOutcome { findings: vec![Finding::default()], ..fixed }.is_proven());
    }
}
