//! From what came of the findings of methods in an earlier analysis, and what has changed since, to what of it holds still.
//!
//! A patch holds while the tests that led to it and proved it do again what they did: they enter no method whose body is another, the test classes that
//! run it are the same and so is their source. Another search might find another patch today: one that holds stays, and so does one that does not for sure,
//! where it can be proven anew. What was searched in vain is not searched again where an edit elsewhere changes nothing of what is told of it.

use super::Changes;
use crate::base::fingerprint::content;
use crate::base::id::{MethodId, TransformationId};
use crate::change::TestClassKey;
use crate::fix::{Fixed, Placed};
use crate::text::words::is_source_name;
use crate::transform::{Transformation, Transformations};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What came of the findings of one method.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptPatches {
    /// Most candidates that were tried for a method.
    budget: u32,
    /// Names of the method's transformations: what follows names them by their places in this list.
    names: Vec<String>,
    fixed: Fixed,
}

impl KeptPatches {
    /// `None` where a transformation is named that is not in the list.
    #[must_use]
    pub fn new(budget: u32, transformations: &Transformations, fixed: Fixed) -> Option<Self> {
        let all = transformations.transformations.iter_enumerated();
        let own: Vec<_> = all.filter(|(_, transformation)| transformation.method == fixed.method).collect();
        let place = |id| own.iter().position(|(own, _)| *own == id).map(TransformationId::new);
        let fixed = fixed.renumbered(place)?;
        Some(Self {
            budget,
            names: own.into_iter().map(|(_, transformation)| transformation.name.clone()).collect(),
            fixed,
        })
    }

    /// In the numbers of a list of transformations. `None` where other effort is wanted, or the list has not all of them.
    #[must_use]
    pub fn fixed(&self, budget: u32, transformations: &Transformations) -> Option<Fixed> {
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

    /// The number of the method, and the names of the transformations that nobody noticed.
    pub fn findings(&self) -> impl Iterator<Item = (MethodId, &str)> {
        let places = self.fixed.findings.iter().map(|finding| finding.transformation);
        places.map(|place| (self.fixed.method, self.names.get(place.index()).map_or("", String::as_str)))
    }

    /// Whether it holds still, by itself. `bodies` are methods whose bodies are others, `classes` test classes that are others or use such, with their
    /// recipes.
    pub(super) fn holds(
        &self,
        changes: &Changes,
        bodies: &BTreeSet<MethodId>,
        classes: &BTreeSet<TestClassKey>,
    ) -> bool {
        self.fixed.entered.none_of(bodies)
            && (self.says_enough() || changes.test_classes.is_empty())
            && self.fits(classes)
    }

    /// Whether it was proven, and can be proven anew as it is.
    pub(super) fn can_be_proven(&self, classes: &BTreeSet<TestClassKey>) -> bool {
        self.says_enough() && self.fits(classes)
    }

    /// Whether its patches can be proven anew, and what was tried in vain for the others would be in vain again, as far as nothing else is told of its findings.
    /// `is_edited`: a body of the method's class is another, and what its objects show may be.
    pub(super) fn stays_in_vain(&self, changes: &Changes, is_edited: bool, classes: &BTreeSet<TestClassKey>) -> bool {
        self.is_in_vain() && !is_edited && changes.test_classes.is_empty() && self.fits(classes)
    }

    /// Whether nothing was found for some of its findings, and the others have patches that are proven.
    #[must_use]
    pub fn is_in_vain(&self) -> bool {
        !self.fixed.is_proven() && !self.fixed.has_drafts()
    }

    /// Whether all is proven, whatever other tests there are: more tests are more to try, and where a test is inherited, another class may inherit it now.
    fn says_enough(&self) -> bool {
        let is_inherited = |placed: &Placed| placed.runners.iter().any(|class| !is_source_name(&placed.file, class));
        self.fixed.is_proven() && !self.fixed.placed.iter().any(is_inherited)
    }

    /// Whether the sources that it changes, and the classes that run them, are what they were.
    fn fits(&self, classes: &BTreeSet<TestClassKey>) -> bool {
        let Fixed { recipe, placed, .. } = &self.fixed;
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

    /// A patch for `ATest`, which its proof, having entered methods 1 and 2, ran in that class; or something tried in vain.
    fn kept(file: &Path, runner: &str, is_found: bool) -> KeptPatches {
        let patch = json!({
            "trust": "verified", "technique": "", "test": "ATest.a", "file": file, "line": 1, "code": "", "diff": "",
            "content": content(&std::fs::read(file).unwrap()), "new_lines": 1, "also_closes": [1], "because": null, "strange": null
        });
        let placed = json!({
            "file": file, "edits": [], "test": "a", "runners": [runner], "closes": [0, 1], "doubt": null, "beside": [1]
        });
        let finding = json!({
            "transformation": 0, "place": is_found.then_some(0),
            "attempt": { "patch": is_found.then_some(patch), "in_vain": if is_found { 0 } else { 9 } }
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
    fn a_patch_holds_while_what_it_hangs_on_is_as_it_was() {
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
