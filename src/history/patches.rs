//! The patches of the last analysis, and which of them still hold after an edit.
//!
//! A patch holds while the tests that led to it and verified it would do the same again: they enter no
//! method whose body has changed, and the test classes that run the patch and their source are the
//! same. A new search might find a different patch, but a patch that holds stays. A patch that may not
//! hold stays, too, if it can be verified again. A search without result is not repeated if an edit
//! elsewhere does not change the explanation of the finding.

use super::Changes;
use crate::base::fingerprint::content;
use crate::base::id::{MethodId, TransformationId};
use crate::change::TestClassKey;
use crate::fix::{MethodOutcome, PlacedPatch};
use crate::text::words::is_source_name;
use crate::transform::{Transformation, Transformations};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The patches, or attempts, for the findings of one method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptPatches {
    /// Largest number of candidates that were tried.
    budget: u32,
    /// Names of the method's transformations. The ids in `fixed` are positions in this list.
    names: Vec<String>,
    fixed: MethodOutcome,
    /// Whether it has to be proven again, because the analysis that was to do it was interrupted.
    #[serde(default)]
    is_doubtful: bool,
}

impl KeptPatches {
    /// `None` if `fixed` names a transformation that is not in the list.
    #[must_use]
    pub fn new(budget: u32, transformations: &Transformations, fixed: MethodOutcome) -> Option<Self> {
        let all = transformations.transformations.iter_enumerated();
        let own: Vec<_> = all.filter(|(_, transformation)| transformation.method == fixed.method).collect();
        let place = |id| own.iter().position(|(own, _)| *own == id).map(TransformationId::new);
        let fixed = fixed.renumbered(place)?;
        Some(Self {
            budget,
            names: own.into_iter().map(|(_, transformation)| transformation.name.clone()).collect(),
            fixed,
            is_doubtful: false,
        })
    }

    /// The same patches, which no later analysis takes without a new proof.
    #[must_use]
    pub fn doubted(self) -> Self {
        Self { is_doubtful: true, ..self }
    }

    /// With the ids of a list of transformations. `None` if the budget differs, or if the list lacks one
    /// of them.
    #[must_use]
    pub fn fixed(&self, budget: u32, transformations: &Transformations) -> Option<MethodOutcome> {
        let id = |place: TransformationId| {
            let name = self.names.get(place.index())?;
            let is_it = |known: &Transformation| known.method == self.fixed.method && known.name == *name;
            transformations.transformations.position(is_it)
        };
        (self.budget == budget).then(|| self.fixed.clone().renumbered(id))?
    }

    #[must_use]
    pub fn method(&self) -> MethodId {
        self.fixed.method
    }

    /// The method, and the name of each of its undetected transformations.
    pub fn findings(&self) -> impl Iterator<Item = (MethodId, &str)> {
        let places = self.fixed.findings.iter().map(|finding| finding.transformation);
        places.map(|place| (self.fixed.method, self.names.get(place.index()).map_or("", String::as_str)))
    }

    /// Whether it still holds without a new proof. `bodies` are the methods whose bodies have changed,
    /// `classes` the test classes that have changed or use one that has.
    pub(super) fn holds(
        &self,
        changes: &Changes,
        bodies: &BTreeSet<MethodId>,
        classes: &BTreeSet<TestClassKey>,
    ) -> bool {
        !self.is_doubtful
            && self.fixed.entered.none_of(bodies)
            && (self.says_enough() || changes.test_classes.is_empty())
            && self.fits(classes)
    }

    /// Whether it was verified and can be verified again as it is.
    pub(super) fn can_be_proven(&self, classes: &BTreeSet<TestClassKey>) -> bool {
        self.says_enough() && self.fits(classes)
    }

    /// Whether its patches can be verified again and its other attempts would fail again, provided that
    /// the explanations stay the same. `is_edited` says that a body of the method's class has changed, so
    /// that its objects may show something else.
    pub(super) fn stays_in_vain(&self, changes: &Changes, is_edited: bool, classes: &BTreeSet<TestClassKey>) -> bool {
        self.is_in_vain() && !is_edited && changes.test_classes.is_empty() && self.fits(classes)
    }

    /// Whether some of its findings have no patch, and all others have verified ones.
    #[must_use]
    pub fn is_in_vain(&self) -> bool {
        !self.fixed.is_proven() && !self.fixed.has_drafts()
    }

    /// Whether new tests cannot change the result: all findings have verified patches, and no patch is in
    /// an inherited test, which another class may inherit now.
    fn says_enough(&self) -> bool {
        let is_inherited =
            |placed: &PlacedPatch| placed.runners.iter().any(|class| !is_source_name(&placed.file, class));
        self.fixed.is_proven() && !self.fixed.placed.iter().any(is_inherited)
    }

