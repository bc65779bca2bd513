//! From what was tried for the findings of one method to what came of it and what that hangs on: a later analysis can tell whether it holds still.

use super::Attempt;
use crate::base::id::{MethodId, RecipeId, TransformationId};
use crate::fix::edit::Edit;
use crate::fix::trial::bench::Tried;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What came of the findings of one method.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Fixed {
    pub method: MethodId,
    /// The recipe whose tests were tried.
    pub recipe: RecipeId,
    pub findings: Vec<Finding>,
    /// The patches in their places, each once.
    pub placed: Vec<Placed>,
    pub entered: Entered,
}

/// What came of one transformation of the method.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Finding {
    pub transformation: TransformationId,
    pub attempt: Attempt,
    /// Its patch: index into [`Fixed::placed`].
    pub place: Option<usize>,
}

/// A patch in its place, proven by itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Placed {
    /// The test source that it changes.
    pub file: PathBuf,
    pub edits: Vec<Edit>,
    /// Name of the test that it is in.
    pub test: String,
    /// Test classes (binary names) that run that test.
    pub runners: BTreeSet<String>,
    /// Transformations that it makes the tests notice.
    pub closes: BTreeSet<TransformationId>,
    /// What does not hold of it, however it is proven.
    pub doubt: Option<String>,
    /// The methods with patches for this file, with which it was proven together.
    pub beside: BTreeSet<MethodId>,
}

/// Methods that were entered while something was tried, on either side.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Entered {
    methods: BTreeSet<u32>,
    /// Of some run it is not known.
    is_lost: bool,
}

impl Fixed {
    /// The same in other numbers of the transformations; `None` where one has none.
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

    /// Whether all findings have a patch that is proven.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        let mut patches = self.findings.iter().map(|finding| finding.attempt.patch.as_ref());
        patches.all(|patch| patch.is_some_and(|patch| patch.because.is_none()))
    }

    /// Whether a finding has a patch of which something does not hold.
    #[must_use]
    pub fn has_drafts(&self) -> bool {
        let mut patches = self.findings.iter().filter_map(|finding| finding.attempt.patch.as_ref());
        patches.any(|patch| patch.because.is_some())
    }

    /// The test sources that patches were made for, and their content then.
    pub fn sources(&self) -> impl Iterator<Item = (&Path, &str)> {
        let patches = self.findings.iter().filter_map(|finding| finding.attempt.patch.as_ref());
        patches.map(|patch| (patch.file.as_path(), patch.content.as_str()))
    }
}

impl Placed {
    /// Whether both are in the same test.
    #[must_use]
    pub fn is_in_test_of(&self, other: &Self) -> bool {
        (&self.file, &self.test) == (&other.file, &other.test)
    }
}

/// By file, the methods with patches for it.
#[must_use]
pub fn by_file<'f>(all: impl IntoIterator<Item = &'f Fixed>) -> BTreeMap<PathBuf, BTreeSet<MethodId>> {
    let mut files: BTreeMap<PathBuf, BTreeSet<MethodId>> = BTreeMap::new();
    for fixed in all {
        for placed in &fixed.placed {
            files.entry(placed.file.clone()).or_default().insert(fixed.method);
        }
    }
    files
}

impl Entered {
    /// Whether it is known that none of these methods was entered.
    #[must_use]
    pub fn none_of(&self, methods: &BTreeSet<MethodId>) -> bool {
        !self.is_lost && !methods.iter().any(|method| self.methods.contains(&method.0))
    }

    pub fn unite(&mut self, other: &Self) {
        self.methods.extend(&other.methods);
        self.is_lost |= other.is_lost;
    }

    /// What these tests entered in a run, and what ran before and between any tests of it: set-up of a class is that of all of its tests.
    pub fn add(&mut self, tried: &Tried, is_own: impl Fn(u32) -> bool) {
        for finished in &tried.finished {
            self.methods.extend(finished.between());
            if is_own(finished.number) {
                self.methods.extend(&finished.entered);
            }
        }
        self.methods.extend(&tried.entered_otherwise);
        self.is_lost |= tried.is_lost;
    }
}