    /// Whether the sources that it changes, and the classes that run them, are the same.
    fn fits(&self, classes: &BTreeSet<TestClassKey>) -> bool {
        let MethodOutcome { recipe, placed, .. } = &self.fixed;
        let mut runners = placed.iter().flat_map(|placed| &placed.runners);
        !runners.any(|class| classes.contains(&TestClassKey::new(*recipe, class)))
            && self.fixed.sources().all(|(file, then)| std::fs::read(file).is_ok_and(|now| content(&now) == then))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;
    use crate::classfile::Constant;
    use serde_json::{from_value, json};
    use std::path::Path;

    /// A patch for `ATest` that ran in the class `runner`, or an attempt in vain. Its proof entered the
    /// methods 1 and 2.
    fn kept(file: &Path, runner: &str, is_found: bool) -> KeptPatches {
        let patch = json!({
            "trust": "verified", "technique": "", "test": "ATest.a", "file": file, "line": 1, "code": "", "diff": "",
            "content": content(&std::fs::read(file).unwrap()), "new_lines": 1, "also_closes": [1], "encoding": null, "test_classes": [runner], "because": null, "strange": null
        });
        let placed = json!({
            "file": file, "edits": [], "test": "a", "runners": [runner], "closes": [0, 1], "doubt": null, "beside": [1]
        });
        let finding = json!({
            "transformation": 0, "place": is_found.then_some(0),
            "attempt": { "patch": is_found.then_some(patch), "in_vain": null }
        });
        let fixed = json!({
            "method": 1, "recipe": 0, "findings": [finding], "placed": if is_found { vec![placed] } else { vec![] },
            "entered": { "methods": [1, 2], "is_lost": false }
        });
        from_value(json!({ "budget": 9, "names": ["void", "null"], "fixed": fixed })).unwrap()
    }

    fn test_class(name: &str) -> Changes {
        Changes { test_classes: [name.into()].into(), ..Changes::default() }
    }

    #[test]
    fn a_patch_holds_while_everything_it_depends_on_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ATest.java");
        std::fs::write(&file, "class ATest {}").unwrap();
        let (patch, inherited, in_vain) =
            (kept(&file, "p.ATest", true), kept(&file, "p.BTest", true), kept(&file, "p.ATest", false));
        let holds = |kept: &KeptPatches, changes: &Changes, bodies: &[u32], classes: &[(u32, &str)]| {
            let classes = classes.iter().map(|(recipe, class)| TestClassKey::new(RecipeId(*recipe), class)).collect();
            kept.holds(changes, &bodies.iter().copied().map(MethodId).collect(), &classes)
        };
        let none = Changes::default();
        assert!(holds(&patch, &none, &[0, 3], &[]) && holds(&in_vain, &none, &[0, 3], &[]));
        assert!(!holds(&patch.clone().doubted(), &none, &[], &[]), "an interrupt kept it from being proven");
        assert!(!holds(&patch, &none, &[2], &[]) && !holds(&in_vain, &none, &[2], &[]));
        assert!(holds(&patch, &test_class("CTest.class"), &[], &[(0, "p.CTest"), (1, "p.ATest")]));
        assert!(!holds(&patch, &test_class("ATest.class"), &[], &[(0, "p.ATest")]));
        assert!(!holds(&in_vain, &test_class("CTest.class"), &[], &[]), "there may be more to try");
        assert!(!holds(&inherited, &test_class("CTest.class"), &[], &[]), "another class may inherit it");
        assert!(holds(&inherited, &none, &[], &[]));
        let can_be_proven =
            |kept: &KeptPatches, class: &str| kept.can_be_proven(&[TestClassKey::new(RecipeId(0), class)].into());
        assert!(can_be_proven(&patch, "p.CTest") && !can_be_proven(&patch, "p.ATest"));
        assert!(!can_be_proven(&inherited, "p.CTest") && !can_be_proven(&in_vain, "p.CTest"));
        let stays_in_vain = |kept: &KeptPatches, changes: &Changes, is_edited: bool| {
            kept.stays_in_vain(changes, is_edited, &BTreeSet::new())
        };
        assert!(stays_in_vain(&in_vain, &none, false) && !stays_in_vain(&in_vain, &none, true));
        assert!(!stays_in_vain(&in_vain, &test_class("CTest.class"), false), "there may be more to try");
        assert!(!stays_in_vain(&patch, &none, false), "nothing is");
        std::fs::write(&file, "class ATest { }").unwrap();
        assert!(!holds(&patch, &none, &[], &[]) && holds(&in_vain, &none, &[], &[]));
        assert!(!can_be_proven(&patch, "p.CTest"), "it is made for what stood there");
    }

    #[test]
    fn transformations_are_found_again_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ATest.java");
        std::fs::write(&file, "").unwrap();
        let list = |of: &[(u32, &str)]| {
            let one = |(method, name): &(u32, &str)| Transformation {
                method: MethodId(*method),
                name: (*name).into(),
                constant: Constant::Void,
            };
            Transformations { transformations: of.iter().map(one).collect(), ..Transformations::default() }
        };
        let (then, now) = (list(&[(1, "void"), (1, "null")]), list(&[(0, "void"), (1, "null"), (1, "void")]));
        let fixed = kept(&file, "p.ATest", true).fixed(9, &now).unwrap();
        assert_eq!(fixed.findings[0].transformation, TransformationId(2));
        assert_eq!(fixed.findings[0].attempt.patch.as_ref().unwrap().also_closes, [TransformationId(1)]);
        assert_eq!(
            KeptPatches::new(9, &now, fixed).unwrap().fixed(9, &then),
            kept(&file, "p.ATest", true).fixed(9, &then)
        );
        assert_eq!(kept(&file, "p.ATest", true).fixed(8, &then), None, "other effort");
        assert_eq!(kept(&file, "p.ATest", true).fixed(9, &list(&[(1, "void")])), None);
        assert!(kept(&file, "p.ATest", true).findings().eq([(MethodId(1), "void")]));
    }
}