/// Adds what a run of these tests entered to what each group of them has entered.
pub fn add_to_groups(
    all: &mut [Entered],
    tried: &Tried,
    tests: &[(u32, &str)],
    group_of: impl Fn(u32) -> Option<usize>,
) {
    let groups: BTreeSet<usize> = tests.iter().filter_map(|(number, _)| group_of(*number)).collect();
    for group in groups {
        if let Some(entered) = all.get_mut(group) {
            // What nobody has asked for (an invocation of a parameterised test) may be anybody's.
            entered.add(tried, |number| group_of(number).is_none_or(|of| of == group));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::Patch;
    use crate::jvm::protocol::Finished;
    use crate::suggest::Trust;

    fn finished(number: u32, set_up: &[u32], entered: &[u32]) -> Finished {
        Finished { set_up: set_up.to_vec(), ..Finished::passed(number, entered) }
    }

    #[test]
    fn each_method_is_told_what_its_own_tests_entered_and_what_ran_between_any() {
        // Tests 1 and 2 are of the first method, 3 of the second, and 4 of the third, which has no part in the run.
        let group_of = |number: u32| [None, Some(0), Some(0), Some(1), Some(2)].get(number as usize).copied().flatten();
        let finished = vec![
            finished(1, &[10], &[11]),
            finished(2, &[], &[12]),
            finished(3, &[13], &[14]),
            finished(9, &[], &[15]),
        ];
        let mut tried = Tried { finished, ..Tried::default() };
        let tests = [(1, "a"), (2, "b"), (3, "c")];
        let mut all = vec![Entered::default(); 3];
        add_to_groups(&mut all, &tried, &tests, group_of);
        let methods: Vec<Vec<u32>> = all.iter().map(|entered| entered.methods.iter().copied().collect()).collect();
        assert_eq!(methods, [vec![10, 11, 12, 13, 15], vec![10, 13, 14, 15], vec![]]);
        assert!(
            all[1].none_of(&[MethodId(11), MethodId(12)].into())
                && !all[1].none_of(&[MethodId(11), MethodId(14)].into())
        );
        tried.is_lost = true;
        add_to_groups(&mut all, &tried, &tests, group_of);
        assert!(
            !all[1].none_of(&[MethodId(11)].into()) && all[2].none_of(&[MethodId(11)].into()),
            "what broke off says nothing"
        );
    }

    #[test]
    fn transformations_get_other_numbers_wherever_they_are_named() {
        let patch = Patch {
            trust: Trust::Verified,
            technique: String::new(),
            test: String::new(),
            file: PathBuf::from("ATest.java"),
            line: 1,
            code: String::new(),
            content: "0".into(),
            diff: String::new(),
            new_lines: 1,
            also_closes: vec![TransformationId(4)],
            because: None,
            strange: None,
        };
        let finding = |transformation| Finding {
            transformation: TransformationId(transformation),
            attempt: Attempt { patch: Some(patch.clone()), in_vain: 0 },
            place: Some(0),
        };
        let placed = Placed { closes: [TransformationId(3), TransformationId(4)].into(), ..Placed::default() };
        let fixed = Fixed { findings: vec![finding(3)], placed: vec![placed], ..Fixed::default() };
        let other = fixed.clone().renumbered(|id| id.0.checked_sub(3).map(TransformationId)).unwrap();
        assert_eq!(
            (other.findings[0].transformation, other.placed[0].closes.clone()),
            (TransformationId(0), [TransformationId(0), TransformationId(1)].into())
        );
        assert_eq!(other.findings[0].attempt.patch.as_ref().unwrap().also_closes, [TransformationId(1)]);
        assert_eq!(fixed.clone().renumbered(|id| id.0.checked_sub(4).map(TransformationId)), None);
        assert!(fixed.is_proven() && fixed.sources().eq([(Path::new("ATest.java"), "0")]));
        assert!(!Fixed { findings: vec![Finding::default()], ..fixed }.is_proven());
    }
}
